import { describe, expect, it } from 'vitest';
import { missingDays } from './released-days.ts';

const YEAR = { from: '2026-01-01', to: '2026-12-31' };
const span = (from: string, to: string, account = 'A') => ({ account, from, to });

describe('the days of a report', () => {
  it('are all there where released periods follow each other, in whatever order they are given', () => {
    const all = [span('2026-07-01', '2027-06-30'), span('2025-10-01', '2026-06-30')];
    expect(missingDays(YEAR, all)).toEqual({ remarks: [], isNothingReleased: false });
  });

  it.each([
    [[span('2026-01-01', '2026-09-30')], ['A: 2026-10-01 to 2026-12-31']],
    [[span('2026-02-01', '2026-12-31')], ['A: 2026-01-01 to 2026-01-31']],
    [
      [span('2026-01-01', '2026-03-31'), span('2026-07-01', '2026-07-31')],
      ['A: 2026-04-01 to 2026-06-30', 'A: 2026-08-01 to 2026-12-31'],
    ],
    // One account that is whole says nothing about the other.
    [
      [span('2026-01-01', '2026-12-31'), span('2025-01-01', '2025-12-31', 'B')],
      ['B: 2026-01-01 to 2026-12-31'],
    ],
    [[span('2026-12-31', '2027-01-31')], ['A: 2026-01-01 to 2026-12-30']],
  ])('%j lacks %j', (released, lacks) => {
    const remarks = lacks.map(
      (days) =>
        `account ${days} is not closed and released; money received then is not in any figure`,
    );
    expect(missingDays(YEAR, released)).toEqual({ remarks, isNothingReleased: false });
  });

  it.each([[[]], [[span('2025-01-01', '2025-12-31')]], [[span('2027-01-01', '2027-03-31')]]])(
    'with nothing of %j in them have no money for want of a closing, which is said once',
    (released) => {
      const { remarks, isNothingReleased } = missingDays(YEAR, released);
      expect(isNothingReleased).toBe(true);
      expect(remarks).toEqual([
        expect.stringContaining('nothing from 2026-01-01 to 2026-12-31 is closed and released'),
      ]);
    },
  );
});
