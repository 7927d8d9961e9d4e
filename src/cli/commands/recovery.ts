import { Option } from 'commander';
import type { Command } from '../command.ts';
import {
  DIFFERENCE_KINDS,
  type DifferenceKind,
  type DifferenceQuestion,
  type listRecoveryDifferences,
  type RecoveryStatus,
} from '../../dockets/index.ts';
import { type LaneState, misuse, nextTurnOf, targetId } from '../../core/index.ts';
import { approveLane, hurryLane, recoveringLanes } from '../../filings/index.ts';
import { iso, table } from '../output.ts';
import { moment } from '../shown.ts';

export function addCommands(recovery: Command): void {
  addStatus(recovery);
  addRun(recovery);
  addApprove(recovery);
  addDifferences(recovery);
  addReview(recovery);
}

function addStatus(recovery: Command): void {
  recovery
    .command('status')
    .description(
      'recovery of portals and targets, with the result of each check, and differences to review',
    )
    .option('--all', 'include finished runs')
    .inApp(async ({ app, out, actor }, own: { all?: true }) => {
      const { recoveryStatus } = await import('../../dockets/index.ts');
      const lanes = await recoveringLanes(app, actor);
      const found = await recoveryStatus(app, actor, { all: own.all === true });
      out.result('recovery status', { ...statusJson(found), lanes: lanesJson(lanes) }, () =>
        [...lanes.map(laneText), statusText(found)].join('\n\n'),
      );
    });
}

function addRun(recovery: Command): void {
  recovery
    .command('run <target>')
    .description(
      'run the next recovery check of a portal or target now; a second person must then approve at the end',
    )
    .inApp(async ({ app, out, actor }, target: string) => {
      if (await isPortal(app, actor, target)) {
        const state = await hurryLane(app, actor, target);
        out.result('recovery run', { lanes: lanesJson([state]) }, () => laneText(state));
        return;
      }
      const { runRecovery } = await import('../../dockets/index.ts');
      const found = await runRecovery(app, actor, target);
      out.result('recovery run', statusJson(found), () => statusText(found));
    });
}

function addApprove(recovery: Command): void {
  recovery
    .command('approve <target>')
    .description('approve the recovery of a portal or target that waits for a person')
    .requiredOption('--reason <text>', 'reason; recorded with your name')
    .inApp(async ({ app, out, actor }, target: string, own: { reason: string }) => {
      const { reason } = own;
      if (await isPortal(app, actor, target)) {
        const state = await approveLane(app, actor, { lane: target, reason });
        out.result('recovery approve', { lanes: lanesJson([state]) }, () => laneText(state));
        return;
      }
      const { approveRecovery } = await import('../../dockets/index.ts');
      const found = await approveRecovery(app, actor, { target, reason });
      out.result('recovery approve', statusJson(found), () => statusText(found));
    });
}

function addDifferences(recovery: Command): void {
  withFilter(recovery.command('differences'))
    .description('differences found by recoveries and not reviewed, most urgent first')
    .inApp(async ({ app, out, actor }, own: FilterOptions) => {
      const { listRecoveryDifferences } = await import('../../dockets/index.ts');
      const found = await listRecoveryDifferences(app, actor, filterOf(own));
      const differences = found.map((one) => ({
        ...one,
        foundAt: iso(one.foundAt),
        reviewBy: iso(one.reviewBy),
      }));
      out.result('recovery differences', { differences }, () => differencesText(found));
    });
}

function addReview(recovery: Command): void {
  withFilter(recovery.command('review [docket]'))
    .description(
      'mark the differences of a docket, or of all dockets that match the options, as reviewed; stops their clocks',
    )
    .inApp(async ({ app, out, actor }, docket: string | undefined, own: FilterOptions) => {
      const { reviewDifferences, reviewFiltered } = await import('../../dockets/index.ts');
      const filter = filterOf(own);
      const isFiltered = Object.keys(filter).length > 0;
      if ((docket === undefined) !== isFiltered) {
        throw misuse(
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
    });
}

interface FilterOptions {
  readonly target?: string;
  readonly kind?: DifferenceKind;
  readonly client?: string;
}

function withFilter(command: Command): Command {
  return command
    .option('--target <id>', 'only from the recovery of this target')
    .addOption(new Option('--kind <kind>', 'only this kind').choices(DIFFERENCE_KINDS))
    .option('--client <name>', 'only dockets of this client');
}

function filterOf({ target, kind, client }: FilterOptions): DifferenceQuestion {
  return {
    ...(target === undefined ? {} : { target: targetId(target) }),
    ...(kind === undefined ? {} : { kind }),
    ...(client === undefined ? {} : { client }),
  };
}

function differencesText(found: Awaited<ReturnType<typeof listRecoveryDifferences>>): string {
  if (found.length === 0) return 'No differences to review.';
  return table(
    ['docket', 'kind', 'found', 'review by'],
    found.map((one) => [one.docket, one.kind, moment(one.foundAt), moment(one.reviewBy)]),
  );
}

/** A portal goes before a target of the same name: filings have no other way. */
async function isPortal(
  ...[app, actor, code]: [...Parameters<typeof recoveringLanes>, string]
): Promise<boolean> {
  return (await recoveringLanes(app, actor)).some((lane) => lane.code === code);
}

function lanesJson(lanes: readonly LaneState[]): readonly object[] {
  return lanes.map(({ code, breaker, recovery }) => ({ lane: code, breaker, recovery }));
}

function laneText({ code, recovery }: LaneState): string {
  if (recovery === undefined) return `${code}: sends.`;
  const { reason, run, last } = recovery;
  const next = nextTurnOf(run);
  const found =
    last && `  ${moment(last.at)}  ${last.step.padEnd(14)} ${last.verdict} ${last.why ?? ''}`;
  return [
    `${code}: ${run.state}${run.state === 'checking' ? ` ${run.step}` : ''}, ${reason} (${recovery.code})${next === undefined ? '' : `, next ${moment(next)}`}`,
    ...(run.state === 'awaiting_approval'
      ? [`  waits for recovery approve ${code}: ${run.reasons.join(', ')}`]
      : []),
    ...(found === undefined ? [] : [found]),
  ].join('\n');
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
      `${run.target}: ${run.state.state}${run.state.state === 'checking' ? ` ${run.state.step}` : ''}, ${run.mode === 'by_hand' ? 'manual' : 'automatic'}, since ${moment(run.startedAt)}${run.nextAt === undefined ? '' : `, next ${moment(run.nextAt)}`}`,
      ...(run.state.state === 'awaiting_approval'
        ? [`  needs recovery approve: ${run.state.reasons.join(', ')}`]
        : []),
      ...run.evidence.map(
        (one) =>
          `  ${moment(one.at)}  ${one.step.padEnd(14)} ${one.verdict.padEnd(5)} ${JSON.stringify(one.evidence)}`,
      ),
      ...run.differences.map(
        (one) =>
          `  MANUAL_ESCALATION_REQUIRED  ${one.docket} ${one.kind}, review by ${moment(one.reviewBy)}`,
      ),
    ].join('\n'),
  );
  return [
    breakers.length === 0
      ? 'No target is failing.'
      : table(
          ['target', 'breaker', 'since'],
          breakers.map((one) => [one.target, one.breaker.state, moment(one.changedAt)]),
        ),
    ...blocks,
  ].join('\n\n');
}
