import { FILING_STATUSES, type FilingStatus, isLegalTransition } from '../core/index.ts';
import { DigestTable } from './digest-table.ts';
import type { LedgerEntry } from './entry-type.ts';

export type HistoryFault =
  | 'ILLEGAL_TRANSITION'
  | 'SUBMIT_AFTER_ACCEPT'
  | 'FALLOUT_WITHOUT_ENVELOPE'
  | 'REVISION_MISMATCH';

/**
 * Replays the state machine from the entries alone, so that a bug in the code that wrote them is found too.
 *
 * - An entry about a filing whose data has a `to` is a change of status; its `from` must be the status so far.
 * - `filing.intent` announces a send; after acceptance there must be none.
 * - `dlq.enveloped` (data.filing names the filing) comes before the change to `rejected` or `fallout` that it
 *   belongs to. A person's review of a fallout needs no second envelope.
 * - A filing is withdrawn (data.cause) only while it was never sent; that leaves no envelope, and ends it.
 * - Key and payload hash are those with which the revision began, in every entry that names them: what was imported and
 *   approved is what was sent and answered. A correction begins another revision. A hash that is sealed is not compared.
 */
export class FilingHistory {
  // For each filing: its status in the low bits, two flags, and above them the envelopes not yet used by a fallout.
  private readonly filings = new DigestTable();
  // For each filing: a digest of the key and the payload hash of its revision.
  private readonly revisions = new DigestTable();

  /** The first rule the entry breaks; undefined when it breaks none. */
  check(entry: LedgerEntry): HistoryFault | undefined {
    if (entry.type === 'dlq.enveloped' && typeof entry.data.filing === 'string') {
      this.change(entry.data.filing, (known) => ({ ...known, envelopes: known.envelopes + 1 }));
    }
    if (entry.subj.kind !== 'filing') return undefined;
    if (!this.isOfRevision(entry)) return 'REVISION_MISMATCH';
    const known = unpack(this.filings.get(entry.subj.id));
    const { status, envelopes, wasSent, isWithdrawn } = known;
    if (entry.type === 'filing.intent' && status === 'accepted') return 'SUBMIT_AFTER_ACCEPT';
    if (!Object.hasOwn(entry.data, 'to')) return undefined;

    const to = FILING_STATUSES.find((known) => known === entry.data.to);
    if (to === undefined || entry.data.from !== status || !isLegalTransition(status, to)) {
      return 'ILLEGAL_TRANSITION';
    }
    // Its key may be another filing's since: nothing comes after a withdrawal, and what was ever taken to be sent has none.
    const withdraws = entry.data.cause === 'withdraw';
    const isRefusedUnsent = status === 'pending' && to === 'rejected';
    if (isWithdrawn || withdraws !== isRefusedUnsent || (withdraws && wasSent)) {
      return 'ILLEGAL_TRANSITION';
    }
    const needsEnvelope =
      !withdraws &&
      (to === 'rejected' || to === 'fallout') &&
      (status === 'pending' || status === 'submitted');
    if (needsEnvelope && envelopes === 0) return 'FALLOUT_WITHOUT_ENVELOPE';
    const left = needsEnvelope ? envelopes - 1 : envelopes;
    this.change(entry.subj.id, () => ({
      status: to,
      envelopes: left,
      wasSent: wasSent || to === 'submitted',
      isWithdrawn: withdraws,
    }));
    return undefined;
  }

  private isOfRevision({ subj, cls, data }: LedgerEntry): boolean {
    const { key, payload_sha256: payload } = data;
    const isSealed = cls === 'privileged';
    const hash = isSealed ? '' : payload;
    if (typeof key !== 'string' || typeof hash !== 'string') return true;
    const digest = digestOf(`${key} ${hash}`);
    const begins = data.from === null || data.cause === 'correct';
    const before = begins ? 0 : this.revisions.get(subj.id);
    if (before === 0) this.revisions.put(subj.id, digest);
    return before === 0 || before === digest;
  }

  private change(filing: string, next: (known: Known) => Known): void {
    this.filings.put(filing, pack(next(unpack(this.filings.get(filing)))));
  }
}

interface Known {
  readonly status: FilingStatus | null;
  readonly envelopes: number;
  readonly wasSent: boolean;
  readonly isWithdrawn: boolean;
}

/** FNV-1a, and never 0. Enough to find a slip: who could choose texts to collide cannot write to a log that is signed. */
function digestOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0 || 1;
}

// One number, because a table of objects would not stay small for a million filings.
const STATUS_BASE = FILING_STATUSES.length + 1;
const FLAGS = 4;

function pack(known: Known): number {
  const status = known.status === null ? 0 : FILING_STATUSES.indexOf(known.status) + 1;
  const flags = (known.wasSent ? 1 : 0) + (known.isWithdrawn ? 2 : 0);
  return (known.envelopes * FLAGS + flags) * STATUS_BASE + status;
}

function unpack(packed: number): Known {
  const rest = Math.floor(packed / STATUS_BASE);
  return {
    status: FILING_STATUSES[(packed % STATUS_BASE) - 1] ?? null,
    envelopes: Math.floor(rest / FLAGS),
    wasSent: rest % 2 === 1,
    isWithdrawn: Math.floor(rest / 2) % 2 === 1,
  };
}
