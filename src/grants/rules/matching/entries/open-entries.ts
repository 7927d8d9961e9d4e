/** What is to be matched. Each entry is checked when it comes, and what it may be matched with is noted then. */
import type { Day } from '../../../../calendar/index.ts';
import type { JsonValue } from '../../../../core/index.ts';
import { type BankLine, checkAmount, type ExpectedPayment } from '../bank-line.ts';
import { Couplings } from '../components/couplings.ts';
import {
  fieldsOfLine,
  fieldsOfExpectedPayment,
  type LineFields,
  lineOfFields,
  type ExpectedPaymentFields,
  expectedPaymentOfFields,
} from './entry-codec.ts';
import { PackedRecords } from './packed-records.ts';

export interface OpenEntries {
  readonly couplings: Couplings;
  lineAt(place: number): BankLine;
  expectedPaymentAt(place: number): ExpectedPayment;
}

/** Texts, whole numbers and lists of them. */
export function packedLine(line: BankLine): JsonValue {
  const { id, source, postedOn = null, unusedPayments = null } = line;
  return [id, source.feed, fieldsOfLine(line), postedOn, unusedPayments];
}

export function unpackedLine(record: JsonValue): BankLine {
  // Written by `packedLine`.
  const [id, feed, fields, postedOn, unusedPayments] = record as [
    string,
    string,
    LineFields,
    Day | null,
    string | null,
  ];
  const line = lineOfFields(id, feed, fields);
  if (postedOn === null && unusedPayments === null) return line;
  return {
    ...line,
    ...(postedOn !== null && { postedOn }),
    ...(unusedPayments !== null && { unusedPayments }),
  };
}

/** Entries that are added one by one, in any order, and held as bytes. */
export class PackedEntries implements OpenEntries {
  readonly couplings = new Couplings();
  readonly #lines = new PackedRecords();
  readonly #expectedPayments = new PackedRecords();

  addLine(line: BankLine): void {
    checkAmount('bank line', line);
    this.couplings.addLine(line);
    this.#lines.push(packedLine(line));
  }

  addExpectedPayment(expectedPayment: ExpectedPayment): void {
    checkAmount('expected payment', expectedPayment);
    this.couplings.addExpectedPayment(expectedPayment);
    this.#expectedPayments.push(fieldsOfExpectedPayment(expectedPayment));
  }

  lineAt(place: number): BankLine {
    return unpackedLine(this.#lines.at(place));
  }

  /** Those that were added so far, one by one. */
  *lines(): Generator<BankLine> {
    for (let place = 0; place < this.#lines.length; place += 1) yield this.lineAt(place);
  }

  expectedPaymentAt(place: number): ExpectedPayment {
    // Written by `addReceipt`.
    return expectedPaymentOfFields(this.#expectedPayments.at(place) as ExpectedPaymentFields);
  }
}

/** Entries of somebody who has them all as objects already. */
export class ListedEntries implements OpenEntries {
  readonly couplings = new Couplings();
  readonly #lines: readonly BankLine[];
  readonly #expectedPayments: readonly ExpectedPayment[];

  constructor(lines: readonly BankLine[], expectedPayments: readonly ExpectedPayment[]) {
    this.#lines = lines;
    this.#expectedPayments = expectedPayments;
    for (const line of lines) {
      checkAmount('bank line', line);
      this.couplings.addLine(line);
    }
    for (const expectedPayment of expectedPayments) {
      checkAmount('expected payment', expectedPayment);
      this.couplings.addExpectedPayment(expectedPayment);
    }
  }

  lineAt(place: number): BankLine {
    return existing(this.#lines[place], place);
  }

  expectedPaymentAt(place: number): ExpectedPayment {
    return existing(this.#expectedPayments[place], place);
  }
}

function existing<Entry>(entry: Entry | undefined, place: number): Entry {
  if (entry === undefined) throw new RangeError(`there is no entry ${place}`);
  return entry;
}
