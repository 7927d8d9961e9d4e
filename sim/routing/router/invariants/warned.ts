/** No deadline passes without a notice to a person: before it while nobody has the docket, and after it as long as it is open. */
import type { Violation } from '../../evidence.ts';
import type { DocketRow } from '../../memory/tables.ts';
import type { RouterWorld } from '../world.ts';

const INVARIANT = 'warned';
/** What is due is looked at within this time, where somebody runs. */
const LOOKED_MS = 20_000;

export function warned(world: RouterWorld): Violation[] {
  const { docket } = world.database.tables;
  return [
    ...[...docket.rows.values()].flatMap((row) => violationOf(world, row)),
    ...unreached(world),
  ];
}

/** Longer than letters are collected; and for a notice that failed, than it waits for its next try. */
const REACHED_MS = 30_000;
const REACHED_AGAIN_MS = 75_000;

/** After the storm a notice of the manual tier comes to its reader, unless somebody has the docket by then. */
function unreached({ book, database, healAt, now }: RouterWorld): Violation[] {
  const { docket, handoff } = database.tables;
  return [...handoff.rows.values()].flatMap((row) => {
    // In the storm a mailbox may have said that it will never take it; then somebody else was asked.
    if (['denied', 'refused'].includes(row.outcome ?? '')) return [];
    const boundMs = row.evidence === null ? REACHED_MS : REACHED_AGAIN_MS;
    const until = Math.max(row.started_at, healAt) + boundMs;
    const end = docket.rows.get(row.docket);
    const closedAt = end?.closed_at ?? now;
    const confirmedAt = end?.phase === 'confirmed' ? Number(end.state['at']) : now;
    // What a queue has confirmed needs no letter, also when nobody takes it from there and others are asked.
    const isTaken = book.commits.some(
      ({ at, dockets }) =>
        at >= row.started_at &&
        at <= until &&
        dockets.some(({ after }) => after.id === row.docket && after.phase === 'confirmed'),
    );
    if (isTaken) return [];
    const replacedAt = row.outcome === 'unknown' ? (row.ended_at ?? now) : now;
    if (row.tier !== 'MANUAL' || until > Math.min(now, closedAt, confirmedAt, replacedAt))
      return [];
    const isReached = book.arrivals.some(
      ({ at, target, dockets }) =>
        target === row.target &&
        at >= row.started_at &&
        at <= until &&
        dockets.includes(row.docket),
    );
    const text = `nobody at ${row.target} heard of docket ${row.docket} (notice ${row.n})`;
    return isReached ? [] : [{ invariant: INVARIANT, text }];
  });
}

/** Only those that are due at the midnight of this world; the day is what the record states, in one spelling. */
function violationOf(world: RouterWorld, row: DocketRow): Violation[] {
  const { book, firm, midnightMs, now } = world;
  const event = row.docket['event'] as { readonly stated?: { readonly due?: unknown } } | undefined;
  if (event?.stated?.due === undefined || !world.isDueTonight(event.stated.due)) return [];
  const found: Violation[] = [];
  const say = (text: string): void => {
    found.push({ invariant: INVARIANT, text: `docket ${row.id} ${text}` });
  };
  const told = alertsOf(world, row.id);
  const from = Math.max(midnightMs - firm.reserveMs, row.received_at);
  const closedAt = row.closed_at ?? Number.POSITIVE_INFINITY;
  const hasTime = from + LOOKED_MS < Math.min(midnightMs, closedAt, now);
  if (hasTime && book.isCalm(from, from + LOOKED_MS) && !book.wasHeld(from, from + LOOKED_MS)) {
    const isTold = told.some(({ at }) => at <= from + LOOKED_MS);
    if (!isTold) say('came near its date and nobody was warned');
  }
  const late = Math.max(midnightMs, row.received_at);
  const isCalm = book.isCalm(late, late + LOOKED_MS) && !book.wasHeld(late, late + LOOKED_MS);
  if (late + LOOKED_MS < Math.min(closedAt, now) && isCalm) {
    const isTold = told.some(({ at, kind }) => kind === 'docket_late' && at <= late + LOOKED_MS);
    if (!isTold) say('is late and nobody was told');
  }
  return found;
}

/** Every time that an alert about the docket was raised. */
function alertsOf(
  { book }: RouterWorld,
  id: string,
): { readonly at: number; readonly kind: string }[] {
  return book.commits.flatMap(({ at, alerts }) =>
    alerts
      .filter(({ after }) => after.docket === id)
      .map(({ after }) => ({ at, kind: after.kind })),
  );
}
