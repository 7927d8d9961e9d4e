/** Wires the stages: each gets its own store (role, log, keys), and what one leaves behind is offered to the next. */
import { charityState } from '../rules/charity.ts';
import { isWeekday } from '../rules/matching/business-days.ts';
import { grantCounts } from '../store/results.ts';
import type { Stage } from '../../postgres/index.ts';
import { StageStore } from '../store/stage.ts';
import type { Organization, Pipeline, PipelineDeps } from './contracts.ts';
import { takeOver } from './fallback/exceptions.ts';
import { fetchAwards, runFetchQueue } from './ingestion/fetch-awards.ts';
import { ingestAwards } from './ingestion/ingest-awards.ts';
import { attachCheck, releasePeriod } from './reconciliation/release.ts';
import { closePeriod, previewClosing } from './reconciliation/close-period.ts';
import { ingestFeed } from './reconciliation/ingest-feed.ts';
import { listStatements, stateBalance } from './reconciliation/state-balance.ts';
import { listAwards } from './reconciliation/list-awards.ts';
import { listLines } from './reconciliation/list-lines.ts';
import { periods, reconcile, unmatched } from './reconciliation/reconcile.ts';
import { resolve, undo } from './reconciliation/resolve-lines.ts';
import { runRetryQueue, verifyGrantor } from './reconciliation/verify.ts';
import { withdrawalsOf } from './reconciliation/withdraw.ts';
import { reportFigures, traceFigure } from './reporting/report-figures.ts';
import { openAmendments, openExceptions } from './resolve-exceptions.ts';
import { evaluateRules } from './rules/evaluate-rules.ts';

export function openPipeline(deps: PipelineDeps): Pipeline {
  const now = (): ReturnType<PipelineDeps['clock']['now']> => deps.clock.now();
  const { law } = deps;
  const storeOf = (stage: Stage): StageStore => new StageStore(stage, { ...deps, now });
  const ingestion = { store: storeOf('ingestion'), law, now };
  const reconciliation = {
    store: storeOf('reconciliation'),
    law,
    now,
    isBusinessDay: isWeekday,
  };
  const rules = { store: storeOf('rules'), law, now };
  const reporting = { store: storeOf('reporting'), law };
  const fallback = { store: storeOf('fallback') };

  // A crash before this leaves the escalations where they are; the next call takes them over.
  const withTakeOver = async <Report>(work: Promise<Report>): Promise<Report> => {
    const report = await work;
    await takeOver(fallback);
    return report;
  };

  /** Asked of reconciliation in its own role: reporting sees money, and no period. */
  const released = async () => (await periods(reconciliation)).filter((one) => one.isReleased);

  return {
    ingestAwards: (source, actor) => withTakeOver(ingestAwards(ingestion, source, actor)),
    fetchAwards: (wanted, lane, actor) => withTakeOver(fetchAwards(ingestion, wanted, lane, actor)),
    runFetchQueue: (lane) => withTakeOver(runFetchQueue(ingestion, lane)),
    ingestFeed: (source, actor) => ingestFeed(reconciliation, source, actor),
    verifyGrantor: (grantor, ledger) =>
      withTakeOver(verifyGrantor(reconciliation, grantor, ledger)),
    runRetryQueue: (ledger) => withTakeOver(runRetryQueue(reconciliation, ledger)),
    reconcilePeriod: ({ to }, actor) => reconcile(reconciliation, to, actor),
    resolve: (decision) => resolve(reconciliation, decision),
    undo: (decision) => undo(reconciliation, decision),
    unmatched: (asOf) => unmatched(reconciliation, asOf),
    lines: (wanted) => listLines(reconciliation, wanted),
    awards: (wanted) => listAwards(reconciliation, wanted),
    statements: (account) => listStatements(reconciliation, account),
    stateBalance: (balance) => stateBalance(reconciliation, balance),
    withdrawals: withdrawalsOf(reconciliation),
    previewClosing: async (closing, organization) => {
      checkStates(organization, law);
      return previewClosing(reconciliation, closing);
    },
    closePeriod: async (period, organization, actor) => {
      checkStates(organization, law);
      const closed = await closePeriod(reconciliation, period, actor);
      if (closed.kind === 'blocked') return closed;
      const release = await releasePeriod(reconciliation, closed.period, organization, actor);
      return { ...closed, release };
    },
    attachRegistrationCheck: (check) => attachCheck(reconciliation, check),
    release: (period, organization, actor) =>
      releasePeriod(reconciliation, period, organization, actor),
    periods: () => periods(reconciliation),
    evaluateRules: (request, actor) => evaluateRules(rules, request, actor),
    reportFigures: async (request, actor) =>
      reportFigures(reporting, { request, released: await released() }, actor),
    trace: async (request, figure) =>
      traceFigure(reporting, { request, released: await released() }, figure),
    exceptions: openExceptions({ ingestion, fallback }),
    ...openAmendments({ ingestion, fallback }),
    status: () => grantCounts(deps.session, deps.tenant),
  };
}

/** Before anything is closed: the release would refuse them when the period is closed already. */
function checkStates({ states }: Organization, law: PipelineDeps['law']): void {
  for (const state of states) charityState(state, law, 'states');
}
