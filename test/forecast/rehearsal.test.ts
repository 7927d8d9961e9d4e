/** A rehearsal is the real engine on a virtual clock: it must agree with the forecast where nothing goes wrong. */
import { describe, expect, it } from 'vitest';
import { forecast } from '../../src/filings/rules/forecast.ts';
import { CLOSED } from '../../src/core/breaker.ts';
import { type Instant, instant } from '../../src/core/time.ts';
import { isOpen } from '../../src/lanes/rules/hours.ts';
import { laneCode, uuidV7 } from '../../src/core/ids.ts';
import type { LaneState } from '../../src/core/lane.ts';
import type { OpeningHours, Profile } from '../../src/core/profile.ts';
import { Worker } from '../../src/filings/delivery/worker.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { SeededRandom } from '../../src/testing/virtual-clock.ts';
import { type LaneRehearsed, rehearseLane } from '../../src/testing/rehearsal/rehearse-lane.ts';
import type { Outage } from '../../src/testing/rehearsal/stage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Friday, 18:30 in New York: an hour before the weekend. */
const NOW = instant(Date.UTC(2026, 2, 6, 23, 30));
const SERVICE_MS = 60_000;
const WEEKDAYS: OpeningHours = {
  zone: 'America/New_York',
  weekly: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '19:30' }],
  closedOn: [],
};

const STATE: LaneState = {
  code: laneCode('US-DE'),
  version: 1,
  ceiling: 1,
  pause: { kind: 'none' },
  breaker: CLOSED,
  throttles: 0,
  missing: 0,
  resumedAt: undefined,
};

const PROFILE = sampleProfile({
  hours: WEEKDAYS,
  ceiling: 1,
  expectedServiceMs: SERVICE_MS,
  timeoutMs: 5 * SERVICE_MS,
  longestServiceMs: 6 * SERVICE_MS,
});

function filingsOf(count: number, lastSafe: (n: number) => number) {
  const random = new SeededRandom(7, 'ids');
  return Array.from({ length: count }, (_, n) => ({
    id: uuidV7(instant(NOW - 1_000 + n), random.bytes(10)),
    readyAt: NOW,
    lastSafe: instant(lastSafe(n)),
  }));
}

function rehearse(
  filings: ReturnType<typeof filingsOf>,
  changes: {
    readonly profile?: Profile;
    readonly outages?: readonly Outage[];
    readonly faultRate?: number;
    readonly seed?: number;
    readonly state?: LaneState;
    readonly sends?: Instant[];
  } = {},
): Promise<LaneRehearsed> {
  return rehearseLane({
    profile: changes.profile ?? PROFILE,
    state: changes.state ?? STATE,
    serviceMs: SERVICE_MS,
    filings,
    startAt: NOW,
    outages: changes.outages ?? [],
    faultRate: changes.faultRate ?? 0,
    seed: changes.seed ?? 1,
    settings: { leaseMs: 600_000, looksMs: [50, 250, 100] },
    createWorker: (ports) =>
      new Worker(
        {
          ...ports,
          portal: {
            send: (request, guard) => {
              changes.sends?.push(ports.clock.now());
              return ports.portal.send(request, guard);
            },
            ask: (request, guard) => ports.portal.ask(request, guard),
            probe: (profile, guard) => ports.portal.probe(profile, guard),
          },
        },
        { leaseMs: 600_000 },
      ),
  });
}

describe('a rehearsal', () => {
  it('takes the turns that the forecast gives, over a weekend', async () => {
    // 59 fit before the doors close; one more fits when a request is shorter than usual.
    const filings = filingsOf(200, (n) => NOW + 7 * DAY_MS + n);
    const sends: Instant[] = [];
    const { ends, open } = await rehearse(filings, { sends });
    const backlog = filings.map((one) => ({
      ...one,
      lane: 'US-DE',
      batch: 'b',
      state: 'queued' as const,
    }));
    const [found] = forecast(
      [{ profile: PROFILE, state: STATE, serviceMs: SERVICE_MS }],
      backlog,
      NOW,
    );
    expect(open).toBe(0);
    expect(ends.map(({ to }) => to)).toEqual(filings.map(() => 'accepted'));
    expect(ends.map(({ id }) => id)).toEqual(filings.map(({ id }) => id));
    expect(sends.every((at) => isOpen(WEEKDAYS, at))).toBe(true);
    const lastAt = ends.at(-1)?.at ?? 0;
    expect(Math.abs(lastAt - (found?.clearsAt ?? 0))).toBeLessThan(10 * SERVICE_MS);
  });

  it('gives to people what has no turn in time, as the forecast says', async () => {
    const filings = filingsOf(40, (n) => NOW + 20.5 * SERVICE_MS + n);
    const { ends } = await rehearse(filings);
    const late = ends.filter(({ code }) => code === 'SLACK_GONE').length;
    const backlog = filings.map((one) => ({
      ...one,
      lane: 'US-DE',
      batch: 'b',
      state: 'queued' as const,
    }));
    const [found] = forecast(
      [{ profile: PROFILE, state: STATE, serviceMs: SERVICE_MS }],
      backlog,
      NOW,
    );
    expect(found?.infeasible).toBe(19);
    // Up to three are claimed ahead and go out all the same; each request takes its minute give or take a fifth.
    expect(late).toBeLessThanOrEqual(20);
    expect(late).toBeGreaterThanOrEqual(15);
    expect(ends).toHaveLength(40);
  });

  it('an outage opens the breaker, is waited out, and costs the time it lasts', async () => {
    const open = { ...PROFILE };
    delete (open as { hours?: unknown }).hours;
    const filings = filingsOf(60, () => NOW + 3 * DAY_MS);
    const outage = { fromMs: NOW + 10 * SERVICE_MS, untilMs: NOW + 5 * HOUR_MS };
    const sends: Instant[] = [];
    const { ends } = await rehearse(filings, { profile: open, outages: [outage], sends });
    const during = sends.filter((at) => at >= outage.fromMs && at < outage.untilMs);
    // Three failures open it, and one more may be under way; after that only probes go out.
    expect(during.length).toBeGreaterThanOrEqual(3);
    expect(during.length).toBeLessThanOrEqual(5);
    expect(ends.at(-1)?.at).toBeGreaterThan(outage.untilMs + 40 * SERVICE_MS);
    expect(ends.filter(({ to }) => to === 'accepted').length).toBeGreaterThanOrEqual(58);
  });

  it('the same seed gives the same rehearsal, another one another', async () => {
    const filings = filingsOf(60, () => NOW + 7 * DAY_MS);
    const [first, second, third] = [
      await rehearse(filings, { faultRate: 0.2, seed: 3 }),
      await rehearse(filings, { faultRate: 0.2, seed: 3 }),
      await rehearse(filings, { faultRate: 0.2, seed: 4 }),
    ];
    expect(second).toEqual(first);
    expect(third?.ends).not.toEqual(first?.ends);
    expect(first?.requests).toBeGreaterThan(60);
  });

  it('a month with nothing to do costs few events', async () => {
    const month = 30 * DAY_MS;
    const filings = filingsOf(3, () => NOW + month + DAY_MS).map((one) => ({
      ...one,
      readyAt: instant(NOW + month - DAY_MS * 3),
    }));
    const { ends, events } = await rehearse(filings);
    expect(ends.map(({ to }) => to)).toEqual(['accepted', 'accepted', 'accepted']);
    // The heartbeats of a month, every two hundred seconds, are most of them.
    expect(events).toBeLessThan(30_000);
  });

  it('a lane that people must serve gives all to people', async () => {
    const filings = filingsOf(5, () => NOW + 7 * DAY_MS);
    const { ends } = await rehearse(filings, { profile: { ...PROFILE, automation: 'unknown' } });
    expect(ends.map(({ code }) => code)).toEqual(filings.map(() => 'AUTOMATION_UNKNOWN'));
  });
});
