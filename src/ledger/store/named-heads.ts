/** What the spine said last of another log: the head for which whoever vouches for the spine vouches too. */
import { bytes, type Session, sql } from '../../postgres/index.ts';
import { parseEntry } from '../entry-chain.ts';
import { checkpointsFrom, type StoredCheckpoint } from './checkpoints.ts';
import type { FiledEntry } from './ledger-export.ts';
import type { LogName } from './tree-store.ts';

// The name stands in the entry; the newest is looked for from the end, where it is found at once.
const NAMED = sql('named-head')`
select seq, bytes from ledger_entry
  where tenant = $1 and boundary = 'spine' and seq < $2 and position($3::bytea in bytes) > 0
  order by seq desc limit 1`;

interface NamedHead {
  readonly checkpoint: StoredCheckpoint;
  /** The entry of the spine that names it. */
  readonly entry: FiledEntry;
}

/** The newest head of a log that is named among the first entries of the spine. */
export async function namedHead(
  session: Pick<Session, 'run'>,
  log: LogName & { readonly origin: string },
  spineSize: number,
): Promise<NamedHead | undefined> {
  const mark = Buffer.from(`"origin":${JSON.stringify(log.origin)},`, 'utf8');
  const [row] = await session.run(NAMED, [log.tenant, spineSize, mark]);
  if (row === undefined) return undefined;
  const entry = { seq: Number(row['seq']), bytes: bytes(row['bytes']) };
  const { type, data } = parseEntry(entry.bytes);
  const { origin, size } = data;
  if (type !== 'spine.head' || origin !== log.origin || typeof size !== 'number') return undefined;
  for await (const checkpoint of checkpointsFrom(session, log, size)) {
    return checkpoint.size === size ? { checkpoint, entry } : undefined;
  }
  return undefined;
}
