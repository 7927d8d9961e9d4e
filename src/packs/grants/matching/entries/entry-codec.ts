/** Bank lines and receipts as lists, because names of fields would be most of the bytes. */
import type { Day } from '../../../../calendar/index.ts';
import type { BankLine, Direction, ExpectedReceipt } from '../bank-line.ts';

/** What a line says, without the names that its feed gives it. Stored: a new field goes to the end. */
export type LineFields = readonly [
  account: string,
  nativeId: string | null,
  bookingDate: number,
  valueDate: number | null,
  cents: number,
  currency: string,
  direction: Direction,
  status: BankLine['status'],
  isReversal: boolean,
  trace: string | null,
  references: readonly string[],
  counterparty: string | null,
  description: string | null,
  place: number,
];

export function fieldsOfLine(line: BankLine): LineFields {
  return [
    line.account,
    line.nativeId ?? null,
    line.bookingDate,
    line.valueDate ?? null,
    line.amountCents,
    line.currency,
    line.direction,
    line.status,
    line.isReversal,
    line.trace ?? null,
    line.references,
    line.counterparty ?? null,
    line.description ?? null,
    line.source.line,
  ];
}

export function lineOfFields(id: string, feed: string, fields: LineFields): BankLine {
  return {
    id,
    account: fields[0],
    nativeId: fields[1] ?? undefined,
    // Days were days when they were written.
    bookingDate: fields[2] as Day,
    valueDate: (fields[3] ?? undefined) as Day | undefined,
    amountCents: fields[4],
    currency: fields[5],
    direction: fields[6],
    status: fields[7],
    isReversal: fields[8],
    trace: fields[9] ?? undefined,
    references: fields[10],
    counterparty: fields[11] ?? undefined,
    description: fields[12] ?? undefined,
    source: { feed, line: fields[13] },
  };
}

export type ReceiptFields = readonly [
  id: string,
  grant: string,
  payer: string,
  reference: string | null,
  cents: number,
  currency: string,
  direction: Direction,
  expected: number,
  payloadHash: string | null,
];

export function fieldsOfReceipt(receipt: ExpectedReceipt): ReceiptFields {
  return [
    receipt.id,
    receipt.grant,
    receipt.payer,
    receipt.reference ?? null,
    receipt.amountCents,
    receipt.currency,
    receipt.direction,
    receipt.expected,
    receipt.payloadHash ?? null,
  ];
}

export function receiptOfFields(fields: ReceiptFields): ExpectedReceipt {
  return {
    id: fields[0],
    grant: fields[1],
    payer: fields[2],
    reference: fields[3] ?? undefined,
    amountCents: fields[4],
    currency: fields[5],
    direction: fields[6],
    // A day was a day when it was written.
    expected: fields[7] as Day,
    payloadHash: fields[8] ?? undefined,
  };
}
