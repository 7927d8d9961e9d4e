/** Wires the stages: each gets its own desk (role, log, keys), and what one leaves behind is offered to the next. */
import { FilewrightError } from '../core/index.ts';
import { charityState, isWeekday } from '../packs/grants/index.ts';
import { grantCounts, type Stage, StageDesk } from '../store/index.ts';
import type { Exceptions, Pipeline, PipelineParts, Resolution } from './contracts.ts';
import { decide, listExceptions, propose, showException, takeOver } from './fallback/index.ts';
import { checkCorrection, fetchAwards, ingestAwards, runFetchQueue } from './ingestion/index.ts';
import {
  attachCheck,
  closePeriod,
  handOff,
  ingestFeed,
  periods,
  reconcile,
  runRetryQueue,
  settle,
  unmatched,
  verifyGrantor,
} from './reconciliation/index.ts';
import { reportFigures, traceFigure } from './reporting/index.ts';
import { evaluateRules } from './rules/index.ts';

export function openPipeline(parts: PipelineParts): Pipeline {
  const now = (): ReturnType<PipelineParts['clock']['now']> => parts.clock.now();
  const { law, random } = parts;
  const deskOf = (stage: Stage): StageDesk => new StageDesk(stage, { ...parts, now });
  const ingestion = { desk: deskOf('ingestion'), law, now, random };
  const reconciliation = {
    desk: deskOf('reconciliation'),
    law,
    now,
    random,
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

  const exceptions: Exceptions = {
    list: async (filter) => {
      await takeOver(fallback);
      return listExceptions(fallback, filter);
    },
    show: async (id) => {
      await takeOver(fallback);
      return showException(fallback, id);
    },
    propose: async (id, resolution, by) => {
      const document = await documentOf(resolution);
      await propose(fallback, id, { document, reason: resolution.reason, by });
    },
    approve: (id, by, seen) =>
      decide(fallback, id, {
        decision: 'approved',
        reason: 'second person',
        by,
        ...(seen !== undefined && { seen }),
      }),
    withdraw: (id, by, reason) => decide(fallback, id, { decision: 'withdrawn', reason, by }),
    reingest: async (id, source, by) => {
      const { state } = await showException(fallback, id);
      if (state !== 'approved') {
        throw new FilewrightError(
          'REFUSED_BY_RULE',
          `Exception ${id} is ${state}; taking it in again needs a proposal and a second person`,
        );
      }
      const actor = { kind: 'user', id: by } as const;
      return withTakeOver(ingestAwards(ingestion, source, actor, { corrects: id }));
    },
  };

  /** A correction that would be refused again is refused now, before anybody agrees to it. */
  function documentOf(resolution: Resolution): Promise<string | undefined> {
    return resolution.kind === 'dismiss'
      ? Promise.resolve(undefined)
      : checkCorrection(ingestion, resolution.source);
  }

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
    exceptions,
    status: () => grantCounts(parts.session, parts.tenant),
  };
}
