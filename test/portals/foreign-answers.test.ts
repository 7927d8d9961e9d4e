/** Answers that are somebody else's, through the real drivers: pages of an account, a registry that mixes up entities. */
import { afterEach, describe, expect, it } from 'vitest';
import { classifyRegistry } from '../../src/lanes/rules/registry.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import type { Profile } from '../../src/core/profile.ts';
import { freeGuard, PortalWorld, shipped, statement } from './world.ts';

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

async function open(...parameters: Parameters<typeof PortalWorld.open>): Promise<PortalWorld> {
  const world = await PortalWorld.open(...parameters);
  cleanup.push(() => world.close());
  return world;
}

describe('a confirmation page that belongs to the account', () => {
  const newYork = shipped('us-ny');
  const echoes = [{ at: '#filed-for', of: '/registry_number' }];
  const named: Profile = { ...newYork, receipt: { ...newYork.receipt, echoes } };

  const filed = (number: string): JsonValue => statement({ registry_number: number });

  it('proves nothing for another entity where it names its own', async () => {
    const world = await open([named], {
      'US-NY': { confirmation: 'account', latencyMs: { mean: 30, spread: 0 } },
    });
    const profile = world.profile('US-NY');
    // Two sessions, signed in before: both confirmations are then fetched after both filings were taken.
    await world.send(profile, 'k0', filed('1000000'));
    await Promise.all(['a', 'b'].map((key) => world.send(profile, key, filed('1000000'))));
    const both = await Promise.all([
      world.send(profile, 'k1', filed('1000001')),
      world.send(profile, 'k2', filed('1000002')),
    ]);
    const kinds = both.map(({ verdict }) => verdict.kind).toSorted();
    expect(kinds).not.toEqual(['accepted', 'accepted']);
    for (const { verdict } of both) {
      if (verdict.kind !== 'accepted') {
        expect(verdict).toEqual({ kind: 'unknown', code: 'OTHER_FILING' });
      }
    }
  });

  it('of a session is proof: the name on it is ours', async () => {
    const world = await open([named]);
    const profile = world.profile('US-NY');
    const { verdict } = await world.send(profile, 'k1', filed('1000001'));
    expect(verdict.kind).toBe('accepted');
  });
});

describe('a registry that answers for another entity', () => {
  const california = shipped('us-ca');
  const { registry } = california;
  const profile: Profile =
    registry === undefined
      ? california
      : { ...california, registry: { ...registry, entityAt: '/entity/number' } };

  it('is unclear, and right again when it names the one that was asked for', async () => {
    const world = await open([profile], { 'US-CA': { registry: 'for_another' } });
    const lane = world.profile('US-CA');
    const ask = async () =>
      classifyRegistry(await world.portal.lookUp(lane, 'C1234567', freeGuard()), lane, 'C1234567');
    expect(await ask()).toEqual({ kind: 'unclear', code: 'OTHER_ENTITY' });
    world.behave('US-CA', { registry: 'as_asked' });
    expect(await ask()).toEqual({ kind: 'active' });
  });
});
