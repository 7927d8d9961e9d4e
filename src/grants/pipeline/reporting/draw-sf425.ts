/** The federal financial report of one award: its items from the award, section 10 from the bank and the books. */
import { notFound } from '../../../core/index.ts';
import type { AcceptedAward } from '../../rules/intake/ingest.ts';
import { type FigurePart, inDollars } from '../../rules/reporting/figure.ts';
import {
  indirectRate,
  missingItems,
  type Sf425Item,
  sf425Items,
} from '../../rules/reporting/sf425-items.ts';
import { nameOf, returnRemarks } from '../../rules/reporting/bookings.ts';
import type { ReceivedMoney } from '../../rules/reporting/received.ts';
import { retainedUntil } from '../../rules/award-retention.ts';
import { type Sf425, type Sf425Input, sf425Report } from '../../rules/reporting/sf425.ts';
import type { StageRun } from '../../store/stage.ts';
import { awardEnds } from '../../store/award-ends.ts';
import type { ReportRequest } from '../contracts.ts';
import {
  awardsOf,
  receivedIn,
  receivedOf,
  remaindersOf,
  type ReportingDeps,
} from './received-money.ts';

export async function drawSf425(
  deps: ReportingDeps,
  at: StageRun,
  request: Extract<ReportRequest, { readonly kind: 'sf425' }>,
): Promise<
  Sf425 & { readonly items: readonly Sf425Item[]; readonly retainUntil: string | undefined }
> {
  const isAsked = ({ payload }: AcceptedAward): boolean => payload['award_id'] === request.award;
  const { awards, cancelled, retainUntil, begins } = await askedAwards(deps, at, request, isAsked);
  const { received, successors } = await receivedIn(deps, at, request);
  const ofAward = received.filter(({ award }) => isAsked(award));
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
    indirectBase: nothing,
    indirectFederalShare: nothing,
    ...request.spent,
    cashReceipts: ofAward.map(cashOf),
    federalFundsAuthorized: [...awards.map(promised), ...(await keptOf(at, cancelled, request.to))],
    indirectRate: indirectRate(awards),
  };
  const { figures, tasks } = sf425Report(given, deps.law);
  const items = sf425Items(awards.length > 0 ? awards : cancelled, request);
  const missing = missingItems(items);
  const early =
    begins === undefined || begins >= request.from
      ? []
      : [
          `Line 10 is cumulative from the beginning of the award, ${begins}: use ${begins}..${request.to}`,
        ];
  const told = [
    ...cancelled.map(cancelledRemark),
    ...returnRemarks(ofAward),
    ...(await remaindersOf(at, { received: ofAward, successors }, request.to)),
  ];
  const isIndirectKnown =
    items.some(({ item, value }) => item.startsWith('11') && value !== '') ||
    figures.some(({ line }) => line.startsWith('11'));
  const byHand = [...missing, isIndirectKnown ? REST_BY_HAND : SF425_BY_HAND];
  return { figures, items, tasks: [...early, ...tasks, ...told, ...byHand], retainUntil };
}

interface AskedAwards {
  readonly awards: readonly AcceptedAward[];
  readonly cancelled: readonly AcceptedAward[];
  readonly retainUntil: string | undefined;
  /** The first day of the earliest of them. */
  readonly begins: string | undefined;
}

async function askedAwards(
  deps: ReportingDeps,
  at: StageRun,
  { award: name }: { readonly award: string },
  isAsked: (award: AcceptedAward) => boolean,
): Promise<AskedAwards> {
  const awards: AcceptedAward[] = [];
  let retainUntil: string | undefined;
  let begins: string | undefined;
  const gone = await awardEnds(at);
  const cancelled: AcceptedAward[] = [];
  let isKnown = false;
  for await (const award of awardsOf(deps, at)) {
    if (!isAsked(award)) continue;
    isKnown = true;
    const withdrawal = gone.get(award.metadata.idempotency_key);
    // What came in its place is here as well; a cancelled award has nothing in its place.
    if (withdrawal !== undefined) {
      if (withdrawal.by === undefined) cancelled.push(award);
      continue;
    }
    awards.push(award);
    const until = retainedUntil(award.payload, deps.law);
    if (until !== undefined && until > (retainUntil ?? '')) retainUntil = until;
    const { period_start: start } = award.payload;
    if (typeof start === 'string' && (begins === undefined || start < begins)) begins = start;
  }
  if (!isKnown) throw notFound(`No award ${name} is on file`);
  return { awards, cancelled, retainUntil, begins };
}

/** What no award, bank line or table of the books tells. */
const SF425_BY_HAND =
  'Lines 11 (indirect expense), 12 (remarks) and 13 (certification) are for a person to fill in';
const REST_BY_HAND =
  'Lines 12 (remarks) and 13 (certification) are for a person to fill in, and the parts of line 11 (indirect expense) that neither the award nor the books give';

/** Line 10a is cash: what came as goods is no expected payment of it. */
function cashOf({ part, goodsCents }: ReceivedMoney): FigurePart {
  return { ...part, cents: part.cents - goodsCents };
}

/** Of an award that was cancelled, only what had come is authorized. */
async function keptOf(
  at: StageRun,
  cancelled: readonly AcceptedAward[],
  until: string,
): Promise<readonly FigurePart[]> {
  const keys = cancelled.map(({ metadata }) => metadata.idempotency_key);
  const received = await receivedOf(at, await awardEnds(at), keys, until);
  return cancelled.flatMap((award) => {
    const cents = received.get(award.metadata.idempotency_key) ?? 0n;
    return cents === 0n ? [] : [{ ...promised(award), cents }];
  });
}

function cancelledRemark(award: AcceptedAward): string {
  return `award ${nameOf(award)}: ${inDollars(promised(award).cents)} was canceled; line 10d shows only the amount received. Ask the agency which final reports it still requires`;
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
