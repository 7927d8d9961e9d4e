/** Fields of BAI2 records. */
import type { Day } from '../../../calendar/index.ts';
import { readShortDate } from './feed-dates.ts';
import type { FeedPlace } from './feed-events.ts';
import { readMinorUnits } from './money.ts';
import type { Bai2Piece, Bai2Record } from './bai2-records.ts';
import { quoted, refuse } from './refusal.ts';

/** All fields of a record that has no free text. */
export function fieldsOf(record: Bai2Record): string[] {
  let whole = '';
  record.pieces.forEach((piece, at) => {
    whole += at === 0 ? piece.text : glue(record.pieces[at - 1]) + piece.text;
  });
  return whole.split(',').map((field) => field.trim());
}

export interface SummaryItem {
  readonly type: string;
  /** Undefined when the field is empty, which is not the same as nought. */
  readonly amountCents: number | undefined;
  /** How many details it is the sum of, where the bank says so. */
  readonly count: number | undefined;
}

/** Record 03: the account, its currency, then any number of typed amounts. */
export function readAccountRecord(record: Bai2Record): {
  readonly account: string;
  readonly currency: string;
  readonly items: readonly SummaryItem[];
} {
  const fields = fieldsOf(record);
  const [account = '', currency = ''] = fields;
  if (account === '') refuse(record.place, { reason: 'expected an account in record 03' });
  const items: SummaryItem[] = [];
  for (let at = 2; at < fields.length; ) {
    const type = fields[at] ?? '';
    const amount = fields[at + 1] ?? '';
    const funds = readFunds(fields, at + 3, record.place);
    if (type === '' ? amount !== '' : !/^\d{3}$/.test(type)) {
      refuse(record.place, {
        reason: `expected a type code of three digits in record 03, but found ${quoted(type)}`,
      });
    }
    if (type !== '') {
      const amountCents = amount === '' ? undefined : readMinorUnits(amount, record.place);
      const count = (fields[at + 2] ?? '').trim();
      items.push({ type, amountCents, count: /^\d{1,9}$/.test(count) ? Number(count) : undefined });
    }
    at = funds.next;
  }
  return { account, currency, items };
}

export interface DetailRecord {
  readonly type: string;
  readonly amountCents: number;
  readonly valueDate: Day | undefined;
  readonly nativeId: string | undefined;
  readonly customerReference: string | undefined;
  readonly textPieces: readonly string[];
}

/**
 * Record 16. A continuation may cut it anywhere: fields are put together until the text begins, and from there on each
 * piece is text. `fullLength` is the physical record length of the file, where it says one.
 */
export function readDetailRecord(record: Bai2Record, fullLength: number | undefined): DetailRecord {
  const { pieces, place } = record;
  let taken = 1;
  let fixed = pieces[0]?.text ?? '';
  let fields = fixed.split(',');
  let textAt = textField(fields, place);
  while (fields.length <= textAt && taken < pieces.length) {
    fixed += glue(pieces[taken - 1]) + (pieces[taken]?.text ?? '');
    taken += 1;
    fields = fixed.split(',');
    textAt = textField(fields, place);
  }
  const funds = readFunds(fields, 2, place);
  const [type = '', amount = ''] = fields.map((field) => field.trim());
  if (!/^\d{3}$/.test(type)) {
    refuse(place, {
      reason: `expected a type code of three digits in record 16, but found ${quoted(type)}`,
    });
  }
  if (/^[+-]/.test(amount)) {
    refuse(place, {
      reason: `expected an amount without a sign in record 16, but found ${quoted(amount)}`,
      remedy: 'The type code says whether it is a credit or a debit; a sign leaves it in doubt',
    });
  }
  const references = fields.slice(funds.next, funds.next + 2).map((field) => field.trim());
  const text = fields.slice(funds.next + 2).join(',');
  return {
    type,
    amountCents: amount === '' ? 0 : readMinorUnits(amount, place),
    valueDate: funds.valueDate,
    nativeId: references[0] === '' ? undefined : references[0],
    customerReference: references[1] === '' ? undefined : references[1],
    textPieces: joinFull(
      [{ ...lastTaken(pieces, taken), text }, ...pieces.slice(taken)],
      fullLength,
    ),
  };
}

function lastTaken(pieces: readonly Bai2Piece[], taken: number): Bai2Piece {
  return pieces[taken - 1] ?? { text: '', isTerminated: true, length: 0 };
}

/** A piece as long as a physical record was cut by length, so that the next one goes on in the same word. */
function joinFull(pieces: readonly Bai2Piece[], fullLength: number | undefined): string[] {
  const joined: string[] = [];
  let wasCut = false;
  for (const piece of pieces) {
    const last = joined.length - 1;
    if (wasCut) joined[last] = (joined[last] ?? '') + piece.text;
    else joined.push(piece.text);
    wasCut = fullLength !== undefined && !piece.isTerminated && piece.length >= fullLength;
  }
  return joined;
}

function glue(before: Bai2Piece | undefined): string {
  return before?.isTerminated === true ? ',' : '';
}

/** Where the text of record 16 begins; beyond every field while that cannot be known yet. */
function textField(fields: readonly string[], place: FeedPlace): number {
  if (fields.length < 4) return Number.POSITIVE_INFINITY;
  const funds = (fields[2] ?? '').trim();
  if (funds === 'D' && fields.length < 5) return Number.POSITIVE_INFINITY;
  return readFunds(fields, 2, place, false).next + 2;
}

/** The funds type, and what it brings with it: nothing, three amounts (S), a date and time (V), or pairs (D). */
function readFunds(
  fields: readonly string[],
  at: number,
  place: FeedPlace,
  readsDate = true,
): { readonly next: number; readonly valueDate: Day | undefined } {
  const type = (fields[at] ?? '').trim();
  switch (type) {
    case '':
    case '0':
    case '1':
    case '2':
    case 'Z':
      return { next: at + 1, valueDate: undefined };
    case 'S':
      return { next: at + 4, valueDate: undefined };
    case 'V': {
      const date = (fields[at + 1] ?? '').trim();
      const valueDate = date === '' || !readsDate ? undefined : readShortDate(date, place);
      return { next: at + 3, valueDate };
    }
    case 'D': {
      const count = (fields[at + 1] ?? '').trim();
      if (!/^\d{1,3}$/.test(count)) {
        refuse(place, {
          reason: `expected the number of distributions after D, but found ${quoted(count)}`,
        });
      }
      return { next: at + 2 + 2 * Number(count), valueDate: undefined };
    }
    default:
      return refuse(place, {
        reason: `expected the funds type 0, 1, 2, S, V, D, Z or none, but found ${quoted(type)}`,
      });
  }
}
