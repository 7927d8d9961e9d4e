/** Who comes shortly before, or after, the last safe moment is told of in the act that lets it in: no later look is needed. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acknowledge } from '../../src/oversight/acts/alerts.ts';
import { approve, importFile } from '../../src/filings/acts/batches.ts';
import type { Filewright } from '../../src/app.ts';
import type { BatchId } from '../../src/core/ids.ts';
import { instant, type Instant, toRfc3339 } from '../../src/core/time.ts';
import { watchSlack } from '../../src/filings/watch/slack-watch.ts';
import { listAlerts } from '../../src/people/store/alerts.ts';
import { type Server, startServer } from '../delivery/server.ts';
import { quickProfile, Stage } from '../delivery/stage.ts';
import { until } from '../delivery/waiting.ts';

const DE = 'US-DE';
const NY = 'US-NY';
const MINUTE_MS = 60_000;
/** What the profiles below take off the due moment. */
const TAKEN_OFF_MS = 2 * MINUTE_MS;

let server: Server;
let stage: Stage;
let rows = 0;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  const slow = { expectedServiceMs: MINUTE_MS, personMs: MINUTE_MS };
  const never = { latencyMs: { mean: 60_000, spread: 0 } };
  stage = await Stage.set(server, [quickProfile(DE, slow), quickProfile(NY, slow)], {
    [NY]: never,
  });
});
afterEach(() => stage.close());

/** Filings that are safe for so long from now on; negative: no longer. */
async function imported(lane: string, safeMs: readonly number[]): Promise<BatchId> {
  const now = Date.now();
  const lines = safeMs.map((ms) => {
    rows += 1;
    const due = toRfc3339(instant(now + ms + TAKEN_OFF_MS));
    return `${lane},R${rows},Entity ${rows},annual_report,2027,${due}`;
  });
  const header = 'jurisdiction,registry_number,entity_name,filing_kind,period,due';
  const path = join(server.dataDirectory, `arrivals-${rows}.csv`);
  writeFileSync(path, `${[header, ...lines].join('\n')}\n`);
  const report = await importFile(stage.app, stage.person, { path, dryRun: false });
  rmSync(path);
  if (report.batch === undefined) throw new Error(JSON.stringify(report.errors[0]));
  return report.batch;
}

function openAlerts() {
  const run = stage.app.session.run.bind(stage.app.session);
  return listAlerts(run, stage.app.tenant, { all: false, limit: 10 });
}

function at(now: Instant): Filewright {
  return { ...stage.app, clock: { ...stage.app.clock, now: () => now } };
}

/** The transaction that wrote the only row of it. */
async function writtenIn(from: string): Promise<unknown> {
  const found = await stage.evidence.read(
    `select distinct xmin::text as tx from ${from} where tenant = '${stage.app.tenant}'`,
  );
  expect(found).toHaveLength(1);
  return found[0]?.['tx'];
}

describe('an import', () => {
  it('reports a filing that has minutes left, in the transaction that admits it', async () => {
    const batch = await imported(DE, [3 * MINUTE_MS, 90 * 24 * 60 * MINUTE_MS]);
    const [alert, ...others] = await openAlerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ kind: 'slack_low', severity: 'critical', told: 1 });
    expect(alert?.subject).toBe(`batch ${batch} on ${DE}`);
    expect(alert?.text).toMatch(/^1 filing arrived less than 10 minutes before/);
    expect(await writtenIn('alert')).toBe(await writtenIn('filing'));
  });

  it('reports filings whose last safe moment is past', async () => {
    await imported(DE, [-MINUTE_MS, -30 * MINUTE_MS, 5 * MINUTE_MS]);
    const [alert] = await openAlerts();
    expect(alert?.text).toMatch(/^3 filings arrived .* for 2 of them it is past/);
  });

  it('has one alert for each lane, however far apart the moments lie', async () => {
    await imported(
      DE,
      Array.from({ length: 30 }, (_, n) => -n * 60 * MINUTE_MS),
    );
    expect(await openAlerts()).toHaveLength(1);
  });

  it('says nothing of filings that the watch will see in time', async () => {
    await imported(DE, [11 * MINUTE_MS, 60 * MINUTE_MS]);
    expect(await openAlerts()).toEqual([]);
  });

  it('leaves the watch nothing to repeat, until the moment is past', async () => {
    await imported(DE, [4 * MINUTE_MS]);
    const start = Date.now();
    expect(await watchSlack(at(instant(start)))).toEqual([]);
    const later = await watchSlack(at(instant(start + 5 * MINUTE_MS)));
    expect(later).toMatchObject([{ thresholdMs: 0 }]);
  });
});

describe('an approval', () => {
  it('reports what has come near while it waited, in its own transaction', async () => {
    const batch = await imported(DE, [30 * MINUTE_MS, 24 * 60 * MINUTE_MS]);
    expect(await openAlerts()).toEqual([]);
    await approve(at(instant(Date.now() + 27 * MINUTE_MS)), stage.approver, batch);
    const [alert, ...others] = await openAlerts();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ kind: 'slack_low', severity: 'critical', told: 1 });
    expect(alert?.text).toMatch(/^1 filing was approved less than 10 minutes before/);
    expect(await writtenIn('alert')).toBe(await writtenIn('batch'));
  });

  it('reports what is past by then, also after someone has acknowledged that it was near', async () => {
    const batch = await imported(DE, [4 * MINUTE_MS]);
    const [near] = await openAlerts();
    await acknowledge(stage.app, stage.person, near?.id ?? '');
    await approve(at(instant(Date.now() + 5 * MINUTE_MS)), stage.approver, batch);
    const [alert] = await openAlerts();
    expect(alert?.text).toMatch(/^1 filing was approved .* it is past/);
  });

  it('does not report again what the import reported', async () => {
    const batch = await imported(DE, [8 * MINUTE_MS]);
    await approve(stage.app, stage.approver, batch);
    expect(await openAlerts()).toMatchObject([{ raised: 1, told: 1 }]);
  });
});

describe('background work that starts', () => {
  it('looks at once, and not when the timetable comes round', async () => {
    await imported(DE, [60 * MINUTE_MS]);
    const jobs = await stage.app.jobs();
    try {
      await until(async () => (await openAlerts()).length === 1);
    } finally {
      await jobs.stop();
    }
  });
});

describe('thresholds that are shorter than the time between two looks', () => {
  it('let nothing pass in silence', async () => {
    await imported(DE, [14 * MINUTE_MS]);
    const start = Date.now();
    const warned: number[] = [];
    for (const minutes of [0, 5, 10]) {
      const parts = { ...at(instant(start + minutes * MINUTE_MS)), slackThresholdsMs: [MINUTE_MS] };
      for (const { leastSlackMs } of await watchSlack(parts)) warned.push(leastSlackMs);
    }
    expect(warned).toHaveLength(1);
    expect(warned[0]).toBeGreaterThan(0);
  });
});

describe('a filing that goes late', () => {
  it('was reported before, also when it came seconds before', async () => {
    const batch = await imported(NY, [2_000]);
    await approve(stage.app, stage.approver, batch);
    await stage.worker();
    await stage.untilDone();
    const [late] = await stage.evidence.read(
      `select a.raised_at < f.last_safe as before from alert a join filing f on f.tenant = a.tenant
       where a.tenant = '${stage.app.tenant}' and a.kind = 'slack_low' order by a.raised_at limit 1`,
    );
    expect(await stage.count('fallout')).toBe(1);
    expect(late).toEqual({ before: true });
  });
});
