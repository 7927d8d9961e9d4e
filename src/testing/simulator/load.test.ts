import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { instant } from '../../core/time.ts';
import { startSimulator } from './portal-server.ts';
import { sampleProfile } from './sample-profile.ts';

const FILINGS = 6_000;
const IN_FLIGHT = 64;

/** Client and simulator share one process here, so this is a floor: apart from the client it reaches more. */
async function requestsPerSecond(latencyMs: number): Promise<number> {
  const simulator = await startSimulator({
    profiles: [sampleProfile({ ceiling: IN_FLIGHT })],
    port: 0,
    clock: { now: () => instant(Date.now()) },
    behaviour: { '*': { latencyMs: { mean: latencyMs, spread: 0 } } },
  });
  const pool = new Pool(`http://127.0.0.1:${simulator.port}`, { connections: IN_FLIGHT });
  const payload = Buffer.alloc(600, 'x');
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < FILINGS) {
      const headers = { 'x-idempotency-key': `filing-${next++}` };
      const request = { path: '/US-DE/submit', method: 'POST', headers, body: payload } as const;
      const { body } = await pool.request(request);
      await body.dump();
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const seconds = (performance.now() - from) / 1_000;
  const { accepted, keysAcceptedTwice, inFlightMax } = simulator.truth('US-DE').summary();
  await pool.close();
  await simulator.close();
  expect({ accepted, keysAcceptedTwice }).toEqual({ accepted: FILINGS, keysAcceptedTwice: 0 });
  expect(inFlightMax).toBeLessThanOrEqual(IN_FLIGHT);
  return Math.round(FILINGS / seconds);
}

it.each([0, 5])('takes thousands of filings a second at %i ms', async (latencyMs) => {
  const rate = await requestsPerSecond(latencyMs);
  process.stdout.write(`simulator: ${rate} requests/s at ${latencyMs} ms, ${IN_FLIGHT} at once\n`);
  // Loose on purpose: the machine is shared, and a rate is no rule. It catches a simulator that has become ten times slower.
  expect(rate).toBeGreaterThan(300);
});
