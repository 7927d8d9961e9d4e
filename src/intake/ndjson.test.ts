import { describe, expect, it } from 'vitest';
import { openInput } from './input.ts';
import type { ColumnMapping, InputRow } from '../core/csv/input-row.ts';
import { ndjsonRows } from './ndjson.ts';
import { chunksOf } from '../../test/fixtures/chunks.ts';

async function read(
  input: string | Uint8Array,
  mapping: ColumnMapping = {},
  size?: number,
): Promise<InputRow[]> {
  const list: InputRow[] = [];
  for await (const row of ndjsonRows(chunksOf(input, size), { mapping })) list.push(row);
  return list;
}

const brief = (rows: readonly InputRow[]): string[] =>
  rows.map((row) =>
    row.kind === 'row'
      ? `${row.line}: ${JSON.stringify(row.row)}`
      : `${row.line}! ${row.error.why}`,
  );

describe('a bad line costs itself and no other', () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ['no JSON', '{"a":1\n{"a":2}\n', /^1! is not strict JSON at column 7/],
    ['a key twice', '{"a":1,"a":2}\n{"a":2}\n', /^1! .*duplicate key/],
    ['no object', '[1]\n{"a":2}\n', /^1! expected a JSON object/],
    ['a raw NUL', '{"a":"\0"}\n{"a":2}\n', /^1! .*raw control character/],
    ['a lone surrogate', '{"a":"\\ud800"}\n{"a":2}\n', /^1! .*lone surrogate/],
    ['bytes that are not UTF-8', Buffer.from('{"a":"\xe9"}\n{"a":2}\n', 'latin1'), /^1! .*UTF-8/],
    ['10 MB', `{"a":"${'x'.repeat(10_000_000)}"}\n{"a":2}\n`, /^1! is longer than 1048576 bytes/],
  ])('%s', async (_, input, why) => {
    const rows = brief(await read(input));
    expect(rows[0]).toMatch(why);
    expect(rows.slice(1)).toEqual(['2: {"a":2}']);
  });

  it('a member that is there under both names is refused', async () => {
    const rows = await read('{"due":"x","Deadline":"y"}\n', { due: 'Deadline' });
    expect(brief(rows)).toEqual(['1! has "due", which the mapping takes from another member']);
  });
});

it.each(['', '\ufeff', '\n \r\n'])('a file without a row (%j) stops the import', async (input) => {
  await expect(read(input)).rejects.toMatchObject({ code: 'INPUT_MALFORMED' });
});

it('a byte order mark, blank lines, CR LF and the columns of an error file are left out', async () => {
  const input = '\ufeff{"A":"1","b":[1,{"c":null}],"error_why":"w"}\r\n\r\n{"A":"2"}';
  for (const size of [1, 1000]) {
    expect(brief(await read(input, { a: 'A' }, size))).toEqual([
      '1: {"b":[1,{"c":null}],"a":"1"}',
      '3: {"a":"2"}',
    ]);
  }
});

it('a member called __proto__ stays a member', async () => {
  const [row] = await read('{"__proto__":{"x":1},"a":"1"}\n', { b: 'a' });
  expect(row?.kind === 'row' && Object.keys(row.row)).toEqual(['__proto__', 'b']);
});

describe('a place in NDJSON', () => {
  it('is a pointer to their member, and the whole row is no member', async () => {
    const format = { kind: 'ndjson' } as const;
    const mapping = { due: 'due/date' };
    const input = await openInput(chunksOf('{}\n'), { format, mapping, columns: [] });
    expect(['due', 'fee', '/fee/0', 'row'].map((name) => input.placeOf(name))).toEqual([
      '/due~1date',
      '/fee',
      '/fee/0',
      'row',
    ]);
  });
});
