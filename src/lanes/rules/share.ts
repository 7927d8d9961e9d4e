/**
 * Which slots a worker should take and give back, from a survey of all of them. Work-conserving: a slot that nobody
 * has used for half a second may be taken by anyone, because a dead worker still counts as a sharer until its lease
 * ends, and its share must not stand idle that long. A command (`wants`) has no share: it gets one slot of its lane as soon
 * as a request there ends, also where workers would keep all of them for good, and they have it back when it is done.
 */
import type { LaneCode, Survey, WorkerId } from '../../core/index.ts';

/** Long enough for the worker whose share it is to take it first, short against a lease. */
const FREE_FOR_ANYONE_MS = 500;

export interface SlotPlan {
  readonly take: readonly {
    readonly lane: LaneCode;
    readonly count: number;
    readonly ceiling: number;
  }[];
  readonly giveBack: readonly { readonly lane: LaneCode; readonly count: number }[];
}

/** `ceilings`: what each lane may have in flight now; a lane that is not named takes nothing. */
export function planSlots(
  survey: Survey,
  me: WorkerId,
  ceilings: ReadonlyMap<LaneCode, number>,
): SlotPlan {
  const present = survey.workers.filter((worker) => worker.alive);
  const alive = present.filter(({ wants }) => wants === undefined).map(({ id }) => id);
  const sharers = [...new Set([...alive, me])].sort(byIncarnation);
  const rank = sharers.indexOf(me);
  const take: { lane: LaneCode; count: number; ceiling: number }[] = [];
  const giveBack: { lane: LaneCode; count: number }[] = [];
  const codes = [...ceilings.keys()].sort();
  codes.forEach((lane, laneIndex) => {
    const ceiling = ceilings.get(lane) ?? 0;
    const slots = survey.slots.filter((slot) => slot.lane === lane && slot.n < ceiling);
    const isFree = (slot: { expiresAt: number }): boolean => slot.expiresAt <= survey.now;
    const vacant = slots.filter(isFree);
    const held = new Map<WorkerId, number>();
    for (const slot of slots) {
      if (!isFree(slot) && slot.holder !== undefined) {
        held.set(slot.holder, (held.get(slot.holder) ?? 0) + 1);
      }
    }
    const waiting = present.filter(({ id, wants }) => wants === lane && !held.has(id)).length;
    // Left to whoever waits.
    const free = vacant.slice(Math.min(waiting, vacant.length));
    const mine = held.get(me) ?? 0;
    const base = Math.floor(ceiling / sharers.length);
    const extra = (rank + laneIndex) % sharers.length < ceiling % sharers.length ? 1 : 0;
    const idle = free.filter((slot) => survey.now - slot.expiresAt > FREE_FOR_ANYONE_MS).length;
    const count = Math.min(free.length, Math.max(base + extra - mine, idle));
    if (count > 0) take.push({ lane, count, ceiling });
    const starving = sharers.some((id) => id !== me && (held.get(id) ?? 0) < base);
    // One of those who have most: the first of them, so that two do not give for one.
    const most = Math.max(0, ...sharers.map((id) => held.get(id) ?? 0));
    const isGiver = mine > 0 && sharers.find((id) => held.get(id) === most) === me;
    const isAsked = waiting > vacant.length && isGiver;
    if (isAsked || (free.length === 0 && starving && mine > base)) {
      giveBack.push({ lane, count: 1 });
    }
  });
  return { take, giveBack };
}

/** Worker ids are decimal numbers as text; a later incarnation is larger. */
function byIncarnation(a: WorkerId, b: WorkerId): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
