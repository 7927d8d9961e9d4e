import type { Command } from '../command.ts';
import type {
  HandedOver,
  RoutingCheck,
  RoutingProposal,
  RoutingView,
} from '../../dockets/index.ts';
import { EXIT, misuse } from '../../core/index.ts';
import { jsonLog } from '../../system/index.ts';
import { asOperator, environment, stopSignal, withApp } from '../context.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

interface RunOptions {
  readonly allowPrivate?: true;
  readonly watchRabbit?: readonly string[];
  readonly watchRedis?: readonly string[];
  readonly group: string;
}

interface AbsentOptions {
  readonly from: string;
  readonly to: string;
  readonly delegate?: string;
  readonly handOver?: readonly string[];
  readonly keep?: true;
}

export function addCommands(route: Command): void {
  addImport(route);
  addDecisions(route);
  addCheck(route);
  addShow(route);
  addAbsent(route);
  addRun(route);
}

function addImport(route: Command): void {
  route
    .command('import <files...>')
    .description(
      'check a routing matrix and a people file together and propose them to a second person; one file alone is combined with the current other one',
    )
    .option('--reason <text>', 'why the routing changes (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, files: string[], own: { reason?: string }) => {
      const { proposeRouting } = await import('../../dockets/index.ts');
      const done = await proposeRouting(app, actor, files, own.reason);
      const versions = `${done.title}, matrix ${done.matrix.slice(0, 12)}, people ${done.people.slice(0, 12)}`;
      out.result('route import', done, () =>
        done.state === 'unchanged'
          ? `Setup ${done.n} is identical; nothing was changed.`
          : [
              `Proposed: ${versions}. The routing stays as it is until another person approves this one.`,
              `The second person: filewright route approve --expect-hash ${done.sha256}`,
            ].join('\n'),
      );
    });
}

function addDecisions(route: Command): void {
  route
    .command('proposals')
    .description('the routing that waits for a second person, with each changed field')
    .inApp(async ({ app, out, actor }) => {
      const { routingProposals } = await import('../../dockets/index.ts');
      const proposals = await routingProposals(app, actor);
      out.result('route proposals', { proposals }, () =>
        proposals.length === 0
          ? 'No routing waits for approval.'
          : proposals.map(proposalText).join('\n\n'),
      );
    });
  route
    .command('approve')
    .description('put a proposed routing in force as the second person')
    .requiredOption('--expect-hash <sha256>', 'the hash that route proposals shows')
    .inApp(async ({ app, out, actor }, own: { expectHash: string }) => {
      const { approveRouting } = await import('../../dockets/index.ts');
      const done = await approveRouting(app, actor, own.expectHash);
      const versions = `matrix ${done.matrix.slice(0, 12)}, people ${done.people.slice(0, 12)}`;
      out.result(
        'route approve',
        done,
        () => `Setup ${done.n} is now in force: ${done.title}, ${versions}.`,
      );
    });
  route
    .command('refuse')
    .description('refuse a proposed routing, or withdraw your own proposal')
    .requiredOption('--reason <text>', 'why (10 to 500 characters)')
    .inApp(async ({ app, out, actor }, own: { reason: string }) => {
      const { refuseRouting } = await import('../../dockets/index.ts');
      await refuseRouting(app, actor, own.reason);
      out.result('route refuse', {}, () => 'The routing stays as it is.');
    });
}

function proposalText(one: RoutingProposal): string {
  const shown = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));
  return [
    `${one.title}, proposed by ${one.proposedBy} at ${moment(one.proposedAt)}: ${one.reason}`,
    `matrix  ${one.matrix}`,
    `people  ${one.people}`,
    `hash    ${one.sha256}`,
    ...(one.isStale
      ? ['Another routing came into force meanwhile: refuse this one, and import the files again.']
      : []),
    table(
      ['field', 'now', 'proposed'],
      one.changes.map(({ field, from, to, isHidden }) =>
        isHidden === true ? [field, '', 'not shown to you'] : [field, shown(from), shown(to)],
      ),
    ),
  ].join('\n');
}

function addCheck(route: Command): void {
  route
    .command('check <files...>')
    .description('check for cycles, gaps and unknown names; change nothing')
    .inApp(async ({ app, out, actor }, files: string[]) => {
      const { checkRoutingFiles } = await import('../../dockets/index.ts');
      const found = await checkRoutingFiles(app, actor, files);
      out.result('route check', found, () => checkText(found));
      if (found.faults.length > 0) process.exitCode = EXIT.failed;
    });
}

function addShow(route: Command): void {
  route
    .command('show')
    .description('the current setup and earlier ones; shows no addresses and no rights')
    .inApp(async ({ app, out, actor }) => {
      const { viewRouting } = await import('../../dockets/index.ts');
      const found = await viewRouting(app, actor);
      out.result('route show', found, () => viewText(found));
    });
}

function addAbsent(route: Command): void {
  route
    .command('absent <person>')
    .description(
      'record an absence; the delegate receives that person’s dockets, also those of now if it includes today',
    )
    .requiredOption('--from <day>', 'first day')
    .requiredOption('--to <day>', 'last day')
    .option('--delegate <person>', 'the substitute')
    .option('--hand-over <docket...>', 'of the dockets that the person has now, only these')
    .option('--keep', 'the person keeps the dockets of now')
    .inApp(
      async ({ app, out, actor }, person: string, { handOver, keep, ...own }: AbsentOptions) => {
        if (handOver !== undefined && keep === true)
          throw misuse('use --hand-over or --keep, not both');
        const { noteAbsence } = await import('../../dockets/index.ts');
        const desk = keep === true ? 'nothing' : (handOver ?? 'all');
        const { n, handedOver } = await noteAbsence(app, actor, { person, ...own }, desk);
        out.result('route absent', { n, person, ...own, handedOver }, () =>
          [`Recorded; setup ${n} is now in force.`, ...handedOverText(handedOver)].join('\n'),
        );
      },
    );
}

function handedOverText(handedOver: readonly HandedOver[]): string[] {
  if (handedOver.length === 0) return [];
  return [
    `${handedOver.length} dockets are handed over now:`,
    table(
      ['docket', 'application', 'to'],
      handedOver.map((one) => [
        one.docket,
        one.applicationNumber ?? '?',
        one.to ?? 'the next person or tier who may see it',
      ]),
    ),
  ];
}

function addRun(route: Command): void {
  route
    .command('run')
    .description(
      'hand off dockets until SIGTERM, escalate those not confirmed, recover targets; several may run at once',
    )
    .option('--allow-private', 'targets may be on this machine or in a private network')
    .option(
      '--watch-rabbit <queues...>',
      'queues read by docket consume, to watch for backlog and lag',
    )
    .option(
      '--watch-redis <streams...>',
      'streams read by docket consume, to watch for backlog and lag',
    )
    .option('--group <name>', 'consumer group of these streams', 'filewright')
    .action(async (own: RunOptions, command: Command) => {
      const signal = stopSignal();
      await withApp(
        asOperator(command.optsWithGlobals()),
        async ({ app, actor }) => {
          const { PRIVATE_TARGETS, runRouter } = await import('../../oversight/index.ts');
          const publicUrl = environment['FILEWRIGHT_PUBLIC_URL'];
          const { watchRabbit: rabbit = [], watchRedis = [], group } = own;
          const settings = {
            watch: { rabbit, redis: watchRedis.map((stream) => ({ stream, group })) },
            ...(publicUrl === undefined || publicUrl === '' ? {} : { publicUrl }),
          };
          const allowed = own.allowPrivate === true ? { [PRIVATE_TARGETS]: '1' } : {};
          await runRouter(app, actor, settings, { ...environment, ...allowed }, signal);
        },
        jsonLog(),
      );
    });
}

function checkText(found: RoutingCheck): string {
  const head = `${found.matrix.title}: ${found.targets} targets, ${found.routes} routes, ${found.parties} parties, ${found.absences} absences; version ${found.matrix.version}`;
  if (found.faults.length === 0) return `${head}\nNo cycles, no gaps, every name is known.`;
  return [head, ...found.faults.map((one) => `${one.where}: ${one.why}. ${one.remedy}.`)].join(
    '\n',
  );
}

function viewText(found: RoutingView): string {
  return [
    `Setup ${found.n}: ${found.title}, since ${moment(found.activatedAt)}`,
    '',
    table(
      ['client', 'group', 'event', 'starts at'],
      found.routes.map((row) => [
        row.client ?? '*',
        row.technologyGroup ?? '*',
        row.event ?? '*',
        row.start,
      ]),
    ),
    '',
    table(
      ['node', 'tier', 'target', 'next'],
      found.nodes.map((node) => [node.id, node.tier, node.target, node.next.join(', ')]),
    ),
    '',
    table(
      ['target', 'kind', 'party', 'confirmed by'],
      found.targets.map((one) => [one.id, one.kind, one.party, one.confirmedBy]),
    ),
    '',
    found.absences.length === 0
      ? 'No absences are recorded.'
      : table(
          ['absent', 'from', 'to', 'delegate'],
          found.absences.map((one) => [one.person, one.from, one.to, one.delegate ?? '']),
        ),
    '',
    table(
      ['setup', 'matrix', 'people', 'since'],
      found.history.map((one) => [
        one.n,
        one.matrix.slice(0, 12),
        one.people.slice(0, 12),
        moment(one.activatedAt),
      ]),
    ),
  ].join('\n');
}
