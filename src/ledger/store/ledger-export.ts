/**
 * Reading the ledger for exporters, in order and in bounded memory: tiles and bundles, entries of a time or of a filing,
 * and the counts that must agree with what was written out.
 */
import { type FilingId, type Instant, toRfc3339 } from '../../core/index.ts';
import { encodeBundle, TILE_WIDTH, tilePath, tilesOfTree } from '../tile.ts';
import { parseEntry } from '../entry-chain.ts';
import type { TileFile } from '../tile-builder.ts';
import { bytes, type Run, type Session, sql, text } from '../../postgres/index.ts';
import { type LogName, readTiles } from './tree-store.ts';

/** About 1 MB of entries at a time. */
const PAGE = 1_000;

const SIZE = sql('export-size')`select size from ledger_head where tenant = $1 and boundary = $2`;

const ENTRY = sql('export-entry')`
select bytes from ledger_entry where tenant = $1 and boundary = $2 and seq = $3`;

const ENTRIES = sql('export-entries')`select seq, bytes from ledger_entry
    where tenant = $1 and boundary = $2 and seq >= $3 and seq < $4 order by seq limit ${PAGE}`;

// The id of a filing is in the text of its entries; the server looks for it, so that only these travel. An index by
// subject would cost every entry, and this is read when somebody asks about one filing.
const MENTIONING = sql('export-mentioning')`select seq, bytes from ledger_entry
    where tenant = $1 and boundary = $2 and seq >= $3 and seq < $4 and position($5::bytea in bytes) > 0 order by seq`;

const CREATED = sql('export-created')`
select created_at from envelope where tenant = $1 and id = $2`;

const COUNTS = sql('export-counts')`
select h.boundary, h.size, h.signed_size,
  (select count(*) from ledger_entry e where e.tenant = h.tenant and e.boundary = h.boundary) as entries,
  (select count(*) from ledger_tile t where t.tenant = h.tenant and t.boundary = h.boundary) as tiles,
  (select count(*) from ledger_checkpoint c where c.tenant = h.tenant and c.boundary = h.boundary) as checkpoints,
  (select count(*) from ledger_blob b where b.tenant = h.tenant and b.boundary = h.boundary) as bodies,
  (select count(*) from ledger_intake i where i.tenant = h.tenant and i.boundary = h.boundary) as waiting
from ledger_head h where h.tenant = $1 order by h.boundary`;

/** An entry with its place. */
export interface FiledEntry {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

export interface LogCounts {
  readonly boundary: string;
  readonly size: number;
  readonly signedSize: number;
  readonly entries: number;
  /** Full tiles of all levels. */
  readonly tiles: number;
  readonly checkpoints: number;
  readonly bodies: number;
  /** Facts that are committed and not yet in the log. */
  readonly waiting: number;
}

/** What the database holds of each log; an export must come to the same numbers. */
export async function ledgerCounts(session: Session, tenant: string): Promise<LogCounts[]> {
  return (await session.run(COUNTS, [tenant])).map((row) => ({
    boundary: text(row['boundary']),
    size: Number(row['size']),
    signedSize: Number(row['signed_size']),
    entries: Number(row['entries']),
    tiles: Number(row['tiles']),
    checkpoints: Number(row['checkpoints']),
    bodies: Number(row['bodies']),
    waiting: Number(row['waiting']),
  }));
}

/** Every file of a tlog-tiles directory for the first `size` entries: bundles of entries, then the hash tiles. */
export async function* logTiles(
  session: Session,
  log: LogName,
  size: number,
): AsyncGenerator<TileFile> {
  for (let index = 0; index * TILE_WIDTH < size; index += 1) {
    const first = index * TILE_WIDTH;
    const end = Math.min(size, first + TILE_WIDTH);
    const rows = await session.run(ENTRIES, [log.tenant, log.boundary, first, end]);
    const name = { level: 'entries', index, width: end - first } as const;
    const entries = rows.map((row) => bytes(row['bytes']));
    yield { ...name, path: tilePath(name), bytes: encodeBundle(entries) };
  }
  const run: Run = (statement, values) => session.run(statement, values);
  for (const name of tilesOfTree(size)) {
    const [tile] = await readTiles(run, log, [name]);
    if (tile !== undefined) yield { ...name, path: tilePath(name), bytes: tile };
  }
}

/** The first entry that was sequenced at or after a moment; the log's size when there is none. */
export async function firstSeqSince(
  session: Session,
  log: LogName,
  since: Instant,
): Promise<number> {
  const [head] = await session.run(SIZE, [log.tenant, log.boundary]);
  const wanted = toRfc3339(since);
  let [low, high] = [0, Number(head?.['size'] ?? 0)];
  // The time never falls along a log, so twenty looks find the place in a million entries.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await session.run(ENTRY, [log.tenant, log.boundary, middle]);
    // Such times sort as texts in the order of the moments they name.
    if (parseEntry(bytes(row?.['bytes'])).ts < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Entries sequenced from `from` on and before `to`, in order. */
export async function* entriesBetween(
  session: Session,
  log: LogName,
  time: { readonly from: Instant; readonly to: Instant },
): AsyncGenerator<FiledEntry> {
  const end = await firstSeqSince(session, log, time.to);
  let first = await firstSeqSince(session, log, time.from);
  while (first < end) {
    const rows = await session.run(ENTRIES, [log.tenant, log.boundary, first, end]);
    if (rows.length === 0) return;
    for (const row of rows) yield { seq: Number(row['seq']), bytes: bytes(row['bytes']) };
    first = Number(rows.at(-1)?.['seq']) + 1;
  }
}

/**
 * Every entry of the log of filings that has the filing as its subject, or names it in its facts, in order. Begins where
 * the filing was admitted, and looks at a bounded stretch of the log at a time.
 */
export async function* entriesOfFiling(
  session: Session,
  tenant: string,
  filing: FilingId,
): AsyncGenerator<FiledEntry> {
  const log = { tenant, boundary: 'filing' };
  const [row] = await session.run(CREATED, [tenant, filing]);
  if (row === undefined) return;
  // The database gives milliseconds since the epoch, cut off; the sequencer's clock is read later than the admission's.
  const since = Number(row['created_at']) as Instant;
  const [head] = await session.run(SIZE, [tenant, log.boundary]);
  const end = Number(head?.['size'] ?? 0);
  const stretch = 50 * PAGE;
  for (let first = await firstSeqSince(session, log, since); first < end; first += stretch) {
    const last = Math.min(end, first + stretch);
    const values = [tenant, log.boundary, first, last, Buffer.from(filing, 'utf8')];
    for (const found of await session.run(MENTIONING, values)) {
      const entry = bytes(found['bytes']);
      if (isAbout(entry, filing)) yield { seq: Number(found['seq']), bytes: entry };
    }
  }
}

/** The id may stand in an entry by chance, for instance in a text that somebody wrote. */
function isAbout(entry: Uint8Array, filing: FilingId): boolean {
  const { subj, data } = parseEntry(entry);
  return subj.id === filing || data['filing'] === filing;
}
