/** One entry of a CCD or CTX batch with its addenda. */
import type { Day } from '../../../calendar/index.ts';
import type { FeedPlace, LineEvent } from './feed-events.ts';
import { ADDENDA_MAX } from './limits.ts';
import { columns, type NachaRecord, numberIn, trimmed } from './nacha-records.ts';
import type { NachaTotals } from './nacha-totals.ts';
import { findReferences, oneLine } from './references.ts';
import { quoted, refuse } from './refusal.ts';

export interface NachaBatch {
  readonly ordinal: number;
  readonly entryClass: 'CCD' | 'CTX';
  readonly company: string;
  readonly purpose: string;
  readonly originatingBank: string;
  readonly resolvedOn: Day;
  readonly effectiveOn: Day;
  readonly totals: NachaTotals;
}

const PAYMENT_ADDENDA = '05';
const RETURN_ADDENDA = '99';

/** What the second digit of a transaction code means, for every kind of account. */
interface TransactionMeaning {
  /** Which control total counts it. */
  readonly isCredit: boolean;
  readonly isReturn: boolean;
  /** A test of the account or a message without money. */
  readonly isInformation: boolean;
}

export class NachaEntry {
  private readonly batch: NachaBatch;
  private readonly place: FeedPlace;
  private readonly record: NachaRecord;
  private readonly meaning: TransactionMeaning;
  private readonly amountCents: number;
  private readonly trace: string;
  private readonly expectedAddenda: number | undefined;
  private readonly payments: string[] = [];
  private originalTrace: string | undefined;
  private addenda = 0;

  constructor(record: NachaRecord, batch: NachaBatch) {
    this.batch = batch;
    this.record = record;
    this.place = record.place;
    this.meaning = meaningOf(record);
    const receivingBank = columns(record, 4, 11);
    numberIn(record, 4, 12);
    this.amountCents = numberIn(record, 30, 39);
    numberIn(record, 80, 94);
    this.trace = columns(record, 80, 94);
    if (!this.trace.startsWith(batch.originatingBank) && !this.meaning.isReturn) {
      refuse(
        { line: this.place.line, column: this.place.column + 79 },
        {
          code: 'FEED_INCONSISTENT',
          reason: `the trace ${this.trace} does not begin with the batch's bank ${batch.originatingBank}`,
        },
      );
    }
    if (this.meaning.isInformation && this.amountCents !== 0) {
      refuse(this.place, {
        code: 'FEED_INCONSISTENT',
        reason: 'a test or message entry has an amount other than zero',
      });
    }
    this.expectedAddenda = expectedAddenda(record, batch);
    batch.totals.addEntry(receivingBank, this.amountCents, this.meaning.isCredit);
  }

  add(record: NachaRecord): void {
    this.addenda += 1;
    this.batch.totals.addAddenda();
    const limit = this.expectedAddenda ?? 1;
    if (this.addenda > limit) {
      refuse(record.place, {
        code: 'FEED_INCONSISTENT',
        reason: `expected ${limit} addenda for this entry, but found one more`,
      });
    }
    const type = columns(record, 2, 3);
    if (type === RETURN_ADDENDA && this.meaning.isReturn) {
      numberIn(record, 7, 21);
      this.originalTrace = columns(record, 7, 21);
      return;
    }
    if (type !== PAYMENT_ADDENDA) {
      refuse(record.place, {
        reason: `expected addenda of type 05, or 99 in a return, but found ${quoted(type)}`,
      });
    }
    this.checkSequence(record);
    this.payments.push(columns(record, 4, 83));
  }

  line(): LineEvent {
    const { batch, record, meaning } = this;
    const expected = this.expectedAddenda ?? 0;
    if (this.addenda < expected) {
      refuse(this.place, {
        code: 'FEED_INCONSISTENT',
        reason: `the entry announces ${expected} addenda, but ${this.addenda} follow`,
      });
    }
    const found = findReferences({
      fields: [...segmentReferences(this.payments.join('')), trimmed(record, 40, 54)],
      pieces: this.payments.map((payment) => payment.trimEnd()),
    });
    // A return undoes the entry on the account that it names.
    const isIncoming = meaning.isCredit !== meaning.isReturn;
    return {
      kind: 'line',
      place: this.place,
      statement: batch.ordinal,
      account: trimmed(record, 13, 29),
      nativeId: this.trace,
      bookingDate: batch.resolvedOn,
      valueDate: batch.effectiveOn,
      amountCents: this.amountCents,
      currency: 'USD',
      direction: isIncoming ? 'credit' : 'debit',
      status: meaning.isInformation ? 'information' : 'booked',
      isReversal: meaning.isReturn,
      trace: this.originalTrace ?? this.trace,
      references: found.references,
      counterparty: batch.company === '' ? undefined : batch.company,
      description: oneLine(`${batch.purpose} ${found.text}`),
      code: columns(record, 2, 3),
      details: [],
    };
  }

  /** Addenda count from 1 and repeat the last seven digits of the trace. */
  private checkSequence(record: NachaRecord): void {
    const sequence = numberIn(record, 84, 87);
    const of = columns(record, 88, 94);
    if (sequence === this.addenda && of === this.trace.slice(8)) return;
    refuse(
      { line: record.place.line, column: record.place.column + 83 },
      {
        code: 'FEED_INCONSISTENT',
        reason: `expected addenda ${this.addenda} of entry ${this.trace.slice(8)}, but found ${sequence} of ${quoted(of)}`,
      },
    );
  }
}

function meaningOf(record: NachaRecord): TransactionMeaning {
  const code = columns(record, 2, 3);
  if (!/^[2345][1-9]$/.test(code)) {
    return refuse(record.place, {
      reason: `expected a transaction code such as 22 or 27, but found ${quoted(code)}`,
    });
  }
  const kind = Number(code[1]);
  return {
    isCredit: kind <= 4,
    isReturn: kind === 1 || kind === 6,
    isInformation: kind === 3 || kind === 4 || kind === 8 || kind === 9,
  };
}

/** CCD has none or one; CTX counts them in the entry. */
function expectedAddenda(record: NachaRecord, batch: NachaBatch): number {
  const indicator = columns(record, 79, 79);
  if (indicator !== '0' && indicator !== '1') {
    refuse(
      { line: record.place.line, column: record.place.column + 78 },
      { reason: `expected the addenda indicator 0 or 1, but found ${quoted(indicator)}` },
    );
  }
  if (indicator === '0') return 0;
  const isReturn = meaningOf(record).isReturn;
  return batch.entryClass === 'CTX' && !isReturn
    ? Math.min(numberIn(record, 55, 58), ADDENDA_MAX)
    : 1;
}

/** References in ASC X12 segments: `RMT*IV*number`, `RMR*IV*number`, `TRN*1*number`, `REF*ZZ*number`. */
function segmentReferences(text: string): string[] {
  return text.split(/[\\~]/).flatMap((segment) => {
    const [name = '', , reference = ''] = segment.trim().split('*');
    return /^(?:RMT|RMR|TRN|REF)$/.test(name) && reference.trim() !== '' ? [reference.trim()] : [];
  });
}
