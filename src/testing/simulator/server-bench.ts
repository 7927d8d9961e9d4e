import { setTimeout as pause } from 'node:timers/promises';
import { instant } from '../../core/index.ts';
import type { BehaviourChange } from './behaviour.ts';
import { type Simulator, type SimulatorOptions, startSimulator } from './portal-server.ts';
import { sampleProfile } from './sample-profile.ts';

// Shared by the tests of this folder.

export const clock = { now: () => instant(Date.now()) };
const started: Simulator[] = [];

/** For `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all(started.splice(0).map((simulator) => simulator.close()));
}

export async function start(
  behaviour: BehaviourChange = {},
  more: Partial<SimulatorOptions> = {},
): Promise<Simulator> {
  const simulator = await startSimulator({
    profiles: [sampleProfile(), sampleProfile({ code: 'US-CA', jurisdiction: 'US-CA' })],
    port: 0,
    clock,
    behaviour: { '*': { latencyMs: { mean: 1, spread: 0 } }, 'US-DE': behaviour },
    ...more,
  });
  started.push(simulator);
  return simulator;
}

export function submit(simulator: Simulator, key: string, lane = 'US-DE', init: RequestInit = {}) {
  return fetch(`${simulator.url(lane)}/submit`, {
    method: 'POST',
    headers: { 'X-Idempotency-Key': key },
    body: JSON.stringify({ key }),
    redirect: 'manual',
    ...init,
  });
}

/** Waits for something that only real sockets can bring about. */
export async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (holds()) return;
    await pause(5);
  }
  throw new Error('no answer within two seconds');
}
