/** Wires the stages: each gets its own desk (role, log, keys), and what one leaves behind is offered to the next. */
import { charityState, isWeekday } from '../packs/grants/index.ts';
import { grantCounts, type Stage, StageDesk } from '../store/index.ts';
import type { Pipeline, PipelineParts } from './contracts.ts';
import { takeOver } from './fallback/index.ts';
import { fetchAwards, ingestAwards, runFetchQueue } from './ingestion/index.ts';
import {
  attachCheck,
  closePeriod,
  handOff,
  ingestFeed,
  listStatements,
  periods,
  reconcile,
  runRetryQueue,
  settle,
  stateBalance,
  unmatched,
  verifyGrantor,
  withdrawalsOf,
} from './reconciliation/index.ts';
import { reportFigures, traceFigure } from './reporting/index.ts';
import { openAmendments, openExceptions } from './resolve-exceptions.ts';
import { evaluateRules } from './rules/index.ts';

export function openPipeline(parts: PipelineParts): Pipeline {
  const now = (): ReturnType<PipelineParts['clock']['now']> => parts.clock.now();
  const { law } = parts;
  const deskOf = (stage: Stage): StageDesk => new StageDesk(stage, { ...parts, now });
  const ingestion = { desk: deskOf('ingestion'), law, now };
  const reconciliation = {
    desk: deskOf('reconciliation'),
    law,
    now,
    isBusinessDay: isWeekday,
  };
  const rules = { desk: deskOf('rules'), law, now };
  const reporting = { desk: deskOf('reporting'), law };
  const fallback = { desk: deskOf('fallback') };

  // A crash before this leaves the escalations where they are; the next call takes them over.
  const withTakeOver = async <Report>(work: Promise<Report>): Promise<Report> => {
    const report = await work;
    await takeOver(fallback);
    return report;
  };

  /** Asked of reconciliation in its own role: reporting sees money, and no period. */
  const handed = async () => (await periods(reconciliation)).filter((one) => one.isHandedOff);

  return {
    ingestAwards: (source, actor) => withTakeOver(ingestAwards(ingestion, source, actor)),
    fetchAwards: (wanted, lane, actor) => withTakeOver(fetchAwards(ingestion, wanted, lane, actor)),
    runFetchQueue: (lane) => withTakeOver(runFetchQueue(ingestion, lane)),
    ingestFeed: (source, actor) => ingestFeed(reconciliation, source, actor),
    verifyGrantor: (grantor, ledger) =>
      withTakeOver(verifyGrantor(reconciliation, grantor, ledger)),
    runRetryQueue: (ledger) => withTakeOver(runRetryQueue(reconciliation, ledger)),
    reconcilePeriod: ({ to }, actor) => reconcile(reconciliation, to, actor),
    settle: (decision) => settle(reconciliation, decision),
    unmatched: (asOf) => unmatched(reconciliation, asOf),
    statements: (account) => listStatements(reconciliation, account),
    stateBalance: (balance) => stateBalance(reconciliation, balance),
    withdrawals: withdrawalsOf(reconciliation),
    closePeriod: async (period, organization, actor) => {
      // Before anything is closed: the handoff would refuse them when the period is closed already.
      for (const state of organization.states) charityState(state, law, 'states');
      const closed = await closePeriod(reconciliation, period, actor);
      if (closed.kind === 'blocked') return closed;
      const handoff = await handOff(reconciliation, closed.period, organization, actor);
      return { ...closed, handoff };
    },
    attachRegistrationCheck: (check) => attachCheck(reconciliation, check),
    handOff: (period, organization, actor) => handOff(reconciliation, period, organization, actor),
    periods: () => periods(reconciliation),
    evaluateRules: (request, actor) => evaluateRules(rules, request, actor),
    reportFigures: async (request, actor) =>
      reportFigures(reporting, { request, handed: await handed() }, actor),
    trace: async (request, figure) =>
      traceFigure(reporting, { request, handed: await handed() }, figure),
    exceptions: openExceptions({ ingestion, fallback }),
    ...openAmendments({ ingestion, fallback }),
    status: () => grantCounts(parts.session, parts.tenant),
  };
}
