/** Whose receipt is it, and whose answer: what this process knows of both before the database is asked. */
import type { Claim, FilingId, LaneCode, Receipt } from '../../core/index.ts';
import type { FilingEvent } from '../rules/decide.ts';

/** A quick lane gives out as many in a minute; older ones are known to the database. Twice as many are kept at most. */
const RECEIPTS_MAX = 5_000;

const OF_ANOTHER = 'RECEIPT_OF_ANOTHER';

/** A receipt that another filing came with before. */
export interface Dispute {
  readonly receipt: string;
  /** Undefined where it cannot be told any more. */
  readonly of: FilingId | undefined;
}

/**
 * The receipts that this process has heard of lately. The database has the last word, with the tick that records them;
 * but an answer that is another filing's must be known at once: the portal has not answered ours, and may be at work.
 */
export class ReceiptsSeen {
  // Two lists that take turns: dropping the oldest of one list, each time, walks over all that was dropped before.
  #owners: Owners = new Map();
  #former: Owners = new Map();
  #count = 0;

  /** Notes the receipt that came for a filing; the dispute when another filing has it. */
  note(lane: LaneCode, filing: FilingId, { number }: Receipt): Dispute | undefined {
    let ofLane = this.#owners.get(lane);
    if (ofLane === undefined) this.#owners.set(lane, (ofLane = new Map()));
    const owner = ofLane.get(number) ?? this.#former.get(lane)?.get(number);
    if (owner !== undefined && owner !== filing) return { receipt: number, of: owner };
    ofLane.set(number, filing);
    this.#count += 1;
    if (this.#count >= RECEIPTS_MAX) {
      this.#former = this.#owners;
      this.#owners = new Map();
      this.#count = 0;
    }
    return undefined;
  }
}

/** By lane, then by number: one name made of both, for every receipt, cost more than all the rest. */
type Owners = Map<LaneCode, Map<string, FilingId>>;

/** A turn's event, held against the receipts of this process. */
export function judged(
  seen: ReceiptsSeen,
  { filing }: Claim,
  event: FilingEvent,
): { readonly event: FilingEvent; readonly dispute?: Dispute } {
  const receipt = receiptIn(event);
  const dispute = receipt && seen.note(filing.lane, filing.id, receipt);
  return dispute === undefined ? { event } : { event: disputed(event), dispute };
}

export function receiptIn(event: FilingEvent): Receipt | undefined {
  if (event.kind === 'sent' && event.verdict.kind === 'accepted') return event.verdict.receipt;
  if (event.kind === 'asked' && event.answer.kind === 'accepted') return event.answer.receipt;
  return undefined;
}

/** What happened, once the receipt in it has turned out to be another filing's: nothing that is known. */
export function disputed(event: FilingEvent): FilingEvent {
  if (event.kind === 'sent') return { ...event, verdict: { kind: 'unknown', code: OF_ANOTHER } };
  if (event.kind === 'asked') return { ...event, answer: { kind: 'unclear', code: OF_ANOTHER } };
  return event;
}

const OTHERS: ReadonlySet<string> = new Set([OF_ANOTHER, 'OTHER_KEY', 'OTHER_FILING']);

/** The answer is another filing's: ours has not come, and the connection that brought it cannot be trusted. */
export function isOfAnother(event: FilingEvent): boolean {
  if (event.kind === 'sent') {
    return event.verdict.kind === 'unknown' && OTHERS.has(event.verdict.code);
  }
  return event.kind === 'asked' && event.answer.kind === 'unclear' && OTHERS.has(event.answer.code);
}
