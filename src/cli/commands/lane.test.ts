import { describe, expect, it } from 'vitest';
import { instant } from '../../core/time.ts';
import { moment } from '../shown.ts';
import { pauseText } from './lane.ts';

const NOW = instant(Date.UTC(2026, 2, 2, 15));

describe('how lane list shows a pause', () => {
  it.each([
    [-1, 'open'],
    [0, 'open'],
    [1000, `throttled until ${moment(NOW + 1000)}`],
  ])('that ends in %d ms as %s', (ms, shown) => {
    const until = instant(NOW + ms);
    const pause = { kind: 'until', until, reason: 'throttled' } as const;
    expect(pauseText({ pause }, NOW)).toBe(shown);
  });
});
