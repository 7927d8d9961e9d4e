/** The driver `html-form` against real pages: what is proof, what is unknown, and what is never sent. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Profile } from '../../src/core/profile.ts';
import type { BehaviourChange } from '../../src/testing/simulator/behaviour.ts';
import { freeGuard, PortalWorld, shipped, statement } from './world.ts';

const worlds: PortalWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function newYork(
  behaviour: BehaviourChange = {},
  changes: Partial<Profile> = {},
): Promise<{ readonly world: PortalWorld; readonly profile: Profile }> {
  const world = await PortalWorld.open([shipped('us-ny', changes)], { 'US-NY': behaviour });
  worlds.push(world);
  return { world, profile: world.profile('US-NY') };
}

const FILING_POST = 'POST /statement/submit';

describe('a filing through a form', () => {
  it('signs in, carries the CSRF token back, follows the declared redirect and reads the receipt', async () => {
    const { world, profile } = await newYork();
    const { verdict } = await world.send(profile, 'k1', statement());
    const [truth] = [...world.truth('US-NY').accepted()];
    expect(verdict).toEqual({ kind: 'accepted', receipt: { number: truth?.receipt } });
    expect(truth?.key).toBe('k1');
    expect(world.requests('US-NY')).toEqual([
      'GET /login',
      'POST /login',
      'GET /statement',
      'GET /statement',
      FILING_POST,
      'GET /statement/confirmation',
    ]);
  });

  it('keeps the session for the next filing and takes a new CSRF token each time', async () => {
    const { world, profile } = await newYork();
    for (const key of ['a', 'b', 'c']) {
      const { verdict } = await world.send(profile, key, statement());
      expect(verdict.kind).toBe('accepted');
    }
    expect(world.requests('US-NY').filter((line) => line === 'POST /login')).toHaveLength(1);
    expect(world.truth('US-NY').summary().keysAccepted).toBe(3);
  });

  it('keeps the exact bytes of the confirmation page as the answer', async () => {
    const { world, profile } = await newYork();
    const { exchange } = await world.send(profile, 'k1', statement());
    expect(exchange.kind).toBe('answer');
    if (exchange.kind !== 'answer') return;
    expect(Buffer.from(exchange.body).toString('utf8')).toMatch(/^<!doctype html>.*id="receipt"/);
    expect(exchange.page?.kind).toBe('confirmation');
  });

  it('a refusal on the page is a refusal with the portal’s own code', async () => {
    const { world, profile } = await newYork();
    const { verdict } = await world.send(profile, 'k1', statement({ period: '2026-10' }));
    expect(verdict).toEqual({ kind: 'rejected', code: 'PORTAL_TOO_EARLY' });
    expect(world.truth('US-NY').summary()).toMatchObject({
      keysAccepted: 0,
      refusals: { examined: 1 },
    });
  });
});

describe('before the form is posted', () => {
  const unposted: readonly (readonly [string, BehaviourChange, object])[] = [
    [
      'a wrong password',
      { login: 'refused' },
      { kind: 'drift', code: 'LOGIN_REFUSED', written: false },
    ],
    [
      'a changed form',
      { form: 'changed' },
      { kind: 'drift', code: 'FORM_CHANGED', written: false },
    ],
  ];
  it.each(unposted)('%s is proof that nothing was filed', async (_name, behaviour, expected) => {
    const { world, profile } = await newYork(behaviour);
    const { verdict } = await world.send(profile, 'k1', statement());
    expect(verdict).toEqual(expected);
    expect(world.requests('US-NY')).not.toContain(FILING_POST);
  });

  it('a session that ends again directly after the new login is not renewed a second time', async () => {
    const { world, profile } = await newYork({ sessionIdleMs: 1_000 });
    let requests = 0;
    // The fourth and the ninth request ask for the form, each after a login.
    const guard = freeGuard(() => {
      requests += 1;
      if (requests === 4 || requests === 9) world.pass(2_000);
      return true;
    });
    const { verdict } = await world.send(profile, 'k1', statement(), guard);
    expect(verdict).toEqual({ kind: 'session', code: 'SESSION', written: false });
    const seen = world.requests('US-NY');
    expect(seen.filter((line) => line === 'POST /login')).toHaveLength(2);
    expect(seen).not.toContain(FILING_POST);
  });

  it('an unreadable password reference stops the lane, not the filing', async () => {
    const world = await PortalWorld.open([shipped('us-ny')], {}, { environment: {} });
    worlds.push(world);
    const { verdict, exchange } = await world.send(world.profile('US-NY'), 'k1', statement());
    expect(verdict).toEqual({ kind: 'drift', code: 'CREDENTIAL', written: false });
    expect(JSON.stringify(exchange)).toContain('PORTAL_US_NY_USER');
    expect(world.requests('US-NY')).toEqual(['GET /login']);
  });

  it('a fingerprint that differs is drift even where every field could be filled in', async () => {
    const { world, profile } = await newYork();
    const opened = await world.portal.openForm(profile, freeGuard());
    if (opened.kind !== 'opened' || profile.form === undefined) throw new Error('no form');
    const good = { ...profile, form: { ...profile.form, fingerprint: opened.fingerprint } };
    expect((await world.send(good, 'k1', statement())).verdict.kind).toBe('accepted');
    const other = { ...profile, form: { ...profile.form, fingerprint: 'f'.repeat(64) } };
    expect((await world.send(other, 'k2', statement())).verdict).toEqual({
      kind: 'drift',
      code: 'FORM_CHANGED',
      written: false,
    });
    expect(world.truth('US-NY').summary().keysAccepted).toBe(1);
  });

  it('the lease is asked directly before the filing is written: a lost one writes nothing of it', async () => {
    const { world, profile } = await newYork();
    // Live until the form page has been asked for; the fourth request is that page, the fifth would be the filing.
    const seen = () => world.requests('US-NY').length;
    const { exchange, verdict } = await world.send(
      profile,
      'k1',
      statement(),
      freeGuard(() => seen() < 4),
    );
    expect(exchange).toMatchObject({ kind: 'failure', code: 'lease_lost', written: false });
    expect(verdict.kind).toBe('transient');
    expect(world.requests('US-NY')).toHaveLength(4);
    expect(world.requests('US-NY')).not.toContain(FILING_POST);
  });

  it('a throttle on the way to the form pauses the lane until its stamp', async () => {
    const { world, profile } = await newYork(
      { overCeiling: 'blocked', blockMs: 60_000, latencyMs: { mean: 20, spread: 0 } },
      { ceiling: 1 },
    );
    await Promise.all(['a', 'b', 'c'].map((key) => world.send(profile, key, statement())));
    const { verdict } = await world.send(profile, 'd', statement());
    expect(verdict).toMatchObject({ kind: 'throttled', waitMs: 60_000 });
  });

  it('a text that is longer than the field takes goes to a person, unsent', async () => {
    const { world, profile } = await newYork();
    const long = statement({ fields: { business_description: 'x'.repeat(4_097) } });
    const { verdict, exchange } = await world.send(profile, 'k1', long);
    expect(verdict).toEqual({ kind: 'denied', code: 'PAYLOAD', written: false });
    expect(JSON.stringify(exchange)).toContain('4096 characters');
    const just = statement({ fields: { business_description: 'x'.repeat(4_096) } });
    expect((await world.send(profile, 'k2', just)).verdict.kind).toBe('accepted');
  });
});

describe('after the form is posted', () => {
  const doubtful: readonly (readonly [BehaviourChange['faults'], string])[] = [
    [{ login_page_200_accepted: 1 }, 'LOGIN_PAGE'],
    [{ login_page_200: 1 }, 'LOGIN_PAGE'],
    [{ redirect_after_accept: 1 }, 'HTTP_302'],
    [{ accept_then_cut: 1 }, 'CUT'],
    [{ truncated_json: 1 }, 'ANSWER_NOT_A_PAGE'],
    [{ truncated_body: 1 }, 'BODY_TRUNCATED'],
    [{ wrong_charset_latin1: 1 }, 'ANSWER_NOT_A_PAGE'],
    [{ receipt_malformed: 1 }, 'RECEIPT_MALFORMED'],
    [{ accept_then_500: 1 }, 'HTTP_500'],
  ];
  it.each(doubtful)('%j is unknown', async (faults, code) => {
    const { world, profile } = await newYork({ faults: faults ?? {} });
    expect((await world.send(profile, 'k1', statement())).verdict).toEqual({
      kind: 'unknown',
      code,
    });
  });

  it('a confirmation page without the receipt is drift, and the filing unknown first', async () => {
    const { world, profile } = await newYork({ faults: { receipt_missing: 1 } });
    expect((await world.send(profile, 'k1', statement())).verdict).toEqual({
      kind: 'drift',
      code: 'RECEIPT_FIELD_MISSING',
      written: true,
    });
  });

  it('the status page settles it: accepted with the same receipt, or no record', async () => {
    const { world, profile } = await newYork({
      faults: { accept_then_cut: 1 },
      visibilityLagMs: 0,
    });
    expect((await world.send(profile, 'k1', statement())).verdict.kind).toBe('unknown');
    const [truth] = [...world.truth('US-NY').accepted()];
    expect(await world.ask(profile, 'k1')).toEqual({
      kind: 'accepted',
      receipt: { number: truth?.receipt },
    });
    expect(await world.ask(profile, 'other')).toEqual({ kind: 'not_found' });
  });

  it.each([
    'status_other_key',
    'status_no_receipt',
    'status_unknown_word',
    'status_404_page',
  ] as const)('a status page with %s settles nothing', async (fault) => {
    const { world, profile } = await newYork({ faults: { [fault]: 1 }, visibilityLagMs: 0 });
    await world.send(profile, 'k1', statement());
    expect((await world.ask(profile, 'k1')).kind).toBe('unclear');
  });
});

describe('sessions', () => {
  it('an idle session is signed in anew before the portal would end it', async () => {
    const { world, profile } = await newYork();
    await world.send(profile, 'a', statement());
    world.pass(14 * 60_000 + 30_000);
    await world.send(profile, 'b', statement());
    expect(world.requests('US-NY').filter((line) => line === 'POST /login')).toHaveLength(2);
    expect(world.truth('US-NY').summary().refusals).toEqual({});
  });

  it('one that the portal ended early is noticed on the form page and renewed once', async () => {
    const { world, profile } = await newYork({ sessionIdleMs: 1_000 });
    await world.send(profile, 'a', statement());
    world.pass(2_000);
    expect((await world.send(profile, 'b', statement())).verdict.kind).toBe('accepted');
    expect(world.requests('US-NY').filter((line) => line === 'POST /login')).toHaveLength(2);
  });

  it('keep-alive holds a session over its idle limit, and only when it is due', async () => {
    const { world, profile } = await newYork();
    await world.send(profile, 'a', statement());
    expect(await world.portal.tend(profile, freeGuard())).toBeUndefined();
    for (let round = 0; round < 3; round += 1) {
      world.pass(10 * 60_000);
      expect(await world.portal.tend(profile, freeGuard())).toMatchObject({ status: 200 });
    }
    await world.send(profile, 'b', statement());
    expect(world.requests('US-NY').filter((line) => line === 'POST /login')).toHaveLength(1);
  });

  it('filings at once have a session each, and no token is in two requests at once', async () => {
    const { world, profile } = await newYork({ latencyMs: { mean: 20, spread: 0 } });
    const keys = ['a', 'b', 'c', 'd'];
    const sent = await Promise.all(keys.map((key) => world.send(profile, key, statement())));
    expect(sent.map(({ verdict }) => verdict.kind)).toEqual(keys.map(() => 'accepted'));
    expect(world.truth('US-NY').summary().sessions).toEqual({ foreign: 0, shared: 0 });
    expect(world.requests('US-NY').filter((line) => line === 'POST /login')).toHaveLength(4);
    expect(world.collisions).toEqual([]);
  });
});
