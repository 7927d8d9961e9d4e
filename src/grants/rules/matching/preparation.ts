/** Before anything is matched: what was delivered twice, what is not booked, what was taken back. */
import { formatDay } from '../../../calendar/index.ts';
import type { BankLine } from './bank-line.ts';
import { isToldReturn } from './returns.ts';
import { type Line, resolve, type Workbench } from './workbench.ts';

export function setAsideWhatIsNoMoney(bench: Workbench): void {
  dropRepeatedDeliveries(bench);
  dropAnnounced(bench);
  dropUnbooked(bench);
  netReversals(bench);
}

/**
 * For lines that stand for themselves, as in a data set; those of statements were folded before (`deliveries/`). The bank's
 * number decides, never the content: two equal gifts on one day are two gifts. Date and amount are compared as well, because
 * some banks use a number again.
 */
function dropRepeatedDeliveries(bench: Workbench): void {
  const first = new Map<string, Line>();
  for (const line of bench.lines) {
    const { status } = line.given;
    const key = deliveryKey(line.given);
    // A pending entry becomes a booked one with the same number: it must not push that one out.
    if (key === undefined || status !== 'booked') continue;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, line);
      continue;
    }
    const of = earlier.given.id;
    const text = `The bank's number ${line.given.nativeId} was already delivered as ${of}, with the same date and amount.`;
    resolve(bench, {
      rule: 'P0-duplicate-delivery',
      status: 'ignored',
      lines: [line],
      expectedPayments: [],
      text,
      of,
    });
  }
}

/** Equal for two deliveries of one entry; undefined where the bank gives no number. */
export function deliveryKey(line: BankLine): string | undefined {
  const { nativeId, account, bookingDate, amountCents, currency, direction } = line;
  if (nativeId === undefined || line.statement !== undefined) return undefined;
  return JSON.stringify([nativeId, account, bookingDate, amountCents, currency, direction]);
}

/**
 * A file of the clearing announces payments that come again in the bank's own statement, under the bank's own number and
 * perhaps on a later day. The trace, the account and the amount say that they are one; each line of the statement answers
 * for one announcement, because a payer may use a trace again.
 */
function dropAnnounced(bench: Workbench): void {
  const announced = bench.lines.filter(({ isOpen, given }) => isOpen && isAnnouncement(given));
  const wanted = new Set(announced.flatMap(({ given }) => announcementKey(given) ?? []));
  const stated = new Map<string, Line[]>();
  for (const line of wanted.size === 0 ? [] : bench.lines) {
    const key = announcementKey(line.given);
    if (!line.isOpen || key === undefined || !wanted.has(key) || isAnnouncement(line.given))
      continue;
    const known = stated.get(key);
    if (known === undefined) stated.set(key, [line]);
    else known.push(line);
  }
  const { from, to } = bench.policy.withReference;
  for (const line of announced) {
    const lines = stated.get(announcementKey(line.given) ?? '') ?? [];
    const place = lines.findIndex(({ day }) => day - line.day >= from && day - line.day <= to);
    const [same] = place < 0 ? [] : lines.splice(place, 1);
    if (same === undefined) continue;
    resolve(bench, {
      rule: 'P0-duplicate-delivery',
      status: 'ignored',
      lines: [line],
      expectedPayments: [],
      text: `The clearing announced it; the bank's statement has the payment as ${same.given.id}, with the same trace, account and amount.`,
      of: same.given.id,
    });
  }
}

/** The clearing knows a payment by its trace alone; a bank gives its entries numbers of its own. */
function isAnnouncement({ status, nativeId, trace }: BankLine): boolean {
  return status === 'booked' && trace !== undefined && nativeId === trace;
}

/** Equal for a payment in the clearing and in the statement; undefined for what is no booked payment of the clearing. */
export function announcementKey(line: BankLine): string | undefined {
  const { status, isReversal, trace, account, amountCents, currency, direction } = line;
  if (status !== 'booked' || isReversal || trace === undefined) return undefined;
  if (line.statement !== undefined) return undefined;
  return JSON.stringify(['trace', trace, account, amountCents, currency, direction]);
}

function dropUnbooked(bench: Workbench): void {
  for (const line of bench.lines) {
    const { status } = line.given;
    if (status === 'booked' || !line.isOpen) continue;
    resolve(bench, {
      rule: status === 'pending' ? 'P0-pending' : 'P0-information',
      status: 'ignored',
      lines: [line],
      expectedPayments: [],
      text: `The entry is ${status}; only a booked entry is money.`,
    });
  }
}

/** A return and its payment leave together; the expected payment that the payment was for is expected again. */
function netReversals(bench: Workbench): void {
  // Most feeds have few of them, and only their names are looked up.
  const returns = bench.lines.filter(({ isOpen, given }) => isOpen && isReturn(given));
  const wanted = new Set(returns.flatMap(({ given }) => reversalKeys(given)));
  const payments = new Map<string, Line[]>();
  for (const line of wanted.size === 0 ? [] : bench.lines) {
    if (!line.isOpen || line.given.isReversal) continue;
    for (const key of reversalKeys(line.given)) {
      if (!wanted.has(key)) continue;
      const known = payments.get(key);
      if (known === undefined) payments.set(key, [line]);
      else known.push(line);
    }
  }
  for (const back of returns) {
    if (!back.isOpen) continue;
    const payment = paymentTakenBack(back, payments, bench.policy.reversalDaysMax);
    if (payment === undefined) continue;
    const how =
      payment.given.trace !== undefined && payment.given.trace === back.given.trace
        ? 'the same trace'
        : `a reference in common, and the bank ${back.given.isReversal ? 'marks the second as a reversal' : 'calls the second a return'}`;
    resolve(bench, {
      rule: 'P0-reversal',
      status: 'netted',
      lines: [payment, back].sort((one, other) => one.at - other.at),
      expectedPayments: [],
      text: `${back.given.id} of ${formatDay(back.given.bookingDate)} reverses ${payment.given.id}: the same amount in the other direction, ${how}.`,
    });
  }
  for (const line of returns) {
    const { isReversal, direction } = line.given;
    if (!line.isOpen || !isReversal || direction === 'debit') continue;
    // It is no gift, whatever its amount and its words fit.
    resolve(bench, {
      rule: 'P6-unmatched-bank',
      status: 'manual',
      lines: [line],
      expectedPayments: [],
      text: 'The bank marks it as a returned payment of your own; it pays no award. Resolve it without an award, or with the award that it does pay.',
    });
  }
}

/** Money out, or what the bank marks: it may take a payment back. */
export function isReturn({ isReversal, direction }: BankLine): boolean {
  return isReversal || direction === 'debit';
}

/** The trace, or where the bank gives none, the references; each with the account and the amount. */
export function reversalKeys(line: BankLine): readonly string[] {
  const { account, amountCents, currency, trace, references } = line;
  const names = trace === undefined ? references : [trace, ...references];
  return [...new Set(names)].map((name) => JSON.stringify([account, amountCents, currency, name]));
}

/** Undefined where none fits, or more than one: a return that could belong to two payments is for a person. */
function paymentTakenBack(
  back: Line,
  payments: ReadonlyMap<string, readonly Line[]>,
  daysMax: number,
): Line | undefined {
  const byTrace = new Set<Line>();
  const byReference = new Set<Line>();
  for (const key of reversalKeys(back.given)) {
    for (const payment of payments.get(key) ?? []) {
      const days = back.given.bookingDate - payment.given.bookingDate;
      if (!payment.isOpen || payment === back || days < 0 || days > daysMax) continue;
      if (payment.given.direction === back.given.direction) continue;
      if (isSameTrace(payment, back)) {
        // Unless the bank marks it, only money out takes money in back; a refund of ours is not a return.
        if (back.given.isReversal || back.given.direction === 'debit') byTrace.add(payment);
      } else if (isToldReturn(back.given)) byReference.add(payment);
      if (byTrace.size > 1) return undefined;
    }
  }
  const [first, second] = byTrace.size > 0 ? byTrace : byReference;
  return second === undefined ? first : undefined;
}

function isSameTrace(one: Line, other: Line): boolean {
  return one.given.trace !== undefined && one.given.trace === other.given.trace;
}
