/** `portal check`: a right portal passes, each wrong one fails with its own reason. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Profile } from '../../src/core/profile.ts';
import { checkPortal, type ConformanceReport } from '../../src/lanes/conformance/conformance.ts';
import { systemClock } from '../../src/system/clock.ts';
import { startSimulator } from '../../src/testing/simulator/portal-server.ts';
import { WRONG_PORTALS, type WrongPortal } from '../../src/testing/simulator/wrong-portals.ts';
import { SECRETS, shipped } from './world.ts';

const cleanup: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0)) await step();
});

const environment = { ...SECRETS, PORTAL_KEY: 'key' };

/** A portal that makes every promise there is, so that every check has something to look at. */
function promising(driver: Profile['driver'], reason = ''): Profile {
  const { hours: _hours, ...profile } = shipped(driver === 'json-api' ? 'us-ca' : 'us-ny');
  if (profile.status === undefined || profile.limits === undefined) throw new Error('incomplete');
  // A duplicate window and honoured keys exclude each other's checks of a second filing.
  const duplicateWindowMs = reason === 'DUPLICATE_ACCEPTED' ? 60_000 : 0;
  return {
    ...profile,
    status: { ...profile.status, visibilityLagMs: 100 },
    received: { ...profile.received, pollMs: 50 },
    ...(driver === 'json-api'
      ? {
          idempotency: { ...profile.idempotency, honouredMs: 86_400_000 },
          credentials: [{ header: 'X-Api-Key', value: 'env:PORTAL_KEY' }],
        }
      : {}),
    limits: { ...profile.limits, duplicateWindowMs },
  };
}

async function check(
  profile: Profile,
  wrong?: Pick<WrongPortal, 'play' | 'behaviour' | 'twist'>,
): Promise<ConformanceReport> {
  const simulator = await startSimulator({
    profiles: [wrong?.play?.(profile) ?? profile],
    port: 0,
    clock: systemClock,
    behaviour: { [profile.code]: { latencyMs: { mean: 0, spread: 0 }, ...wrong?.behaviour } },
    ...(wrong?.twist === undefined ? {} : { twist: wrong.twist() }),
  });
  cleanup.push(() => simulator.close());
  const { baseUrl } = simulator.profile(profile.code);
  return checkPortal({
    profile: { ...profile, baseUrl, allowPrivateAddresses: true },
    clock: systemClock,
    environment,
    run: 'test',
    waitMsMax: 1_000,
  });
}

const states = (report: ConformanceReport): Readonly<Record<string, string>> =>
  Object.fromEntries(report.checks.map(({ name, state }) => [name, state]));

describe('a profile that the form does not fit', () => {
  it.each([
    ['a field that is not there', { fields: [{ name: 'gone', at: '/period' }] }],
    ['no field for the reference', { keyField: 'gone' }],
  ])('%s fails, also where nothing may be submitted', async (_name, change) => {
    const { synthetic: _synthetic, ...profile } = promising('html-form');
    if (profile.form === undefined) throw new Error('no form');
    const told = { ...profile, form: { ...profile.form, ...change } };
    const report = await check(told, { play: () => profile });
    expect(report).toMatchObject({ conforms: false, reason: 'FORM_CHANGED' });
    expect(report.checks.find(({ name }) => name === 'form')?.found).toBe(
      'The form has no field gone.',
    );
  });
});

describe('a portal that keeps its promises', () => {
  it('passes every check that its profile gives reason for, json-api', async () => {
    const report = await check(promising('json-api'));
    expect(report.checks.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(states(report)).toMatchObject({
      reach: 'passed',
      health: 'passed',
      'unknown-path': 'passed',
      credentials: 'passed',
      registry: 'passed',
      'status-unknown': 'passed',
      submit: 'passed',
      'second-key': 'passed',
      repeat: 'passed',
      'key-reuse': 'passed',
      'status-known': 'passed',
      limits: 'passed',
    });
  });

  it('passes with pages, and tells the fingerprint to be written into the profile', async () => {
    const profile = promising('html-form');
    const report = await check(profile);
    expect(report.checks.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(states(report)).toMatchObject({
      'sign-in': 'passed',
      form: 'passed',
      sessions: 'passed',
      submit: 'passed',
      'second-key': 'passed',
      'status-known': 'passed',
    });
    expect(report.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    if (profile.form === undefined || report.fingerprint === undefined) throw new Error('no form');
    const pinned = { ...profile, form: { ...profile.form, fingerprint: report.fingerprint } };
    expect((await check(pinned)).conforms).toBe(true);
  });

  it.each(['us-de', 'us-ca', 'us-ny', 'us-tx', 'template'])(
    'the shipped profile %s passes on its simulator',
    async (name) => {
      const { hours: _hours, ...profile } = shipped(name);
      const report = await check(profile, { behaviour: { timings: { processingMs: 200 } } });
      // Its visibility lag is days; a filing that is polled for needs the lag to be short.
      const isPolled = profile.received.always === true;
      const shown = isPolled
        ? await check(profile, {
            behaviour: { visibilityLagMs: 0, timings: { processingMs: 200 } },
          })
        : report;
      expect(shown.checks.filter(({ state }) => state === 'failed')).toEqual([]);
      expect(states(shown)['submit']).toBe('passed');
    },
  );
});

describe('a wrong portal', () => {
  it('there are at least ten of them, each with a reason of its own', () => {
    const reasons = WRONG_PORTALS.map(({ reason }) => reason);
    expect(new Set(reasons).size).toBe(reasons.length);
    expect(reasons.length).toBeGreaterThanOrEqual(10);
  });

  it.each(WRONG_PORTALS.map((wrong) => [wrong.name, wrong.reason, wrong] as const))(
    'one that %s fails with %s',
    async (_name, reason, wrong) => {
      const profile = promising(wrong.driver, reason);
      const pinned = wrong.driver === 'html-form' ? await withFingerprint(profile) : profile;
      const report = await check(pinned, wrong);
      expect(report.checks.filter(({ state }) => state === 'failed')[0]).toMatchObject({ reason });
      expect(report).toMatchObject({ conforms: false, reason });
    },
  );

  it('nothing listens there: UNREACHABLE, and nothing else is tried', async () => {
    const simulator = await startSimulator({
      profiles: [promising('json-api')],
      port: 0,
      clock: systemClock,
    });
    const { baseUrl } = simulator.profile('US-CA');
    await simulator.close();
    const profile = { ...promising('json-api'), baseUrl, allowPrivateAddresses: true };
    const report = await checkPortal({
      profile,
      clock: systemClock,
      environment,
      run: 't',
      waitMsMax: 100,
    });
    expect(report.reason).toBe('UNREACHABLE');
    expect(report.checks.slice(1).every(({ state }) => state === 'skipped')).toBe(true);
  });
});

async function withFingerprint(profile: Profile): Promise<Profile> {
  const { fingerprint } = await check(profile);
  if (profile.form === undefined || fingerprint === undefined) throw new Error('no form');
  return { ...profile, form: { ...profile.form, fingerprint } };
}
