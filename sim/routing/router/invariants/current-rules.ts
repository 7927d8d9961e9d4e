/** Dockets are handed over by the matrix that holds when their step begins. */
import type { Violation } from '../../evidence.ts';
import type { RouterWorld } from '../world.ts';

export function currentRules({ book, database }: RouterWorld): Violation[] {
  const setups = [...database.tables.setup.rows.values()];
  return book.commits.flatMap(({ at, since, by, facts }) =>
    facts
      .filter(({ type }) => type === 'docket.handoff')
      .flatMap(({ subj_id, data }) => {
        const before = setups.findLast(({ activated_at }) => activated_at <= since - SLOW_MS);
        const held = setups.filter(
          ({ activated_at }) => activated_at > since - SLOW_MS && activated_at <= at,
        );
        const isHeld = [before, ...held].some((setup) => setup?.matrix === data['matrix']);
        const text = `${by} handed ${subj_id} over by a matrix that no longer holds`;
        return isHeld ? [] : [{ invariant: 'current_rules', text }];
      }),
  );
}

/** A setup counts from its commit, which may come later than the moment that it names. */
const SLOW_MS = 10_000;
