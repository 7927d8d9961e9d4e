import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BacklogFiling,
  forecast,
  type ForecastLane,
  type LaneForecast,
  LanePlay,
} from '../../src/filings/rules/forecast.ts';
import { OpenSpans } from '../../src/filings/rules/forecast-hours.ts';
import { CLOSED } from '../../src/core/breaker.ts';
import { instant, parseRfc3339 } from '../../src/core/time.ts';
import { isOpen } from '../../src/lanes/rules/hours.ts';
import type { LaneState } from '../../src/core/lane.ts';
import { laneCode } from '../../src/core/ids.ts';
import type { OpeningHours, Profile } from '../../src/core/profile.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { MINUTE_MS, playByMinute } from './queue-by-hand.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** A Monday, 09:00 in New York. */
const NOW = at('2026-03-02T14:00:00Z');

const WEEKDAYS: OpeningHours = {
  zone: 'America/New_York',
  weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '19:30' }],
  closedOn: ['2026-03-04'],
};

describe('the hours of a portal', () => {
  const hours: readonly OpeningHours[] = [
    WEEKDAYS,
    { ...WEEKDAYS, weekly: [{ days: ['sun', 'mon'], from: '01:30', to: '02:30' }], closedOn: [] },
    { ...WEEKDAYS, weekly: [{ days: ['sat', 'sun'], from: '00:00', to: '24:00' }], closedOn: [] },
    { ...WEEKDAYS, zone: 'Australia/Lord_Howe', closedOn: [] },
  ];

  it('are found as if every minute had been looked at, also where clocks are set', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...hours),
        // Both changes of the clocks of 2026 and the days around them.
        fc.constantFrom('2026-03-06T00:00:00Z', '2026-04-03T00:00:00Z', '2026-10-30T00:00:00Z'),
        fc.integer({ min: 0, max: 3 * 24 * 60 }),
        (rule, from, minute) => {
          const start = instant(at(from) + minute * MINUTE_MS);
          const span = new OpenSpans(rule).at(start);
          expect(span).toBeDefined();
          let expected: number = start;
          while (!isOpen(rule, instant(expected))) expected += MINUTE_MS;
          let until = expected;
          while (isOpen(rule, instant(until))) until += MINUTE_MS;
          expect(span).toEqual({ from: expected, until });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('of a portal that never opens give nothing', () => {
    expect(new OpenSpans({ ...WEEKDAYS, weekly: [] }).at(NOW)).toBeUndefined();
  });
});

describe('a forecast with a fixed service time', () => {
  const filings = fc.array(
    fc.record({
      ready: fc.integer({ min: -30, max: 400 }),
      safe: fc.integer({ min: -10, max: 3_000 }),
    }),
    { minLength: 1, maxLength: 25 },
  );
  const lane = fc.record({
    ceiling: fc.integer({ min: 1, max: 4 }),
    service: fc.integer({ min: 1, max: 120 }),
    hours: fc.constantFrom(undefined, WEEKDAYS),
    pauseUntil: fc.constantFrom(undefined, 0, 45, 700),
    step: fc.constantFrom(0, 7, 60),
  });

  it('says of each filing when its turn is, exactly as the queue plays', () => {
    fc.assert(
      fc.property(filings, lane, (drawn, rule) => {
        const backlog = drawn.map(({ ready, safe }, number) =>
          filing(`f${String(number).padStart(2, '0')}`, {
            readyAt: NOW + ready * MINUTE_MS,
            lastSafe: NOW + safe * MINUTE_MS,
          }),
        );
        const until = rule.pauseUntil === undefined ? undefined : NOW + rule.pauseUntil * MINUTE_MS;
        const known = laneWith(
          { hours: rule.hours, slowStartStepMs: rule.step * MINUTE_MS },
          {
            ceiling: rule.ceiling,
            ...(until === undefined
              ? {}
              : {
                  pause: { kind: 'until', until: instant(until), reason: 'throttled' },
                  resumedAt: instant(until),
                }),
          },
          rule.service * MINUTE_MS,
        );
        const plain = playByMinute(
          backlog,
          {
            ceiling: rule.ceiling,
            serviceMinutes: rule.service,
            hours: rule.hours,
            from: until ?? NOW,
            resumedAt: until,
            stepMinutes: rule.step,
          },
          NOW,
          6_000,
        );
        const [found] = forecast([known], backlog, NOW, { levers: false });
        const turns = new Map(found?.filings.map(({ id, startsAt }) => [id, startsAt]));
        expect(turns).toEqual(plain);
        const starts = [...plain.values()].filter((start) => start !== undefined);
        expect(found?.infeasible).toBe(backlog.length - starts.length);
        expect(found?.clearsAt).toBe(
          starts.length === 0 ? undefined : Math.max(...starts) + rule.service * MINUTE_MS,
        );
      }),
      { numRuns: 150 },
    );
  });

  it('holds no filing of a backlog that may go, and of one that may not those that stand before others', () => {
    let held = 0;
    let heldMost = 0;
    const lane = laneWith({}, { ceiling: 8 }, MINUTE_MS);
    const play = new LanePlay<BacklogFiling>(lane, 0, NOW, () => {
      held -= 1;
    });
    const add = (count: number, from: number, readyAt: number): void => {
      for (let n = 0; n < count; n += 1) {
        held += 1;
        play.add(filing(`f${n}`, { readyAt, lastSafe: from + n * MINUTE_MS }));
        heldMost = Math.max(heldMost, held);
      }
    };
    add(100_000, NOW + DAY_MS, NOW);
    expect(heldMost).toBe(0);
    // By now it is 100,000 / 8 minutes later, and these come an hour after that.
    const later = NOW + (100_000 / 8) * MINUTE_MS + HOUR_MS;
    add(50, NOW + 200_000 * MINUTE_MS, later);
    add(1_000, NOW + 300_000 * MINUTE_MS, NOW);
    expect(heldMost).toBe(50);
    play.end();
    expect(held).toBe(0);
    expect(play.missed).toBe(0);
  });

  it.each([
    ['a moment before', HOUR_MS + 1, NOW + HOUR_MS],
    ['at the very moment', HOUR_MS, undefined],
    ['a moment after', HOUR_MS - 1, undefined],
  ])('a turn %s the last safe moment', (_when, safeMs, startsAt) => {
    const backlog = [filing('a', { lastSafe: NOW + 1 }), filing('b', { lastSafe: NOW + safeMs })];
    const [found] = forecast([laneWith({}, { ceiling: 1 }, HOUR_MS)], backlog, NOW);
    expect(found?.filings.find(({ id }) => id === 'b')?.startsAt).toBe(startsAt);
  });

  it('names the least ceiling that saves all, and one slot fewer does not', () => {
    fc.assert(
      fc.property(filings, lane, (drawn, rule) => {
        const backlog = drawn.map(({ safe }, number) =>
          filing(`f${number}`, { lastSafe: NOW + safe * MINUTE_MS }),
        );
        const with_ = (ceiling: number): LaneForecast | undefined =>
          forecast(
            [laneWith({ hours: rule.hours }, { ceiling }, rule.service * MINUTE_MS)],
            backlog,
            NOW,
          )[0];
        const found = with_(rule.ceiling);
        if (found === undefined || found.infeasible === 0) return;
        const { ceiling } = found.levers ?? {};
        if (ceiling === undefined) expect(with_(1_000)?.infeasible).toBeGreaterThan(0);
        else {
          expect(with_(ceiling)?.infeasible).toBe(0);
          expect(with_(ceiling - 1)?.infeasible).toBeGreaterThan(0);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('what would save a lane', () => {
  it('people: as many as the last safe moments ask for, and no filing that is beyond them', () => {
    // Six filings of an hour each, one slot, and one last safe moment in two hours: two have a turn.
    const backlog = [1, 2, 3, 4, 5, 6].map((n) => filing(`f${n}`, { lastSafe: NOW + 2 * HOUR_MS }));
    const known = laneWith({ personMs: HOUR_MS, expectedServiceMs: 0 }, { ceiling: 1 }, HOUR_MS);
    const [found] = forecast([known], backlog, NOW);
    expect(found?.infeasible).toBe(4);
    // Due in three hours: four in three hours are two an hour, and one person does three of them.
    expect(found?.levers?.people).toEqual({ filings: 4, perHour: 2, atOnce: 2, beyond: 0 });
    expect(found?.levers?.ceiling).toBe(3);
  });

  it('start: a frozen batch says until when it must be approved', () => {
    const backlog = [1, 2, 3].map((n) =>
      filing(`f${n}`, { lastSafe: NOW + 10 * HOUR_MS, state: 'approval' }),
    );
    const [found] = forecast([laneWith({}, { ceiling: 1 }, HOUR_MS)], backlog, NOW);
    // The third begins two hours after the first, before the tenth hour.
    expect(found?.startBy).toBeGreaterThan(NOW + 8 * HOUR_MS - 2_000);
    expect(found?.startBy).toBeLessThan(NOW + 8 * HOUR_MS);
    expect(found?.infeasible).toBe(0);
  });

  it('opening: a closed portal says by when an early opening would help', () => {
    const saturday = at('2026-03-07T15:00:00Z');
    const backlog = [filing('f1', { lastSafe: saturday + 5 * HOUR_MS })];
    const [found] = forecast([laneWith({ hours: WEEKDAYS }, {}, HOUR_MS)], backlog, saturday);
    expect(found?.infeasible).toBe(1);
    expect(found?.levers?.ceiling).toBeUndefined();
    expect(found?.levers?.openBy).toBeGreaterThan(saturday + 5 * HOUR_MS - 2_000);
    expect(found?.levers?.openBy).toBeLessThan(saturday + 5 * HOUR_MS);
  });

  it('a lane that waits for a person is forecast as if they said it now, and says so', () => {
    const run = { state: 'awaiting_approval', since: NOW, reasons: ['x'] } as const;
    const hold = {
      pause: { kind: 'held', since: NOW, reason: 'drift' },
      recovery: { reason: 'drift', code: 'HTTP_405', since: NOW, hurriedBy: [], run },
    } as const;
    const backlog = [filing('f1', { lastSafe: NOW + 3 * HOUR_MS })];
    const [found] = forecast([laneWith({}, hold, HOUR_MS)], backlog, NOW);
    expect(found).toMatchObject({ held: 'drift', infeasible: 0 });
    expect(found?.startBy).toBeGreaterThan(NOW + 3 * HOUR_MS - 2_000);
  });

  it('a lane that recovers is expected back after two good probes', () => {
    const until = instant(NOW + 30_000);
    const state = {
      pause: { kind: 'held', since: NOW, reason: 'breaker' },
      breaker: { state: 'open', since: NOW, until },
      recovery: {
        reason: 'breaker',
        code: 'FAILURES',
        since: NOW,
        hurriedBy: [],
        run: { state: 'probing', good: 0, nextAt: until },
      },
    } as const;
    const backlog = [filing('f1', { lastSafe: NOW + HOUR_MS })];
    const [found] = forecast([laneWith({}, state, 1_000)], backlog, NOW);
    expect(found?.held).toBeUndefined();
    expect(found?.filings[0]?.startsAt).toBe(NOW + 30_000 + 15_000);
  });

  it('a lane without automation is all work for people', () => {
    const backlog = [
      filing('f1', { lastSafe: NOW + HOUR_MS }),
      filing('f2', { lastSafe: NOW - 1 }),
    ];
    const [found] = forecast([laneWith({ automation: 'unknown' }, {}, 1_000)], backlog, NOW);
    expect(found).toMatchObject({ byHand: true, infeasible: 1, clearsAt: undefined });
    expect(found?.levers?.ceiling).toBeUndefined();
  });

  it('filings of other batches take their turns, and are not counted', () => {
    const backlog = [
      filing('a', { lastSafe: NOW + 2 * HOUR_MS, batch: 'other' }),
      filing('b', { lastSafe: NOW + 3 * HOUR_MS }),
    ];
    const [found] = forecast([laneWith({}, { ceiling: 1 }, HOUR_MS)], backlog, NOW, {
      counts: ({ batch }) => batch === 'mine',
    });
    expect(found?.filings).toHaveLength(1);
    expect(found?.leastSlackMs).toBe(2 * HOUR_MS);
  });

  it('twenty thousand filings are forecast within seconds, levers and all', () => {
    const backlog = Array.from({ length: 20_000 }, (_, n) =>
      filing(String(n).padStart(6, '0'), { lastSafe: NOW + DAY_MS + (n % 40) * DAY_MS }),
    );
    const startedMs = performance.now();
    const [found] = forecast([laneWith({ hours: WEEKDAYS }, { ceiling: 1 }, 60_000)], backlog, NOW);
    expect(found?.infeasible).toBeGreaterThan(0);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });
});

function filing(
  id: string,
  changes: Partial<Record<'readyAt' | 'lastSafe', number>> & {
    batch?: string;
    state?: BacklogFiling['state'];
  },
): BacklogFiling {
  return {
    id,
    lane: 'US-DE',
    batch: changes.batch ?? 'mine',
    state: changes.state ?? 'queued',
    readyAt: instant(changes.readyAt ?? NOW),
    lastSafe: instant(changes.lastSafe ?? NOW + DAY_MS),
  };
}

function laneWith(
  profile: Partial<Omit<Profile, 'hours'>> & { readonly hours?: OpeningHours | undefined },
  state: Partial<LaneState>,
  serviceMs: number,
): ForecastLane {
  const { hours, ...rest } = profile;
  return {
    profile: sampleProfile({ ...rest, ...(hours === undefined ? {} : { hours }) }),
    state: {
      code: laneCode('US-DE'),
      version: 1,
      ceiling: 1,
      pause: { kind: 'none' },
      breaker: CLOSED,
      throttles: 0,
      missing: 0,
      resumedAt: undefined,
      ...state,
    },
    serviceMs,
  };
}

function at(text: string) {
  const moment = parseRfc3339(text);
  if (moment === undefined) throw new Error(text);
  return moment;
}
