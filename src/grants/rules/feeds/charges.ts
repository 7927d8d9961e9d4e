/** What a bank on the way kept of a payment, where it says so: the payer sent the amount of the entry and this. */
import type { FeedPlace } from './feed-events.ts';
import { find, findAll, type MarkupElement, textAt } from './markup.ts';
import { readCurrency, readDecimal } from './money.ts';

interface Net {
  readonly amountCents: number;
  readonly currency: string;
}

/** `Chrgs` of a camt entry or payment: one amount (.02), records, or only their total. Undefined for none. */
export function readCamtCharges(element: MarkupElement, currency: string): number | undefined {
  let cents = 0;
  for (const charges of findAll(element, 'Chrgs')) {
    const records = findAll(charges, 'Rcrd');
    const total = find(charges, 'TtlChrgsAndTaxAmt');
    const each = records.length > 0 ? records : find(charges, 'Amt') === undefined ? [] : [charges];
    if (each.length === 0 && total !== undefined) cents += centsOf(total, currency);
    for (const one of each) {
      const amount = find(one, 'Amt');
      // What is booked as an entry of its own was not kept from this one.
      if (amount === undefined || textAt(one, 'ChrgInclInd') === 'false') continue;
      const isRefund = textAt(one, 'CdtDbtInd') === 'CRDT';
      cents += (isRefund ? -1 : 1) * centsOf(amount, currency);
    }
  }
  return cents > 0 ? cents : undefined;
}

/** What the payer told his bank to send, less what came; undefined unless it is more, in the same currency. */
export function readCamtShortfall(element: MarkupElement, net: Net): number | undefined {
  const instructed = find(element, 'AmtDtls', 'InstdAmt', 'Amt');
  if (instructed === undefined) return undefined;
  const cents = centsOf(instructed, net.currency) - net.amountCents;
  return cents > 0 ? cents : undefined;
}

function centsOf(amount: MarkupElement, currency: string): number {
  const own = readCurrency(amount.currency ?? '', amount.place);
  // A charge in another currency cannot be added to the entry without a rate that nobody gives.
  if (own !== currency) return 0;
  return readDecimal({ text: amount.text.trim(), currency, mark: '.' }, amount.place);
}

const CHARGES = /\/CHGS\/+([A-Z]{3})(\d{1,12},\d{0,2})/;
const ORIGINAL = /\/OCMT\/+([A-Z]{3})(\d{1,12},\d{0,2})/;

/** `/CHGS/USD25,00/`, or else `/OCMT/USD5000,00/`, in :61: or :86: of MT940. */
export function readSwiftCharges(text: string, net: Net, place: FeedPlace): number | undefined {
  const charges = swiftCents(CHARGES.exec(text), net.currency, place);
  if (charges !== undefined) return charges > 0 ? charges : undefined;
  const original = swiftCents(ORIGINAL.exec(text), net.currency, place);
  return original !== undefined && original > net.amountCents
    ? original - net.amountCents
    : undefined;
}

function swiftCents(
  found: RegExpExecArray | null,
  currency: string,
  place: FeedPlace,
): number | undefined {
  const [, own, text] = found ?? [];
  return own !== currency || text === undefined
    ? undefined
    : readDecimal({ text, currency, mark: ',' }, place);
}
