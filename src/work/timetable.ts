/** The timetable: rows of the queue that put themselves off. */
import { addMs, type Clock, type Ids, type Instant, instant } from '../core/index.ts';
import type { Session } from '../postgres/index.ts';
import type { Duty } from './crew.ts';
import { addWork, claimWork, recordWork } from './store/queue.ts';

export interface TimetableEntry {
  readonly name: string;
  readonly everyMs: number;
  /** When in its period, counted from midnight UTC; without one it also has a turn as soon as it is known. */
  readonly atMs?: number;
  /** How long it may take, where that is longer than others do. */
  readonly claimMs?: number;
  run(): Promise<unknown>;
}

interface TimetableDeps {
  readonly session: Session;
  readonly tenant: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
}

/** Longer than any entry takes; what it began in a process that died is begun again. */
const CLAIM_MS = 120_000;
/** After it failed. */
const AGAIN_MS = 60_000;

/** Pure. What was slept over is done once, however many turns have passed meanwhile. */
export function nextTurn(entry: Omit<TimetableEntry, 'run'>, now: Instant): Instant {
  const { everyMs, atMs = 0 } = entry;
  const passed = Math.floor((now - atMs) / everyMs);
  return addMs(instant(0), (passed + 1) * everyMs + atMs);
}

/** Adds what is new in it; every process has the same one, and one of them takes each turn. */
export async function postTimetable(
  { session, tenant, clock, ids }: TimetableDeps,
  entries: readonly TimetableEntry[],
): Promise<readonly Duty[]> {
  const run = session.run.bind(session);
  for (const entry of entries) {
    const { name, atMs } = entry;
    await addWork(run, tenant, {
      id: ids.next(),
      kind: 'timetable',
      target: name,
      dedup: `timetable/${name}`,
      // By this machine's clock, the first time only.
      ...(atMs === undefined ? {} : { at: nextTurn(entry, clock.now()) }),
    });
  }
  return entries.map((entry) => ({
    kind: 'timetable',
    target: entry.name,
    work: () => takeTurn({ session, tenant }, entry),
  }));
}

async function takeTurn(
  { session, tenant }: Pick<TimetableDeps, 'session' | 'tenant'>,
  entry: TimetableEntry,
): Promise<number> {
  const run = session.run.bind(session);
  const wish = { tenant, kind: 'timetable', target: entry.name, limit: 1 } as const;
  const claimed = await claimWork(run, { ...wish, claimMs: entry.claimMs ?? CLAIM_MS });
  for (const work of claimed) {
    try {
      await entry.run();
    } catch (error) {
      await recordWork(run, tenant, [work], { state: 'pending', again: AGAIN_MS });
      throw error;
    }
    const at = nextTurn(entry, work.claimedAt);
    await recordWork(run, tenant, [work], { state: 'pending', again: { at } });
  }
  return claimed.length;
}
