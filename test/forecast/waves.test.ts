/** Alerts are told in groups and acknowledged as such; whoever joins a group afterwards is told of all the same. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { acknowledge } from '../../src/oversight/acts/alerts.ts';
import { instant, toRfc3339 } from '../../src/core/time.ts';
import { watchSlack } from '../../src/filings/watch/slack-watch.ts';
import { listAlerts } from '../../src/people/store/alerts.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { quickProfile, Stage } from '../delivery/stage.ts';

const DE = 'US-DE';
const HOUR_MS = 3_600_000;
const THRESHOLDS_MS = [24 * HOUR_MS, 4 * HOUR_MS];

let server: Server;
let stage: Stage;
let startMs = 0;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

/** An hour for each filing, one at a time, all safe until the same moment; nobody works on them. */
async function slowLane(count: number, safeHours: number): Promise<void> {
  const slow = { ceiling: 1, expectedServiceMs: HOUR_MS, slowStartStepMs: 0, personMs: HOUR_MS };
  stage = await Stage.set(server, [quickProfile(DE, slow)]);
  startMs = Date.now();
  // What the portal and a person need is taken off.
  await stage.feed(DE, count, toRfc3339(instant(startMs + (safeHours + 2) * HOUR_MS)));
}

function look(afterHours: number) {
  const now = () => instant(startMs + afterHours * HOUR_MS);
  const { app } = stage;
  return watchSlack({ ...app, clock: { ...app.clock, now }, slackThresholdsMs: THRESHOLDS_MS });
}

async function openAlerts() {
  const run = stage.app.session.run.bind(stage.app.session);
  return listAlerts(run, stage.app.tenant, { all: false, limit: 10 });
}

async function acknowledgeAll(): Promise<void> {
  for (const { id } of await openAlerts()) await acknowledge(stage.app, stage.person, id);
}

describe('a second wave of filings that lose their last safe moment', () => {
  it('is reported after the alert of the first was acknowledged, and so is the third', async () => {
    await slowLane(12, 10);
    const told: (readonly [number, number])[] = [];
    for (const hours of [0, 3, 3, 6]) {
      const warnings = await look(hours);
      for (const { thresholdMs, news } of warnings) {
        const gone = [...news.values()].filter((bound) => bound === 0).length;
        told.push([thresholdMs, gone]);
      }
      await acknowledgeAll();
    }
    // In ten hours ten of twelve can go; each hour without any costs one more.
    const lost = told.map(([, gone]) => gone);
    expect(told.map(([thresholdMs]) => thresholdMs)).toEqual([0, 0, 0]);
    expect(lost.every((gone) => gone > 0)).toBe(true);
    expect(lost.reduce((sum, gone) => sum + gone, 0)).toBeGreaterThanOrEqual(8);
  });

  it('says how many are new in it', async () => {
    await slowLane(12, 10);
    await look(0);
    await acknowledgeAll();
    await look(3);
    const [alert] = await openAlerts();
    expect(alert?.severity).toBe('critical');
    expect(alert?.text).toMatch(/\d+ of 12 filings cannot be sent before their last safe moment/);
    expect(alert?.text).toMatch(/3 of them are new since the last alert\./);
  });

  it('joins the alert of the first while that one is open, and is reported when its repeats are used up', async () => {
    await slowLane(12, 10);
    await look(0);
    const [first] = await openAlerts();
    const { tenant } = stage.app;
    await stage.app.session.run(
      {
        name: '',
        text: `update work set state = 'done', next_at = null, tries = 24 where tenant = $1 and kind = 'alert'`,
      },
      [tenant],
    );
    await look(3);
    const [alert, ...others] = await openAlerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ id: first?.id, raised: 2, told: 25 });
    // The same look again has no news.
    await look(3);
    expect((await openAlerts())[0]).toMatchObject({ raised: 2, told: 25 });
  });
});

describe('the memory of what was reported', () => {
  it('ends with the filing', async () => {
    await slowLane(3, 1);
    await look(0);
    const count = () => stage.evidence.count('warned where tenant = $1', [stage.app.tenant]);
    expect(await count()).toBe(3);
    await stage.worker();
    await stage.untilDone();
    await look(0.1);
    expect(await count()).toBe(0);
  });
});
