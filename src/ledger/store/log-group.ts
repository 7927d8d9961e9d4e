/** One group of entries on its way into a log: what is taken, what is appended, and the tiles that it completes. */
import { type Instant, invariant, toRfc3339 } from '../../core/index.ts';
import { CompactRange } from '../compact-range.ts';
import { genesisPrev } from '../entry.ts';
import { TILE_WIDTH } from '../tile.ts';
import type { TreeNode } from '../proof-plan.ts';
import type { EntryWriter, WrittenEntry } from './entry-writer.ts';
import { bytes, optional, type Row, type Run, sql, text, when } from '../../postgres/index.ts';
import {
  impossibility,
  type Impossibility,
  ImpossibleFacts,
  type SetAside,
  standIn,
} from './set-aside.ts';
import { type LogName, makeTile } from './tree-store.ts';

// Taken and deleted by one look: a second one by number would walk the index again. Undone with the transaction.
const COLUMNS = `n, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, cls, data, body::text as body`;
const TAKEN = `
with taken as (
  delete from ledger_intake where ctid = any (array(
    select ctid from ledger_intake where tenant = $1 and boundary = $2 order by n limit $3))
  returning ${COLUMNS})`;

const TAKE = sql('ledger-take')`${TAKEN} select * from taken order by n`;

// A scalar subquery on purpose: `exists` is answered by hashing the whole log once per group.
const TAKE_NEW = sql('ledger-take-new')`${TAKEN}
select * from taken where (
  select true from ledger_entry x where x.tenant = $1 and x.boundary = $2 and x.id = taken.id limit 1) is null
order by n`;

// All entries travel as one value and are cut apart here: as an array each would be written out in hexadecimal twice.
const APPEND = sql('ledger-append')`
with entries as (
  insert into ledger_entry (tenant, boundary, seq, id, bytes, leaf)
  select $1, $2, $3::bigint + place - 1, id, substring($4::bytea from start for length),
    substring($5::bytea from (place::int - 1) * 32 + 1 for 32)
  from unnest($6::uuid[], $7::int[], $8::int[]) with ordinality e(id, start, length, place)),
tiles as (
  insert into ledger_tile (tenant, boundary, level, n, root, bytes)
  select $1, $2, 0, $13::bigint + place - 1, substring($14::bytea from (place - 1) * 32 + 1 for 32),
    substring($15::bytea from (place - 1) * 8192 + 1 for 8192)
  from generate_series(1, octet_length($14::bytea) / 32) place),
sample as (
  update ledger_dek set bodies = bodies + $17::bigint where tenant = $1 and id = $16 and state = 'live')
update ledger_head set size = $9, range = $10, last_leaf = $11, last_ts = to_timestamp($12::double precision / 1000)
where tenant = $1 and boundary = $2 and size = $3 returning size`;

const READ_HEAD = sql('ledger-read-head')`
select size, range, last_leaf, last_ts, signed_size, signed_root, signed_at
from ledger_head where tenant = $1 and boundary = $2 for update`;

const READ_TAIL = sql('ledger-read-tail')`
select leaf from ledger_entry where tenant = $1 and boundary = $2 and seq >= $3 order by seq limit ${TILE_WIDTH}`;

/** The end of a log as the next group needs it. */
export interface LogEnd {
  readonly range: CompactRange;
  readonly lastLeaf: Buffer | undefined;
  readonly lastTs: Instant | undefined;
  /** Leaves that are not yet in a full tile. */
  readonly tail: readonly Uint8Array[];
  readonly signedSize: number;
  readonly signedRoot: Uint8Array | undefined;
  readonly signedAt: Instant;
}

export async function readEnd(run: Run, log: LogName): Promise<LogEnd> {
  const [head] = await run(READ_HEAD, [log.tenant, log.boundary]);
  invariant(head !== undefined, 'A log has a head', { boundary: log.boundary });
  const stored = bytes(head['range']);
  const range = stored.length === 0 ? CompactRange.empty() : CompactRange.fromBytes(stored);
  const size = Number(head['size']);
  invariant(range.size === size, 'The ledger head and its compact range differ', {
    boundary: log.boundary,
  });
  const tail = await run(READ_TAIL, [log.tenant, log.boundary, size - (size % TILE_WIDTH)]);
  return {
    range,
    lastLeaf: optional(head['last_leaf'], (leaf) => Buffer.from(bytes(leaf))),
    lastTs: optional(head['last_ts'], when),
    tail: tail.map((row) => bytes(row['leaf'])),
    signedSize: Number(head['signed_size']),
    signedRoot: optional(head['signed_root'], bytes),
    signedAt: when(head['signed_at']),
  };
}

export function takeGroup(
  run: Run,
  log: LogName,
  limit: number,
  isDoubtful: boolean,
): Promise<Row[]> {
  return run(isDoubtful ? TAKE_NEW : TAKE, [log.tenant, log.boundary, limit]);
}

/**
 * Appends rows that were taken and gives the log's new end; undefined when the head has moved meanwhile, which the
 * caller answers by undoing everything and reading it again. Throws ImpossibleFacts with all that no entry can hold and
 * that are not in `aside`; the caller undoes everything, keeps these, and comes again with them.
 */
export async function appendGroup(
  run: Run,
  log: LogName & { readonly origin: string },
  end: LogEnd,
  rows: readonly Row[],
  by: {
    readonly writer: EntryWriter;
    readonly now: Instant;
    readonly aside: ReadonlyMap<string, SetAside>;
  },
): Promise<{ readonly end: LogEnd; readonly appended: number } | undefined> {
  const { writer, now, aside } = by;
  // The database's clock may have been set back; the log's time may not.
  const ts = end.lastTs !== undefined && end.lastTs > now ? end.lastTs : now;
  const written = writeEntries(rows, { origin: log.origin, end, ts, writer, aside });
  const { range, tiles, entries, lastLeaf } = written;
  const sample = sampledKey(rows, lastLeaf);
  const done = await run(APPEND, [
    log.tenant,
    log.boundary,
    end.range.size,
    writer.written,
    Buffer.concat(entries.map((entry) => entry.leaf)),
    entries.map((entry) => entry.id),
    // PostgreSQL counts from one.
    entries.map((entry) => entry.start + 1),
    entries.map((entry) => entry.length),
    range.size,
    range.toBytes(),
    lastLeaf ?? null,
    ts,
    tiles.first,
    Buffer.concat(tiles.roots),
    Buffer.concat(tiles.leaves),
    sample.key,
    sample.weight,
  ]);
  if (done.length === 0) return undefined;
  for (const { level, n } of tiles.higher) await makeTile(run, log, level, n);
  const next = { ...end, range, lastLeaf, lastTs: ts, tail: tiles.tail };
  return { end: next, appended: entries.length };
}

/** The entries after the log's end, with the tree and the tiles that they make. */
function writeEntries(
  rows: readonly Row[],
  by: {
    readonly origin: string;
    readonly end: LogEnd;
    readonly ts: Instant;
    readonly writer: EntryWriter;
    readonly aside: ReadonlyMap<string, SetAside>;
  },
): Pick<LogEnd, 'range' | 'lastLeaf'> & {
  readonly tiles: FullTiles;
  readonly entries: readonly WrittenEntry[];
} {
  const { origin, end, ts, writer, aside } = by;
  const tsText = toRfc3339(ts);
  const range = end.range.copy();
  const tiles = new FullTiles(end.tail, range.size);
  const entries: WrittenEntry[] = [];
  // A retried transaction may have left the same fact twice.
  const seen = new Set<unknown>();
  const impossible: Impossibility[] = [];
  let before = 0;
  let lastLeaf = end.lastLeaf;
  const completed = (node: TreeNode, hash: Uint8Array): void => tiles.completed(node, hash);
  writer.clear();
  for (const row of rows) {
    if (seen.has(row['id'])) continue;
    seen.add(row['id']);
    const prev = lastLeaf ?? Buffer.from(genesisPrev(origin));
    const known = aside.get(text(row['id']));
    const place = { seq: range.size, prev, ts: tsText };
    let entry: WrittenEntry;
    try {
      entry = writer.write(known === undefined ? row : standIn(row, known, ts), place);
    } catch (error) {
      // What stands in for a fact can always be written; if not, the fault is here and stops everything, as it must.
      if (known !== undefined) throw error;
      if (impossible.length === 0) before = rows.indexOf(row);
      impossible.push(impossibility(row, error));
      continue;
    }
    tiles.add(entry.leaf);
    range.append(entry.leaf, completed);
    lastLeaf = entry.leaf;
    entries.push(entry);
  }
  if (impossible.length > 0) throw new ImpossibleFacts(impossible, before);
  return { range, lastLeaf, tiles, entries };
}

/** Collects the full tiles of level 0 while leaves are appended, and names those of higher levels. */
class FullTiles {
  /** The number of the first tile that may become full. */
  readonly first: number;
  readonly roots: Uint8Array[] = [];
  readonly leaves: Uint8Array[] = [];
  readonly higher: { readonly level: number; readonly n: number }[] = [];
  #tail: Uint8Array[];

  constructor(tail: readonly Uint8Array[], size: number) {
    invariant(tail.length === size % TILE_WIDTH, 'The last leaves are those of the open tile');
    this.first = Math.floor(size / TILE_WIDTH);
    this.#tail = [...tail];
  }

  get tail(): readonly Uint8Array[] {
    return this.#tail;
  }

  add(leaf: Uint8Array): void {
    this.#tail.push(leaf);
  }

  /** Every eighth level of the tree is a level of tiles. */
  completed({ level, index }: TreeNode, hash: Uint8Array): void {
    if (level === 8) {
      this.roots.push(hash);
      this.leaves.push(...this.#tail);
      this.#tail = [];
    } else if (level > 8 && level % 8 === 0) {
      this.higher.push({ level: level / 8 - 1, n: index });
    }
  }
}

/**
 * Which key gets the credit for the sealed bodies of a group: one of them by lot, so that over many groups each key is
 * credited with about as many as it sealed, for one write per group. The last leaf is the lot: nobody chooses it.
 */
function sampledKey(
  rows: readonly Row[],
  lot: Buffer | undefined,
): { readonly key: string | null; readonly weight: number } {
  const sealed = rows.filter((row) => row['body'] !== null);
  const chosen = sealed[(lot?.readUInt32BE(0) ?? 0) % Math.max(sealed.length, 1)];
  if (chosen === undefined) return { key: null, weight: 0 };
  const [, key = null] = /"key": "([^"\\]*)"/.exec(text(chosen['body'])) ?? [];
  return { key, weight: sealed.length };
}
