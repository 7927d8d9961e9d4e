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
  #owners = new Map<string, FilingId>();
  #former: ReadonlyMap<string, FilingId> = new Map();

  /** Notes the receipt that came for a filing; the dispute when another filing has it. */
  note(lane: LaneCode, filing: FilingId, { number }: Receipt): Dispute | undefined {
    const name = `${lane} ${number}`;
    const owner = this.#owners.get(name) ?? this.#former.get(name);
    if (owner !== undefined && owner !== filing) return { receipt: number, of: owner };
    this.#owners.set(name, filing);
    if (this.#owners.size >= RECEIPTS_MAX) {
      this.#former = this.#owners;
      this.#owners = new Map();
    }
    return undefined;
  }
}

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
