/**
 * The way seed 000 shows it: one task for each record, all made at once, a semaphore for each jurisdiction in this
 * process alone, three tries in memory, everything gathered at the end. An answer that it does not name is an exception
 * in the gathered list, and that filing is nobody's.
 */
import { Pool } from 'undici';
import { total } from '../entity-shape.ts';
import { watchMemory } from '../memory.ts';
import { type BenchLane, type Go, payloadOf } from '../shape.ts';

const TRIES_MAX = 3;
const CONNECTIONS_MAX = 100;

type End = 'accepted' | 'rejected' | 'fallout';

class Semaphore {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  async acquire(): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  release(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}

process.on('message', (go: Go) => void run(go));
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });

async function run({ port, lanes, share }: Go): Promise<void> {
  const memory = watchMemory();
  const startedMs = performance.now();
  const tasks: Promise<End>[] = [];
  const pools: Pool[] = [];
  for (const lane of lanes) {
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS_MAX });
    const semaphore = new Semaphore(lane.ceiling);
    pools.push(pool);
    for (let n = share.index; n < lane.filings; n += share.of) {
      const payload = payloadOf(lane.code, n);
      tasks.push(submit({ lane, pool, semaphore, payload, key: `naive-${lane.code}-${n}` }));
    }
  }
  const results = await Promise.allSettled(tasks);
  const elapsedMs = performance.now() - startedMs;
  const counts = { accepted: 0, rejected: 0, fallout: 0, lost: 0 };
  for (const result of results) {
    counts[result.status === 'fulfilled' ? result.value : 'lost'] += 1;
  }
  await Promise.all(pools.map((pool) => pool.close()));
  process.send?.({ elapsedMs, ...counts, of: total(lanes), ...memory.stop() });
}

interface Task {
  readonly lane: BenchLane;
  readonly pool: Pool;
  readonly semaphore: Semaphore;
  readonly payload: string;
  readonly key: string;
}

async function submit({ lane, pool, semaphore, payload, key }: Task): Promise<End> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
    let status: number;
    await semaphore.acquire();
    try {
      const answer = await pool.request({
        method: 'POST',
        path: `/${lane.code}/submit`,
        headers: { 'content-type': 'application/json; charset=utf-8', 'x-idempotency-key': key },
        body: payload,
      });
      await answer.body.dump();
      status = answer.statusCode;
      if (status === 429) await sleep(2 ** attempt * 1000 + 500);
    } catch {
      // A connection error is tried again after a while; nothing else is asked about what became of it.
      status = 0;
    } finally {
      semaphore.release();
    }
    if (status === 200) return 'accepted';
    if (status === 400 || status === 409 || status === 422) return 'rejected';
    if (status === 0) await sleep(2 ** attempt * 1000);
    else if (status !== 429) throw new Error(`Unexpected status ${status}`);
  }
  return 'fallout';
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
