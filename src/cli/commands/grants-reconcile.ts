/** Matching what came with what was promised, closing a period, and letting its money go on. */
import type { Command } from '../command.ts';
import type { Pipeline, ReleaseReport } from '../../grants/index.ts';
import { requirePerson } from '../../people/index.ts';
import { EXIT, misuse, periodId } from '../../core/index.ts';
import type { PersonActor } from '../../access/index.ts';
import { checkUuid } from '../arguments.ts';
import { type Context, type GlobalOptions, withApp } from '../context.ts';
import { table } from '../output.ts';
import {
  actorOf,
  dollars,
  type OrganizationOptions,
  readOrganization,
  STATES_OPTION,
  YEAR_END_OPTION,
} from './grants-arguments.ts';
import { readDay } from './obligation-register.ts';

const EVIDENCE_CHARACTERS_MAX = 500;

export function addGrantsReconciliation(grants: Command): void {
  addReconcile(grants);
  addAttachRegistration(grants);
  addHandOff(grants);
}

function addReconcile(grants: Command): void {
  grants
    .command('reconcile')
    .description('match bank lines to awards; may be repeated until the period is closed')
    .option('--to <day>', 'lines through this day (default: today in UTC)')
    .action(async (own: { to?: string }, command: Command) =>
      acting(command, async ({ app, out }, pipeline, person) => {
        const to = dayOr('--to', own.to, app.clock.now());
        const report = await pipeline.reconcilePeriod({ to }, actorOf(person));
        const { byStatus, totals } = report;
        out.result('grants reconcile', { to, ...report }, () =>
          [
            `${report.lines} bank lines and ${report.expectedPayments} awards, through ${to}`,
            table(['outcome', 'count'], Object.entries(byStatus)),
            ...Object.entries(totals.matchedCents).map(
              ([currency, cents]) => `matched: ${currency} ${dollars(cents)}`,
            ),
          ].join('\n'),
        );
        if (byStatus.manual + byStatus.review > 0) {
          out.say('Some lines need a person: see grants unmatched, then run grants resolve.');
          process.exitCode = EXIT.conflict;
        }
      }),
    );
}

function addAttachRegistration(grants: Command): void {
  grants
    .command('attach-registration <state>')
    .description('attach a registration check, which is required after a threshold is crossed')
    .requiredOption('--evidence <text>', 'registration number, or why none is needed')
    .option('--checked-on <day>', 'date of the check (default: today in UTC)')
    .action(
      async (state: string, own: { evidence: string; checkedOn?: string }, command: Command) =>
        acting(command, async ({ app, out }, pipeline, person) => {
          if (!/^[A-Z]{2}$/.test(state)) throw misuse(`Expected a state like PA, found "${state}"`);
          const evidence = own.evidence.trim();
          if (evidence === '' || evidence.length > EVIDENCE_CHARACTERS_MAX) {
            throw misuse(`--evidence: expected 1 to ${EVIDENCE_CHARACTERS_MAX} characters`);
          }
          const checkedOn = dayOr('--checked-on', own.checkedOn, app.clock.now());
          const check = { jurisdiction: state, checkedOn, evidence, by: person.id };
          await pipeline.attachRegistrationCheck(check);
          out.result('grants attach-registration', check, () =>
            [`The registration check for ${state} is attached.`, ...waitingWords].join(' '),
          );
        }),
    );
}

function addHandOff(grants: Command): void {
  grants
    .command('release [period]')
    .description('release a closed period: one by its id, or all that are blocked')
    .requiredOption(...STATES_OPTION)
    .option(...YEAR_END_OPTION)
    .action(async (id: string | undefined, own: OrganizationOptions, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        checkUuid('period', id);
        const organization = readOrganization(own);
        const waiting = (await pipeline.periods()).filter(
          (one) => (id === undefined || one.id === id) && !one.isReleased,
        );
        const reports: ReleaseReport[] = [];
        for (const { id: period } of id === undefined ? waiting : [{ id }]) {
          reports.push(await pipeline.release(periodId(period), organization, actorOf(person)));
        }
        out.result('grants release', { releases: reports }, () =>
          reports.length === 0
            ? 'No closed period is blocked.'
            : reports.flatMap(releaseWords).join('\n'),
        );
        if (reports.some(({ kind }) => kind === 'blocked')) process.exitCode = EXIT.refused;
      }),
    );
}

const waitingWords = ['If a closed period was blocked by this, run grants release.'];

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

export function releaseWords(release: ReleaseReport): string[] {
  if (release.kind === 'passed') {
    return [`Released to the rules: ${release.received} payments of period ${release.period}.`];
  }
  return [
    `NOT RELEASED: period ${release.period} needs a registration check`,
    ...release.reasons.map((reason) => `  ${reason}`),
    ...release.crossings.map(
      ({ jurisdiction, on, obligation }) => `  ${jurisdiction}, crossed on ${on}: ${obligation}`,
    ),
  ];
}

export function dayOr(option: string, given: string | undefined, now: number): string {
  return given === undefined ? new Date(now).toISOString().slice(0, 10) : readDay(option, given);
}
