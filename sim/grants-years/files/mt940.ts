/** SWIFT MT940: one message for a day, texts in fields of 27 characters that cut where they are full. */
import { shortDay } from '../days.ts';
import { closingOf, decimal, type Statement, type Told } from './told.ts';

const FIELD_CHARS = 27;
const OWNER_REFERENCE_CHARS = 16;

export function mt940Statement(statement: Statement): string {
  const { account, id, number, from, to, openingCents, lines, page } = statement;
  const isFirst = page === undefined || page.number === 1;
  const isLast = page === undefined || page.isLast;
  return [
    `:20:${id}`,
    `:25:${account}`,
    `:28C:${number}/${page?.number ?? 1}`,
    `:60${isFirst ? 'F' : 'M'}:${balance(openingCents, from)}`,
    ...lines.flatMap(lineText),
    `:62${isLast ? 'F' : 'M'}:${balance(closingOf(statement), to)}`,
    '-',
  ].join('\r\n');
}

export function mt940File(statements: readonly Statement[]): string {
  return `${statements.map(mt940Statement).join('\r\n')}\r\n`;
}

function balance(cents: number, on: string): string {
  return `${cents < 0 ? 'D' : 'C'}${shortDay(on)}USD${decimal(cents, ',')}`;
}

function lineText({ entry, number }: Told): string[] {
  const { on, cents, isOut, isMarkedReturn, reference, payer, text, trace } = entry;
  // A reversed credit is money that leaves: the mark is that of the entry taken back.
  const mark = isMarkedReturn ? (isOut ? 'RC' : 'RD') : isOut ? 'D' : 'C';
  const isShort = reference !== undefined && reference.length <= OWNER_REFERENCE_CHARS;
  const owner = isShort ? reference : 'NONREF';
  const told = [
    reference !== undefined && !isShort ? `EREF+${reference} ` : '',
    text,
    trace === undefined ? '' : ` TRACE ${trace}`,
  ].join('');
  const fields = pieces(told).map((piece, at) => `?${20 + at}${piece}`);
  const names = payer === undefined ? [] : pieces(payer).map((piece, at) => `?${32 + at}${piece}`);
  return [
    `:61:${shortDay(on)}${shortDay(on).slice(2)}${mark}${decimal(cents, ',')}NTRF${owner}//${number.slice(0, OWNER_REFERENCE_CHARS)}`,
    ...lines65(`:86:166?00CREDIT${fields.slice(0, 10).join('')}${names.slice(0, 2).join('')}`),
  ];
}

function pieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += FIELD_CHARS)
    found.push(text.slice(at, at + FIELD_CHARS));
  return found;
}

/** A line of :86: holds 65 characters. */
function lines65(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += 65) found.push(text.slice(at, at + 65));
  return found;
}
