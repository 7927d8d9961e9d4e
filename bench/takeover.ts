/** From kill -9 of a worker to its slots in use again by another one. */
import type { Filewright } from '../src/app.ts';
import { benchLanes } from './shape.ts';
import { newStage, nextMessage, prepare, startRole } from './stage.ts';

const WORKERS = 3;
const POLL_MS = 20;
const WAIT_MS_MAX = 30_000;

interface Slot {
  readonly lane: string;
  readonly n: number;
  readonly holder: string;
}

/** Milliseconds until each slot of a killed worker had a new holder, over `kills` kills. */
export async function takeover(
  kills: number,
  say: (text: string) => void,
): Promise<readonly number[]> {
  const portal = await startRole('portal', ['5', '0']);
  const stage = newStage();
  const waits: number[] = [];
  try {
    const { app } = await prepare(stage, 'takeover', benchLanes(60_000), portal.port);
    const args = [stage.dataDirectory, 'takeover', '3'];
    const crew = await Promise.all(
      Array.from({ length: WORKERS }, () => startRole('worker', args)),
    );
    for (const { child } of crew) child.send({ go: true });
    await sleep(2_000);
    for (let kill = 0; kill < kills; kill += 1) {
      const victim = crew[kill % WORKERS];
      if (victim === undefined) break;
      const held = await slotsOfPid(app, victim.child.pid ?? 0);
      victim.child.kill('SIGKILL');
      const killedMs = performance.now();
      const fresh = startRole('worker', args);
      waits.push(...(await untilTaken(app, held, killedMs)));
      const replacement = await fresh;
      replacement.child.send({ go: true });
      crew[kill % WORKERS] = replacement;
      say(
        `  kill ${kill + 1}: ${held.length} slots, the last in use again after ${(Math.max(...waits.slice(-held.length)) / 1000).toFixed(2)} s`,
      );
      await sleep(1_000);
    }
    await Promise.all(
      crew.map(({ child }) => {
        child.send({ stop: true });
        return nextMessage(child);
      }),
    );
    await app.close();
  } finally {
    portal.child.disconnect();
    await stage.close();
  }
  return waits;
}

async function slotsOfPid(app: Filewright, pid: number): Promise<Slot[]> {
  const rows = await app.session.run(
    {
      name: 'bench-slots',
      text: `select s.lane, s.n, s.holder from lane_slot s join worker w on w.tenant = s.tenant and w.id = s.holder
        where s.tenant = $1 and w.pid = $2 and w.ended_at is null and s.expires_at > clock_timestamp()`,
    },
    [app.tenant, pid],
  );
  return rows.map((row) => ({
    lane: String(row['lane']),
    n: Number(row['n']),
    holder: String(row['holder']),
  }));
}

async function untilTaken(
  app: Filewright,
  held: readonly Slot[],
  killedMs: number,
): Promise<number[]> {
  const waits = new Map<string, number>();
  while (waits.size < held.length) {
    const rows = await app.session.run(
      {
        name: 'bench-taken',
        text: `select lane, n, holder from lane_slot where tenant = $1 and holder is not null and expires_at > clock_timestamp()`,
      },
      [app.tenant],
    );
    const nowMs = performance.now() - killedMs;
    for (const slot of held) {
      const place = `${slot.lane}/${slot.n}`;
      const taken = rows.some(
        (row) =>
          row['lane'] === slot.lane &&
          Number(row['n']) === slot.n &&
          String(row['holder']) !== slot.holder,
      );
      if (taken && !waits.has(place)) waits.set(place, nowMs);
    }
    if (nowMs > WAIT_MS_MAX) throw new Error('A slot of a killed worker was not used again');
    await sleep(POLL_MS);
  }
  return [...waits.values()];
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
