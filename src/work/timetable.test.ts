import { describe, expect, it } from 'vitest';
import { instant, toRfc3339 } from '../core/time.ts';
import { nextTurn } from './timetable.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LOOK = { name: 'look', everyMs: 5 * MINUTE_MS };
const DIGEST = { name: 'digest', everyMs: 24 * HOUR_MS, atMs: 6 * HOUR_MS };

describe('the next turn', () => {
  it.each([
    ['in the middle of a period', LOOK, '2026-03-02T09:02:11.500Z', '2026-03-02T09:05:00.000Z'],
    ['at the turn itself', LOOK, '2026-03-02T09:05:00.000Z', '2026-03-02T09:10:00.000Z'],
    ['a moment before it', LOOK, '2026-03-02T09:04:59.999Z', '2026-03-02T09:05:00.000Z'],
    ['before the hour of the day', DIGEST, '2026-03-02T05:59:59.999Z', '2026-03-02T06:00:00.000Z'],
    ['at the hour', DIGEST, '2026-03-02T06:00:00.000Z', '2026-03-03T06:00:00.000Z'],
    ['late in the day', DIGEST, '2026-03-02T23:00:00.000Z', '2026-03-03T06:00:00.000Z'],
    ['on the last day of a year', DIGEST, '2026-12-31T06:00:00.001Z', '2027-01-01T06:00:00.000Z'],
  ])('%s', (_, entry, now, next) => {
    expect(toRfc3339(nextTurn(entry, instant(Date.parse(now))))).toBe(next);
  });
});
