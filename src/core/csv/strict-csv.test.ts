import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../errors.ts';
import { quoteField } from './fields.ts';
import { RECORD_BYTES_MAX } from './limits.ts';
import { type CsvRow, StrictCsv } from './strict-csv.ts';

function rowsOf(input: string | Uint8Array, size = 64 * 1024): CsvRow[] {
  const csv = new StrictCsv();
  const bytes = Buffer.from(input);
  const rows: CsvRow[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    rows.push(...csv.push(bytes.subarray(at, at + size)));
  }
  rows.push(...csv.finish());
  return rows;
}

function refusal(input: string | Uint8Array): FilewrightError {
  try {
    rowsOf(input);
  } catch (error) {
    if (error instanceof FilewrightError) return error;
    throw error;
  }
  throw new Error('Expected a refusal.');
}

describe('CSV of a document that is taken whole', () => {
  it('gives each row with the line on which it begins, also behind quoted line breaks', () => {
    const text = '\ufeffa,b\r\n"one\r\ntwo","x ""y"""\n\n,\nlast,';
    for (const size of [1, 2, 3, 64]) {
      expect(rowsOf(text, size)).toEqual([
        { line: 1, cells: ['a', 'b'] },
        { line: 2, cells: ['one\r\ntwo', 'x "y"'] },
        { line: 6, cells: ['last', ''] },
      ]);
    }
  });

  it.each<[string, string | Uint8Array, number, RegExp]>([
    ['text behind a closing quote', 'a\n"x\ny"z\n', 2, /line 2, but field 1 has text after/],
    ['a quote inside a plain cell', 'a,b\n1,x"\n', 2, /field 2 has a quote inside/],
    ['a quote that is never closed', 'a,b\n1,2\n3,"x\n5,6\n', 3, /opened on line 3 is not/],
    ['a carriage return that ends no line', 'a,b\n1,x\ry\n', 2, /field 2 goes over a carriage/],
    ['bytes that are not UTF-8', Buffer.from('a\nx\n\xe9\n', 'latin1'), 3, /not UTF-8/],
    ['a record that is too large', `a\n"${'x'.repeat(RECORD_BYTES_MAX)}"\n`, 2, /larger than/],
  ])('refuses %s with its line', (_what, input, line, message) => {
    const error = refusal(input);
    expect(error.code).toBe('INPUT_MALFORMED');
    expect(error.details.line).toBe(line);
    expect(error.message).toMatch(message);
  });

  it('reads back whatever cells were written, in pieces of any size', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\n', '\r', ' '),
      maxLength: 6,
    });
    const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 8 });
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 40 }), (rows, size) => {
        const text = rows.map((cells) => cells.map((one) => quoteField(one, ',')).join(','));
        const own = rowsOf(text.map((line) => `${line}\r\n`).join(''), size);
        const filled = rows.filter((cells) => cells.some((one) => one !== ''));
        expect(own.map(({ cells }) => cells)).toEqual(filled);
      }),
    );
  });
});
