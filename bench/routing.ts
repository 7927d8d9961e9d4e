/**
 * Docket events through four tiers while a tenth of the HTTP endpoints fails: how long from the failure at the primary
 * tier to the confirmed handing over at the next, and whether anything is lost or changed over kills and broker restarts.
 */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from 'rabbitmq-client';
import { localOperator } from '../src/access/actor.ts';
import { createFilewright, type Filewright } from '../src/app.ts';
import { approveRouting, proposeRouting } from '../src/dockets/acts/routing-changes.ts';
import { foundUser } from '../src/oversight/acts/users.ts';
import { personOf } from '../src/people/acts/people.ts';
import { type OwnBroker, ownRabbit, startOwnRabbit } from './own-brokers.ts';
import { atMost, type Figure } from './report.ts';
import { eventOf, FAILING, firm, REFUSED, STALLING } from './routing-firm.ts';
import { newStage, nextMessage, startRole } from './stage.ts';

export interface RoutingLoad {
  readonly perMinute: number;
  readonly events: number;
  readonly kills: number;
  readonly brokerRestarts: number;
  readonly processes: number;
}

/** Times are taken while nobody is killed; whether anything is lost is asked while everything is. */
export interface RoutingPlan {
  readonly calm: RoutingLoad;
  readonly storm: RoutingLoad;
}

const PACE = { perMinute: 10_000, processes: 2 } as const;

export const FULL: RoutingPlan = {
  calm: { ...PACE, events: 20_000, kills: 0, brokerRestarts: 0 },
  // Long enough that every kill and restart falls into the traffic.
  storm: { ...PACE, events: 100_000, kills: 50, brokerRestarts: 20 },
};
export const QUICK: RoutingPlan = {
  calm: { ...PACE, events: 5_000, kills: 0, brokerRestarts: 0 },
  storm: { ...PACE, events: 3_000, kills: 2, brokerRestarts: 1 },
};

const QUEUE = 'dockets';
const TENANT = 'routing';
/** What is still under way when the last event is in. */
const SETTLE_MS_MAX = 180_000;

export async function routingFigures(
  plan: RoutingPlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const calm = await measuredRun(plan.calm, say);
  const storm = await measuredRun(plan.storm, say);
  const { quick, stalled } = calm;
  const paceMin = plan.calm.perMinute * PACE_SHARE_MIN;
  return [
    atMost(
      `routing, failure at the primary tier (refused, 5xx) to confirmed fallback, p99 of ${quick.length}`,
      percentile(quick, 0.99) / 1_000,
      5,
      's',
    ),
    atMost(
      `routing, the same for stalled endpoints, p99 of ${stalled.length}`,
      percentile(stalled, 0.99) / 1_000,
      8,
      's',
    ),
    {
      name: 'routing, docket events a minute from the broker to their confirmation',
      measured: calm.perMinute.toFixed(0),
      limit: `≥ ${paceMin}`,
      met: calm.perMinute >= paceMin,
    },
    atMost(
      `routing, dockets lost of ${plan.storm.events}, over ${storm.kills} kills and ${storm.restarts} broker restarts`,
      storm.lost,
      0,
      '',
      0,
    ),
    atMost(
      'routing, dockets delivered twice after deduplication by message id',
      storm.twice,
      0,
      '',
      0,
    ),
    atMost('routing, payloads changed on their way', storm.changed + calm.changed, 0, '', 0),
  ];
}

/** The pace is that of the sender, less the time that the last dockets of a run need. */
const PACE_SHARE_MIN = 0.9;

interface Measured {
  readonly quick: readonly number[];
  readonly stalled: readonly number[];
  readonly perMinute: number;
  readonly lost: number;
  readonly twice: number;
  readonly changed: number;
  readonly kills: number;
  readonly restarts: number;
}

async function measuredRun(load: RoutingLoad, say: (text: string) => void): Promise<Measured> {
  if (ownRabbit.isMissing) throw new Error('this bench needs rabbitmq-server on this machine');
  const stage = newStage();
  const endpoints = await startEndpoints();
  const rabbit = await startOwnRabbit();
  try {
    const app = await createFilewright({ dataDirectory: stage.dataDirectory, tenant: TENANT });
    await route(app, stage.dataDirectory, firm(endpoints.port, endpoints.doomedPort));
    const run = await routed(app, {
      load,
      rabbit,
      say,
      dataDirectory: stage.dataDirectory,
      fail: () => endpoints.child.send({ fail: true }),
    });
    const found = await measured(app, { load, run, endpoints: endpoints.child, say });
    await app.close();
    return found;
  } finally {
    endpoints.child.disconnect();
    await rabbit.close();
    await stage.close();
  }
}

/** As one person proposes it and another approves it. */
async function route(app: Filewright, folder: string, documents: ReturnType<typeof firm>) {
  const keys: string[] = [];
  for (const name of ['proposer', 'approver']) {
    keys.push((await foundUser(app, localOperator('bench'), name)).key);
  }
  const [proposer = '', approver = ''] = keys;
  const files = Object.values(documents).map(({ file, text }) => {
    const path = join(folder, `${file}.json`);
    writeFileSync(path, text);
    return path;
  });
  const proposed = await proposeRouting(app, await personOf(app, proposer), files);
  if (proposed.state !== 'proposed') throw new Error('the bench has a routing already');
  await approveRouting(app, await personOf(app, approver), proposed.sha256);
}

async function startEndpoints(): Promise<{
  readonly child: ChildProcess;
  readonly port: number;
  readonly doomedPort: number;
}> {
  const args = [String(FAILING), String(STALLING)];
  const { child } = await startRole('docket-endpoints', args, 'silent');
  const ports = await nextMessage<{ port: number; doomedPort: number }>(child);
  return { child, ...ports };
}

interface Run {
  readonly elapsedMs: number;
  readonly publishMs: number;
  readonly kills: number;
  readonly restarts: number;
}

async function routed(
  app: Filewright,
  on: {
    readonly load: RoutingLoad;
    readonly rabbit: OwnBroker;
    readonly dataDirectory: string;
    readonly say: (text: string) => void;
    readonly fail: () => void;
  },
): Promise<Run> {
  const { load, rabbit, say } = on;
  const connection = new Connection({ url: rabbit.url, retryLow: 100, retryHigh: 1_000 });
  connection.on('error', () => undefined);
  await connection.queueDeclare({ queue: QUEUE, durable: true });
  const args = [on.dataDirectory, TENANT, rabbit.url, QUEUE];
  const crew: ChildProcess[] = [];
  for (let n = 0; n < load.processes; n += 1) crew.push((await startRole('router', args)).child);
  const startedMs = performance.now();
  const publishing = publish(connection, load, { startedMs, fail: on.fail });
  let [kills, restarts] = [0, 0];
  const troubles = (async () => {
    const gapMs = (load.events / load.perMinute) * (60_000 / Math.max(1, load.kills + 1));
    while (kills < load.kills) {
      // By the clock, not one gap after the other: starting processes takes time too, and the last would miss the traffic.
      await sleep(startedMs + (kills + 1) * gapMs - performance.now());
      const victim = kills % crew.length;
      crew[victim]?.removeAllListeners('exit');
      crew[victim]?.kill('SIGKILL');
      kills += 1;
      crew[victim] = (await startRole('router', args)).child;
      if (kills * load.brokerRestarts >= (restarts + 1) * load.kills) {
        await rabbit.killAndRestart();
        restarts += 1;
      }
      say(`  ${kills} kills, ${restarts} broker restarts, ${await confirmed(app)} confirmed`);
    }
  })();
  await publishing;
  const publishMs = performance.now() - startedMs;
  await troubles;
  const endMs = performance.now() + SETTLE_MS_MAX;
  while ((await confirmed(app)) < load.events && performance.now() < endMs) await sleep(200);
  const elapsedMs = performance.now() - startedMs;
  for (const child of crew) {
    child.send({ stop: true });
    await nextMessage(child).catch(() => undefined);
  }
  await connection.close();
  return { elapsedMs, publishMs, kills, restarts };
}

/** At the wanted pace; each event until the broker has confirmed it, under the same id. */
async function publish(
  connection: Connection,
  load: RoutingLoad,
  at: { readonly startedMs: number; readonly fail: () => void },
): Promise<void> {
  const publisher = connection.createPublisher({ confirm: true, maxAttempts: 1 });
  const under = new Set<Promise<void>>();
  for (let n = 0; n < load.events; n += 1) {
    // The failure comes while everything is running.
    if (n === Math.floor(load.events / 4)) at.fail();
    const dueMs = at.startedMs + (n * 60_000) / load.perMinute;
    const waitMs = dueMs - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    if (under.size >= 500) await Promise.race(under);
    const one = send(publisher, n).finally(() => under.delete(one));
    under.add(one);
  }
  await Promise.all(under);
  await publisher.close();
}

async function send(
  publisher: ReturnType<Connection['createPublisher']>,
  n: number,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(eventOf(n)));
  for (;;) {
    try {
      const properties = {
        durable: true,
        messageId: `bench-${n}`,
        contentType: 'application/json',
      };
      await publisher.send({ routingKey: QUEUE, ...properties }, body);
      return;
    } catch {
      // The broker is being restarted; the same event under the same id until it is taken.
      await sleep(200);
    }
  }
}

async function measured(
  app: Filewright,
  at: {
    readonly load: RoutingLoad;
    readonly run: Run;
    readonly endpoints: ChildProcess;
    readonly say: (text: string) => void;
  },
): Promise<Measured> {
  const { load, run, endpoints, say } = at;
  const answer = nextMessage<{ ids: number; events: number; repeats: number; changed: number }>(
    endpoints,
  );
  endpoints.send({ report: true });
  const { ids, events, repeats, changed } = await answer;
  const quick = await fallbackMs(app, (n) => n < FAILING || n >= FAILING + STALLING);
  const stalled = await fallbackMs(app, (n) => n >= FAILING && n < FAILING + STALLING);
  const lost = load.events - events;
  const { perMinute, p50Ms, p99Ms } = await healthyPace(app, load);
  say(
    `  ${load.events} events in ${(run.elapsedMs / 1_000).toFixed(1)} s (published in ${(run.publishMs / 1_000).toFixed(1)} s), ${run.kills} kills, ${run.restarts} broker restarts, ${repeats} repeats on the wire; healthy endpoints confirm ${p50Ms.toFixed(0)} ms (p50) and ${p99Ms.toFixed(0)} ms (p99) after the commit; ${quick.length} and ${stalled.length} fallbacks measured`,
  );
  const { kills, restarts } = run;
  const twice = ids - events + (await doubleReceipts(app));
  return { quick, stalled, perMinute, lost, twice, changed, kills, restarts };
}

/** From the end of the first failed attempt at the primary tier to the confirmation below it. */
async function fallbackMs(
  app: Filewright,
  isWanted: (group: number) => boolean,
): Promise<number[]> {
  const rows = await app.session.run(
    {
      name: '',
      text: `select f.target, extract(epoch from c.at - f.at) * 1000 as ms from (
          select docket, min(target) as target, min(ended_at) as at from docket_handoff
          where tenant = $1 and tier = 'PRIMARY' and outcome in ('failed', 'unknown') group by docket) f
        join (select docket, min(ended_at) as at from docket_handoff
          where tenant = $1 and tier <> 'PRIMARY' and outcome = 'confirmed' group by docket) c using (docket)`,
    },
    [TENANT],
  );
  return rows
    .filter((row) => isWanted(Number(/^g(\d+)-/.exec(String(row['target']))?.[1])))
    .map((row) => Number(row['ms']));
}

/** How fast dockets whose endpoints are well go through, while the others fail. */
async function healthyPace(
  app: Filewright,
  load: RoutingLoad,
): Promise<{ readonly perMinute: number; readonly p50Ms: number; readonly p99Ms: number }> {
  const [row] = await app.session.run(
    {
      name: '',
      text: `
with healthy as (
  select received_at as received, to_timestamp((state->>'at')::float8 / 1000) as confirmed from docket
  where tenant = $1 and phase = 'confirmed' and substr(docket->>'technologyGroup', 2)::int >= $2)
select extract(epoch from max(confirmed) - min(received)) * 1000 as span,
  percentile_cont(0.5) within group (order by extract(epoch from confirmed - received)) * 1000 as p50,
  percentile_cont(0.99) within group (order by extract(epoch from confirmed - received)) * 1000 as p99
from healthy`,
    },
    [TENANT, FAILING + STALLING + REFUSED],
  );
  const perMinute = (load.events * 60_000) / Number(row?.['span']);
  return { perMinute, p50Ms: Number(row?.['p50']), p99Ms: Number(row?.['p99']) };
}

async function doubleReceipts(app: Filewright): Promise<number> {
  const [row] = await app.session.run(
    {
      name: '',
      text: `select (select count(*) - count(distinct message_id) from docket where tenant = $1) + (
        select count(*) from (select docket from docket_handoff where tenant = $1 and receipt is not null
          group by docket having count(distinct receipt) > 1) d) as n`,
    },
    [TENANT],
  );
  return Number(row?.['n']);
}

async function confirmed(app: Filewright): Promise<number> {
  const [row] = await app.session.run(
    {
      name: 'bench-confirmed',
      text: `select count(*) as n from docket where tenant = $1 and phase = 'confirmed'`,
    },
    [TENANT],
  );
  return Number(row?.['n']);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
