import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneCode, type WorkerId, workerId } from '../../core/ids.ts';
import type { LaneState, SlotView, WorkerView } from '../../core/lane.ts';
import type { Survey } from '../../core/ports.ts';
import { planSlots, type SlotPlan } from './share.ts';
import { addMs, type Instant, instant } from '../../core/time.ts';

const NOW = instant(1_772_000_000_000);
const LEASE_MS = 5000;
const LANE = laneCode('US-CA');
const NO_LANES: readonly LaneState[] = [];

interface SlotText {
  readonly holder?: WorkerId;
  /** How long it has been free; a held slot has none. */
  readonly freeMs?: number;
}

function worker(id: WorkerId, alive = true): WorkerView {
  return { id, host: 'h', pid: 1, pidStartedAt: '', alive };
}

function ids(count: number): WorkerId[] {
  // From 8 on, so that one and two digits meet: as text "10" sorts before "9".
  return Array.from({ length: count }, (_, n) => workerId(String(8 + n)));
}

function surveyOf(slots: readonly SlotText[], workers: readonly WorkerView[]): Survey {
  return {
    now: NOW,
    lanes: NO_LANES,
    workers,
    slots: slots.map(
      (slot, n): SlotView => ({
        lane: LANE,
        n,
        fence: '0',
        holder: slot.holder,
        expiresAt: addMs(NOW, slot.freeMs === undefined ? LEASE_MS : -slot.freeMs),
      }),
    ),
  };
}

function plan(slots: readonly SlotText[], workers: readonly WorkerId[], me: WorkerId): SlotPlan {
  return planSlots(
    surveyOf(
      slots,
      workers.map((id) => worker(id)),
    ),
    me,
    new Map([[LANE, slots.length]]),
  );
}

function taken(of: SlotPlan): number {
  return of.take.reduce((sum, one) => sum + one.count, 0);
}

describe('the share of a worker', () => {
  it('adds up to the ceiling over all workers, and no two shares differ by more than one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 12 }),
        (ceiling, count) => {
          const everybody = ids(count);
          const free = Array.from({ length: ceiling }, () => ({ freeMs: 0 }));
          const shares = everybody.map((me) => taken(plan(free, everybody, me)));
          expect(shares.reduce((sum, share) => sum + share, 0)).toBe(ceiling);
          expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('rotates the odd slot over the lanes, so that one worker does not get all of them', () => {
    const everybody = ids(3);
    const lanes = ['A', 'B', 'C'].map(laneCode);
    const survey: Survey = {
      now: NOW,
      lanes: NO_LANES,
      workers: everybody.map((id) => worker(id)),
      slots: lanes.map((lane) => ({ lane, n: 0, fence: '0', holder: undefined, expiresAt: NOW })),
    };
    const ceilings = new Map(lanes.map((lane) => [lane, 1]));
    const plans = everybody.map((me) => planSlots(survey, me, ceilings));
    expect(plans.map(taken)).toEqual([1, 1, 1]);
    expect(new Set(plans.flatMap((of) => of.take.map((one) => one.lane))).size).toBe(3);
  });

  it('is everything for a worker alone', () => {
    const free = Array.from({ length: 8 }, () => ({ freeMs: 0 }));
    expect(plan(free, [workerId('7')], workerId('7')).take).toEqual([
      { lane: LANE, count: 8, ceiling: 8 },
    ]);
  });

  it('counts the worker itself even when the survey does not show it yet', () => {
    const free = Array.from({ length: 8 }, () => ({ freeMs: 0 }));
    expect(taken(plan(free, [workerId('7')], workerId('9')))).toBe(4);
  });

  it('does not count the dead', () => {
    const survey = surveyOf(
      Array.from({ length: 8 }, () => ({ freeMs: 0 })),
      [worker(workerId('7')), worker(workerId('8'), false)],
    );
    expect(taken(planSlots(survey, workerId('7'), new Map([[LANE, 8]])))).toBe(8);
  });

  it('orders incarnations as numbers: 9 comes before 10', () => {
    const everybody = [workerId('9'), workerId('10')];
    expect(everybody.map((me) => taken(plan([{ freeMs: 0 }], everybody, me)))).toEqual([1, 0]);
  });
});

describe('taking slots', () => {
  it('goes beyond the share for slots that no one used for more than half a second', () => {
    const everybody = ids(2);
    const me = workerId('8');
    const slots = [{ holder: me }, { holder: me }, { freeMs: 501 }, { freeMs: 501 }];
    expect(taken(plan(slots, everybody, me))).toBe(2);
  });

  it('leaves a slot that became free just now to the worker whose share it is', () => {
    const everybody = ids(2);
    const [me, other] = [workerId('8'), workerId('9')];
    const slots = [{ holder: me }, { holder: me }, { freeMs: 500 }, { freeMs: 500 }];
    expect(taken(plan(slots, everybody, me))).toBe(0);
    expect(taken(plan(slots, everybody, other))).toBe(2);
  });

  it('never plans more than is free', () => {
    const slot = fc.oneof(
      fc.record({ holder: fc.constantFrom(...ids(4)) }),
      fc.record({ freeMs: fc.nat(5000) }),
    );
    fc.assert(
      fc.property(fc.array(slot, { maxLength: 20 }), fc.constantFrom(...ids(4)), (slots, me) => {
        const free = slots.filter((one) => 'freeMs' in one).length;
        const of = plan(slots, ids(4), me);
        expect(taken(of)).toBeLessThanOrEqual(free);
        // Work-conserving: what has been free for long is wanted by everybody.
        const idle = slots.filter((one) => 'freeMs' in one && one.freeMs > 500).length;
        expect(taken(of)).toBeGreaterThanOrEqual(idle);
        // Nobody takes and gives back in one breath.
        expect(of.take.length === 0 || of.giveBack.length === 0).toBe(true);
      }),
    );
  });

  it('takes nothing on a lane that is paused or not named', () => {
    const survey = surveyOf([{ freeMs: 900 }], [worker(workerId('8'))]);
    expect(planSlots(survey, workerId('8'), new Map([[LANE, 0]])).take).toEqual([]);
    expect(planSlots(survey, workerId('8'), new Map())).toEqual({ take: [], giveBack: [] });
  });

  it('touches no slot at or above the ceiling of the moment', () => {
    const survey = surveyOf(
      [{ freeMs: 900 }, { freeMs: 900 }, { freeMs: 900 }],
      [worker(workerId('8'))],
    );
    expect(planSlots(survey, workerId('8'), new Map([[LANE, 2]])).take).toEqual([
      { lane: LANE, count: 2, ceiling: 2 },
    ]);
  });
});

describe('giving slots back', () => {
  const [me, other] = [workerId('8'), workerId('9')];

  it('happens one at a time, when nothing is free and a live worker has less than its part', () => {
    const slots = [{ holder: me }, { holder: me }, { holder: me }, { holder: me }];
    expect(plan(slots, [me, other], me).giveBack).toEqual([{ lane: LANE, count: 1 }]);
  });

  it.each<[string, SlotText[]]>([
    ['while a slot is free', [{ holder: me }, { holder: me }, { holder: me }, { freeMs: 0 }]],
    [
      'when the other has its part',
      [{ holder: me }, { holder: me }, { holder: other }, { holder: other }],
    ],
    [
      'when the odd slot is the only difference',
      [{ holder: me }, { holder: me }, { holder: other }],
    ],
    ['of a lane narrower than the number of workers', [{ holder: me }]],
  ])('does not happen %s', (_when, slots) => {
    expect(plan(slots, [me, other], me).giveBack).toEqual([]);
  });

  it('does not happen for the sake of a dead worker', () => {
    const survey = surveyOf([{ holder: me }, { holder: me }], [worker(me), worker(other, false)]);
    expect(planSlots(survey, me, new Map([[LANE, 2]])).giveBack).toEqual([]);
  });
});

/** A small world: leases in a table, as the store keeps them, and workers that manage every 250 ms in a random order. */
class World {
  now: Instant = NOW;
  readonly slots: SlotView[];
  alive: WorkerId[];

  constructor(ceiling: number, workers: readonly WorkerId[]) {
    this.alive = [...workers];
    this.slots = Array.from({ length: ceiling }, (_, n) => ({
      lane: LANE,
      n,
      fence: '0',
      holder: undefined,
      expiresAt: addMs(NOW, -10_000),
    }));
  }

  manage(me: WorkerId): void {
    const survey: Survey = {
      now: this.now,
      lanes: NO_LANES,
      slots: this.slots,
      workers: this.alive.map((id) => worker(id)),
    };
    const of = planSlots(survey, me, new Map([[LANE, this.slots.length]]));
    let take = taken(of);
    let giveBack = of.giveBack.reduce((sum, one) => sum + one.count, 0);
    this.slots.forEach((slot, n) => {
      const held = slot.expiresAt > this.now;
      if (held && slot.holder === me) {
        const expiresAt = giveBack > 0 ? this.now : addMs(this.now, LEASE_MS);
        giveBack -= giveBack > 0 ? 1 : 0;
        this.slots[n] = { ...slot, expiresAt };
      } else if (!held && take > 0) {
        take -= 1;
        this.slots[n] = { ...slot, holder: me, expiresAt: addMs(this.now, LEASE_MS) };
      }
    });
  }

  rounds(count: number, order: (workers: readonly WorkerId[]) => readonly WorkerId[]): void {
    for (let round = 0; round < count; round += 1) {
      this.now = addMs(this.now, 250);
      for (const me of order(this.alive)) this.manage(me);
    }
  }

  held(by: WorkerId): number {
    return this.slots.filter((slot) => slot.holder === by && slot.expiresAt > this.now).length;
  }
}

describe('sharing over time', () => {
  const scenario = fc.record({
    ceiling: fc.integer({ min: 1, max: 16 }),
    before: fc.integer({ min: 1, max: 5 }),
    joining: fc.integer({ min: 0, max: 3 }),
    dying: fc.integer({ min: 0, max: 3 }),
    seed: fc.infiniteStream(fc.nat(1000)),
  });

  it('converges after workers join and die: no one starves, nothing is idle, and then nothing moves', () => {
    fc.assert(
      fc.property(scenario, ({ ceiling, before, joining, dying, seed }) => {
        const order = (workers: readonly WorkerId[]): readonly WorkerId[] =>
          workers
            .map((id) => [Number(seed.next().value), id] as const)
            .sort((a, b) => a[0] - b[0])
            .map(([, id]) => id);
        const everybody = ids(before + joining);
        const world = new World(ceiling, everybody.slice(0, before));
        world.rounds(10, order);
        world.alive = everybody.slice(Math.min(dying, before - 1));
        // The lease of the dead, half a second, and one slot given back per round.
        world.rounds(LEASE_MS / 250 + 3 + 2 * ceiling, order);
        const shares = world.alive.map((id) => world.held(id));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(ceiling);
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(
          Math.floor(ceiling / world.alive.length),
        );
        const settled = world.slots.map((slot) => slot.holder);
        world.rounds(20, order);
        expect(world.slots.map((slot) => slot.holder)).toEqual(settled);
      }),
      { numRuns: 200 },
    );
  });

  it('fills a dead worker’s slots within its lease and three rounds', () => {
    const world = new World(8, ids(3));
    world.rounds(10, (workers) => workers);
    world.alive = world.alive.slice(1);
    world.rounds(LEASE_MS / 250 + 3, (workers) => workers);
    expect(world.alive.reduce((sum, id) => sum + world.held(id), 0)).toBe(8);
  });
});

describe('a command that waits for a slot', () => {
  const [first, second, command] = [workerId('8'), workerId('9'), workerId('10')];
  const asks = (wants = LANE): WorkerView => ({ ...worker(command), wants });
  const planOf = (slots: readonly SlotText[], me: WorkerId, waiting = asks()): SlotPlan =>
    planSlots(
      surveyOf(slots, [worker(first), worker(second), waiting]),
      me,
      new Map([[LANE, slots.length]]),
    );

  it('gets the only slot, from the one worker that has it', () => {
    expect(planOf([{ holder: first }], first).giveBack).toEqual([{ lane: LANE, count: 1 }]);
    expect(planOf([{ holder: first }], second).giveBack).toEqual([]);
  });

  it('gets one from one worker alone', () => {
    const slots = [{ holder: first }, { holder: second }];
    const given = [first, second].flatMap((me) => planOf(slots, me).giveBack);
    expect(given).toEqual([{ lane: LANE, count: 1 }]);
  });

  it('finds the one that became free still there', () => {
    for (const me of [first, second]) expect(planOf([{ freeMs: 5_000 }], me).take).toEqual([]);
  });

  it('takes no second one, and has no share', () => {
    const slots = [{ holder: command }, { holder: first }, { holder: first }, { holder: second }];
    for (const me of [first, second]) expect(planOf(slots, me).giveBack).toEqual([]);
    expect(taken(planOf([{ freeMs: 0 }, { freeMs: 0 }, { holder: command }], first))).toBe(2);
  });

  it('asks for nothing of another lane', () => {
    expect(planOf([{ holder: first }], first, asks(laneCode('US-NY'))).giveBack).toEqual([]);
  });
});
