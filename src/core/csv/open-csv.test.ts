import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../canonical-json.ts';
import { FilewrightError } from '../errors.ts';
import { chunksOf } from '../../../test/fixtures/chunks.ts';
import { type CsvOptions, openCsv } from './open-csv.ts';
import { quoteField } from './fields.ts';
import type { InputRow } from './input-row.ts';
import { RECORD_BYTES_MAX } from './limits.ts';

type Bytes = string | Uint8Array;

async function read(input: Bytes, options: CsvOptions = {}, size?: number): Promise<InputRow[]> {
  const { rows } = await openCsv(chunksOf(input, size), options);
  const list: InputRow[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : '?');

/** `line: value value`, or `line! column: reason`. */
function brief(rows: readonly InputRow[]): string[] {
  return rows.map((row) =>
    row.kind === 'row'
      ? `${row.line}: ${Object.values(row.row).map(textOf).join(' ')}`
      : `${row.line}! ${row.error.where}: ${row.error.why.split(/[;,]/)[0]}`,
  );
}

async function failure(input: Bytes, options: CsvOptions = {}): Promise<FilewrightError> {
  const error: unknown = await read(input, options).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (error instanceof FilewrightError) return error;
  throw new Error('Expected a FilewrightError.');
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('a bad row costs itself and no other', () => {
  it.each<[string, Bytes, string[]]>([
    [
      'text after a closing quote',
      'a,b\n"x"y,1\ng,2\ng,3\n',
      ['2! a: has text after its closing quote', '3: g 2', '4: g 3'],
    ],
    [
      'a quote inside a plain field',
      'a,b\n5" pipe,1\ng,2\n',
      ['2! a: has a quote inside', '3: g 2'],
    ],
    ['a space before the quote', 'a,b\n1, "x"\ng,2\n', ['2! b: has a quote inside', '3: g 2']],
    [
      'a carriage return that ends no line',
      'a,b\n1,x\ry\n"1",x\ry\r\n1,x\r\r\ng,"2\r"\r\ng,3\r',
      [
        '2! b: goes over a carriage return',
        '3! b: goes over a carriage return',
        '4! b: goes over a carriage return',
        '5: g 2\r',
        '6: g 3',
      ],
    ],
    ['too many fields', 'a,b\n1,2,3\ng,2\n', ['2! row: expected 2 fields', '3: g 2']],
    ['too few fields', 'a,b\n1\ng,2\n', ['2! row: expected 2 fields', '3: g 2']],
    [
      'bytes that are not UTF-8',
      latin1('a,b\n1,caf\xe9\ng,2\n'),
      ['2! b: has bytes that are not UTF-8', '3: g 2'],
    ],
    [
      'half a character at the end',
      latin1('a,b\ng,2\n1,caf\xc3'),
      ['2: g 2', '3! b: has bytes that are not UTF-8'],
    ],
    ['a NUL', 'a,b\n\0,1\ng,2\n', ['2! a: holds a NUL character', '3: g 2']],
    [
      'a NUL after a closing quote',
      'a,b\n"x"\0,1\ng,2\n',
      ['2! a: has text after its closing quote', '3: g 2'],
    ],
  ])('%s', async (_, input, expected) => {
    expect(brief(await read(input))).toEqual(expected);
    expect(brief(await read(input, {}, 1))).toEqual(expected);
  });

  it('a stray quote does not swallow the rows up to the next quote', async () => {
    const rows = await read('a,b,c\n1,"x,1\n2,y,2\n3,z,3\n4,"w, Inc",4\n5,v,5\n');
    expect(brief(rows)).toEqual([
      '2! b: has text after its closing quote',
      '3: 2 y 2',
      '4: 3 z 3',
      '5: 4 w, Inc 4',
      '6: 5 v 5',
    ]);
  });

  it('a stray quote without any later one is found at the end of the file', async () => {
    const rows = await read('a,b\n1,2\n"x,1\ng,2\ng,3\n');
    expect(brief(rows)).toEqual([
      '2: 1 2',
      '3! row: has a quote opened on line 3 that is never closed',
      '4: g 2',
      '5: g 3',
    ]);
  });

  it('a stray quote that a later row closes cleanly is seen by the number of fields', async () => {
    const rows = await read('a,b,c\n1,2,"x\n4,5,6\n7,8,"\n9,9,9\n');
    expect(brief(rows).slice(-1)).toEqual(['5: 9 9 9']);
    const off = await read('a,b,c\n1,"x\n4,5,6\n7,8"\n9,9,9\n');
    expect(brief(off)).toEqual([
      '2! row: has 2 fields over 3 lines',
      '3: 4 5 6',
      '4! b: has a quote inside',
      '5: 9 9 9',
    ]);
  });

  it('a broken row with a line break in a quoted field stays one row', async () => {
    const rows = await read('a,b,c\n"x"y,"one\ntwo",3\n4,5,6\n');
    expect(brief(rows)).toEqual(['2! a: has text after its closing quote', '4: 4 5 6']);
    expect(Buffer.from(rows[0]?.raw ?? []).toString()).toBe('"x"y,"one\ntwo",3');
  });

  it.each([
    ['one long line', 'x'.repeat(10_000_000)],
    ['many lines', `"${'some text\n'.repeat(1_000_000)}"`],
    ['no line break in quotes', `"${'x'.repeat(10_000_000)}"`],
  ])('a field of 10 MB (%s) is refused with its line', async (_, field) => {
    const rows = await read(`a,b,c\n1,2,3\n4,${field},6\n"7\n7",8,9\n`);
    expect(rows.map((row) => row.kind)).toEqual(['row', 'fault', 'row']);
    expect(brief(rows)[1]).toBe(`3! row: is larger than ${RECORD_BYTES_MAX} bytes`);
    expect(rows[1]?.raw.length).toBe(1024);
  });

  it('a quote that is not closed within the bound does not cost the rows behind it', async () => {
    const good = 'g,2,3\n'.repeat(200_000);
    const rows = await read(`a,b,c\n1,"2,3\n${good}`);
    expect(rows.length).toBe(200_001);
    expect(brief(rows)[0]).toMatch(/^2! row: has a quote opened on line 2 that is not closed/);
    expect(rows.slice(1).every((row) => row.kind === 'row')).toBe(true);
  });

  it('rows that each look open from any side are read in linear time', async () => {
    const text = `a,b\n"x\n${'g,2\n"a"b","c\n'.repeat(60_000)}`;
    const rows = await read(`${text}g,2\n`);
    expect(rows.filter((row) => row.kind === 'row').length).toBe(60_001);
  });
});

describe('what cannot be read stops with its line', () => {
  it.each<[string, Bytes, number, RegExp, CsvOptions?]>([
    ['an empty file', '', 1, /empty/],
    ['only a byte order mark', '\ufeff', 1, /empty/],
    ['only blank lines', '\n\r\n', 1, /empty/],
    ['only a header', 'a,b\n', 1, /at least one row/],
    ['a column twice', 'a,b,a\n1,2,3\n', 1, /"a" appears twice/],
    ['a column without a name', 'a,,b\n1,2,3\n', 1, /column 2 has no name/],
    [
      'a needed column missing',
      'a,b\n1,2\n',
      1,
      /"c" is missing; found "a", "b"/,
      { needed: ['a', 'c'] },
    ],
    ['a header in UTF-16', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 1, /UTF-16/],
    ['a header that is not UTF-8', latin1('a,\xe9\n1,2\n'), 1, /not UTF-8/],
    ['a header with a broken quote', 'a,"b"c\n1,2\n', 1, /closing quote/],
    ['a header with an open quote', 'a,"b\n1,2\n', 1, /line 1 is not/],
    ['old line ends', 'a,b\r1,2\r', 1, /carriage return; save the file with LF/],
    ['a tab in a name', 'a,"b\tc"\n1,2\n', 1, /control character/],
    ['__proto__', 'a,__proto__\n1,2\n', 1, /__proto__/],
    [
      'a mapping to nowhere',
      'a,b\n1,2\n',
      1,
      /"Z", "Y", which is not in/,
      { mapping: { a: 'Z', b: 'Y' } },
    ],
    [
      'a name taken twice',
      'a,b\n1,2\n',
      1,
      /"a" is in the file and also mapped/,
      { mapping: { a: 'b' } },
    ],
    ['a quote open at the end', 'a,b\n1,2\n\n3,"x\n', 4, /line 4 is not/],
  ])('%s', async (_, input, line, message, options) => {
    const error = await failure(input, options);
    expect(error.code).toBe('INPUT_MALFORMED');
    expect(error.details.line).toBe(line);
    expect(error.message).toMatch(message);
  });

  it('a header of too many columns', async () => {
    const names = Array.from({ length: 501 }, (_, at) => `c${at}`).join(',');
    expect((await failure(`${names}\n1\n`)).code).toBe('INPUT_LIMIT');
  });

  it('the source is closed when the header is refused', async () => {
    let isClosed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('a,a\n1,2\n');
        yield Buffer.from('3,4\n');
      } finally {
        isClosed = true;
      }
    }
    await expect(openCsv(source())).rejects.toThrow('twice');
    expect(isClosed).toBe(true);
  });
});

describe('good files', () => {
  it.each<[string, string, CsvOptions]>([
    ['plain', 'a,b\n1,x\n', {}],
    ['byte order mark', '\ufeffa,b\n1,x\n', {}],
    ['byte order mark and quotes', '\ufeff"a","b"\n"1","x"\n', {}],
    ['quoted names that are needed', '"a","b"\n1,x\n', { needed: ['a', 'b'] }],
    ['CR LF', 'a,b\r\n1,x\r\n', {}],
    ['mixed line ends, none at the end', 'a,b\r\n\n1,x', {}],
    ['semicolons', 'a;b\n1;x\n', { delimiter: ';' }],
    ['tabs', 'a\tb\n1\tx\n', { delimiter: '\t' }],
    ['another order', 'b,a\nx,1\n', {}],
    ['mapped', 'Alpha,Beta\n1,x\n', { mapping: { a: 'Alpha', b: 'Beta' } }],
    ['an error file', 'a,error_where,b,error_why\n1,w,x,y\n', {}],
  ])('%s', async (_, input, options) => {
    for (const size of [1, 2, 65_536]) {
      const rows = await read(input, options, size);
      expect(rows.map((row) => (row.kind === 'row' ? { ...row.row } : row))).toEqual([
        { a: '1', b: 'x' },
      ]);
    }
  });

  it('rows of nothing but delimiters, as spreadsheets leave them behind, are blank', async () => {
    const rows = await read('a,b,c\r\n1,,\r\n,,\r\n,,\r\n"",,\r\n,2,\r\n,,,,\r\n,,');
    expect(rows.map(({ kind, line }) => `${kind} ${line}`)).toEqual(['row 2', 'row 5', 'row 6']);
    await expect(read('a,b\n,\n,\n')).rejects.toThrow(/at least one row/);
  });

  it('a quoted field keeps its line breaks, quotes and delimiters', async () => {
    const input = 'a,b\r\n"one\r\ntwo ""2"", three",""\r\nx,y\r\n';
    const rows = await read(input);
    expect(brief(rows)).toEqual(['2: one\r\ntwo "2", three ', '4: x y']);
    expect(await read(input, {}, 1)).toEqual(rows);
  });

  it('reads what csv-parse reads from any well-formed file, in chunks of any size', async () => {
    const field = fc.string({
      unit: fc.constantFrom('a', 'é', '😀', '"', ',', '\n', '\r\n', ' '),
      maxLength: 6,
    });
    const table = fc.array(fc.tuple(field, field, field), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (rows, size, crlf) => {
          const text = [['a', 'b', 'c'], ...rows]
            .map((fields) => fields.map((text) => quoteField(text, ',')).join(','))
            .join(crlf ? '\r\n' : '\n');
          const parsed: unknown[] = parse(text, {
            columns: true,
            record_delimiter: crlf ? '\r\n' : '\n',
          });
          // A row of empty fields is blank here.
          const oracle = parsed.filter((row) => Object.values(row ?? {}).some((one) => one !== ''));
          fc.pre(oracle.length > 0);
          const own = await read(text, {}, size);
          expect(own.map((row) => (row.kind === 'row' ? row.row : row))).toEqual(oracle);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('loses no byte of any input: every line is in a row, in a fault, or blank', async () => {
    const piece = fc.constantFrom('a', '"', '""', ',', '\n', '\r\n', 'x,y\n', '"q', '\0');
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (body, size) => {
        const input = `h,i\n${body}`;
        const { rows } = await openCsv(chunksOf(input, size));
        const seen: string[] = [];
        let stopped = false;
        try {
          for await (const row of rows) seen.push(Buffer.from(row.raw).toString());
        } catch (error) {
          if (!(error instanceof FilewrightError) || error.code !== 'INPUT_MALFORMED') throw error;
          stopped = true;
        }
        // A line of delimiters alone is blank, too.
        const bare = (all: string): string => all.replace(/[\r\n,]/g, '');
        const [read, whole] = [bare(seen.join('')), bare(body)];
        expect(stopped ? whole.startsWith(read) : read === whole).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
