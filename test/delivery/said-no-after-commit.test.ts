/** A portal, or a gateway before it, that takes a filing and then answers as if it had not. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Profile } from '../../src/core/profile.ts';
import type { FaultKind } from '../../src/testing/simulator/faults.ts';
import { type Server, startServer } from './server.ts';
import { NO_KEYS, quickProfile, Stage } from './stage.ts';

const DE = 'US-DE';
const COUNT = 6;

let server: Server;
let stage: Stage;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

function nobodyToAsk(profile: Profile): Profile {
  const { status: _gone, ...rest } = profile;
  return rest;
}

const LANES: Readonly<Record<string, Profile>> = {
  'keys honoured': quickProfile(DE, { ceiling: 2 }),
  'no keys, a status': quickProfile(DE, { ceiling: 2, ...NO_KEYS }),
  'neither keys nor a status': nobodyToAsk(quickProfile(DE, { ceiling: 2, ...NO_KEYS })),
};

/** The portal takes all filings, and half of them are answered with the fault the first time. */
async function play(profile: Profile, fault: FaultKind): Promise<Readonly<Record<string, number>>> {
  const throttle = { ...profile.throttle, pauseMsMax: 200 };
  const first = [1, 3, 5].map((request) => ({ fault, request }));
  stage = await Stage.set(server, [{ ...profile, throttle }], {
    '*': { schedule: first, timings: { throttleMs: 200 } },
  });
  await stage.feed(DE, COUNT);
  await stage.worker();
  await stage.untilDone();
  const { ends } = await stage.reckon();
  return ends;
}

describe('a throttle after the filing was taken', () => {
  const THROTTLES = [
    'accept_then_429',
    'accept_then_503_retry_after',
    'accept_then_403_reset',
    'accept_then_403_captcha',
  ] as const;

  for (const fault of THROTTLES) {
    it(`${fault}: the same key settles it after the pause`, async () => {
      expect(await play(LANES['keys honoured'] as Profile, fault)).toEqual({ accepted: COUNT });
      expect(stage.simulator.truth(DE).summary().repeats).toBeGreaterThan(0);
    });

    it(`${fault}: without keys the portal is asked`, async () => {
      expect(await play(LANES['no keys, a status'] as Profile, fault)).toEqual({ accepted: COUNT });
      const { requests, keysAcceptedTwice } = stage.simulator.truth(DE).summary();
      expect([requests.submit, keysAcceptedTwice]).toEqual([COUNT, 0]);
    });

    it(`${fault}: where the portal cannot be asked, a person is shown that it may be filed`, async () => {
      const ends = await play(LANES['neither keys nor a status'] as Profile, fault);
      expect(ends['fallout']).toBeGreaterThan(0);
      expect((ends['fallout'] ?? 0) + (ends['accepted'] ?? 0)).toBe(COUNT);
      expect(stage.simulator.truth(DE).requests.submit).toBe(COUNT);
    });
  }
});

describe('any other answer that says no after the filing was taken', () => {
  const NOES = [
    'accept_then_401',
    'accept_then_403',
    'accept_then_418',
    'accept_then_423',
    'accept_then_425',
  ] as const;

  for (const fault of NOES) {
    it.each(Object.keys(LANES))(
      `${fault} with %s: never twice, and nobody is told "no"`,
      async (name) => {
        const ends = await play(LANES[name] as Profile, fault);
        expect(ends['rejected'] ?? 0).toBe(0);
        expect((ends['fallout'] ?? 0) + (ends['accepted'] ?? 0)).toBe(COUNT);
      },
    );
  }
});
