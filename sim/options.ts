/** The command line of the simulation. */
import { parseArgs } from 'node:util';

export interface Options {
  readonly from: number;
  readonly count: number;
  /** One seed, told in full. */
  readonly single: boolean;
  readonly trace: boolean;
  readonly json: boolean;
  /** Stop at the first seed that breaks this invariant. */
  readonly until: string | undefined;
  readonly threads: number;
}

export const USAGE = `sim [--seeds N] [--from S] [--threads T] [--until INVARIANT] [--json]
sim --seed S [--trace] [--json]`;

const SEEDS_DEFAULT = '200';
/** The machine that this is sized for has two cores. */
const THREADS_DEFAULT = '2';

export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seeds: { type: 'string', default: SEEDS_DEFAULT },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      until: { type: 'string' },
      threads: { type: 'string', default: THREADS_DEFAULT },
    },
  });
  const { seed } = values;
  return {
    from: wholeNumber('--seed', seed ?? values.from),
    count: seed === undefined ? wholeNumber('--seeds', values.seeds) : 1,
    single: seed !== undefined,
    trace: values.trace,
    json: values.json,
    until: values.until,
    threads: wholeNumber('--threads', values.threads),
  };
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new Error(`${name} needs a whole number from 1, found "${text}".`);
  }
  return value;
}
