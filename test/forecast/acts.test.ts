/** Forecast, warnings and rehearsal on a real database, with a real portal on loopback to be measured. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forecastFilings } from '../../src/filings/acts/forecast.ts';
import { acknowledge } from '../../src/oversight/acts/alerts.ts';
import { addPortal } from '../../src/lanes/acts/lanes.ts';
import { foundUser } from '../../src/oversight/acts/users.ts';
import { approve, importFile, runBatch } from '../../src/filings/acts/batches.ts';
import { approvedRecipient } from '../fixtures/approved.ts';
import { personOf } from '../../src/people/acts/people.ts';
import { laneOutcome, planRehearsal } from '../../src/oversight/acts/rehearsal.ts';
import { warnOfSlack } from '../../src/filings/acts/slack-alerts.ts';
import { readThresholds } from '../../src/filings/rules/thresholds.ts';
import { createFilewright, type Filewright } from '../../src/app.ts';
import type { BatchId } from '../../src/core/ids.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { slackFigures } from '../../src/filings/watch/slack-watch.ts';
import { listAlerts } from '../../src/people/store/alerts.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { systemClock } from '../../src/system/clock.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { type Simulator, startSimulator } from '../../src/testing/simulator/portal-server.ts';
import { rehearseLane } from '../../src/testing/rehearsal/rehearse-lane.ts';
import { csv, row } from '../cli/rows.ts';
import { OPERATOR } from '../operator.ts';
import type { PersonActor } from '../../src/access/actor.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';
import { copyPreparedCluster } from '../fixtures/prepared-cluster.ts';

const HOUR_MS = 3_600_000;
const LATENCY_MS = 60;
const PERSON_MS = 240 * HOUR_MS;
const SERVICE_MS = 60_000;
/** Leaves three hours until the last safe moment. */
const SOON = new Date(Date.now() + 3 * HOUR_MS + SERVICE_MS + PERSON_MS).toISOString();

let folder: string;
let app: Filewright;
let simulator: Simulator;
let paula: PersonActor;
let arthur: PersonActor;
let next = 1;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fw-slack-'));
  // For root the server runs as somebody else, who must be able to pass through.
  await chmod(folder, 0o711);
  copyPreparedCluster(join(folder, 'data'));
  app = await createFilewright({
    dataDirectory: join(folder, 'data'),
    environment: OWN_MACHINE,
  });
  const first = await foundUser(app, OPERATOR, 'Paula Preparer');
  const second = await foundUser(app, OPERATOR, 'Arthur Approver');
  paula = await personOf(app, first.key);
  arthur = await personOf(app, second.key);
  simulator = await startSimulator({
    profiles: [
      sampleProfile({ ceiling: 2 }),
      sampleProfile({ code: 'US-NY', jurisdiction: 'US-NY' }),
    ],
    port: 0,
    clock: systemClock,
    behaviour: { 'US-DE': { latencyMs: { mean: LATENCY_MS, spread: 0 } } },
  });
  await addPortal(app, paula, simulator.profile('US-DE'));
  await addPortal(app, paula, {
    ...simulator.profile('US-NY'),
    ceiling: 1,
    personMs: PERSON_MS,
    expectedServiceMs: SERVICE_MS,
    timeoutMs: 5 * SERVICE_MS,
    longestServiceMs: 6 * SERVICE_MS,
  });
  await approvedRecipient(app, paula, {
    role: 'alert',
    entityId: undefined,
    address: 'ops@example.org',
  });
});

afterAll(async () => {
  await simulator.close();
  await app.close();
  await stopEmbedded(join(folder, 'data'), { mode: 'immediate' });
  await rm(folder, { recursive: true, force: true });
});

async function batchOf(count: number, lane: string): Promise<BatchId> {
  const rows = Array.from({ length: count }, () =>
    row(String(next++), { jurisdiction: lane, ...(lane === 'US-NY' ? { due: SOON } : {}) }),
  );
  const path = join(folder, `batch-${next}.csv`);
  await writeFile(path, csv(...rows));
  const report = await importFile(app, paula, { path, dryRun: false });
  if (report.batch === undefined) throw new Error(JSON.stringify(report.errors));
  return report.batch;
}

async function count(from: string): Promise<number> {
  const [found] = await app.session.run(
    { name: '', text: `select count(*)::int as n from ${from}` },
    [],
  );
  return Number(found?.['n']);
}

describe('on a real database', () => {
  it('the service time is measured from what was sent, whatever was claimed ahead', async () => {
    const sent = await batchOf(60, 'US-DE');
    await approve(app, arthur, sent);
    await runBatch(app, OPERATOR, sent, { signal: new AbortController().signal });
    const waiting = await batchOf(10, 'US-DE');
    const { forecasts } = await forecastFilings(app, OPERATOR, { lane: 'US-DE' });
    const [lane] = forecasts;
    // Intents are committed up to three requests ahead, so the time since the intent is up to four times too long.
    expect(lane?.serviceMs).toBeGreaterThanOrEqual(LATENCY_MS * 0.8);
    expect(lane?.serviceMs).toBeLessThanOrEqual(LATENCY_MS * 2.5);
    expect(lane?.open).toEqual({ queued: 0, approval: 10, in_flight: 0, person: 0 });
    expect(lane?.startBy).toBeGreaterThan(Date.now());
    const mine = await forecastFilings(app, OPERATOR, { batch: sent });
    expect(mine.forecasts).toEqual([]);
    expect((await forecastFilings(app, OPERATOR, { batch: waiting })).forecasts).toHaveLength(1);
  });

  it('what cannot make it is found with what would save it', async () => {
    // 240 minutes of work for one slot, and three hours of slack.
    const batch = await batchOf(240, 'US-NY');
    await approve(app, arthur, batch);
    const [lane] = (await forecastFilings(app, OPERATOR, { batch })).forecasts;
    expect(lane?.infeasible).toBeGreaterThan(50);
    expect(lane?.infeasible).toBeLessThan(65);
    expect(lane?.levers?.ceiling).toBe(2);
    expect(lane?.levers?.people.filings).toBe(lane?.infeasible);
  });

  it('a rehearsal ends as the forecast says, and the database is only read', async () => {
    const before = [
      await count('filing'),
      await count('outcome'),
      await count('ledger_entry'),
      await count('attempt'),
    ];
    const rows = await app.session.run(
      { name: '', text: 'select md5(string_agg(f::text, $1 order by id)) as h from filing f' },
      [''],
    );
    const plan = await planRehearsal(app, OPERATOR, {});
    const ny = plan.lanes.find(({ state }) => state.code === 'US-NY');
    if (ny === undefined) throw new Error('New York owes something');
    const { ends } = await rehearseLane({ ...ny, outages: [], faultRate: 0, seed: 1 });
    const outcome = laneOutcome(plan, ny, ends);
    expect(outcome.filings).toBe(240);
    expect(outcome.accepted + outcome.late).toBe(240);
    expect(Math.abs(outcome.late - outcome.forecastInfeasible)).toBeLessThanOrEqual(8);
    expect([
      await count('filing'),
      await count('outcome'),
      await count('ledger_entry'),
      await count('attempt'),
    ]).toEqual(before);
    expect(
      await app.session.run(
        { name: '', text: 'select md5(string_agg(f::text, $1 order by id)) as h from filing f' },
        [''],
      ),
    ).toEqual(rows);
  });

  it('a group under a threshold is reported once, by mail and event, also after someone took it on', async () => {
    const mails = await count(`work where kind = 'mail'`);
    const raised = await warnOfSlack(app, OPERATOR);
    expect(raised).toHaveLength(1);
    expect(raised[0]).toMatchObject({
      lane: 'US-NY',
      thresholdMs: 0,
      severity: 'critical',
      filings: 240,
    });
    const run = app.session.run.bind(app.session);
    const [alert] = await listAlerts(run, app.tenant, { all: false, limit: 10 });
    expect(alert).toMatchObject({ kind: 'slack_low', severity: 'critical', told: 1 });
    expect(alert?.text).toContain('filewright forecast');
    expect(await count(`work where kind = 'mail'`)).toBe(mails + 1);
    expect(await count(`work where kind = 'event' and body->>'type' = 'ALERT_RAISED'`)).toBe(1);
    expect(await warnOfSlack(app, OPERATOR)).toEqual([]);
    await acknowledge(app, arthur, alert?.id ?? '');
    expect(await warnOfSlack(app, OPERATOR)).toEqual([]);
    expect(await count('alert')).toBe(1);
  });

  it('thresholds can be set, and the digest counts what is under them', async () => {
    const figures = await slackFigures({ ...app, slackThresholdsMs: readThresholds('2h,365d') });
    expect(figures.infeasible).toBeGreaterThan(50);
    // Delaware's ten have more than a year.
    expect(figures.under.map(({ filings }) => filings)).toEqual([240, expect.any(Number)]);
    expect(figures.under[1]?.filings).toBeLessThan(240);
  });

  it('a batch or lane that does not exist is refused in words', async () => {
    const missing = app.ids.next();
    await expect(forecastFilings(app, OPERATOR, { batch: missing })).rejects.toThrow(
      /No batch has the id/,
    );
    await expect(forecastFilings(app, OPERATOR, { lane: 'US-XX' })).rejects.toThrow(
      /No lane is named US-XX/,
    );
    expect(() => readThresholds('7d,soon')).toThrow(FilewrightError);
    expect(readThresholds('4h, 7d,90min')).toEqual([7 * 24 * HOUR_MS, 4 * HOUR_MS, 1.5 * HOUR_MS]);
  });
});
