/** How early to warn, as a person writes it. By itself, because every command's opening reads it and few commands warn. */
import { misuse } from '../../core/index.ts';

const THRESHOLDS_MAX = 10;
const YEAR_MS = 366 * 86_400_000;
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, min: 60_000 };

/** Reads `7d,2d,4h`. The order does not matter. */
export function readThresholds(text: string): readonly number[] {
  const thresholds = text.split(',').map((part) => readDuration(part.trim()));
  if (thresholds.length <= THRESHOLDS_MAX) return [...new Set(thresholds)].sort((a, b) => b - a);
  throw misuse(`Expected at most ${THRESHOLDS_MAX} slack thresholds, found ${thresholds.length}`);
}

/** Reads one duration like `90min`, `4h` or `7d`, in milliseconds. */
export function readDuration(text: string): number {
  const match = /^(\d{1,6})(d|h|min)$/.exec(text);
  const ms = Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? Number.NaN);
  if (ms > 0 && ms <= YEAR_MS) return ms;
  throw misuse(`Expected a duration like 90min, 4h or 7d, found "${text}"`);
}
