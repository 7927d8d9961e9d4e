/** The command line of the simulation. */
import { parseArgs } from 'node:util';
import { WORLDS, type WorldName } from './worlds.ts';

export interface Options {
  /** One after the other. */
  readonly worlds: readonly WorldName[];
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

export const USAGE = `sim [--seeds N] [--from S] [--threads T] [--until INVARIANT] [--world ${WORLDS.join('|')}] [--json]
sim --seed S [--world W] [--trace] [--json]`;

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
      world: { type: 'string' },
      threads: { type: 'string', default: THREADS_DEFAULT },
    },
  });
  const { seed } = values;
  const worlds = values.world === undefined ? WORLDS : [worldOf(values.world)];
  return {
    // A seed that is told in full is one of filings, unless another world is named.
    worlds: seed === undefined ? worlds : worlds.slice(0, 1),
    from: wholeNumber('--seed', seed ?? values.from),
    count: seed === undefined ? wholeNumber('--seeds', values.seeds) : 1,
    single: seed !== undefined,
    trace: values.trace,
    json: values.json,
    until: values.until,
    threads: wholeNumber('--threads', values.threads),
  };
}

function worldOf(name: string): WorldName {
  const world = WORLDS.find((one) => one === name);
  if (world === undefined)
    throw new Error(`--world needs one of ${WORLDS.join(', ')}, found "${name}".`);
  return world;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new Error(`${name} needs a whole number from 1, found "${text}".`);
  }
  return value;
}
