/**
 * The heads under which an export goes out. Where somebody outside vouches for the spine (witnesses, an authority of time),
 * the spine goes at the head that they have seen, and every other log at the newest head which that spine names: so their
 * word covers every log, and whoever gets the export can see it.
 */
import type { Filewright } from '../../filewright.ts';
import {
  checkpointsFrom,
  cosignedHead,
  type FiledEntry,
  namedHead,
  type SignedLog,
  type StoredCheckpoint,
} from '../../ledger/index.ts';

export interface VouchedLogs {
  readonly logs: readonly SignedLog[];
  /** Whether somebody outside has seen the spine. */
  readonly isVouched: boolean;
  /** The entry of the spine that names the head of a log; undefined where it names none. */
  naming(log: SignedLog): FiledEntry | undefined;
}

/** Without an answer the logs go as they are. */
export async function vouchedLogs(
  app: Filewright,
  logs: readonly SignedLog[],
): Promise<VouchedLogs> {
  const spine = logs.find(({ boundary }) => boundary === 'spine');
  const seen = spine === undefined ? undefined : await seenOutside(app, spine);
  if (spine === undefined || seen === undefined) {
    return { logs, isVouched: false, naming: () => undefined };
  }
  const naming = new Map<string, FiledEntry>();
  const vouched = await Promise.all(
    logs.map(async (log) => {
      if (log === spine) return at(log, seen);
      const named = await namedHead(app.session, log, seen.size);
      if (named === undefined) return log;
      naming.set(log.origin, named.entry);
      return at(log, named.checkpoint);
    }),
  );
  return { logs: vouched, isVouched: true, naming: ({ origin }) => naming.get(origin) };
}

/** The one that was signed for this export or a newer one, so it names the heads of all other logs. */
async function seenOutside(
  app: Filewright,
  spine: SignedLog,
): Promise<StoredCheckpoint | undefined> {
  const outcomes = await app.askWitnesses();
  const stamp = await app.askForStamp();
  const { size: sizeMin } = spine.checkpoint;
  if (outcomes.some(({ state }) => state === 'cosigned')) {
    const head = await cosignedHead(app.session, spine, sizeMin);
    if (head !== undefined) return head;
  }
  if (stamp?.state !== 'stamped' || stamp.size < sizeMin) return undefined;
  for await (const head of checkpointsFrom(app.session, spine, stamp.size)) {
    return head.size === stamp.size ? head : undefined;
  }
  return undefined;
}

function at(log: SignedLog, checkpoint: StoredCheckpoint): SignedLog {
  const more = checkpoint.size - log.checkpoint.size;
  return { ...log, checkpoint, unsigned: Math.max(0, log.unsigned - more) };
}

/** Entries of the spine that name the heads of the logs that go out; none where nobody outside has seen the spine. */
export function namingEntries(
  vouched: VouchedLogs,
  wanted: readonly SignedLog[],
): readonly FiledEntry[] {
  const others = wanted.filter(({ boundary }) => boundary !== 'spine');
  if (!vouched.isVouched) return [];
  return others.flatMap((log) => vouched.naming(log) ?? []).sort((a, b) => a.seq - b.seq);
}

/** Both in the order of the log, what is in both once. */
export async function* together(
  entries: AsyncIterable<FiledEntry>,
  more: readonly FiledEntry[],
): AsyncGenerator<FiledEntry> {
  let at = 0;
  for await (const entry of entries) {
    for (let next = more[at]; next !== undefined && next.seq <= entry.seq; next = more[at]) {
      if (next.seq < entry.seq) yield next;
      at += 1;
    }
    yield entry;
  }
  yield* more.slice(at);
}
