/** Figures of returns and reports from money that was released, each with its trace. What was not released is in none. */
import { type ActorRef, canonicalBytes, type JsonValue, notFound } from '../../../core/index.ts';
import type { AcceptedAward } from '../../rules/intake/ingest.ts';
import { type FederalExpenditure, filledFrom, sefaReport } from '../../rules/reporting/sefa.ts';
import { type Figure, traceDocument } from '../../rules/reporting/figure.ts';
import { form990Report } from '../../rules/reporting/form990-report.ts';
import { goodsOf, type ReceivedMoney } from '../../rules/reporting/received.ts';
import { individualsOf } from '../../rules/reporting/schedule-i-individuals.ts';
import { missingDays } from '../../rules/reporting/released-days.ts';
import { nameOf, returnRemarks } from '../../rules/reporting/bookings.ts';
import { reportDocument } from '../../rules/reporting/export.ts';
import { scheduleB, type ScheduleBRule } from '../../rules/reporting/schedule-b.ts';
import { scheduleI } from '../../rules/reporting/schedule-i.ts';
import { sefaTotalFigures } from '../../rules/reporting/report-rows.ts';
import { addReport } from '../../store/results.ts';
import type { StageRun } from '../../store/stage.ts';
import { awardEnds } from '../../store/award-ends.ts';
import type { PeriodName, ReportFigures, ReportRequest } from '../contracts.ts';
import { drawSf425 } from './draw-sf425.ts';
import { awardsOf, receivedIn, remaindersOf, type ReportingDeps } from './received-money.ts';

type Drawn = Omit<ReportFigures, 'kind' | 'hash' | 'document'> & {
  /** Of the award that the report is about. */
  readonly retainUntil?: string | undefined;
};

/** What is drawn together is kept together: their keys have one subject. */
const REPORTS = 'reports';

/** A report, and the periods that reconciliation has released: the money of other days is not here. */
interface Asked {
  readonly request: ReportRequest;
  readonly released: readonly PeriodName[];
}

/** Computes a report and records it with its hash. */
export async function reportFigures(
  deps: ReportingDeps,
  { request, released }: Asked,
  actor: ActorRef,
): Promise<ReportFigures> {
  return deps.store.transaction(async (at) => {
    const { retainUntil, ...drawn } = await draw(deps, at, { request, released });
    const { kind, from, to } = request;
    const asked = { from, to, ...(kind === 'sf425' && { award: request.award }) };
    const { document, hash } = reportDocument(kind, asked, drawn);
    const id = deps.store.ids.next();
    const figures = drawn.figures.length;
    const ct = await deps.store.record(at, {
      type: 'report.drawn',
      actor,
      subject: { kind: 'grant_report', id, ver: 1 },
      data: { kind, from, to, figures, hash },
      body: { about: REPORTS, canonical: canonicalBytes(document) },
    });
    if (retainUntil !== undefined) {
      await deps.store.retain(at, ['reporting'], REPORTS, retainUntil);
    }
    await addReport(at, { id, kind, from, to, figures, sha256: hash, ct: ct ?? '' });
    return { kind, ...drawn, document, hash };
  });
}

/** The trace of one figure; nothing is recorded, because nothing new is said. */
export async function traceFigure(
  deps: ReportingDeps,
  asked: Asked,
  name: string,
): Promise<JsonValue> {
  const { figures } = await deps.store.transaction((at) => draw(deps, at, asked));
  const figure = figures.find((one) => one.name === name);
  if (figure === undefined) {
    throw notFound(
      `No figure ${name} in the report; it has ${figures.map((one) => one.name).join(', ')}`,
    );
  }
  return traceDocument(figure);
}

async function draw(
  deps: ReportingDeps,
  at: StageRun,
  { request, released }: Asked,
): Promise<Drawn> {
  const { law } = deps;
  switch (request.kind) {
    case '990': {
      const missing = missingDays(request, released);
      const { isNothingReleased } = missing;
      const { received, withoutMoney, successors } = await receivedIn(deps, at, request);
      const { figures, remarks } = form990Report({ received, paid: request.paid ?? [] }, law);
      return {
        figures,
        remarks: [
          ...missing.remarks,
          ...remarks,
          ...returnRemarks(received),
          ...(await remaindersOf(at, { received, successors }, request.to)),
          ...withoutMoney.map(goodsRemark),
        ],
        isNothingReleased,
      };
    }
    case 'schedule-b': {
      const missing = missingDays(request, released);
      const { received } = await receivedIn(deps, at, request);
      const schedule = scheduleB(received, ruleOf(request, received), law);
      const figures = schedule.contributors.flatMap((one) => [
        one.TotalContributionsAmt,
        ...one.noncash.map(({ FairMarketValueAmt }) => FairMarketValueAmt),
      ]);
      return {
        figures,
        remarks: [...missing.remarks, ...schedule.remarks, ...returnRemarks(received)],
        scheduleB: schedule,
        isNothingReleased: missing.isNothingReleased,
      };
    }
    case 'schedule-i': {
      const schedule = scheduleI(request.paidOut, law);
      const individuals = individualsOf(request.toIndividuals ?? [], law);
      const figures = [
        ...schedule.rows.flatMap((row) => [row.CashGrantAmt, row.NonCashAssistanceAmt]),
        ...individuals.flatMap((row) => [row.CashGrantAmt, row.NonCashAssistanceAmt]),
      ];
      const rowRemarks = [...schedule.rows, ...individuals].flatMap((row) => row.remarks);
      const remarks = [...rowRemarks, ...schedule.remarks];
      return { figures, remarks, scheduleI: schedule, individuals };
    }
    case 'sf425': {
      const { figures, items, tasks, retainUntil } = await drawSf425(deps, at, request);
      const { remarks, isNothingReleased } = missingDays(request, released);
      return { figures, items, remarks: [...remarks, ...tasks], isNothingReleased, retainUntil };
    }
    case 'sefa': {
      const expenditures = await filledExpenditures(deps, at, request.expenditures);
      const sefa = sefaReport(expenditures, request.listings, law);
      const rows = sefa.rows.flatMap(({ expended, toSubrecipients }) => [
        expended,
        toSubrecipients,
      ]);
      const figures: readonly Figure[] = [...rows, ...sefaTotalFigures(sefa)];
      return { figures, remarks: sefa.tasks, sefa };
    }
  }
}

function goodsRemark(award: AcceptedAward): string {
  return `award ${nameOf(award)}: its ${goodsOf(award)} cents are all noncash, so no bank line shows it; it is in no figure`;
}

/** Line 1h as it is known here, unless the one who asks knows better: not everything comes through awards. */
function ruleOf(
  { special }: Extract<ReportRequest, { readonly kind: 'schedule-b' }>,
  received: readonly ReceivedMoney[],
): ScheduleBRule {
  if (special === undefined) return { kind: 'general' };
  const gifts = received.filter(({ award }) => award.payload['benefit'] !== 'grantor');
  const known = gifts.reduce((sum, { part }) => sum + part.cents, 0n);
  return { kind: 'special', contributionsCents: special.contributionsCents ?? known };
}

/** With agency, pass-through and cluster of the awards that the rows name. */
async function filledExpenditures(
  deps: ReportingDeps,
  at: StageRun,
  expenditures: readonly FederalExpenditure[],
): Promise<readonly FederalExpenditure[]> {
  const wanted = new Set(expenditures.flatMap(({ awardId }) => awardId ?? []));
  if (wanted.size === 0) return expenditures;
  const payloads = new Map<string, AcceptedAward['payload']>();
  const gone = await awardEnds(at);
  for await (const { payload, metadata } of awardsOf(deps, at)) {
    const { award_id: id } = payload;
    if (typeof id !== 'string' || !wanted.has(id)) continue;
    // The record that stands says it better than one that was amended.
    if (!gone.has(metadata.idempotency_key) || !payloads.has(id)) payloads.set(id, payload);
  }
  return expenditures.map((one) => filledFrom(one, payloads.get(one.awardId ?? '')));
}
