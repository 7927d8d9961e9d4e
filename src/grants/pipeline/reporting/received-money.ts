/** Bookings that were released, each with its award; and what of those awards has not come yet. */
import type { AcceptedAward } from '../../rules/intake/ingest.ts';
import type { BankTrace, FigurePart } from '../../rules/reporting/figure.ts';
import { goodsOf, type ReceivedMoney } from '../../rules/reporting/received.ts';
import type { GrantsLaw } from '../../rules/law.ts';
import { remainderRemarks } from '../../rules/reporting/bookings.ts';
import { passedAwards } from '../../store/awards.ts';
import { receivedBetween, type ReceivedRow, receivedUntil } from '../../store/releases.ts';
import type { StageStore, StageRun } from '../../store/stage.ts';
import { awardEnds } from '../../store/award-ends.ts';
import { passedAward } from '../passed-award.ts';

export interface ReportingDeps {
  readonly store: StageStore;
  readonly law: GrantsLaw;
}

/** Also those that were amended or cancelled since: money may have come for them. */
export async function* awardsOf(deps: ReportingDeps, at: StageRun): AsyncGenerator<AcceptedAward> {
  for await (const group of passedAwards(deps.store, at, 'all')) {
    for (const item of group) yield passedAward(item);
  }
}

interface Received {
  readonly received: readonly ReceivedMoney[];
  /** Awards of goods and services alone that were expected on these days. */
  readonly withoutMoney: readonly AcceptedAward[];
  /** Records that came in place of others, by their keys. */
  readonly successors: ReadonlyMap<string, AcceptedAward>;
}

export async function receivedIn(
  deps: ReportingDeps,
  at: StageRun,
  days: { readonly from: string; readonly to: string },
): Promise<Received> {
  const rows = new Map<string, ReceivedRow[]>();
  for await (const page of receivedBetween(at, days)) {
    for (const row of page) {
      const known = rows.get(row.award);
      if (known === undefined) rows.set(row.award, [row]);
      else known.push(row);
    }
  }
  const received: ReceivedMoney[] = [];
  const withoutMoney: AcceptedAward[] = [];
  const gone = await awardEnds(at);
  const later = new Set([...gone.values()].flatMap(({ by }) => by ?? []));
  const successors = new Map<string, AcceptedAward>();
  for await (const award of awardsOf(deps, at)) {
    if (later.has(award.metadata.idempotency_key)) {
      successors.set(award.metadata.idempotency_key, award);
    }
    const { award_amount: amount, expected_on: on } = award.payload;
    const key = award.metadata.idempotency_key;
    const isInDays = typeof on !== 'string' || (on >= days.from && on <= days.to);
    const isAllGoods = BigInt(Number(amount)) === goodsOf(award) && !gone.has(key);
    if (isAllGoods && isInDays) withoutMoney.push(award);
    const bookings = rows.get(key);
    if (bookings === undefined) continue;
    rows.delete(key);
    received.push(...bookings.map((row) => receivedMoneyOf(row, award)));
  }
  // Both come from the database, by a foreign key: none may be left over.
  if (rows.size > 0) throw new Error(`${rows.size} receipts without their award`);
  return { received, withoutMoney, successors };
}

function receivedMoneyOf(row: ReceivedRow, award: AcceptedAward): ReceivedMoney {
  return {
    part: partOf(row),
    award,
    receivedOn: row.receivedOn,
    // What was released before bookings were told apart has all goods of its award in its one row.
    goodsCents: row.goodsCents === undefined ? goodsOf(award) : BigInt(row.goodsCents),
    feeCents: BigInt(row.feeCents),
    takesBack: row.takesBack,
  };
}

function partOf({ award, cents, payloadSha256, rule, bank }: ReceivedRow): FigurePart {
  return {
    id: award,
    cents: BigInt(cents),
    payloadHash: payloadSha256,
    idempotencyKey: award,
    matchRule: rule,
    bank: bank.map(
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

/** Of the awards that something came for in these days, those of which something is still expected on the last of them. */
export async function remaindersOf(
  at: StageRun,
  { received, successors }: Pick<Received, 'received' | 'successors'>,
  until: string,
): Promise<readonly string[]> {
  const gone = await awardEnds(at);
  const awards = new Map<string, AcceptedAward>();
  for (const { award } of received) {
    // What came for an award that was amended since is a part of the one in its place.
    const key = lastRecord(gone, award.metadata.idempotency_key);
    if (!gone.has(key)) awards.set(key, successors.get(key) ?? award);
  }
  const sums = await receivedOf(at, gone, [...awards.keys()], until);
  const open = [...awards].flatMap(([key, award]) => {
    const receivedCents = sums.get(key) ?? 0n;
    const isOpen = receivedCents < BigInt(Number(award.payload['award_amount']));
    return isOpen ? [{ award, receivedCents }] : [];
  });
  return remainderRemarks(open, until);
}

type Gone = Awaited<ReturnType<typeof awardEnds>>;

function lastRecord(gone: Gone, key: string): string {
  let last = key;
  for (let next = gone.get(last)?.by; next !== undefined; next = gone.get(last)?.by) last = next;
  return last;
}

/** What awards have received up to a day, with what came for the records that they stand in place of. */
export async function receivedOf(
  at: StageRun,
  gone: Gone,
  keys: readonly string[],
  until: string,
): Promise<ReadonlyMap<string, bigint>> {
  const wanted = new Set(keys);
  const earlier = [...gone.keys()].filter((key) => wanted.has(lastRecord(gone, key)));
  const sums = await receivedUntil(at, until, [...new Set([...keys, ...earlier])]);
  const found = new Map<string, bigint>();
  for (const [key, cents] of sums) {
    const last = lastRecord(gone, key);
    found.set(last, (found.get(last) ?? 0n) + cents);
  }
  return found;
}
