/** What an entry says about the payments inside it, held against these payments: their sum, and the batch's own figures. */
import { readCamtAmount, readDirection } from './camt-entry.ts';
import type { LineDetail, LineEvent } from './feed-events.ts';
import { find, findAll, type MarkupElement, needText } from './markup.ts';
import { showCents } from './money.ts';
import { quoted, refuse } from './refusal.ts';

/** Payments of one entry, counted while they are read and let go. */
export class BatchTally {
  private count = 0;
  private sum = 0n;
  private charges = 0n;
  /** False once a payment gives no amount, or one in another currency. */
  private isKnown = true;
  private currency: string | undefined;
  private hasOwnAmounts = true;

  add(element: MarkupElement, detail: LineDetail, entry: LineEvent['direction']): void {
    this.count += 1;
    this.charges += chargesOf(element);
    this.hasOwnAmounts &&= find(element, 'Amt') !== undefined;
    const { amountCents, currency } = detail;
    if (amountCents === undefined || (this.currency ?? currency) !== currency) {
      this.isKnown = false;
      return;
    }
    this.currency = currency;
    const own = find(element, 'CdtDbtInd') === undefined ? entry : readDirection(element);
    this.sum += own === entry ? BigInt(amountCents) : -BigInt(amountCents);
  }

  check(entry: MarkupElement, line: LineEvent): void {
    const parts = findAll(entry, 'NtryDtls');
    const batches = findAll(entry, 'NtryDtls', 'Btch');
    const isWhole = batches.length > 0 && batches.length === parts.length;
    const charges = this.charges + chargesOf(entry);
    const booked = BigInt(line.amountCents);
    if (isWhole) this.checkBatches(batches, line, charges);
    if (this.count === 0 || !this.isKnown || this.currency !== line.currency) return;
    // The amount of a single payment may be what was instructed, before anybody on the way took a fee.
    if (this.count === 1 && !this.hasOwnAmounts) return;
    if (!isExplained(this.sum, booked, charges)) {
      refuse(entry.place, {
        code: 'FEED_INCONSISTENT',
        reason: `the entry is for ${showCents(booked)}, but its ${this.count} payments (TxDtls) total ${showCents(this.sum)}`,
      });
    }
  }

  private checkBatches(batches: readonly MarkupElement[], line: LineEvent, charges: bigint): void {
    const [first] = batches;
    if (first === undefined) return;
    const counts = batches.flatMap((batch) => find(batch, 'NbOfTxs') ?? []);
    const stated = counts.reduce((sum, each) => sum + countIn(each), 0);
    // A batch may give its number of payments and none of them.
    if (counts.length === batches.length && this.count > 0 && stated !== this.count) {
      refuse(first.place, {
        code: 'FEED_INCONSISTENT',
        reason: `the batch (Btch) counts ${stated} payments, but the entry has ${this.count}`,
      });
    }
    const totals = batches.flatMap((batch) => find(batch, 'TtlAmt') ?? []).map(readCamtAmount);
    if (totals.length < batches.length) return;
    if (totals.some(({ currency }) => currency !== line.currency)) return;
    const total = totals.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n);
    if (!isExplained(total, BigInt(line.amountCents), charges)) {
      refuse(first.place, {
        code: 'FEED_INCONSISTENT',
        reason: `the batch (Btch) has a total of ${showCents(total)}, but the entry is for ${showCents(BigInt(line.amountCents))}`,
      });
    }
  }
}

/** Equal, or apart by exactly the charges that the entry names. */
function isExplained(sum: bigint, booked: bigint, charges: bigint): boolean {
  return sum === booked || (charges > 0n && (sum - charges === booked || sum + charges === booked));
}

function chargesOf(element: MarkupElement): bigint {
  const total = find(element, 'Chrgs', 'TtlChrgsAndTaxAmt');
  const each = findAll(element, 'Chrgs').flatMap((charges) => [
    ...findAll(charges, 'Rcrd', 'Amt'),
    // Up to .02 the amount stands in Chrgs itself.
    ...findAll(charges, 'Amt'),
  ]);
  const amounts = total === undefined ? each : [total];
  return amounts.reduce((sum, amount) => sum + BigInt(readCamtAmount(amount).amountCents), 0n);
}

function countIn(element: MarkupElement): number {
  const text = needText(element);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return refuse(element.place, {
    reason: `expected a whole number in NbOfTxs, but found ${quoted(text)}`,
  });
}
