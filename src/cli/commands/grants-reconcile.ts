/** Matching what came with what was promised, closing a period, and letting its money go on. */
import type { Command } from 'commander';
import type { CloseReport, HandoffReport, Pipeline } from '../../grants/index.ts';
import { requirePerson } from '../../people/index.ts';
import { checkReason, EXIT, FilewrightError } from '../../core/index.ts';
import type { PersonActor } from '../../access/index.ts';
import { checkUuid } from '../arguments.ts';
import { type Context, type GlobalOptions, withApp } from '../context.ts';
import { table } from '../output.ts';
import {
  actorOf,
  dollars,
  type OrganizationOptions,
  PERIOD_FORM,
  readAmount,
  readOrganization,
  readPeriod,
  STATES_OPTION,
  YEAR_END_OPTION,
} from './grants-arguments.ts';
import { readDay } from './obligation-register.ts';

const EVIDENCE_CHARACTERS_MAX = 500;

interface SettleOptions {
  readonly award?: string[];
  readonly fee?: string;
  readonly restOpen?: string;
  readonly restNone?: string;
  readonly reason: string;
}

export function addGrantsReconciliation(grants: Command): void {
  addReconcile(grants);
  addUnmatched(grants);
  addSettle(grants);
  addClose(grants);
  addAttachRegistration(grants);
  addHandOff(grants);
}

function addReconcile(grants: Command): void {
  grants
    .command('reconcile')
    .description('match bank lines with awards; may be repeated until the period is closed')
    .option('--to <day>', 'lines up to this day (default today in UTC)')
    .action(async (own: { to?: string }, command: Command) =>
      acting(command, async ({ app, out }, pipeline, person) => {
        const to = dayOr('--to', own.to, app.clock.now());
        const report = await pipeline.reconcilePeriod({ to }, actorOf(person));
        const { byStatus, totals } = report;
        out.result('grants reconcile', { to, ...report }, () =>
          [
            `${report.lines} bank lines against ${report.receipts} awards, up to ${to}`,
            table(['outcome', 'count'], Object.entries(byStatus)),
            ...Object.entries(totals.matchedCents).map(
              ([currency, cents]) => `matched: ${currency} ${dollars(cents)}`,
            ),
          ].join('\n'),
        );
        if (byStatus.manual + byStatus.review > 0) {
          out.say('Some lines wait for a person: see grants unmatched, then grants settle.');
          process.exitCode = EXIT.conflict;
        }
      }),
    );
}

function addUnmatched(grants: Command): void {
  grants
    .command('unmatched')
    .description('what waits for a match or for a person, the oldest first')
    .option('--as-of <day>', 'age on this day (default today in UTC)')
    .action(async (own: { asOf?: string }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { openGrants } = await import('../../grants/index.ts');
        const asOf = dayOr('--as-of', own.asOf, app.clock.now());
        const entries = await openGrants(app, actor).unmatched(asOf);
        out.result('grants unmatched', { asOf, entries }, () =>
          [
            table(
              ['age', 'days', 'since', 'side', 'amount', 'rule', 'id'],
              entries.map((one) => [
                one.bucket,
                one.days,
                one.since,
                one.side,
                `${one.currency} ${dollars(one.amountCents)}`,
                one.rule,
                one.id,
              ]),
            ),
            ...entries.map(({ id, why }) => `${id}: ${why}`),
          ].join('\n'),
        );
      }),
    );
}

function addSettle(grants: Command): void {
  grants
    .command('settle <line>')
    .description(
      'decide about a bank line that the rules leave to a person; 8 digits of its id and its number are enough: 897b9a56#2',
    )
    .option(
      '--award <keys...>',
      'the awards that it pays, or the one that it takes money back of; none where it pays no award',
    )
    .option(
      '--fee <amount>',
      'what the bank kept of the payment, like 25.00; the award is paid with it',
    )
    .option(
      '--rest-open <amount>',
      'what the awards leave of the line and nobody knows yet, like 120.00; the line waits with them until it is known',
    )
    .option('--rest-none <amount>', 'what the awards leave of the line and pays none of our awards')
    .requiredOption('--reason <text>', 'why; recorded in the ledger')
    .action(async (name: string, own: SettleOptions, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        const reason = checkReason('--reason', own.reason);
        const receipts = own.award ?? [];
        const feeCents = own.fee === undefined ? 0 : readAmount('--fee', own.fee);
        const rest = restOf(own);
        const decision = { line: name, receipts, feeCents, reason, by: person.id };
        const { line } = await pipeline.settle({
          ...decision,
          ...(rest !== undefined && { rest }),
        });
        const settled = { line, receipts, feeCents, ...(rest !== undefined && { rest }), reason };
        out.result('grants settle', settled, () => settledWords(settled));
      }),
    );
}

type Rest = NonNullable<Parameters<Pipeline['settle']>[0]['rest']>;

function restOf({ restOpen, restNone }: SettleOptions): Rest | undefined {
  if (restOpen !== undefined && restNone !== undefined) {
    throw new FilewrightError(
      'USAGE',
      'One of --rest-open and --rest-none was expected: a rest is not known yet, or pays none of our awards',
    );
  }
  if (restOpen !== undefined) return { state: 'open', cents: readAmount('--rest-open', restOpen) };
  if (restNone !== undefined) return { state: 'none', cents: readAmount('--rest-none', restNone) };
  return undefined;
}

function settledWords(settled: {
  readonly line: string;
  readonly receipts: readonly string[];
  readonly feeCents: number;
  readonly rest?: Rest;
}): string {
  const { line, receipts, feeCents, rest } = settled;
  const again = 'Run grants reconcile again.';
  if (receipts.length === 0) return `${line} pays no award. ${again}`;
  const kept = feeCents === 0 ? '' : `; the bank kept ${dollars(feeCents)}`;
  const paid = `${line} is for ${receipts.join(', ')}${kept}`;
  if (rest === undefined) return `${paid}. ${again}`;
  return rest.state === 'none'
    ? `${paid}; ${dollars(rest.cents)} of it pays none of our awards. ${again}`
    : `${paid}; ${dollars(rest.cents)} of it is not known yet. The line waits, and its period stays open: settle it again when the rest is known.`;
}

function addClose(grants: Command): void {
  grants
    .command('close <period>')
    .description(`close a period for ever (${PERIOD_FORM}) and hand its money on`)
    .requiredOption('--account <account>', 'the bank account')
    .requiredOption(...STATES_OPTION)
    .option(...YEAR_END_OPTION)
    .action(
      async (text: string, own: OrganizationOptions & { account: string }, command: Command) =>
        acting(command, async ({ out }, pipeline, person) => {
          const period = { account: own.account, ...readPeriod(text) };
          const organization = readOrganization(own);
          const report = await pipeline.closePeriod(period, organization, actorOf(person));
          out.result('grants close', { ...period, ...report }, () => closeWords(report).join('\n'));
          const isBlocked = report.kind === 'blocked' || report.handoff.kind === 'blocked';
          if (isBlocked) process.exitCode = EXIT.refused;
        }),
    );
}

function addAttachRegistration(grants: Command): void {
  grants
    .command('attach-registration <state>')
    .description('attach the check of a registration, which a crossed threshold waits for')
    .requiredOption('--evidence <text>', 'number of the registration, or why none is needed')
    .option('--checked-on <day>', 'when it was checked (default today in UTC)')
    .action(
      async (state: string, own: { evidence: string; checkedOn?: string }, command: Command) =>
        acting(command, async ({ app, out }, pipeline, person) => {
          if (!/^[A-Z]{2}$/.test(state)) {
            throw new FilewrightError('USAGE', `A state like PA was expected, found "${state}"`);
          }
          const evidence = own.evidence.trim();
          if (evidence === '' || evidence.length > EVIDENCE_CHARACTERS_MAX) {
            throw new FilewrightError(
              'USAGE',
              `--evidence: 1 to ${EVIDENCE_CHARACTERS_MAX} characters were expected`,
            );
          }
          const checkedOn = dayOr('--checked-on', own.checkedOn, app.clock.now());
          const check = { jurisdiction: state, checkedOn, evidence, by: person.id };
          await pipeline.attachRegistrationCheck(check);
          out.result('grants attach-registration', check, () =>
            [`The registration check of ${state} is attached.`, ...waitingWords].join(' '),
          );
        }),
    );
}

function addHandOff(grants: Command): void {
  grants
    .command('hand-off [period]')
    .description('hand a closed period on again: one by its id, or all that wait')
    .requiredOption(...STATES_OPTION)
    .option(...YEAR_END_OPTION)
    .action(async (id: string | undefined, own: OrganizationOptions, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        checkUuid('period', id);
        const organization = readOrganization(own);
        const waiting = (await pipeline.periods()).filter(
          (one) => (id === undefined || one.id === id) && !one.isHandedOff,
        );
        const reports: HandoffReport[] = [];
        for (const { id: period } of id === undefined ? waiting : [{ id }]) {
          reports.push(await pipeline.handOff(period, organization, actorOf(person)));
        }
        out.result('grants hand-off', { handoffs: reports }, () =>
          reports.length === 0 ? 'Nothing waits.' : reports.flatMap(handoffWords).join('\n'),
        );
        if (reports.some(({ kind }) => kind === 'blocked')) process.exitCode = EXIT.refused;
      }),
    );
}

const waitingWords = ['Run grants hand-off, where a closed period waits for it.'];

/** Opens the pipeline for a person; what was done is in the ledger before the command ends. */
export async function acting(
  command: Command,
  work: (context: Context, pipeline: Pipeline, person: PersonActor) => Promise<void>,
): Promise<void> {
  await withApp(command.optsWithGlobals<GlobalOptions>(), async (context) => {
    const { openGrants } = await import('../../grants/index.ts');
    const { sequenceAll } = await import('../../ledger/index.ts');
    const person = requirePerson(context.actor);
    await work(context, openGrants(context.app, person), person);
    await sequenceAll(context.app);
  });
}

export function closeWords(report: CloseReport): string[] {
  if (report.kind === 'blocked') {
    return [
      'NOT CLOSED: all of these are in the way',
      ...report.obstacles.map((obstacle) => `  ${obstacle}`),
    ];
  }
  const { matchedCents, hash } = report.totals;
  const sums = Object.entries(matchedCents).map(
    ([currency, cents]) => `${currency} ${dollars(cents)}`,
  );
  return [
    `Closed as ${report.period}: ${sums.length === 0 ? 'nothing matched' : sums.join(', ')}; totals ${hash.slice(0, 16)}...`,
    ...handoffWords(report.handoff),
  ];
}

export function handoffWords(handoff: HandoffReport): string[] {
  if (handoff.kind === 'passed') {
    return [`Handed on to the rules: ${handoff.received} receipts of period ${handoff.period}.`];
  }
  return [
    `NOT HANDED ON: period ${handoff.period} waits`,
    ...handoff.reasons.map((reason) => `  ${reason}`),
    ...handoff.crossings.map(
      ({ jurisdiction, on, obligation }) => `  ${jurisdiction}, crossed on ${on}: ${obligation}`,
    ),
  ];
}

function dayOr(option: string, given: string | undefined, now: number): string {
  return given === undefined ? new Date(now).toISOString().slice(0, 10) : readDay(option, given);
}
