import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliWorld } from '../fixtures/cli.ts';

let world: CliWorld;

beforeAll(async () => {
  world = await CliWorld.bare();
});
afterAll(() => world.close());

it('demo patent: nothing is lost, nothing is sent twice, the ledger proves it, within a minute', async () => {
  const startedAt = Date.now();
  const { ended } = world.start(['demo', 'patent']);
  const { code, stdout, stderr } = await ended;
  expect(code, stdout + stderr).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(60_000);
  expect(stdout).toMatch(/ruiz-mail failed → moreau-mail sent/);
  expect(stdout).toMatch(/A mail scanner opens the link \(GET, 200\): 0 acknowledged/);
  expect(stdout).toContain('2 of 2 are acknowledged');
  const steps = [...stdout.matchAll(/^ {3}[\d:]{8} {2}(\w+) +good$/gm)].map(([, step]) => step);
  expect(steps).toEqual(['health', 'health', 'schema', 'drain', 'reconciliation', 'synthetic']);
  expect(stdout.match(/MANUAL_ESCALATION_REQUIRED/g)).toHaveLength(2);
  expect(stdout).toContain('The next event goes to bio-endpoint again');
  expect(stdout).toContain('The endpoint holds 2 events, 0 of them twice.');
  expect(stdout).toMatch(/PRIMARY bio-endpoint \(open\) → SECONDARY ruiz-mail/);
  expect(stdout).toMatch(/SECONDARY ruiz-mail \(\w+\) → TERTIARY moreau-mail/);
  expect(stdout).toMatch(/breaker\.closed +lane target\/bio-endpoint/);
  expect(stdout).toMatch(/\/filing +\d+ +\d+ +verified/);
});
