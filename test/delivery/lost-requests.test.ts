/** Requests around a filing that are lost: the portal may still be at work on them, so their slot rests like any other. */
import { describe, expect, it } from 'vitest';
import { sendGate } from '../../src/filings/acts/send-gate.ts';
import { attemptId, laneCode, workerId } from '../../src/core/ids.ts';
import { CLOSED } from '../../src/core/breaker.ts';
import type { Claim, Clock } from '../../src/core/ports.ts';
import type { Exchange } from '../../src/core/exchange.ts';
import { instant } from '../../src/core/time.ts';
import type { Profile } from '../../src/core/profile.ts';
import { FILING } from '../fixtures/decisions.ts';
import { Lanes } from '../../src/lanes/live/lanes.ts';
import { Leases, momentOf } from '../../src/lanes/live/leases.ts';
import { SessionKeeper } from '../../src/lanes/live/session-keeper.ts';
import { Unawaited } from '../../src/lanes/live/unawaited.ts';
import { takeTurn } from '../../src/filings/delivery/turn.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';

const LANE = laneCode('US-DE');
const START = 1_772_000_000_000;
const SERVICE_MS = 2_000;

const LOST: Exchange = {
  kind: 'failure',
  written: true,
  code: 'timeout',
  message: 'No whole answer.',
  elapsedMs: 1,
};
const UNSENT: Exchange = { ...LOST, written: false, code: 'connect' };

function standing(): {
  readonly clock: Clock;
  readonly leases: Leases;
  readonly pass: (ms: number) => void;
} {
  let passedMs = 0;
  const clock: Clock = {
    now: () => instant(START + passedMs),
    monotonicMs: () => passedMs,
    sleep: async () => undefined,
  };
  const leases = new Leases(clock, 60_000);
  leases.begin(workerId('1'), instant(START), momentOf(clock));
  leases.addSlots([{ lane: LANE, n: 0, fence: '1' }]);
  return {
    clock,
    leases,
    pass: (ms) => {
      passedMs += ms;
    },
  };
}

describe('a keep-alive that is lost', () => {
  const profile: Profile = {
    ...sampleProfile(),
    code: LANE,
    ceiling: 1,
    longestServiceMs: SERVICE_MS,
    session: {
      scope: 'lane',
      idleMs: 60_000,
      cookies: [],
      headers: [],
      keepAlive: { path: '/', everyMs: 1 },
    },
  };

  async function tendedWith(exchange: Exchange | undefined): Promise<readonly boolean[]> {
    const { clock, leases, pass } = standing();
    const lanes = new Lanes({
      store: {
        survey: () => Promise.reject(new Error('not asked here')),
        changeLane: () => Promise.reject(new Error('not asked here')),
      },
      clock,
      ids: { next: () => '' },
      profiles: new Map([[LANE, profile]]),
      stopped: new AbortController().signal,
    });
    const state = {
      code: LANE,
      version: 1,
      ceiling: 1,
      pause: { kind: 'none' },
      breaker: CLOSED,
      throttles: 0,
      missing: 0,
      resumedAt: undefined,
    } as const;
    lanes.refresh([state], instant(START));
    const isFree = (): boolean => leases.idleSlot(LANE, 1) !== undefined;
    await new Promise<void>((resolve) => {
      const portal = { tend: () => Promise.resolve(exchange) };
      const unawaited = new Unawaited(new AbortController());
      new SessionKeeper({ clock, portal, lanes, leases, unawaited }, resolve).tendAll();
    });
    const atOnce = isFree();
    pass(SERVICE_MS);
    return [atOnce, isFree()];
  }

  it('keeps its slot until the portal must be done with it', async () => {
    expect(await tendedWith(LOST)).toEqual([false, true]);
  });

  it.each([
    ['one that was never written', UNSENT],
    ['none that was due', undefined],
  ])('%s frees its slot at once', async (_what, exchange) => {
    expect(await tendedWith(exchange)).toEqual([true, true]);
  });
});

describe('a look-up in the registry that is lost', () => {
  const profile: Profile = {
    ...sampleProfile(),
    code: LANE,
    registry: {
      path: '/registry/{number}',
      numberAt: '/registry_number',
      pattern: '.+',
      stateAt: '/state',
      active: ['ACTIVE'],
      inactive: [],
      notFound: [],
    },
  };

  async function turnWith(exchange: Exchange): Promise<unknown> {
    const { leases } = standing();
    const never = () => Promise.reject(new Error('nothing may be sent'));
    const gate = sendGate({
      session: { run: never },
      tenant: 'main',
      portal: { lookUp: () => Promise.resolve(exchange) },
    });
    // Only what a turn reads: the gate stops it before its payload is opened or sent.
    const claim = {
      filing: FILING,
      attempt: attemptId('01900000-0000-7000-8000-000000000001'),
      worker: workerId('1'),
      reason: 'turn',
    } as unknown as Claim;
    const payload = Buffer.from('{"registry_number":"7"}');
    const portal = { send: never, ask: never, probe: never };
    return takeTurn({ portal, leases, gate }, { claim, payload }, profile);
  }

  it('holds the filing back and says that the portal may be busy', async () => {
    expect(await turnWith(LOST)).toMatchObject({
      event: { kind: 'held_back', code: 'REGISTRY_UNCLEAR' },
      mayBeBusy: true,
    });
  });

  it('says nothing of the kind when it was never written', async () => {
    const turn = await turnWith(UNSENT);
    expect(turn).toMatchObject({ event: { kind: 'held_back' } });
    expect(turn).not.toHaveProperty('mayBeBusy');
  });
});
