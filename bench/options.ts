/** The command line of the bench. */
import { parseArgs } from 'node:util';

const PARTS = [
  'makespan',
  'latency',
  'takeover',
  'growth',
  'simulation',
  'entity',
  'fuzz',
  'sheets',
  'hand',
  'feeds',
  'grants',
  'grant-years',
  'routing',
  'ledger',
  'history',
  'calendar',
  'commands',
] as const;

/** A hundredth of them must still be some filings. */
const ROWS_MIN = 10_000;

export type Part = (typeof PARTS)[number];

export const USAGE = `bench [PART …] [--only PART,PART] [--quick] [--rows N, of history]
parts: ${PARTS.join(', ')}`;

export interface Options {
  readonly parts: readonly Part[];
  readonly quick: boolean;
  /** Of the part `history`; undefined: ten million. */
  readonly rows: number | undefined;
}

export function readOptions(argv: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      rows: { type: 'string' },
    },
    allowPositionals: true,
  });
  const named = [...positionals, ...(values.only?.split(',') ?? [])];
  // Nothing measured would otherwise look like everything met.
  const unknown = named.filter((name) => !PARTS.some((part) => part === name));
  if (unknown.length > 0) throw new Error(`The bench has no part "${unknown.join('", "')}".`);
  const parts = PARTS.filter((part) => named.length === 0 || named.includes(part));
  const rows = values.rows === undefined ? undefined : Number(values.rows);
  if (rows !== undefined && !(Number.isSafeInteger(rows) && rows >= ROWS_MIN)) {
    throw new Error(`--rows wants a whole number of at least ${ROWS_MIN}.`);
  }
  return { parts, quick: values.quick, rows };
}
