import { FILING_STATUSES, type FilingStatus, isLegalTransition } from '../core/index.ts';
import { DigestTable } from './digest-table.ts';
import type { LedgerEntry } from './entry-type.ts';

export type HistoryFault =
  | 'ILLEGAL_TRANSITION'
  | 'SUBMIT_AFTER_ACCEPT'
  | 'FALLOUT_WITHOUT_ENVELOPE';

/**
 * Replays the state machine from the entries alone, so that a bug in the code that wrote them is found too.
 *
 * - An entry about a filing whose data has a `to` is a change of status; its `from` must be the status so far.
 * - `filing.intent` announces a send; after acceptance there must be none.
 * - `dlq.enveloped` (data.filing names the filing) comes before the change to `rejected` or `fallout` that it
 *   belongs to. A person's review of a fallout needs no second envelope.
 */
export class FilingHistory {
  // For each filing: its status in the low bits, the envelopes not yet used by a fallout above them.
  private readonly filings = new DigestTable();

  /** The first rule the entry breaks; undefined when it breaks none. */
  check(entry: LedgerEntry): HistoryFault | undefined {
    if (entry.type === 'dlq.enveloped' && typeof entry.data.filing === 'string') {
      this.change(entry.data.filing, (known) => ({ ...known, envelopes: known.envelopes + 1 }));
    }
    if (entry.subj.kind !== 'filing') return undefined;
    const { status, envelopes } = unpack(this.filings.get(entry.subj.id));
    if (entry.type === 'filing.intent' && status === 'accepted') return 'SUBMIT_AFTER_ACCEPT';
    if (!Object.hasOwn(entry.data, 'to')) return undefined;

    const to = FILING_STATUSES.find((known) => known === entry.data.to);
    if (to === undefined || entry.data.from !== status || !isLegalTransition(status, to)) {
      return 'ILLEGAL_TRANSITION';
    }
    const needsEnvelope =
      (to === 'rejected' || to === 'fallout') && (status === 'pending' || status === 'submitted');
    if (needsEnvelope && envelopes === 0) return 'FALLOUT_WITHOUT_ENVELOPE';
    const left = needsEnvelope ? envelopes - 1 : envelopes;
    this.change(entry.subj.id, () => ({ status: to, envelopes: left }));
    return undefined;
  }

  private change(filing: string, next: (known: Known) => Known): void {
    this.filings.put(filing, pack(next(unpack(this.filings.get(filing)))));
  }
}

interface Known {
  readonly status: FilingStatus | null;
  readonly envelopes: number;
}

// One number, because a table of objects would not stay small for a million filings.
const STATUS_BASE = FILING_STATUSES.length + 1;

function pack(known: Known): number {
  const status = known.status === null ? 0 : FILING_STATUSES.indexOf(known.status) + 1;
  return known.envelopes * STATUS_BASE + status;
}

function unpack(packed: number): Known {
  return {
    status: FILING_STATUSES[(packed % STATUS_BASE) - 1] ?? null,
    envelopes: Math.floor(packed / STATUS_BASE),
  };
}
