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
  'feeds',
  'grants',
  'grant-years',
  'routing',
  'ledger',
  'calendar',
  'commands',
] as const;

export type Part = (typeof PARTS)[number];

export const USAGE = `bench [PART …] [--only PART,PART] [--quick]
parts: ${PARTS.join(', ')}`;

export interface Options {
  readonly parts: readonly Part[];
  readonly quick: boolean;
}

export function readOptions(argv: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const named = [...positionals, ...(values.only?.split(',') ?? [])];
  // Nothing measured would otherwise look like everything met.
  const unknown = named.filter((name) => !PARTS.some((part) => part === name));
  if (unknown.length > 0) throw new Error(`The bench has no part "${unknown.join('", "')}".`);
  const parts = PARTS.filter((part) => named.length === 0 || named.includes(part));
  return { parts, quick: values.quick };
}
