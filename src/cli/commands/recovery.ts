import type { Command } from 'commander';
import type { RecoveryStatus } from '../../acts/dockets/index.ts';
import { type GlobalOptions, withApp } from '../context.ts';
import { iso, table } from '../output.ts';

export function addRecoveryCommands(program: Command): void {
  const recovery = program
    .command('recovery')
    .description('targets that failed, and their way back: health, schema, drain, reconciliation');

  recovery
    .command('status')
    .description('breakers, open runs with their evidence, and what must be reviewed')
    .option('--all', 'runs that are over too')
    .action(async (own: { all?: true }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { recoveryStatus } = await import('../../acts/dockets/index.ts');
        const found = await recoveryStatus(app, await actor(), { all: own.all === true });
        out.result('recovery status', statusJson(found), () => statusText(found));
      }),
    );

  recovery
    .command('run <target>')
    .description(
      'have the next check of a target done now instead of at its turn; another person then approves at the end',
    )
    .action(async (target: string, _own: object, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { runRecovery } = await import('../../acts/dockets/index.ts');
        const found = await runRecovery(app, await actor(), target);
        out.result('recovery run', statusJson(found), () => statusText(found));
      }),
    );

  recovery
    .command('approve <target>')
    .description('let a run that waits for a person go on to its synthetic transaction')
    .requiredOption('--reason <text>', 'why it may; recorded with your name')
    .action(async (target: string, own: { reason: string }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { approveRecovery } = await import('../../acts/dockets/index.ts');
        const found = await approveRecovery(app, await actor(), { target, reason: own.reason });
        out.result('recovery approve', statusJson(found), () => statusText(found));
      }),
    );

  recovery
    .command('review <docket>')
    .description(
      'say that you have looked at what a recovery found about a docket; stops its clock',
    )
    .action(async (docket: string, _own: object, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const { reviewDifferences } = await import('../../acts/dockets/index.ts');
        const reviewed = await reviewDifferences(app, await actor(), docket);
        out.result('recovery review', { docket, reviewed }, () => `Reviewed: ${reviewed}.`);
      }),
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
