import { type Command, Option } from 'commander';
import {
  DIFFERENCE_KINDS,
  type DifferenceKind,
  type DifferenceQuestion,
  type listRecoveryDifferences,
  type RecoveryStatus,
} from '../../dockets/index.ts';
import { FilewrightError } from '../../core/index.ts';
import { type GlobalOptions, withApp } from '../context.ts';
import { iso, table } from '../output.ts';

export function addRecoveryCommands(recovery: Command): void {
  addStatus(recovery);
  addRun(recovery);
  addApprove(recovery);
  addDifferences(recovery);
  addReview(recovery);
}

function addStatus(recovery: Command): void {
  recovery
    .command('status')
    .description('breakers, open runs with their evidence, and what must be reviewed')
    .option('--all', 'runs that are over too')
    .action(async (own: { all?: true }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { recoveryStatus } = await import('../../dockets/index.ts');
        const found = await recoveryStatus(app, actor, { all: own.all === true });
        out.result('recovery status', statusJson(found), () => statusText(found));
      }),
    );
}

function addRun(recovery: Command): void {
  recovery
    .command('run <target>')
    .description(
      'have the next check of a target done now instead of at its turn; another person then approves at the end',
    )
    .action(async (target: string, _own: object, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { runRecovery } = await import('../../dockets/index.ts');
        const found = await runRecovery(app, actor, target);
        out.result('recovery run', statusJson(found), () => statusText(found));
      }),
    );
}

function addApprove(recovery: Command): void {
  recovery
    .command('approve <target>')
    .description('let a run that waits for a person go on to its synthetic transaction')
    .requiredOption('--reason <text>', 'why it may; recorded with your name')
    .action(async (target: string, own: { reason: string }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { approveRecovery } = await import('../../dockets/index.ts');
        const found = await approveRecovery(app, actor, { target, reason: own.reason });
        out.result('recovery approve', statusJson(found), () => statusText(found));
      }),
    );
}

function addDifferences(recovery: Command): void {
  withFilter(recovery.command('differences'))
    .description('what recoveries found and nobody has reviewed, the most urgent first')
    .action(async (own: FilterOptions, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { listRecoveryDifferences } = await import('../../dockets/index.ts');
        const found = await listRecoveryDifferences(app, actor, filterOf(own));
        const differences = found.map((one) => ({
          ...one,
          foundAt: iso(one.foundAt),
          reviewBy: iso(one.reviewBy),
        }));
        out.result('recovery differences', { differences }, () => differencesText(found));
      }),
    );
}

function addReview(recovery: Command): void {
  withFilter(recovery.command('review [docket]'))
    .description(
      'say that you have looked at what a recovery found about a docket, or about all that the options name; stops their clocks',
    )
    .action(async (docket: string | undefined, own: FilterOptions, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { reviewDifferences, reviewFiltered } = await import('../../dockets/index.ts');
        const filter = filterOf(own);
        const isFiltered = Object.keys(filter).length > 0;
        if ((docket === undefined) !== isFiltered) {
          throw new FilewrightError(
            'USAGE',
            'Expected a docket, or at least one of --target, --kind and --client, and not both',
          );
        }
        if (docket !== undefined) {
          const reviewed = await reviewDifferences(app, actor, docket);
          out.result('recovery review', { docket, reviewed }, () => `Reviewed: ${reviewed}.`);
          return;
        }
        const done = await reviewFiltered(app, actor, filter);
        const text = `Reviewed: ${done.reviewed}, of ${done.dockets} dockets.`;
        out.result('recovery review', done, () => text);
      }),
    );
}

interface FilterOptions {
  readonly target?: string;
  readonly kind?: DifferenceKind;
  readonly client?: string;
}

function withFilter(command: Command): Command {
  return command
    .option('--target <id>', 'found by the recovery of this target')
    .addOption(new Option('--kind <kind>', 'of this kind').choices(DIFFERENCE_KINDS))
    .option('--client <name>', 'of dockets of this client');
}

function filterOf({ target, kind, client }: FilterOptions): DifferenceQuestion {
  return {
    ...(target === undefined ? {} : { target }),
    ...(kind === undefined ? {} : { kind }),
    ...(client === undefined ? {} : { client }),
  };
}

function differencesText(found: Awaited<ReturnType<typeof listRecoveryDifferences>>): string {
  if (found.length === 0) return 'Nothing is to be reviewed.';
  return table(
    ['docket', 'kind', 'found', 'review by'],
    found.map((one) => [one.docket, one.kind, iso(one.foundAt), iso(one.reviewBy)]),
  );
}

function statusJson({ breakers, runs }: RecoveryStatus): object {
  return {
    breakers: breakers.map((one) => ({ ...one, changedAt: iso(one.changedAt) })),
    runs: runs.map(({ startedAt, nextAt, evidence, ...run }) => ({
      ...run,
      startedAt: iso(startedAt),
      nextAt: iso(nextAt) || null,
      evidence: evidence.map((one) => ({ ...one, at: iso(one.at) })),
    })),
  };
}

function statusText({ breakers, runs }: RecoveryStatus): string {
  const blocks = runs.map((run) =>
    [
      `${run.target}: ${run.state.state}${run.state.state === 'checking' ? ` ${run.state.step}` : ''}, ${run.mode === 'by_hand' ? 'by hand' : 'automatic'}, since ${iso(run.startedAt)}${run.nextAt === undefined ? '' : `, next ${iso(run.nextAt)}`}`,
      ...(run.state.state === 'awaiting_approval'
        ? [`  waits for recovery approve: ${run.state.reasons.join(', ')}`]
        : []),
      ...run.evidence.map(
        (one) =>
          `  ${iso(one.at)}  ${one.step.padEnd(14)} ${one.verdict.padEnd(5)} ${JSON.stringify(one.evidence)}`,
      ),
      ...run.differences.map(
        (one) =>
          `  MANUAL_ESCALATION_REQUIRED  ${one.docket} ${one.kind}, review by ${iso(one.reviewBy)}`,
      ),
    ].join('\n'),
  );
  return [
    breakers.length === 0
      ? 'No target is failing.'
      : table(
          ['target', 'breaker', 'since'],
          breakers.map((one) => [one.target, one.breaker.state, iso(one.changedAt)]),
        ),
    ...blocks,
  ].join('\n\n');
}
