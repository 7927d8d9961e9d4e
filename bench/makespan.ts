/** Makespan: the whole product against bare undici under the same ceilings, interleaved in one run. */
import type { Filewright } from '../src/app.ts';
import { ledgerWaiting } from '../src/ledger/store/ledger-entries.ts';
import { type BenchLane, benchLanes, type Go, idealMs } from './shape.ts';
import { newStage, nextMessage, prepare, type Stage, startRole } from './stage.ts';

export interface MakespanRow {
  readonly processes: number;
  readonly bareMs: number;
  readonly fullMs: number;
  readonly ratio: number;
  readonly toIdeal: number;
  readonly waiting: number;
  readonly heapMb: number;
  readonly rssMb: number;
  readonly ceilingsHeld: boolean;
}

interface PortalStats {
  readonly lanes: readonly {
    readonly lane: string;
    readonly inFlightMax: number;
    readonly accepted: number;
  }[];
}

export async function makespan(options: {
  readonly filings: number;
  readonly latencyMs: number;
  readonly spreadMs: number;
  readonly processes: readonly number[];
  readonly runs: number;
  readonly say: (text: string) => void;
}): Promise<readonly MakespanRow[]> {
  const lanes = benchLanes(options.filings);
  const rows: MakespanRow[] = [];
  const portal = await startRole('portal', [String(options.latencyMs), String(options.spreadMs)]);
  try {
    for (let run = 0; run < options.runs; run += 1) {
      for (const processes of options.processes) {
        const { port } = portal;
        const bareMs = await bare(lanes, port, processes);
        const full = await onFreshStage((stage) => whole(stage, 'bench', lanes, port, processes));
        const row = {
          processes,
          bareMs,
          ...full,
          ratio: full.fullMs / bareMs,
          toIdeal: full.fullMs / idealMs(lanes, options.latencyMs),
        };
        rows.push(row);
        options.say(
          `  ${processes} process(es): bare ${seconds(bareMs)} s, whole ${seconds(full.fullMs)} s, ratio ${row.ratio.toFixed(3)}, facts waiting at the end ${full.waiting}`,
        );
      }
    }
  } finally {
    portal.child.disconnect();
  }
  return rows;
}

/** A database of its own for each run: the fifth must not pay for the rows of the first four. */
async function onFreshStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = newStage();
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

async function bare(lanes: readonly BenchLane[], port: number, processes: number): Promise<number> {
  const roles = await Promise.all(Array.from({ length: processes }, () => startRole('bare')));
  const startedMs = performance.now();
  const ends = roles.map(({ child }, index) => {
    const go: Go = { port, lanes, share: { index, of: processes } };
    child.send(go);
    return nextMessage<{ elapsedMs: number }>(child);
  });
  await Promise.all(ends);
  const elapsedMs = performance.now() - startedMs;
  for (const { child } of roles) child.disconnect();
  return elapsedMs;
}

async function whole(
  stage: Stage,
  tenant: string,
  lanes: readonly BenchLane[],
  port: number,
  processes: number,
): Promise<Pick<MakespanRow, 'fullMs' | 'waiting' | 'heapMb' | 'rssMb' | 'ceilingsHeld'>> {
  const { app } = await prepare(stage, tenant, lanes, port);
  await app.session.run({ name: '', text: 'vacuum analyze' });
  await fetch(`http://127.0.0.1:${port}/_reset`).then((answer) => answer.text());
  const args = [stage.dataDirectory, tenant, '3'];
  const roles = await Promise.all(
    Array.from({ length: processes }, () => startRole('worker', args)),
  );
  const startedMs = performance.now();
  for (const { child } of roles) child.send({ go: true });
  await accepted(
    port,
    lanes.reduce((sum, lane) => sum + lane.filings, 0),
  );
  await recorded(app);
  const fullMs = performance.now() - startedMs;
  const { rows: waiting } = await ledgerWaiting(app.session, app.tenant);
  const usage = await Promise.all(
    roles.map(({ child }) => {
      child.send({ stop: true });
      return nextMessage<{ heapBytesMax: number; rssBytesMax: number }>(child);
    }),
  );
  const stats = await portalStats(port);
  await app.close();
  return {
    fullMs,
    waiting,
    heapMb: Math.max(...usage.map((use) => use.heapBytesMax)) / 1e6,
    rssMb: Math.max(...usage.map((use) => use.rssBytesMax)) / 1e6,
    ceilingsHeld: lanes.every((lane) =>
      stats.lanes.some(
        (seen) =>
          seen.lane === lane.code &&
          seen.inFlightMax <= lane.ceiling &&
          seen.accepted === lane.filings,
      ),
    ),
  };
}

async function portalStats(port: number): Promise<PortalStats> {
  const answer = await fetch(`http://127.0.0.1:${port}/_stats`);
  return (await answer.json()) as PortalStats;
}

async function accepted(port: number, total: number): Promise<void> {
  await fetch(`http://127.0.0.1:${port}/_wait/${total}`).then((answer) => answer.text());
}

/** Done is when every filing's acceptance is committed, not when the portal has answered. */
export async function recorded(app: Filewright, everyMs = 5): Promise<void> {
  for (;;) {
    const rows = await app.session.run(
      {
        name: 'bench-open',
        text: `select 1 from filing where tenant = $1 and (holder is not null or next_at is not null) limit 1`,
      },
      [app.tenant],
    );
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}
