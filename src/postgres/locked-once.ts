/**
 * Rows of a queue, taken so that no two processes have the same one and nobody has more than it asked for: the one shape
 * in which a claim may be written (`test/tidy.test.ts` holds every `skip locked` to it).
 *
 * A subquery in `update … from (select … limit n for update skip locked)` is only a table to the planner. Under a nested
 * loop it may stand on the inside, and is then evaluated again for each outer row; the rows that the first evaluation took
 * are changed by then and are skipped, so each evaluation takes n others, in the end all that are due. Which plan is
 * chosen hangs on statistics, so it goes well for months. A CTE is evaluated once for the whole statement, whoever reads
 * it and however often. PostgreSQL before 12 had no other, and from 12 on the ones that lock rows are never folded into
 * the outer query; `materialized` says so where it is read. It holds also when a row was changed between the snapshot and
 * the lock: the recheck of the outer update keeps the row that the CTE gave. `where id = (select …)` was rejected: it
 * takes one row only, and where the planner turns it into a join it is the same fault again.
 */
export function lockedOnce(
  name: string,
  rows: string,
  options: { readonly of?: string } = {},
): string {
  const table = options.of === undefined ? '' : `of ${options.of} `;
  return `${name} as materialized (${rows} for update ${table}skip locked)`;
}
