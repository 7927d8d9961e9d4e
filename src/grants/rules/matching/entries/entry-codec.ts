/** Bank lines and expected payments as lists, because names of fields would be most of the bytes. */
import type { Day } from '../../../../calendar/index.ts';
import type { BankLine, Direction, ExpectedPayment, LinePayment } from '../bank-line.ts';

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
  // Lines that were stored before these were known have none of them.
  statement: number | null,
  isAnnounced: boolean,
  payments: readonly PaymentFields[] | null,
  feeCents: number | null,
];

type PaymentFields = readonly [
  cents: number,
  references: readonly string[],
  counterparty: string | null,
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
    line.statement ?? null,
    line.isAnnounced ?? false,
    line.payments?.map(fieldsOfPayment) ?? null,
    line.feeCents ?? null,
  ];
}

function fieldsOfPayment({ amountCents, references, counterparty }: LinePayment): PaymentFields {
  return [amountCents, references, counterparty ?? null];
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
    feeCents: fields[17] ?? undefined,
    source: { feed, line: fields[13] },
    ...(typeof fields[14] === 'number' && { statement: fields[14] }),
    ...(fields[15] && { isAnnounced: true }),
    ...paymentsOf(fields[16]),
  };
}

function paymentsOf(payments: LineFields[16] | undefined): Pick<BankLine, 'payments'> {
  // Old records have no such field, and most new ones nothing in it.
  if (payments === undefined || payments === null) return {};
  return {
    payments: payments.map(([amountCents, references, counterparty]) => ({
      amountCents,
      references,
      counterparty: counterparty ?? undefined,
    })),
  };
}

export type ExpectedPaymentFields = readonly [
  id: string,
  grant: string,
  payer: string,
  reference: string | null,
  cents: number,
  currency: string,
  direction: Direction,
  expected: number,
  payloadHash: string | null,
  parts: 'may' | 'some' | null,
  goodsCents: number | null,
];

export function fieldsOfExpectedPayment(expectedPayment: ExpectedPayment): ExpectedPaymentFields {
  return [
    expectedPayment.id,
    expectedPayment.grant,
    expectedPayment.payer,
    expectedPayment.reference ?? null,
    expectedPayment.amountCents,
    expectedPayment.currency,
    expectedPayment.direction,
    expectedPayment.expected,
    expectedPayment.payloadHash ?? null,
    expectedPayment.parts ?? null,
    expectedPayment.goodsCents ?? null,
  ];
}

export function expectedPaymentOfFields(fields: ExpectedPaymentFields): ExpectedPayment {
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
    parts: fields[9] ?? undefined,
    goodsCents: fields[10] ?? undefined,
  };
}
