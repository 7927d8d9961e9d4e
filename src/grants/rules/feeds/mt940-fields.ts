/** The fields of an MT940 message that carry money. */
import type { Day } from '../../../calendar/index.ts';
import { readMonthDay, readShortDate } from './feed-dates.ts';
import type { Balance, FeedPlace, LineEvent } from './feed-events.ts';
import { readDecimal } from './money.ts';
import { quoted, refuse } from './refusal.ts';

/** A tag with its lines: the first beside the tag, the others below it. */
export interface SwiftField {
  readonly tag: string;
  readonly lines: readonly string[];
  readonly place: FeedPlace;
}

const AMOUNT_CHARS_MAX = 15;
const REFERENCE_CHARS_MAX = 16;

/** `:60F:C260301USD100000,00` */
export function readSwiftBalance(field: SwiftField): Balance {
  const text = only(field);
  const match = /^([CD])(\d{6})([A-Z]{3})([\d,]+)$/.exec(text);
  if (match === null) {
    return refuse(field.place, {
      reason: `expected a balance such as C260301USD100000,00 in :${field.tag}:, but found ${quoted(text)}`,
    });
  }
  const [, mark, date = '', currency = '', amount = ''] = match;
  const cents = readSwiftAmount(amount, currency, field.place);
  return {
    amountCents: mark === 'D' && cents !== 0 ? -cents : cents,
    currency,
    on: readShortDate(date, field.place),
  };
}

/** `:28C:12/3`: statement 12, page 3. */
export function readStatementNumber(field: SwiftField): {
  readonly number: number;
  readonly page: number | undefined;
} {
  const text = only(field);
  const match = /^(\d{1,5})(?:\/(\d{1,5}))?$/.exec(text);
  if (match === null) {
    return refuse(field.place, {
      reason: `expected a statement number such as 12/1 in :${field.tag}:, but found ${quoted(text)}`,
    });
  }
  return { number: Number(match[1]), page: match[2] === undefined ? undefined : Number(match[2]) };
}

/** `:25:`: an account, or a bank and an account. */
export function readSwiftAccount(field: SwiftField): {
  readonly account: string;
  readonly bank: string | undefined;
} {
  const text = (field.lines[0] ?? '').trim();
  const cut = text.indexOf('/');
  const account = cut === -1 ? text : text.slice(cut + 1);
  if (account === '') {
    return refuse(field.place, { reason: `expected an account in :${field.tag}:` });
  }
  return { account, bank: cut > 0 ? text.slice(0, cut) : undefined };
}

export interface StatementLineField {
  readonly bookingDate: Day;
  readonly valueDate: Day;
  readonly direction: LineEvent['direction'];
  readonly isReversal: boolean;
  readonly amountCents: number;
  readonly code: string;
  readonly ownerReference: string | undefined;
  readonly nativeId: string | undefined;
  readonly supplement: string;
  readonly place: FeedPlace;
}

// Value date, entry date, mark (R before it: a reversal), third letter of the currency, amount, type, references.
const STATEMENT_LINE = /^(\d{6})(\d{4})?(R?)([CD])([A-Z])?(\d[\d,]*)([A-Z][A-Z0-9]{3})(.*)$/;

/** `:61:2603020302C125000,00NTRFPMS2603020017//TRN260302-0001`, and a line of the bank's own below it. */
export function readStatementLine(field: SwiftField, currency: string): StatementLineField {
  const { place } = field;
  const text = field.lines[0] ?? '';
  const match = STATEMENT_LINE.exec(text);
  if (match === null) {
    return refuse(place, {
      reason: `expected dates, mark, amount, type and reference in :61:, but found ${quoted(text)}`,
    });
  }
  const [, value = '', entry, reversal, mark, funds, amount = '', code = '', refs = ''] = match;
  if (funds !== undefined && funds !== currency[2]) {
    refuse(place, {
      code: 'FEED_INCONSISTENT',
      reason: `the line's funds code ${quoted(funds)} is not the third letter of ${currency}`,
    });
  }
  const valueDate = readShortDate(value, place);
  // The mark is that of the entry taken back: a reversed credit is money that leaves.
  const isCredit = (mark === 'C') !== (reversal === 'R');
  return {
    bookingDate: entry === undefined ? valueDate : readMonthDay(entry, valueDate, place),
    valueDate,
    direction: isCredit ? 'credit' : 'debit',
    isReversal: reversal === 'R',
    amountCents: readSwiftAmount(amount, currency, place),
    code,
    ...readReferences(refs, place),
    supplement: field.lines.slice(1).join(' '),
    place,
  };
}

function readReferences(
  text: string,
  place: FeedPlace,
): Pick<StatementLineField, 'ownerReference' | 'nativeId'> {
  const cut = text.indexOf('//');
  const owner = (cut === -1 ? text : text.slice(0, cut)).trim();
  const bank = cut === -1 ? '' : text.slice(cut + 2).trim();
  for (const reference of [owner, bank]) {
    if (reference.length > REFERENCE_CHARS_MAX) {
      refuse(place, {
        reason: `expected references of at most ${REFERENCE_CHARS_MAX} characters, but found ${quoted(reference)}`,
      });
    }
  }
  return {
    ownerReference: owner === '' ? undefined : owner,
    nativeId: bank === '' ? undefined : bank,
  };
}

function readSwiftAmount(text: string, currency: string, place: FeedPlace): number {
  if (text.length > AMOUNT_CHARS_MAX || !text.includes(',')) {
    refuse(place, {
      reason: `expected an amount with a comma, of at most ${AMOUNT_CHARS_MAX} characters, but found ${quoted(text)}`,
    });
  }
  return readDecimal({ text, currency, mark: ',' }, place);
}

/** Of a field that has one line. */
function only(field: SwiftField): string {
  if (field.lines.length > 1) {
    refuse(
      { line: field.place.line + 1, column: 1 },
      { reason: `expected one line in :${field.tag}:, but it is longer` },
    );
  }
  return (field.lines[0] ?? '').trimEnd();
}
