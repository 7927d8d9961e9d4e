import type { Command } from '../command.ts';
import type { RoutingCheck, RoutingView } from '../../dockets/index.ts';
import { EXIT } from '../../core/index.ts';
import { jsonLog } from '../../system/index.ts';
import { asOperator, environment, stopSignal, withApp } from '../context.ts';
import { iso, table } from '../output.ts';

interface RunOptions {
  readonly allowPrivate?: true;
  readonly watchRabbit?: readonly string[];
  readonly watchRedis?: readonly string[];
  readonly group: string;
}

export function addCommands(route: Command): void {
  addImport(route);
  addCheck(route);
  addShow(route);
  addAbsent(route);
  addRun(route);
}

function addImport(route: Command): void {
  route
    .command('import <files...>')
    .description(
      'check a routing matrix and a people file together and put them in force; one file alone is combined with the current other one',
    )
    .inApp(async ({ app, out, actor }, files: string[]) => {
      const { importRoutingFiles } = await import('../../dockets/index.ts');
      const done = await importRoutingFiles(app, actor, files);
      const { n, isNew, matrix, peopleVersion } = done;
      out.result(
        'route import',
        { n, isNew, matrix: matrix.version, people: peopleVersion, title: matrix.title },
        () =>
          isNew
            ? `Setup ${n} is now in force: ${matrix.title}, matrix ${matrix.version.slice(0, 12)}, people ${peopleVersion.slice(0, 12)}.`
            : `Setup ${n} is identical; nothing was changed.`,
      );
    });
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
    .description('record an absence; the delegate receives that person’s dockets')
    .requiredOption('--from <day>', 'first day')
    .requiredOption('--to <day>', 'last day')
    .option('--delegate <person>', 'the substitute')
    .inApp(
      async (
        { app, out, actor },
        person: string,
        own: { from: string; to: string; delegate?: string },
      ) => {
        const { noteAbsence } = await import('../../dockets/index.ts');
        const { n } = await noteAbsence(app, actor, { person, ...own });
        out.result(
          'route absent',
          { n, person, ...own },
          () => `Recorded; setup ${n} is now in force.`,
        );
      },
    );
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
    `Setup ${found.n}: ${found.title}, since ${iso(found.activatedAt)}`,
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
        iso(one.activatedAt),
      ]),
    ),
  ].join('\n');
}
