/** What the parts of the grants bench have in common. */
import type { PeakMemory } from './memory.ts';
import { atMost, type Figure } from './report.ts';

export type GrantsPart = 'in-memory' | 'growth' | 'store';

export interface PartResult {
  readonly figures: readonly Figure[];
  readonly details: readonly string[];
}

/** The real Schedule I rows, eight times. */
export const ROWS = 56_728;
export const ROWS_QUICK = 7_091;
const PER_SECOND_MIN = 2_000;
const HEAP_MB_MAX = 100;

/** By the clock: it is what somebody waits for. */
export function speed(name: string, rows: number, seconds: number, isWhole: boolean): Figure {
  const perSecond = rows / seconds;
  return {
    name,
    measured: `${Math.round(perSecond)} /s`,
    limit: `≥ ${PER_SECOND_MIN} /s`,
    met: perSecond >= PER_SECOND_MIN && isWhole,
  };
}

export function heap(name: string, { heapBytesMax }: PeakMemory): Figure {
  return atMost(`peak V8 heap, ${name}`, heapBytesMax / 1e6, HEAP_MB_MAX, 'MB', 1);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

export function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}
