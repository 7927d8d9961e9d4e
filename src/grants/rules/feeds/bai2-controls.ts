/** The sums and counts that BAI2 writes at the end of accounts, groups and the file. They are its integrity check. */
import type { Bai2Record } from './bai2-records.ts';
import { fieldsOf } from './bai2-fields.ts';
import { readMinorUnits } from './money.ts';
import { quoted, refuse } from './refusal.ts';

/** One level: an account, a group or the file. */
export class ControlLevel {
  readonly what: string;
  private total = 0n;
  private parts = 0;
  private records = 0;

  constructor(what: string) {
    this.what = what;
  }

  addAmount(cents: number): void {
    this.total += BigInt(cents);
  }

  addRecords(count: number): void {
    this.records += count;
  }

  /** A level below this one has ended, and agreed. */
  addPart(part: ControlLevel): void {
    this.total += part.total;
    this.records += part.records;
    this.parts += 1;
  }

  /** Records 98 and 99 say how many parts there are; 49 does not. */
  check(record: Bai2Record, hasParts: boolean): void {
    this.records += record.physicalRecords;
    const [total = '', ...counts] = fieldsOf(record);
    const sum = BigInt(readMinorUnits(total, record.place));
    this.compare(record, 'sum', { stated: sum, counted: this.total });
    if (hasParts) {
      const parts = BigInt(readCount(counts[0] ?? '', record));
      this.compare(record, 'number of parts', { stated: parts, counted: BigInt(this.parts) });
    }
    const records = BigInt(readCount(counts[hasParts ? 1 : 0] ?? '', record));
    this.compare(record, 'number of records', { stated: records, counted: BigInt(this.records) });
  }

  private compare(
    record: Bai2Record,
    figure: string,
    { stated, counted }: { readonly stated: bigint; readonly counted: bigint },
  ): void {
    if (stated === counted) return;
    refuse(record.place, {
      code: 'FEED_INCONSISTENT',
      reason: `record ${record.code} gives ${stated} as the ${figure} of the ${this.what}, but its records total ${counted}`,
    });
  }
}

function readCount(text: string, record: Bai2Record): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  return refuse(record.place, {
    reason: `expected a count in record ${record.code}, but found ${quoted(text)}`,
  });
}
