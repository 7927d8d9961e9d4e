/** No two steps are of one version: every entry counts on from what was committed before it, and no attempt is made twice. */
import type { Violation } from '../../evidence.ts';
import type { Commit } from '../book.ts';
import type { RouterWorld } from '../world.ts';

const INVARIANT = 'one_writer';

export function oneWriter(world: RouterWorld): Violation[] {
  return [
    ...countedOn(world.book.commits),
    ...failuresCounted(world.book.commits),
    ...attemptsOnce(world),
  ].map((text) => ({
    invariant: INVARIANT,
    text,
  }));
}

/** The log of each subject counts 1, 2, 3 … in the order of commits. */
function countedOn(commits: readonly Commit[]): string[] {
  const found: string[] = [];
  const last = new Map<string, number>();
  for (const { facts, dockets, handoffs, by } of commits) {
    for (const { boundary, subj_kind, subj_id, subj_ver } of facts) {
      const subject = `${boundary} ${subj_kind} ${subj_id}`;
      const expected = (last.get(subject) ?? 0) + 1;
      if (subj_ver !== expected) {
        found.push(`${by} wrote entry ${subj_ver} of ${subject} after ${expected - 1}`);
      }
      last.set(subject, subj_ver);
    }
    for (const { before, after } of dockets) {
      const told = last.get(`filing docket ${after.id}`) ?? 0;
      if (after.ver !== told) {
        found.push(`docket ${after.id} is at version ${after.ver}, its log at ${told}`);
      }
      const started = handoffs.filter(
        (one) => one.before === undefined && one.after.docket === after.id,
      );
      if (after.handoffs !== (before?.handoffs ?? 0) + started.length) {
        found.push(
          `docket ${after.id} counts ${after.handoffs} handoffs after ${before?.handoffs}`,
        );
      }
    }
  }
  return found;
}

/** A failure of the attempt under way moves the breaker of its target in the same commit, unless that is open already. */
function failuresCounted(commits: readonly Commit[]): string[] {
  const found: string[] = [];
  const open = new Set<string>();
  for (const { by, dockets, handoffs, lanes } of commits) {
    for (const { before, after } of handoffs) {
      const { docket, n, tier, target, outcome } = after;
      const isFailure = ['failed', 'unknown', 'denied'].includes(outcome ?? '');
      if (!isFailure || before?.ended_at !== null || tier === 'MANUAL') continue;
      // One letter about many dockets fails once, and one of them says so to the breaker.
      if (Object(after.evidence).letter !== undefined) continue;
      const was = dockets.find((one) => one.after.id === docket)?.before;
      if (was?.phase !== 'sending' || was.handoffs !== n || open.has(`target/${target}`)) continue;
      if (lanes.some((lane) => lane.after.code === `target/${target}`)) continue;
      // Another docket's good answer in the same commit takes it back.
      const isMadeGood = handoffs.some(
        (one) =>
          one.after.target === target &&
          ['confirmed', 'sent', 'refused'].includes(one.after.outcome ?? ''),
      );
      if (isMadeGood) continue;
      found.push(`${by} wrote that ${target} failed, and its breaker was left as it was`);
    }
    for (const { after } of lanes) {
      const { breaker } = after.state as { readonly breaker: { readonly state: string } };
      if (breaker.state === 'closed') open.delete(after.code);
      else open.add(after.code);
    }
  }
  return found;
}

/** What was on its way when the faults ended has left by then. */
const SETTLED_MS = 2_000;

/** An attempt leaves once. A notice of the manual tier is tried again while it fails, which it does only in the storm. */
function attemptsOnce({ book, healAt }: RouterWorld): string[] {
  const found: string[] = [];
  const seen = new Map<string, string>();
  for (const { at, by, intents } of book.departures) {
    for (const { docket, n, tier } of intents) {
      if (tier === 'MANUAL' && at < healAt + SETTLED_MS) continue;
      const key = `${docket} attempt ${n}`;
      const first = seen.get(key);
      if (first !== undefined) found.push(`${key} (${tier}) left ${first} and ${by}`);
      seen.set(key, by);
    }
  }
  return found;
}
