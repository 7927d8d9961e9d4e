/** A target that is well again is used again within a bound, and none while its breaker is not closed. */
import type { Violation } from '../../evidence.ts';
import { TARGET_IDS } from '../firm.ts';
import type { Targets } from '../targets.ts';
import type { RouterWorld } from '../world.ts';

const INVARIANT = 'way_back';
/** Cool-down, probes, the lease of a dead process, a target that asked for a rest, and a person who approves. */
const BACK_MS = 240_000;

/** The test message is the last step before the breaker closes; its process may stand still in between. */
const TRIED_MS = 50_000;

type State = { readonly breaker: { readonly state: string } };

export function wayBack(world: RouterWorld, targets: Targets): Violation[] {
  const { book, healAt, now } = world;
  const found: Violation[] = [];
  for (const target of TARGET_IDS) {
    const code = `target/${target}`;
    const wellAt = Math.max(healAt, targets.wellSince(target));
    let brokenSince: number | undefined;
    for (const { at, lanes } of book.commits) {
      const lane = lanes.find(({ after }) => after.code === code)?.after;
      if (lane === undefined) continue;
      const isBroken = (lane.state as State).breaker.state !== 'closed';
      if (isBroken) brokenSince ??= at;
      else brokenSince = late(brokenSince, at) ? brokenSince : undefined;
    }
    if (late(brokenSince, now)) {
      const text = `${target} is well since ${wellAt - world.startMs} and not used at ${now - world.startMs}`;
      found.push({ invariant: INVARIANT, text });
    }
    function late(since: number | undefined, at: number): boolean {
      return since !== undefined && at - Math.max(since, wellAt) > BACK_MS;
    }
  }
  return [
    ...found,
    ...throughOpenBreakers(world),
    ...closedUntried(world),
    ...intoFullQueues(world),
  ];
}

/** A reading says something about its queue for less than this. */
const FRESH_MS = 40_000;

/** Nothing is put into a queue that was seen to be full when the step began. */
function intoFullQueues({ book }: RouterWorld): Violation[] {
  const found: Violation[] = [];
  const seen = new Map<string, { readonly at: number; readonly isFull: boolean }>();
  for (const { at, since, by, readings, handoffs } of book.commits) {
    for (const { before, after } of handoffs) {
      const last = seen.get(after.target);
      const isKnown = last?.isFull === true && last.at < since && since - last.at < FRESH_MS;
      if (before !== undefined || after.tier === 'MANUAL' || !isKnown) continue;
      found.push({ invariant: INVARIANT, text: `${by} put ${after.docket} into a full queue` });
    }
    for (const { target, triggers } of readings) {
      if (target === null) continue;
      seen.set(target, { at, isFull: Array.isArray(triggers) && triggers.length > 0 });
    }
  }
  return found;
}

/** A breaker closes only after something has come through to the target. */
function closedUntried({ book }: RouterWorld): Violation[] {
  const found: Violation[] = [];
  for (const { at, lanes } of book.commits) {
    for (const { before, after } of lanes) {
      const was = (before?.state as State | undefined)?.breaker.state ?? 'closed';
      if (was === 'closed' || (after.state as State).breaker.state !== 'closed') continue;
      const target = after.code.replace('target/', '');
      const isTried = book.arrivals.some(
        (one) => one.target === target && one.dockets.length === 0 && at - one.at < TRIED_MS,
      );
      if (!isTried) found.push({ invariant: INVARIANT, text: `${target} came back untried` });
    }
  }
  return found;
}

/** A docket goes only through a closed breaker; whoever looked before it opened may still do so. */
function throughOpenBreakers({ book }: RouterWorld): Violation[] {
  const found: Violation[] = [];
  const broken = new Map<string, number>();
  for (const { at, by, since, lanes, handoffs } of book.commits) {
    for (const { before, after } of handoffs) {
      const { target, tier } = after;
      // Judged by how it was before this commit: the same one may open it.
      const brokenAt = broken.get(`target/${target}`) ?? Number.POSITIVE_INFINITY;
      if (before === undefined && tier !== 'MANUAL' && brokenAt < since) {
        const text = `${by} gave ${after.docket} to ${target}, whose breaker is not closed`;
        found.push({ invariant: INVARIANT, text });
      }
    }
    for (const { after } of lanes) {
      if ((after.state as State).breaker.state === 'closed') broken.delete(after.code);
      else if (!broken.has(after.code)) broken.set(after.code, at);
    }
  }
  return found;
}
