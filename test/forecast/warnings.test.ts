/** None late without warning: whatever happens to a lane, a filing that ends late was told of at every threshold. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BacklogFiling,
  forecast,
  type ForecastLane,
  type LaneForecast,
} from '../../src/filings/rules/forecast.ts';
import { SlackLook } from '../../src/filings/rules/forecast-warnings.ts';
import { CLOSED } from '../../src/core/breaker.ts';
import { type Instant, instant } from '../../src/core/time.ts';
import { laneCode } from '../../src/core/ids.ts';
import type { Pause } from '../../src/core/lane.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW = Date.UTC(2026, 2, 2, 14);
const LOOK_MINUTES = 5;
const THRESHOLDS_MS = [12 * HOUR_MS, 5 * HOUR_MS, HOUR_MS];

interface Trouble {
  readonly from: number;
  readonly minutes: number;
  /** A pause with a known end, or a hold that nobody ends before. */
  readonly kind: 'until' | 'held';
}

/** A lane lived through minute by minute, with a look every five minutes; gives each filing's end and what was told. */
function live(
  backlog: readonly BacklogFiling[],
  troubles: readonly Trouble[],
  lane: { readonly ceiling: number; readonly serviceMinutes: number },
) {
  /** By filing and threshold: when somebody was first told of it. */
  const told = new Map<string, Instant>();
  const remembered = new Map<string, number>();
  const ended: { filing: BacklogFiling; late: boolean; at: number }[] = [];
  let open = [...backlog];
  const busyUntil: number[] = [];
  const passed: { filing: string; thresholdMs: number; at: number }[] = [];
  for (let minute = 0; open.length > 0 && minute < 3_000; minute += 1) {
    const at = instant(NOW + minute * MINUTE_MS);
    const trouble = troubles.find((one) => minute >= one.from && minute < one.from + one.minutes);
    const known = laneAt(trouble, lane, at);
    if (minute % LOOK_MINUTES === 0) {
      const now = lookAt(forecast([known], open, at, { levers: false }), remembered);
      for (const { news } of now.warnings()) {
        for (const [id, bound] of news) {
          told.set(`${id}/${bound}`, told.get(`${id}/${bound}`) ?? at);
          remembered.set(id, bound);
        }
      }
      for (const [id, bound] of now.recovered) remembered.set(id, bound);
    }
    for (const { id, lastSafe } of open) {
      for (const thresholdMs of THRESHOLDS_MS) {
        if (lastSafe - at === thresholdMs) passed.push({ filing: id, thresholdMs, at });
      }
    }
    const late = open.filter(({ lastSafe }) => lastSafe <= at);
    for (const filing of late) ended.push({ filing, late: true, at });
    open = open.filter(({ lastSafe }) => lastSafe > at);
    if (trouble !== undefined) continue;
    open.sort((a, b) => a.lastSafe - b.lastSafe);
    while (open.length > 0 && busyUntil.filter((until) => until > at).length < lane.ceiling) {
      const filing = open.shift();
      if (filing === undefined) break;
      busyUntil.push(at + lane.serviceMinutes * MINUTE_MS);
      ended.push({ filing, late: false, at });
    }
  }
  return { told, ended, passed };
}

describe('slack warnings', () => {
  it('come before each filing that ends late, at every threshold it passed through', () => {
    let lateSeen = 0;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_500 }), { minLength: 1, maxLength: 20 }),
        fc.array(
          fc.record({
            from: fc.integer({ min: 0, max: 1_000 }),
            minutes: fc.integer({ min: 1, max: 900 }),
            kind: fc.constantFrom('until' as const, 'held' as const),
          }),
          { maxLength: 3 },
        ),
        fc.record({
          ceiling: fc.integer({ min: 1, max: 2 }),
          serviceMinutes: fc.integer({ min: 5, max: 200 }),
        }),
        (moments, troubles, lane) => {
          const backlog = moments.map((minutes, n) => filing(String(n), minutes));
          const { told, ended, passed } = live(backlog, troubles, lane);
          for (const { filing: one, late } of ended) {
            if (!late) continue;
            lateSeen += 1;
            const crossings = passed.filter((crossing) => crossing.filing === one.id);
            for (const { thresholdMs, at } of crossings) {
              // A warning under this threshold or a lower one, at the latest at the first look after the crossing.
              const warned = [0, ...THRESHOLDS_MS]
                .filter((bound) => bound <= thresholdMs)
                .map((bound) => told.get(`${one.id}/${bound}`))
                .filter((moment) => moment !== undefined);
              expect(Math.min(...warned)).toBeLessThanOrEqual(at + LOOK_MINUTES * MINUTE_MS);
              expect(Math.min(...warned)).toBeLessThan(one.lastSafe);
            }
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(lateSeen).toBeGreaterThan(50);
  });

  it('name one group once for each threshold, and the lowest of several', () => {
    const backlog = [filing('a', 30), filing('b', 31), filing('c', 600)];
    const known = laneAt(undefined, { ceiling: 3, serviceMinutes: 1 }, instant(NOW));
    const found = lookAt(forecast([known], backlog, instant(NOW)), new Map()).warnings();
    expect(
      found.map(({ thresholdMs, filings, severity }) => ({ thresholdMs, filings, severity })),
    ).toEqual([
      { thresholdMs: HOUR_MS, filings: 2, severity: 'critical' },
      { thresholdMs: 12 * HOUR_MS, filings: 1, severity: 'warning' },
    ]);
  });

  it('forget how deep a filing was once it has recovered by more than a threshold, and not sooner', () => {
    const known = laneAt(undefined, { ceiling: 3, serviceMinutes: 1 }, instant(NOW));
    const after = (minutes: number) =>
      lookAt(
        forecast([known], [filing('a', minutes)], instant(NOW)),
        new Map([['00a', 0]]),
      ).recovered.get('00a');
    expect(after(59)).toBeUndefined();
    expect(after(61)).toBe(HOUR_MS);
    expect(after(60 * 6)).toBe(5 * HOUR_MS);
    expect(after(60 * 13)).toBe(12 * HOUR_MS);
  });

  it('a filing without a turn is reported at once, however far away its last safe moment is', () => {
    // Forty hours of work for one slot, all due in thirty hours.
    const backlog = Array.from({ length: 40 }, (_, n) => filing(String(n), 30 * 60));
    const known = laneAt(undefined, { ceiling: 1, serviceMinutes: 60 }, instant(NOW));
    const [found] = lookAt(forecast([known], backlog, instant(NOW)), new Map()).warnings();
    expect(found).toMatchObject({ thresholdMs: 0, severity: 'critical', infeasible: 10 });
  });
});

function lookAt(forecasts: readonly LaneForecast[], told: ReadonlyMap<string, number>): SlackLook {
  const look = new SlackLook(THRESHOLDS_MS);
  for (const { lane, filings } of forecasts) {
    for (const one of filings) look.add({ batch: one.batch, lane }, one, told.get(one.id));
  }
  return look;
}

function filing(id: string, minutes: number): BacklogFiling {
  return {
    id: id.padStart(3, '0'),
    lane: 'US-DE',
    batch: 'b',
    state: 'queued',
    readyAt: instant(NOW),
    lastSafe: instant(NOW + minutes * MINUTE_MS),
  };
}

function laneAt(
  trouble: Trouble | undefined,
  lane: { readonly ceiling: number; readonly serviceMinutes: number },
  at: Instant,
): ForecastLane {
  const until = instant(NOW + ((trouble?.from ?? 0) + (trouble?.minutes ?? 0)) * MINUTE_MS);
  const pauses = {
    none: { kind: 'none' },
    until: { kind: 'until', until, reason: 'throttled' },
    held: { kind: 'held', since: at, reason: 'drift' },
  } as const satisfies Record<string, Pause>;
  return {
    profile: sampleProfile({ personMs: 0, expectedServiceMs: 0 }),
    serviceMs: lane.serviceMinutes * MINUTE_MS,
    state: {
      code: laneCode('US-DE'),
      version: 1,
      ceiling: lane.ceiling,
      pause: pauses[trouble?.kind ?? 'none'],
      breaker: CLOSED,
      throttles: 0,
      missing: 0,
      resumedAt: undefined,
    },
  };
}
