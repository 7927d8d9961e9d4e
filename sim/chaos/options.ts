/** The command line of the chaos run. */
import { parseArgs } from 'node:util';
import { ROW_ORDER } from './crash-rows.ts';

export interface Options {
  readonly kills: number;
  readonly seed: number;
  /** Filings for each lane in one batch; batches follow as the work runs low. */
  readonly filings: number;
  readonly json: boolean;
}

export const USAGE = 'chaos [--kills N] [--seed S] [--filings PER_LANE_AND_BATCH] [--json]';

/** Once could be luck. */
export const HITS_MIN = 2;
const KILLS_MIN = ROW_ORDER.length * HITS_MIN;
/** An hour or so. */
const KILLS_MAX = 2_000;

export function readOptions(argv: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      filings: { type: 'string', default: '400' },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    kills: wholeNumber('--kills', values.kills, { from: KILLS_MIN, to: KILLS_MAX }),
    seed: wholeNumber('--seed', values.seed, { from: 1, to: 2 ** 31 - 1 }),
    filings: wholeNumber('--filings', values.filings, { from: 10, to: 100_000 }),
    json: values.json,
  };
}

function wholeNumber(
  name: string,
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < from || value > to) {
    throw new Error(`${name} needs a whole number from ${from} to ${to}, found "${text}".`);
  }
  return value;
}
