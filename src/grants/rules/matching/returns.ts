/** Entries that take an earlier payment back: those that the bank marks, and those of which only the words speak. */
import type { BankLine } from './bank-line.ts';

const RETURNED =
  /\b(?:RETURN(?:ED|S)?|RTND?|RETD|REVERS(?:AL|ED?)|CHARGE ?BACK|REJECT(?:ED)?|DISHONOU?RED|UNPAID|BOUNCED|NSF|RECALL(?:ED)?|REFUSED)\b/i;
// What the bank asks for a return is money of its own.
const ITS_FEE = /\b(?:FEES?|CHARGES?|CHGS?|CHG|SVC|SERVICE)\b/i;

/** Whether the words of money that went out speak of a return. */
function saysReturn(line: BankLine): boolean {
  if (line.direction !== 'debit') return false;
  const words = `${line.description ?? ''} ${line.counterparty ?? ''}`;
  return RETURNED.test(words) && !ITS_FEE.test(words.replaceAll(/CHARGE ?BACK/gi, ''));
}

/** The bank says it, by a mark or in words. */
export function isToldReturn(line: BankLine): boolean {
  return line.isReversal || saysReturn(line);
}

/** What is closed is never changed: what comes back later is taken off where it comes back. */
export const IF_COUNTED =
  'If it reverses a payment of an award, resolve it with that award: the amount is deducted on this day, and closed totals stay. If not, resolve it without an award.';
