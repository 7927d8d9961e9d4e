/**
 * Tables as offices keep them, made from a seed and saved in one of five encodings: states by their names, dates and dollars as
 * people write them, totals, repeated headers, and everything that a spreadsheet program does to a number. Whoever makes a row also
 * says what must become of it.
 */
import { dice } from './entity-shape.ts';

export const ENCODINGS = [
  'UTF-8',
  'UTF-8 with mark',
  'UTF-16 LE',
  'UTF-16 BE',
  'Windows-1252',
] as const;
export type SavedAs = (typeof ENCODINGS)[number];

export type SheetFate = 'created' | 'refused' | 'changed' | 'unchanged' | 'skipped';

const HEAD = ['Entity Name', 'State', 'File No.', 'Filing Type', 'Year', 'Due Date', 'Fee Amount'];
export const HEADER = [...HEAD, 'Client Notes'];
const WIDTH = HEADER.length;

export const STATES: readonly string[] = ['US-NV', 'US-DE', 'US-CA', 'US-OH'];
const SPELLED = ['Nevada', 'DE', 'Calif.', 'State of Ohio', 'US-NV', 'California', 'NEVADA '];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface Kind {
  readonly weight: number;
  readonly fate: SheetFate;
  /** Only a line that is a row by itself ends such a record. */
  readonly isBroken?: true;
  readonly line: (n: number, roll: number, last: number) => string;
}

function pick<T>(all: readonly T[], roll: number): T {
  const one = all[Math.floor(roll * all.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Row `n` is always the same; only `change` makes it another. */
function row(n: number, change: Readonly<Record<string, string>> = {}): string {
  const cells: Record<string, string> = {
    'Entity Name': `Größe & Söhne ${n}, L.L.C.`,
    State: pick(SPELLED, dice(7, n)),
    'File No.': n % 5 === 0 ? `00${n}` : `E${n}`,
    'Filing Type': 'Annual Report',
    Year: '2027',
    'Due Date': day(n),
    'Fee Amount': pick(['$225.00', '50', '1,225.50', '$1,000', 'n/a'], dice(8, n)),
    'Client Notes': n % 9 === 0 ? 'ask Bob; call "back", then send' : '',
    ...change,
  };
  return HEADER.map((name) => quoted(cells[name] ?? '')).join(',');
}

/** Some can only be month/day/year, which decides the others of the column. */
function day(n: number): string {
  const [month, of] = [n % 12, 1 + (n % 28)];
  if (n % 6 === 0) return `${of}-${MONTHS[month]}-30`;
  if (n % 6 === 1) return `${MONTHS[month]} ${of}, 2030`;
  if (n % 6 === 2)
    return `2030-${String(month + 1).padStart(2, '0')}-${String(of).padStart(2, '0')}`;
  return `${month + 1}/${of}/2030`;
}

const KINDS: readonly Kind[] = [
  { weight: 500, fate: 'created', line: (n) => row(n) },
  {
    weight: 40,
    fate: 'created',
    line: (n) => row(n, { 'Entity Name': `"Größe", O'Hara & Co.\r\n${n}` }),
  },
  { weight: 40, fate: 'unchanged', line: (_n, _roll, last) => row(last) },
  {
    weight: 30,
    fate: 'changed',
    line: (_n, roll, last) => row(last, { 'Entity Name': `Another ${roll}` }),
  },
  {
    weight: 40,
    fate: 'refused',
    line: (n, roll) => row(n, { 'File No.': pick(['4.81E+11', '#REF!', '4810233.0', ''], roll) }),
  },
  {
    weight: 40,
    fate: 'refused',
    line: (n, roll) =>
      row(n, { 'Due Date': pick(['soon', '2/30/2030', '31-Jun-30', '4.61E+04', ''], roll) }),
  },
  {
    weight: 40,
    fate: 'refused',
    line: (n, roll) =>
      row(n, { 'Fee Amount': pick(['(25.00)', '0.005', '12,34,56', 'free'], roll) }),
  },
  {
    weight: 40,
    fate: 'refused',
    line: (n, roll) => row(n, { State: pick(['Nevda', 'Puerto Rico', 'X', ''], roll) }),
  },
  { weight: 20, fate: 'refused', line: (n) => row(n, { 'Entity Name': `lost \ufffd ${n}` }) },
  { weight: 20, fate: 'refused', line: (n) => row(n, { 'Entity Name': `nul \0 ${n}` }) },
  { weight: 20, fate: 'refused', line: (n) => `Short ${n},Nevada` },
  { weight: 20, fate: 'refused', line: (n) => `${row(n)},one,too many` },
  { weight: 20, fate: 'refused', isBroken: true, line: (n) => `"Open ${n},NV,E${n}` },
  { weight: 20, fate: 'refused', isBroken: true, line: (n) => `"Shut"ter,NV,E${n},a,2027,,,` },
  { weight: 15, fate: 'skipped', line: () => HEADER.join(',') },
  { weight: 15, fate: 'skipped', line: (n) => `Total${','.repeat(WIDTH - 2)}${n},` },
];
const WEIGHTS = KINDS.reduce((sum, { weight }) => sum + weight, 0);
const [PLAIN] = KINDS;

function kindAt(roll: number): Kind | undefined {
  let left = roll * WEIGHTS;
  return KINDS.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
}

export interface SheetMade {
  readonly chunks: Generator<Buffer>;
  /** Complete when the chunks are read. */
  readonly expected: Readonly<Record<SheetFate, number>>;
}

/** A title above the header, `rows` rows of all kinds, blank lines between some. */
export function fuzzedSheet(rows: number, seed: number, as: SavedAs): SheetMade {
  const expected: Record<SheetFate, number> = {
    created: 0,
    refused: 0,
    changed: 0,
    unchanged: 0,
    skipped: 0,
  };
  function* lines(): Generator<string> {
    yield `"Portfolio of Müller & Partners",${','.repeat(WIDTH - 2)}\r\n\r\n${HEADER.join(',')}\r\n`;
    let last = 0;
    let mustBePlain = true;
    for (let n = 0; n < rows; n += 1) {
      // The first rows show in which order the dates of the column are.
      const isPlain: boolean = mustBePlain || n < 40 || n === rows - 1;
      const kind: Kind | undefined = isPlain ? PLAIN : kindAt(dice(seed, n * 2));
      if (kind === undefined) throw new Error('no kind of row');
      const roll = dice(seed, n * 2 + 1);
      yield `${kind.line(n, roll, last)}${roll > 0.97 ? '\r\n\r\n' : '\r\n'}`;
      if (kind === PLAIN) last = n;
      mustBePlain = kind.isBroken === true;
      expected[kind.fate] += 1;
    }
  }
  return { chunks: saved(lines(), as), expected };
}

/** Good rows only, as many as wanted. */
export function* plainSheet(rows: number): Generator<Buffer> {
  yield Buffer.from(`${HEADER.join(',')}\n`);
  for (let n = 0; n < rows; n += 1) yield Buffer.from(`${row(n)}\n`);
}

export function* plainCells(rows: number): Generator<readonly string[]> {
  yield HEADER;
  for (let n = 0; n < rows; n += 1) {
    const name = `Größe & Söhne ${n}, L.L.C.`;
    yield [name, 'Nevada', `E${n}`, 'Annual Report', '2027', '3/13/2030', '$225.00', `note ${n}`];
  }
}

function* saved(lines: Generator<string>, as: SavedAs): Generator<Buffer> {
  if (as === 'UTF-8 with mark') yield Buffer.from('\ufeff', 'utf8');
  if (as === 'UTF-16 LE' || as === 'UTF-16 BE') yield wide('\ufeff', as);
  for (const line of lines) {
    if (as === 'UTF-8' || as === 'UTF-8 with mark') yield Buffer.from(line, 'utf8');
    // What it has no character for is saved as a question mark, so such a row is a broken one of another kind there.
    else if (as === 'Windows-1252') yield Buffer.from(line.replaceAll('\ufffd', '\0'), 'latin1');
    else yield wide(line, as);
  }
}

function wide(text: string, as: 'UTF-16 LE' | 'UTF-16 BE'): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return as === 'UTF-16 LE' ? bytes : bytes.swap16();
}
