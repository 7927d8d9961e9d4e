/** What the control records of a NACHA batch and file must repeat. */
import { columns, type NachaRecord, numberIn } from './nacha-records.ts';
import { refuse } from './refusal.ts';

const HASH_MODULUS = 10_000_000_000n;

interface TotalsColumns {
  readonly count: readonly [number, number];
  readonly hash: readonly [number, number];
  readonly debits: readonly [number, number];
  readonly credits: readonly [number, number];
}

export const BATCH_TOTALS: TotalsColumns = {
  count: [5, 10],
  hash: [11, 20],
  debits: [21, 32],
  credits: [33, 44],
};

export const FILE_TOTALS: TotalsColumns = {
  count: [14, 21],
  hash: [22, 31],
  debits: [32, 43],
  credits: [44, 55],
};

export class NachaTotals {
  private readonly what: string;
  private count = 0n;
  private hash = 0n;
  private debits = 0n;
  private credits = 0n;

  constructor(what: string) {
    this.what = what;
  }

  addAddenda(): void {
    this.count += 1n;
  }

  /** The hash is the sum of the receiving banks' eight digits; its last ten digits are written. */
  addEntry(receivingBank: string, amountCents: number, isCredit: boolean): void {
    this.count += 1n;
    this.hash += BigInt(receivingBank);
    if (isCredit) this.credits += BigInt(amountCents);
    else this.debits += BigInt(amountCents);
  }

  addBatch(batch: NachaTotals): void {
    this.count += batch.count;
    this.hash += batch.hash;
    this.debits += batch.debits;
    this.credits += batch.credits;
  }

  check(record: NachaRecord, at: TotalsColumns): void {
    this.compare(record, 'number of entries and addenda', at.count, this.count);
    this.compare(record, 'entry hash', at.hash, this.hash % HASH_MODULUS);
    this.compare(record, 'sum of debits', at.debits, this.debits);
    this.compare(record, 'sum of credits', at.credits, this.credits);
  }

  private compare(
    record: NachaRecord,
    figure: string,
    [first, last]: readonly [number, number],
    counted: bigint,
  ): void {
    numberIn(record, first, last);
    const stated = BigInt(columns(record, first, last));
    if (stated === counted) return;
    refuse(
      { line: record.place.line, column: record.place.column + first - 1 },
      {
        code: 'FEED_INCONSISTENT',
        reason: `the ${this.what} control record gives ${stated} as the ${figure}, but the entries total ${counted}`,
      },
    );
  }
}
