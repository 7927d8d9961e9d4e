/** The four states and their quirks, as the simulators play them and the drivers meet them. */
import { afterEach, describe, expect, it } from 'vitest';
import { classifyRegistry } from '../../src/lanes/rules/registry.ts';
import { idempotencyKey } from '../../src/core/ids.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import type { Profile } from '../../src/core/profile.ts';
import type { BehaviourChange } from '../../src/testing/simulator/behaviour.ts';
import { freeGuard, NOON, PortalWorld, shipped, statement } from './world.ts';

const worlds: PortalWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function open(
  name: string,
  behaviour: BehaviourChange = {},
  changes: Partial<Profile> = {},
): Promise<{ readonly world: PortalWorld; readonly profile: Profile }> {
  const played = shipped(name, changes);
  const world = await PortalWorld.open([played], { [played.code]: behaviour });
  worlds.push(world);
  return { world, profile: world.profile(played.code) };
}

const report = (changes: Readonly<Record<string, JsonValue>> = {}): JsonValue => ({
  entity_name: 'Alder Point Holdings, Inc.',
  fields: {},
  filing_kind: 'annual_report',
  jurisdiction: 'US-DE',
  period: '2026',
  registry_number: '4810233',
  ...changes,
});

describe('Delaware', () => {
  it('blocks a second request at once with 403 and a reset stamp, and is open again after it', async () => {
    const { world, profile } = await open('us-de', {
      latencyMs: { mean: 30, spread: 0 },
      blockMs: 60_000,
    });
    const both = await Promise.all(['a', 'b'].map((key) => world.send(profile, key, report())));
    const kinds = both.map(({ verdict }) => verdict.kind).sort();
    expect(kinds).toEqual(['accepted', 'throttled']);
    const blocked = both.find(({ verdict }) => verdict.kind === 'throttled');
    expect(blocked?.verdict).toMatchObject({ code: 'HTTP_403', captcha: false, waitMs: 60_000 });
    expect((await world.send(profile, 'c', report())).verdict.kind).toBe('throttled');
    world.pass(60_000);
    expect((await world.send(profile, 'd', report())).verdict.kind).toBe('accepted');
    expect(world.truth('US-DE').summary().arrivedOverCeiling).toBe(1);
  });

  it('shows a CAPTCHA to who keeps coming: from the third refusal on, the threshold of the profile', async () => {
    const { world, profile } = await open('us-de', {
      latencyMs: { mean: 30, spread: 0 },
      blockMs: 60_000,
    });
    expect(profile.captcha.threshold).toBe(3);
    await Promise.all(['a', 'b'].map((key) => world.send(profile, key, report())));
    const second = await world.send(profile, 'c', report());
    const third = await world.send(profile, 'd', report());
    expect([second.verdict, third.verdict]).toMatchObject([
      { code: 'HTTP_403', captcha: false },
      { code: 'CAPTCHA', captcha: true, waitMs: 60_000 },
    ]);
  });

  it('keeps one session over filings one after the other, and never shares it', async () => {
    const { world, profile } = await open('us-de');
    for (const key of ['a', 'b', 'c']) await world.send(profile, key, report());
    const sessions = new Set([...world.truth('US-DE').log.entries()].map(({ session }) => session));
    expect(sessions).toEqual(new Set(['', 'US-DE.1']));
    expect(world.truth('US-DE').summary().sessions).toEqual({ foreign: 0, shared: 0 });
  });

  const payments: readonly (readonly [number, string | undefined, boolean])[] = [
    [500_000, 'card', true],
    [500_001, 'card', false],
    [500_001, 'ach', true],
    [22_500, 'cheque', false],
    [22_500, undefined, false],
  ];
  it.each(payments)('%d cents by %s: %s', async (cents, rail, isTaken) => {
    const { world, profile } = await open('us-de');
    const fields = rail === undefined ? {} : { payment_rail: rail };
    const { verdict } = await world.send(profile, 'k', report({ fee_cents: cents, fields }));
    expect(verdict).toMatchObject(
      isTaken ? { kind: 'accepted' } : { kind: 'rejected', code: 'HTTP_422' },
    );
  });

  it('accepts English characters only', async () => {
    const { world, profile } = await open('us-de');
    const { verdict, exchange } = await world.send(
      profile,
      'k',
      report({ entity_name: 'Peña Inc.' }),
    );
    expect(verdict.kind).toBe('rejected');
    expect(exchange.kind === 'answer' && Buffer.from(exchange.body).toString()).toContain(
      'CHARACTERS',
    );
  });
});

describe('California', () => {
  const california = (changes: Readonly<Record<string, JsonValue>> = {}): JsonValue =>
    report({ registry_number: 'C1234567', filing_kind: 'statement_of_information', ...changes });

  it('asks a live registry: known, unknown, and of the wrong shape', async () => {
    const { world, profile } = await open('us-ca', { unknownEntities: ['C7654321'] });
    const ask = async (number: string) =>
      classifyRegistry(await world.portal.lookUp(profile, number, freeGuard()), profile, number);
    expect(await ask('C1234567')).toEqual({ kind: 'active' });
    expect(await ask('C7654321')).toEqual({ kind: 'not_found' });
    expect(await ask('12/..')).toEqual({ kind: 'not_found' });
    const { verdict } = await world.send(profile, 'k', california({ registry_number: 'C7654321' }));
    expect(verdict.kind).toBe('rejected');
  });

  it('refuses a second submission for the same entity inside 72 hours with 409, and takes it after', async () => {
    const { world, profile } = await open('us-ca');
    expect((await world.send(profile, 'first', california())).verdict.kind).toBe('accepted');
    world.pass(72 * 3_600_000 - 1);
    expect((await world.send(profile, 'second', california())).verdict).toEqual({
      kind: 'conflict',
    });
    expect(
      (await world.send(profile, 'other', california({ registry_number: 'C1111111' }))).verdict
        .kind,
    ).toBe('accepted');
    world.pass(1);
    expect((await world.send(profile, 'third', california())).verdict.kind).toBe('accepted');
    expect(world.truth('US-CA').summary().refusals).toEqual({ duplicate: 1 });
  });

  const texts: readonly (readonly [string, string, string])[] = [
    ['a trailing space', 'Alder Inc. ', 'WHITESPACE'],
    ['a leading tab', '\tAlder Inc.', 'CONTROL'],
    ['U+0085', 'Alder\u0085Inc.', 'CONTROL'],
    ['U+007F', 'Alder\u007fInc.', 'CONTROL'],
  ];
  it.each(texts)('refuses %s', async (_name, name, code) => {
    const { world, profile } = await open('us-ca');
    const { verdict, exchange } = await world.send(profile, 'k', california({ entity_name: name }));
    expect(verdict.kind).toBe('rejected');
    expect(exchange.kind === 'answer' && Buffer.from(exchange.body).toString()).toContain(code);
  });

  it('refuses bytes that are not UTF-8 and takes the same text in UTF-8', async () => {
    const { world, profile } = await open('us-ca');
    const json = JSON.stringify(california({ entity_name: 'Peña Inc.' }));
    const send = (payload: Uint8Array, key: string) =>
      world.portal.send(
        { profile, key: idempotencyKey(key), payload, contentType: 'application/json' },
        freeGuard(),
      );
    expect(await send(Buffer.from(json, 'latin1'), 'a')).toMatchObject({ status: 422 });
    expect(await send(Buffer.from(json, 'utf8'), 'b')).toMatchObject({ status: 200 });
  });
});

describe('New York', () => {
  it('is closed at night, at weekends and on holidays: nothing is taken', async () => {
    for (const at of ['2026-09-16T23:30:00Z', '2026-09-19T16:00:00Z', '2026-11-26T17:00:00Z']) {
      const { world, profile } = await open('us-ny');
      world.pass(Date.parse(at) - NOON);
      const { verdict } = await world.send(profile, 'k', statement());
      expect(verdict.kind, at).not.toBe('accepted');
      expect(world.truth('US-NY').summary()).toMatchObject({
        accepted: 0,
        refusals: { closed: 1 },
      });
    }
  });

  // 1 August 2026 is a Saturday: the first business day is Monday the 3rd, from 06:00 in New York.
  it.each([
    ['2026-07-31T16:00:00Z', 'PORTAL_TOO_EARLY'],
    ['2026-08-03T10:00:00Z', 'accepted'],
  ])('a filing for August on %s is %s', async (at, expected) => {
    const { world, profile } = await open('us-ny');
    world.pass(Date.parse(at) - NOON);
    const { verdict } = await world.send(profile, 'k', statement({ period: '2026-08' }));
    expect('code' in verdict ? verdict.code : verdict.kind).toBe(expected);
  });
});

describe('Texas', () => {
  it('takes every filing with 202 and a submission id, and answers when polled', async () => {
    const { world, profile } = await open('us-tx', {
      timings: { processingMs: 5_000 },
      visibilityLagMs: 0,
    });
    const { verdict } = await world.send(profile, 'k', report({ jurisdiction: 'US-TX' }));
    if (verdict.kind !== 'received') throw new Error(verdict.kind);
    expect(verdict.submissionId).toMatch(/^S\d+$/);
    expect((await world.ask(profile, 'k', verdict.submissionId)).kind).toBe('processing');
    world.pass(5_000);
    const answer = await world.ask(profile, 'k', verdict.submissionId);
    const [truth] = [...world.truth('US-TX').accepted()];
    expect(answer).toEqual({ kind: 'accepted', receipt: { number: truth?.receipt } });
    expect(world.truth('US-TX').summary().faults).toEqual({});
  });
});

describe('every shipped profile', () => {
  it.each(['us-de', 'us-ca', 'us-ny', 'us-tx'])(
    '%s notes for each quirk whether it is verified',
    (name) => {
      const { quirks } = shipped(name);
      expect(quirks.length).toBeGreaterThan(5);
      expect(new Set(quirks.map((quirk) => quirk.name)).size).toBe(quirks.length);
      expect(new Set(quirks.map((quirk) => quirk.verified))).toEqual(new Set([true, false]));
    },
  );
});
