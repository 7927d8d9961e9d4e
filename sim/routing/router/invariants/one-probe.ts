/** One check of a recovery runs at a time for each target, as long as its lease holds. */
import type { Violation } from '../../evidence.ts';
import { LEASE_MS, type RouterWorld } from '../world.ts';

const INVARIANT = 'one_probe';
/** Between the claim and the first question lies an answer of the database, which may be slow. */
const SLOW_MS = 6_000;

export function oneProbe({ book, startMs }: RouterWorld): Violation[] {
  const { probes } = book;
  const found: Violation[] = [];
  for (const [index, first] of probes.entries()) {
    for (const next of probes.slice(index + 1)) {
      if (next.from > first.to) break;
      const isSame = next.target === first.target && next.by !== first.by;
      const isLeased = next.from - first.from < LEASE_MS - SLOW_MS;
      // A process that is dead or stands still asks nothing; what it asked before is on its way still.
      if (!isSame || !isLeased || book.isStill(first.by, next.from)) continue;
      const text = `${first.by} and ${next.by} both asked ${next.target} at ${next.from - startMs}`;
      found.push({ invariant: INVARIANT, text });
    }
  }
  const open = new Map<string, string>();
  for (const { runs } of book.commits) {
    for (const { after } of runs) {
      const isOver = after.phase === 'closed' || after.phase === 'abandoned';
      const other = open.get(after.target);
      if (!isOver && other !== undefined && other !== after.id) {
        found.push({ invariant: INVARIANT, text: `two recoveries of ${after.target} are open` });
      }
      if (!isOver) open.set(after.target, after.id);
      else if (other === after.id) open.delete(after.target);
    }
  }
  return found;
}
