/** Who and what for, out of the text that a bank puts beside a line: free, or in one of the forms that banks agreed on. */
import { oneLine } from './references.ts';

interface Narrative {
  readonly counterparty: string | undefined;
  /** References that the form marks as such. */
  readonly fields: readonly string[];
  /** What is left to be read as free text. */
  readonly pieces: readonly string[];
}

// Longer free text is a story, not a name.
const NAME_CHARS_MAX = 70;
// A line of :86: is cut at this length; a shorter one ended where the bank wanted it to.
const LINE_CHARS_FULL = 65;
const SLASH_CODES =
  /\/(TRTP|IBAN|BIC|NAME|REMI|EREF|ORDP|BENM|CSID|MARF|CREF|PREF|RTRN|ISDT|ID|ADDR|USTD|STRD|SVWZ|KREF)\//;

/** `:86:`: `?20` fields, `/NAME/` codes, or free text. */
export function readSwiftNarrative(lines: readonly string[]): Narrative {
  const whole = lines.join('');
  if (/^\d{0,3}\?\d{2}/.test(whole)) return questionMarkFields(whole);
  if (SLASH_CODES.test(whole)) return slashFields(whole);
  return { counterparty: undefined, fields: [], pieces: joinFull(lines) };
}

/** Goes on in the same word after a line that was cut by its length. */
function joinFull(lines: readonly string[]): string[] {
  const joined: string[] = [];
  lines.forEach((line, at) => {
    const isCut = (lines[at - 1]?.length ?? 0) >= LINE_CHARS_FULL;
    if (isCut) joined.push((joined.pop() ?? '') + line);
    else joined.push(line);
  });
  return joined;
}

/** A free text without its trace, when it can be a name. */
export function nameIn(text: string): string | undefined {
  return text !== '' && text.length <= NAME_CHARS_MAX ? text : undefined;
}

function questionMarkFields(whole: string): Narrative {
  const pieces: string[] = [];
  let name = '';
  for (const part of whole.split('?').slice(1)) {
    const number = Number(part.slice(0, 2));
    const text = part.slice(2);
    if (number === 32 || number === 33) name += text;
    else if ((number >= 20 && number <= 29) || (number >= 60 && number <= 63)) pieces.push(text);
  }
  return { counterparty: nameIn(oneLine(name)), fields: [], pieces };
}

function slashFields(whole: string): Narrative {
  const parts = whole.split(new RegExp(SLASH_CODES.source, 'g'));
  const values = new Map<string, string>();
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const code = parts[at] ?? '';
    if (!values.has(code)) values.set(code, oneLine(parts[at + 1] ?? ''));
  }
  const fields = ['EREF', 'PREF', 'CREF', 'KREF'].flatMap((code) => values.get(code) ?? []);
  const remittance = values.get('REMI') ?? values.get('SVWZ') ?? '';
  return {
    counterparty: nameIn(values.get('NAME') ?? ''),
    fields,
    // REMI may have inner codes of its own, such as USTD//.
    pieces: [remittance.replace(/\b(?:USTD|STRD)\/+/g, ' '), values.get('USTD') ?? ''],
  };
}
