/** One form for a time and one name for an id, in all that programs read. */
import { describe, expect, it } from 'vitest';
import { forMachines } from '../../src/cli/machine.ts';
import { pageOf, pageWords } from '../../src/cli/page.ts';

describe('what programs read', () => {
  it('has a time in RFC 3339 and UTC, however it was kept, and null where there is none', () => {
    expect(
      forMachines({
        due: 1_830_000_000_000,
        openedAt: '',
        cutoff: '2027-03-01T23:45:00-05:00',
        slackMs: 1_830_000_000_000,
        dueDay: '2027-03-01',
        rows: [{ at: 1_830_000_000_123 }],
      }),
    ).toEqual({
      due: '2027-12-28T13:20:00.000Z',
      openedAt: null,
      cutoff: '2027-03-02T04:45:00.000Z',
      slackMs: 1_830_000_000_000,
      dueDay: '2027-03-01',
      rows: [{ at: '2027-12-28T13:20:00.123Z' }],
    });
  });

  it('has one name for an id, and leaves what is quoted as it is', () => {
    const payload = { entityId: 'E-1', at: 1_830_000_000_000 };
    expect(forMachines({ entityId: 'E-1', payload })).toEqual({ entity: 'E-1', payload });
    expect(forMachines({ entityId: 'E-1', entity: { id: 'E-1' } })).toMatchObject({
      entityId: 'E-1',
    });
  });

  it('says of a cut list how many there are, and how to go on', () => {
    const page = pageOf(['a', 'b'], { limit: 2, total: 264 });
    expect(page).toEqual({ total: 264, next: 'b' });
    expect(pageWords(2, page, 'filings')).toEqual([
      '2 of 264 filings shown. For the next ones add: --after b',
    ]);
    expect(pageWords(2, pageOf(['a', 'b'], { limit: 50, total: 2 }), 'filings')).toEqual([]);
  });
});
