/** A receipt is one filing's: whoever comes with it second, or with somebody else's answer, is not accepted. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Echo, Profile } from '../../src/core/profile.ts';
import type { BehaviourChange } from '../../src/testing/simulator/behaviour.ts';
import type { FaultKind } from '../../src/testing/simulator/faults.ts';
import { type Server, startServer } from './server.ts';
import { NO_KEYS, quickProfile, Stage } from './stage.ts';

const DE = 'US-DE';

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
  'keys honoured': quickProfile(DE, { ceiling: 1 }),
  'no keys, a status': quickProfile(DE, { ceiling: 1, ...NO_KEYS }),
  'neither keys nor a status': nobodyToAsk(quickProfile(DE, { ceiling: 1, ...NO_KEYS })),
};

async function play(
  profile: Profile,
  behaviour: BehaviourChange,
  count = 4,
): Promise<Readonly<Record<string, number>>> {
  stage = await Stage.set(server, [profile], { '*': behaviour });
  await stage.feed(DE, count);
  await stage.worker();
  await stage.untilDone();
  const { ends } = await stage.reckon();
  return ends;
}

function at(fault: FaultKind, ...requests: readonly number[]): BehaviourChange {
  return { schedule: requests.map((request) => ({ fault, request })) };
}

/** The receipts that we hold for proof, and how often each. */
async function twiceUsed(): Promise<number> {
  return stage.evidence.count(
    `(select 1 from filing where tenant = $1 and status = 'accepted'
       group by lane, receipt having count(*) > 1) twice`,
    [stage.app.tenant],
  );
}

describe('one receipt for two filings', () => {
  it.each(Object.keys(LANES))('is proof for the first alone, with %s', async (name) => {
    const ends = await play(LANES[name] as Profile, at('receipt_reissued', 2));
    expect(await twiceUsed()).toBe(0);
    expect(ends).toEqual({ accepted: 3, fallout: 1 });
    // The person sees which filing has it.
    const [row] = await stage.evidence.read(
      `select x.reason, x.unsettled is not null as in_doubt from exception x where x.tenant = $1`,
      [stage.app.tenant],
    );
    expect(row).toMatchObject({ in_doubt: true });
    expect(String(row?.['reason'])).toContain('RECEIPT_OF_ANOTHER');
  });

  it('in one tick, or in two processes at once, is proof for one of them', async () => {
    const retry = { ...quickProfile(DE).retry, inARowMax: 2 };
    const profile = quickProfile(DE, { ceiling: 8, retry });
    stage = await Stage.set(server, [profile], {
      '*': { faults: { receipt_reissued: 1 }, latencyMs: { mean: 15, spread: 0 } },
    });
    await stage.feed(DE, 12);
    await stage.worker();
    await stage.worker();
    await stage.untilDone();
    expect(await twiceUsed()).toBe(0);
    expect((await stage.reckon()).ends).toEqual({ accepted: 1, fallout: 11 });
  });
});

describe('the receipt of the filing before', () => {
  it('is found out, and the same key brings the right one', async () => {
    const ends = await play(LANES['keys honoured'] as Profile, at('receipt_of_another', 2));
    expect(ends).toEqual({ accepted: 4 });
  });

  it('is found out, and the status has the right one', async () => {
    const ends = await play(LANES['no keys, a status'] as Profile, at('receipt_of_another', 2));
    expect(ends).toEqual({ accepted: 4 });
  });

  it('in a status answer is found out', async () => {
    const profile = LANES['no keys, a status'] as Profile;
    const schedule = [
      { fault: 'accept_then_500', request: 2 },
      { fault: 'status_receipt_of_another', request: 3 },
    ] as const;
    expect(await play(profile, { schedule })).toEqual({ accepted: 4 });
    expect(await twiceUsed()).toBe(0);
  });
});

describe('a second answer that comes when the next request is under way', () => {
  it.each(['keys honoured', 'no keys, a status'])('is nobody’s proof, with %s', async (name) => {
    const behaviour = {
      ...at('duplicate_answer_late', 1, 2, 3),
      latencyMs: { mean: 40, spread: 0 },
    };
    expect(await play(LANES[name] as Profile, behaviour, 5)).toEqual({ accepted: 5 });
    expect(await twiceUsed()).toBe(0);
  });
});

describe('an answer that names another filing', () => {
  const echoes: readonly Echo[] = [
    { at: '/filing/key', of: 'key' },
    { at: '/filing/entity', of: '/registry_number' },
  ];
  const named = (profile: Profile): Profile => ({
    ...profile,
    receipt: { ...profile.receipt, echoes },
    ...(profile.status === undefined ? {} : { status: { ...profile.status, echoes } }),
  });

  it.each(['keys honoured', 'no keys, a status'])(
    'is not taken for ours although its receipt is new to us, with %s',
    async (name) => {
      // The first answer is lost, so that its receipt is first seen in the answer to the second.
      const schedule = [
        { fault: 'accept_then_500', request: 1 },
        { fault: 'answer_of_another', request: 2 },
        { fault: 'status_other_entity', request: 3 },
      ] as const;
      const profile = { ...named(LANES[name] as Profile), ceiling: 2 };
      expect(await play(profile, { schedule })).toEqual({ accepted: 4 });
    },
  );
});
