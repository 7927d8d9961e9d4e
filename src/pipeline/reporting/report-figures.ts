/** Figures of returns and reports from money that was handed off, each with its trace. What was not handed off is in none. */
import {
  type ActorRef,
  canonicalBytes,
  FilewrightError,
  type JsonValue,
} from '../../core/index.ts';
import {
  type AcceptedAward,
  type BankTrace,
  type Figure,
  type FigurePart,
  form990Report,
  type GrantsLaw,
  individualsOf,
  missingDays,
  type ReceivedMoney,
  reportDocument,
  retainedUntil,
  scheduleI,
  sefaReport,
  sefaTotalFigures,
  type Sf425,
  type Sf425Input,
  sf425Report,
  traceDocument,
} from '../../packs/grants/index.ts';
import {
  addReport,
  handedAwards,
  receivedBetween,
  type ReceivedRow,
  type StageDesk,
  type StageRun,
} from '../../store/index.ts';
import type { PeriodName, ReportFigures, ReportRequest } from '../contracts.ts';
import { handedAward } from '../handed-award.ts';

export interface ReportingParts {
  readonly desk: StageDesk;
  readonly law: GrantsLaw;
}

type Drawn = Omit<ReportFigures, 'kind' | 'hash' | 'document'> & {
  /** Of the award that the report is about. */
  readonly retainUntil?: string | undefined;
};

/** What is drawn together is kept together: their keys have one subject. */
const REPORTS = 'reports';

/** A report, and the periods that reconciliation has handed on: the money of other days is not here. */
export interface Asked {
  readonly request: ReportRequest;
  readonly handed: readonly PeriodName[];
}

/** Computes a report and records it with its hash. */
export async function reportFigures(
  parts: ReportingParts,
  { request, handed }: Asked,
  actor: ActorRef,
): Promise<ReportFigures> {
  return parts.desk.transaction(async (at) => {
    const { retainUntil, ...drawn } = await draw(parts, at, { request, handed });
    const { kind, from, to } = request;
    const asked = { from, to, ...(kind === 'sf425' && { award: request.award }) };
    const { document, hash } = reportDocument(kind, asked, drawn);
    const id = parts.desk.ids.next();
    const figures = drawn.figures.length;
    const ct = await parts.desk.record(at, {
      type: 'report.drawn',
      actor,
      subject: { kind: 'grant_report', id, ver: 1 },
      data: { kind, from, to, figures, hash },
      body: { about: REPORTS, canonical: canonicalBytes(document) },
    });
    if (retainUntil !== undefined) {
      await parts.desk.retain(at, ['reporting'], REPORTS, retainUntil);
    }
    await addReport(at, { id, kind, from, to, figures, sha256: hash, ct: ct ?? '' });
    return { kind, ...drawn, document, hash };
  });
}

/** The trace of one figure; nothing is recorded, because nothing new is said. */
export async function traceFigure(
  parts: ReportingParts,
  asked: Asked,
  name: string,
): Promise<JsonValue> {
  const { figures } = await parts.desk.transaction((at) => draw(parts, at, asked));
  const figure = figures.find((one) => one.name === name);
  if (figure === undefined) {
    throw new FilewrightError(
      'NOT_FOUND',
      `No figure ${name} in the report; it has ${figures.map((one) => one.name).join(', ')}`,
    );
  }
  return traceDocument(figure);
}

async function draw(
  parts: ReportingParts,
  at: StageRun,
  { request, handed }: Asked,
): Promise<Drawn> {
  const { law } = parts;
  switch (request.kind) {
    case '990': {
      const missing = missingDays(request, handed);
      const { isNothingHanded } = missing;
      const { received, withoutMoney } = await receivedIn(parts, at, request);
      const { figures, remarks } = form990Report({ received, paid: request.paid ?? [] }, law);
      return {
        figures,
        remarks: [...missing.remarks, ...remarks, ...withoutMoney.map(goodsRemark)],
        isNothingHanded,
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
      const { figures, tasks, retainUntil } = await drawSf425(parts, at, request);
      const { remarks, isNothingHanded } = missingDays(request, handed);
      return { figures, remarks: [...remarks, ...tasks], isNothingHanded, retainUntil };
    }
    case 'sefa': {
      const sefa = sefaReport(request.expenditures, request.listings, law);
      const rows = sefa.rows.flatMap(({ expended, toSubrecipients }) => [
        expended,
        toSubrecipients,
      ]);
      const figures: readonly Figure[] = [...rows, ...sefaTotalFigures(sefa)];
      return { figures, remarks: sefa.tasks, sefa };
    }
  }
}

async function drawSf425(
  parts: ReportingParts,
  at: StageRun,
  request: Extract<ReportRequest, { readonly kind: 'sf425' }>,
): Promise<Sf425 & { readonly retainUntil: string | undefined }> {
  const isAsked = ({ payload }: AcceptedAward): boolean => payload['award_id'] === request.award;
  const authorized: FigurePart[] = [];
  let retainUntil: string | undefined;
  let begins: string | undefined;
  for await (const award of awardsOf(parts, at)) {
    if (!isAsked(award)) continue;
    authorized.push(promised(award));
    const until = retainedUntil(award.payload, parts.law);
    if (until !== undefined && until > (retainUntil ?? '')) retainUntil = until;
    const { period_start: start } = award.payload;
    if (typeof start === 'string' && (begins === undefined || start < begins)) begins = start;
  }
  if (authorized.length === 0) {
    throw new FilewrightError('NOT_FOUND', `No award ${request.award} was ingested`);
  }
  const { received } = await receivedIn(parts, at, request);
  const nothing: readonly FigurePart[] = [];
  const given: Sf425Input = {
    cashDisbursements: nothing,
    federalExpenditures: nothing,
    unliquidatedObligations: nothing,
    recipientShareRequired: nothing,
    recipientExpenditures: nothing,
    programIncomeEarned: nothing,
    programIncomeDeducted: nothing,
    programIncomeAdded: nothing,
    ...request.spent,
    cashReceipts: received.filter(({ award }) => isAsked(award)).map(cashOf),
    federalFundsAuthorized: authorized,
  };
  const { figures, tasks } = sf425Report(given, parts.law);
  const early =
    begins === undefined || begins >= request.from
      ? []
      : [
          `Line 10 is cumulative from the beginning of the award, ${begins}: ask for ${begins}..${request.to}`,
        ];
  return { figures, tasks: [...early, ...tasks, SF425_BY_HAND], retainUntil };
}

/** What no award, bank line or table of the books tells. */
const SF425_BY_HAND =
  'Lines 11 (indirect expense), 12 (remarks) and 13 (certification) are for a person to fill in';

/** Line 10a is cash: what came as goods is no receipt of it. */
function cashOf({ part, award }: ReceivedMoney): FigurePart {
  return { ...part, cents: part.cents - BigInt(goodsCents(award)) };
}

function goodsCents({ payload }: AcceptedAward): number {
  const { noncash_amount: noncash } = payload;
  return typeof noncash === 'number' ? noncash : 0;
}

function goodsRemark(award: AcceptedAward): string {
  const { award_id: id } = award.payload;
  const name = typeof id === 'string' ? id : award.metadata.idempotency_key;
  return `award ${name}: nothing of its ${goodsCents(award)} cents is money, so no bank line tells that it came; it is in no figure`;
}

function promised({ payload, metadata }: AcceptedAward): FigurePart {
  return {
    id: metadata.idempotency_key,
    cents: BigInt(Number(payload['award_amount'])),
    payloadHash: metadata.payload_hash,
    idempotencyKey: metadata.idempotency_key,
    matchRule: undefined,
    bank: [],
  };
}

async function* awardsOf(parts: ReportingParts, at: StageRun): AsyncGenerator<AcceptedAward> {
  for await (const group of handedAwards(parts.desk, at)) {
    for (const item of group) yield handedAward(item);
  }
}

async function receivedIn(
  parts: ReportingParts,
  at: StageRun,
  days: { readonly from: string; readonly to: string },
): Promise<{
  readonly received: readonly ReceivedMoney[];
  /** Awards of goods and services alone that were expected on these days. */
  readonly withoutMoney: readonly AcceptedAward[];
}> {
  const rows = new Map<string, ReceivedRow>();
  for await (const page of receivedBetween(at, days)) {
    for (const row of page) rows.set(row.award, row);
  }
  const received: ReceivedMoney[] = [];
  const withoutMoney: AcceptedAward[] = [];
  for await (const award of awardsOf(parts, at)) {
    const { award_amount: amount, expected_on: on } = award.payload;
    const isInDays = typeof on !== 'string' || (on >= days.from && on <= days.to);
    if (amount === goodsCents(award) && isInDays) withoutMoney.push(award);
    const row = rows.get(award.metadata.idempotency_key);
    if (row === undefined) continue;
    rows.delete(row.award);
    received.push({ part: partOf(row), award, receivedOn: row.receivedOn });
  }
  // Both come from the database, by a foreign key: none may be left over.
  if (rows.size > 0) throw new Error(`${rows.size} receipts without their award`);
  return { received, withoutMoney };
}

function partOf({ award, cents, payloadSha256, rule, bank }: ReceivedRow): FigurePart {
  return {
    id: award,
    cents: BigInt(cents),
    payloadHash: payloadSha256,
    idempotencyKey: award,
    matchRule: rule,
    // Built by the statement that handed it off.
    bank: (bank as unknown as readonly HandedLine[]).map(
      (line): BankTrace => ({
        line: line.line,
        nativeId: line.nativeId ?? undefined,
        bookedOn: line.bookedOn,
        cents: line.cents,
        source: { feed: line.feed, line: line.place },
      }),
    ),
  };
}

interface HandedLine {
  readonly line: string;
  readonly nativeId: string | null;
  readonly bookedOn: string;
  readonly cents: number;
  readonly feed: string;
  readonly place: number;
}
