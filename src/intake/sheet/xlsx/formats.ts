/** What the number format of a cell says of its number: a day, a time, digits with zeros in front. Pure. */
import { readMarkup } from './markup.ts';

export type NumberShape =
  | { readonly kind: 'plain' }
  | { readonly kind: 'day' }
  | { readonly kind: 'time' }
  /** A code of so many digits, as 0000000. */
  | { readonly kind: 'digits'; readonly digits: number };

export const PLAIN: NumberShape = { kind: 'plain' };

/** ECMA-376, part 1, 18.8.30: the formats that no workbook has to spell out, among them those of East Asia. */
const DAYS = new Set([
  14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58,
]);
const TIMES = new Set([18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47]);

const FORMAT_CHARACTERS_MAX = 255;

function shapeOfFormat(id: number, code: string | undefined): NumberShape {
  if (code === undefined) {
    if (DAYS.has(id)) return { kind: 'day' };
    return TIMES.has(id) ? { kind: 'time' } : PLAIN;
  }
  const plain = withoutLiterals(code.slice(0, FORMAT_CHARACTERS_MAX)).toLowerCase();
  if (/^0{2,}$/.test(plain)) return { kind: 'digits', digits: plain.length };
  // "General" has letters of its own, and [Red] is taken off before.
  if (plain.includes('general') || /[#?]/.test(plain)) return PLAIN;
  if (/[yd]/.test(plain)) return { kind: 'day' };
  if (/[hs]/.test(plain)) return { kind: 'time' };
  return /^m+$/.test(plain) ? { kind: 'day' } : PLAIN;
}

/** The first section without quoted texts, escaped signs and what stands in brackets. */
function withoutLiterals(code: string): string {
  let plain = '';
  for (let at = 0; at < code.length; at += 1) {
    const sign = code.charAt(at);
    if (sign === ';') break;
    if (sign === '\\' || sign === '_' || sign === '*') at += 1;
    else if (sign === '"' || sign === '[') {
      const end = code.indexOf(sign === '"' ? '"' : ']', at + 1);
      if (end === -1) break;
      at = end;
    } else plain += sign;
  }
  return plain;
}

/** The shape of each cell format, in the order in which cells name them. */
export async function readFormats(
  source: AsyncIterable<Uint8Array>,
): Promise<readonly NumberShape[]> {
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let isCellFormat = false;
  const parts = readMarkup(source, {
    open: (name, attributes) => {
      if (name === 'numFmt')
        codes.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '');
      else if (name === 'cellXfs') isCellFormat = true;
      else if (name === 'xf' && isCellFormat) ids.push(Number(attributes['numFmtId'] ?? 0));
    },
    text: () => {},
    close: (name) => {
      if (name === 'cellXfs') isCellFormat = false;
    },
  });
  for await (const _ of parts);
  return ids.map((id) => shapeOfFormat(id, codes.get(id)));
}
