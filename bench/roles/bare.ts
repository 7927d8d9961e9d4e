/** The same requests with undici alone: the same ceilings, headers and payloads, no database, no ledger, no proof. */
import { Pool } from 'undici';
import { type BenchLane, type Go, payloadOf } from '../shape.ts';

process.on('message', (go: Go) => void run(go));
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });

async function run(go: Go): Promise<void> {
  const startedMs = performance.now();
  await Promise.all(go.lanes.map((lane) => runLane(lane, go.port, go.share)));
  process.send?.({ elapsedMs: performance.now() - startedMs });
}

async function runLane(lane: BenchLane, port: number, share: Go['share']): Promise<void> {
  const ceiling = Math.floor((lane.ceiling + share.index) / share.of);
  if (ceiling === 0) return;
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: ceiling, pipelining: 1 });
  const count = Math.round((lane.filings * ceiling) / lane.ceiling);
  let next = 0;
  const send = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const answer = await pool.request({
        method: 'POST',
        path: `/${lane.code}/submit`,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'x-idempotency-key': `fw1-bare-${share.index}-${lane.code}-${n}`,
          'cache-control': 'no-cache, no-store, must-revalidate',
          pragma: 'no-cache',
          'accept-encoding': 'identity',
        },
        body: payloadOf(lane.code, n),
      });
      await answer.body.json();
    }
  };
  await Promise.all(Array.from({ length: ceiling }, send));
  await pool.close();
}
