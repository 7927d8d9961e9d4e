/** One statement of an OFX response: account, transactions, ledger balance. */
import type { Day } from '../../../calendar/index.ts';
import { readOfxDate } from './feed-dates.ts';
import type { Balance, FeedPlace, LineEvent, Statement } from './feed-events.ts';
import { find, type MarkupElement, need, needText, textAt } from './markup.ts';
import { readCurrency, readDecimal } from './money.ts';
import { findReferences, oneLine } from './references.ts';
import { quoted, refuse } from './refusal.ts';

export class OfxHeader {
  private readonly place: FeedPlace;
  private account: string | undefined;
  private bank: string | undefined;
  private currency: string | undefined;
  private from: Day | undefined;
  private to: Day | undefined;
  private closing: Balance | undefined;

  constructor(place: FeedPlace) {
    this.place = place;
  }

  take(element: MarkupElement): void {
    switch (element.name) {
      case 'CURDEF':
        this.currency = readCurrency(needText(element), element.place);
        break;
      case 'BANKACCTFROM':
      case 'CCACCTFROM':
        this.account = needText(element, 'ACCTID');
        this.bank = textAt(element, 'BANKID');
        break;
      case 'DTSTART':
        this.from = readOfxDate(needText(element), element.place);
        break;
      case 'DTEND':
        this.to = readOfxDate(needText(element), element.place);
        break;
      case 'LEDGERBAL':
        this.closing = {
          amountCents: readAmount(need(element, 'BALAMT'), this.needCurrency()),
          currency: this.needCurrency(),
          on: readOfxDate(needText(element, 'DTASOF'), need(element, 'DTASOF').place),
        };
        break;
      default:
        break;
    }
  }

  needAccount(): string {
    return (
      this.account ??
      refuse(this.place, { reason: 'expected an account with ACCTID before the transactions' })
    );
  }

  needCurrency(): string {
    return (
      this.currency ?? refuse(this.place, { reason: 'expected CURDEF before the first amount' })
    );
  }

  /** The balance comes after the transactions. */
  statement(ordinal: number): Statement {
    return {
      ordinal,
      place: this.place,
      account: this.needAccount(),
      bank: this.bank,
      statementId: undefined,
      number: undefined,
      page: undefined,
      hasPageBefore: false,
      hasPageAfter: false,
      currency: this.needCurrency(),
      from: this.from,
      to: this.to,
      isInterim: false,
      notice: undefined,
      opening: undefined,
      closing: undefined,
    };
  }

  /**
   * With its balance, which is of the moment of the download: on a later day than the last one asked for it says nothing
   * about this statement, on an earlier one nothing after it is told yet. OFX gives no opening balance. The one that the
   * transactions lead back to is held against the balance of the download before: where a bank lists what its balance does
   * not count yet, or leaves something out, the two differ.
   */
  ended(
    ordinal: number,
    told: { readonly lastBooked: Day | undefined; readonly netCents: bigint | undefined },
  ): Statement {
    const { lastBooked, netCents } = told;
    const statement = this.statement(ordinal);
    const { closing } = this;
    const { from, to } = statement;
    const first = lastBooked ?? from;
    if (closing === undefined) return statement;
    const isOfAnotherDay =
      (first !== undefined && closing.on < first) || (to !== undefined && closing.on > to);
    if (isOfAnotherDay) return statement;
    const cents = netCents === undefined ? Number.NaN : closing.amountCents - Number(netCents);
    const opening = Number.isSafeInteger(cents)
      ? { amountCents: cents, currency: closing.currency, on: from ?? closing.on }
      : undefined;
    return { ...statement, to: closing.on, opening, closing };
  }
}

export function readTransaction(
  element: MarkupElement,
  context: { readonly statement: number; readonly account: string; readonly currency: string },
): LineEvent {
  refuseCorrection(element);
  const amountAt = need(element, 'TRNAMT');
  // Inside CURRENCY the amount is in that currency; ORIGCURRENCY only tells what it was converted from.
  const currencyAt = find(element, 'CURRENCY', 'CURSYM');
  const currency =
    currencyAt === undefined
      ? context.currency
      : readCurrency(needText(currencyAt), currencyAt.place);
  const signed = readAmount(amountAt, currency);
  const available = find(element, 'DTAVAIL');
  const found = findReferences({
    fields: [textAt(element, 'REFNUM'), textAt(element, 'CHECKNUM')],
    pieces: [textAt(element, 'MEMO') ?? ''],
  });
  const name =
    textAt(element, 'NAME') ?? textAt(element, 'PAYEE', 'NAME') ?? textAt(element, 'EXTDNAME');
  return {
    kind: 'line',
    place: element.place,
    statement: context.statement,
    account: context.account,
    nativeId: needText(element, 'FITID'),
    bookingDate: readOfxDate(needText(element, 'DTPOSTED'), need(element, 'DTPOSTED').place),
    valueDate:
      available === undefined ? undefined : readOfxDate(needText(available), available.place),
    amountCents: Math.abs(signed),
    currency,
    direction: signed < 0 ? 'debit' : 'credit',
    status: 'booked',
    isReversal: false,
    trace: found.trace,
    references: found.references,
    counterparty: name === undefined ? undefined : oneLine(name),
    description: found.text,
    code: needText(element, 'TRNTYPE'),
    details: [],
  };
}

/** A correction changes a line that was given before; counted as a line of its own it would be money twice. */
function refuseCorrection(element: MarkupElement): void {
  const corrected = find(element, 'CORRECTFITID');
  if (corrected === undefined) return;
  refuse(corrected.place, {
    code: 'FEED_UNSUPPORTED',
    reason: `the bank corrects its earlier transaction ${quoted(corrected.text.trim())}, which cannot be applied to lines already imported`,
    remedy: 'Download the whole period again; the bank then gives only the corrected transaction',
  });
}

function readAmount(element: MarkupElement, currency: string): number {
  return readDecimal({ text: needText(element), currency, mark: '.,' }, element.place);
}
