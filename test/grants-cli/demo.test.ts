/** `filewright demo grants` on the built program: the year of issue 7, start to end. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliWorld, type Json } from '../fixtures/cli.ts';

let world: CliWorld;

beforeAll(async () => {
  world = await CliWorld.bare();
});
afterAll(() => world.close());

const TENANT = ['--tenant', 'lantern'];

describe('a year of a small nonprofit', () => {
  it('runs through within a minute, and every log verifies', async () => {
    const { code, stdout, stderr } = await world.start([...TENANT, 'demo', 'grants']).ended;
    expect(code, stderr).toBe(0);
    const inOrder = [
      'CLASSIFICATION_MISSING',
      'nothing is counted twice',
      'NOT CLOSED',
      'needs a person (P6-unmatched-bank)',
      'NOT RELEASED',
      'PA: contributions exceeded $25000 on 2026-09-14',
      'attaches the registration check for PA',
      'tries to approve it alone: SELF_APPROVAL',
      'approves exactly this document',
      'HTTP_503; 1 attempt',
      'NO MORE RETRIES after 3 attempts (HTTP_503)',
      'HTTP_429; 1 attempt',
      'its ledger agrees with ours (2 attempts)',
      'charity.renewal',
      'IRS990/TotalContributionsAmt',
      'open exceptions 0, waiting retries 0, periods not released 0',
    ];
    const places = inOrder.map((text) => stdout.indexOf(text));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    // Only Pennsylvania: North Carolina exempts up to 50,000 dollars.
    expect(stdout).not.toContain('NC: contributions');
    expect(stdout).toMatch(/IRS990\/TotalContributionsAmt +\S.* 45001 +45,000\.75 +11\n/);
    expect(stdout).toMatch(/IRS990\/CYGrantsAndSimilarPaidAmt +\S.* 10300 +10,300\.00 +3\n/);
    const logs = [...stdout.matchAll(/\/lantern\/(\w+) +\d+ +\d+ +(\w+)/g)].map(
      ([, log, verdict]) => [log, verdict],
    );
    const boundaries = ['fallback', 'ingestion', 'reconciliation', 'reporting', 'rules'];
    expect(logs).toEqual(expect.arrayContaining(boundaries.map((log) => [log, 'verified'])));
    expect(logs.every(([, verdict]) => verdict === 'verified')).toBe(true);
  });

  it('leaves an export in which every part has a payload hash and a bank line', () => {
    const file = join(world.dataDirectory, 'demo', 'lantern', 'form-990.json');
    const { document } = JSON.parse(readFileSync(file, 'utf8')) as { document: Json };
    const figures = document['figures'] as { cents: string; trace: { parts: Part[] } }[];
    expect(figures).toHaveLength(9);
    for (const { cents, trace } of figures) {
      const sum = trace.parts.reduce((total, part) => total + BigInt(part.cents), 0n);
      expect(sum).toBe(BigInt(cents));
      for (const part of trace.parts) {
        expect(part.payload_hash).toMatch(/^[0-9a-f]{64}$/);
        expect(part.bank.length).toBeGreaterThan(0);
      }
    }
  });

  it('does not mix with what a tenant holds already', async () => {
    const ended = await world.run([...TENANT, 'demo', 'grants']);
    expect(ended.code).toBe(4);
    expect(ended.stderr).toContain('already holds awards or feeds');
  });
});

interface Part {
  readonly cents: string;
  readonly payload_hash: string;
  readonly bank: readonly unknown[];
}
