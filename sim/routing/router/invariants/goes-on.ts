/** No open docket is without a moment at which somebody looks at it, and that moment is kept: each comes to its end. */
import type { Violation } from '../../evidence.ts';
import type { DocketRow } from '../../memory/tables.ts';
import { QUEUE_TARGET } from '../firm.ts';
import type { Targets } from '../targets.ts';
import type { RouterWorld } from '../world.ts';

const INVARIANT = 'goes_on';
/** A moment that has come is kept within this time, where somebody runs and nobody holds the row. */
const KEPT_MS = 20_000;

export function goesOn(world: RouterWorld, targets: Targets): Violation[] {
  const { docket } = world.database.tables;
  const found: Violation[] = [];
  const say = (row: DocketRow, text: string): void => {
    found.push({ invariant: INVARIANT, text: `docket ${row.id} ${text}` });
  };
  for (const row of docket.rows.values()) {
    const isOver = row.phase === 'confirmed' || row.closed_at !== null;
    if (!isOver) say(row, `is still ${row.phase} ${row.tier} at the end`);
    if (row.next_at !== null && row.next_at < world.now - KEPT_MS) {
      say(row, `had its moment ${world.now - row.next_at} ms before the end, and nobody came`);
    }
  }
  return [
    ...found,
    ...keptMoments(world),
    ...givenUp(world),
    ...notAtRest(world),
    ...leftInQueue(world, targets),
  ];
}

/** What is closed is handed to nobody any more. */
function notAtRest({ book }: RouterWorld): Violation[] {
  return book.commits.flatMap(({ by, dockets }) =>
    dockets
      .filter(
        ({ before, after }) =>
          (before?.closed_at ?? null) !== null && after.handoffs > (before?.handoffs ?? 0),
      )
      .map(({ after }) => ({
        invariant: INVARIANT,
        text: `${by} handed docket ${after.id} over after it was closed`,
      })),
  );
}

/** A queue stands still for so long before it is seen to, and its dockets go on within the time of a few looks. */
const SEEN_MS = 20_000;
const TAKEN_BACK_MS = 25_000;

/** What came into a queue that nobody takes from is not confirmed: once the faults are over, it goes on. */
function leftInQueue({ book, healAt }: RouterWorld, { standstill }: Targets): Violation[] {
  if (standstill === undefined) return [];
  const { from, to } = standstill;
  return book.arrivals.flatMap(({ at, target, dockets: [docket] }) => {
    const until = Math.max(at, from + SEEN_MS, healAt) + TAKEN_BACK_MS;
    if (target !== QUEUE_TARGET || docket === undefined || at < from || until > to) return [];
    const last = book.commits
      .filter((commit) => commit.at <= until)
      .flatMap(({ dockets }) => dockets)
      .findLast(({ after }) => after.id === docket)?.after;
    const isLeft = last?.phase === 'confirmed' && last.state['by'] === target;
    const text = `docket ${docket} lies in ${target}, where nobody takes it`;
    return isLeft && last.closed_at === null ? [{ invariant: INVARIANT, text }] : [];
  });
}

/** A notice of the manual tier ends when it is through, when it never can be, or when another takes its place. */
function givenUp({ book }: RouterWorld): Violation[] {
  const found: Violation[] = [];
  for (const { handoffs } of book.commits) {
    for (const { before, after } of handoffs) {
      const { docket, n, tier, target, party, outcome } = after;
      if (tier !== 'MANUAL' || before?.ended_at !== null || outcome === null) continue;
      const isReplaced = handoffs.some(
        (one) =>
          one.before === undefined &&
          one.after.docket === docket &&
          one.after.target === target &&
          one.after.party === party,
      );
      if (isReplaced || !['failed', 'unknown', 'not_made'].includes(outcome)) continue;
      const text = `notice ${n} of docket ${docket} to ${target} was given up: ${outcome}`;
      found.push({ invariant: INVARIANT, text });
    }
  }
  return found;
}

/** After the storm: between two commits of a docket lies no moment that was missed for long. */
function keptMoments({ book, healAt, now }: RouterWorld): Violation[] {
  const found: Violation[] = [];
  const last = new Map<string, { readonly row: DocketRow; readonly since: number }>();
  const check = (one: { row: DocketRow; since: number } | undefined, at: number): void => {
    if (one === undefined || one.row.next_at === null || one.row.closed_at !== null) return;
    const { row, since } = one;
    // A moment may lie in the past already when it is written.
    const lateMs = at - Math.max(one.row.next_at, since, healAt);
    if (lateMs > KEPT_MS) {
      const text = `docket ${row.id} (${row.phase}) was looked at ${lateMs} ms late`;
      found.push({ invariant: INVARIANT, text });
    }
  };
  for (const { at, dockets } of book.commits) {
    for (const { after } of dockets) {
      check(last.get(after.id), at);
      last.set(after.id, { row: after, since: at });
    }
  }
  for (const one of last.values()) check(one, now);
  return found;
}
