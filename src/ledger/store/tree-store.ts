/**
 * The tree of a log as it is stored: full tiles of 256 hashes, written once. A proof in a log of a million entries
 * reads some five rows. What is not yet in a full tile comes from the entries' leaves and from the roots of the tiles
 * below, so nothing is ever rewritten.
 */
import { invariant } from '../../core/index.ts';
import {
  assembleProof,
  assembleRoot,
  consistencyPlan,
  inclusionPlan,
  type ProofPlan,
  type ProofSource,
  rootPlan,
} from '../proof-plan.ts';
import {
  decodeTile,
  TILE_WIDTH,
  type TileName,
  tilePath,
  tilesOfPlan,
  tileSource,
} from '../tile.ts';
import { rootHash } from '../tree.ts';
import { bytes, optional, type Run, sql } from '../../postgres/index.ts';

/** One log of one tenant. */
export interface LogName {
  readonly tenant: string;
  readonly boundary: string;
}

const READ = sql('tile-read')`
select case
  when w.width = ${TILE_WIDTH} then (
    select t.bytes from ledger_tile t where t.tenant = $1 and t.boundary = $2 and t.level = w.level and t.n = w.n)
  when w.level = 0 then (
    select string_agg(e.leaf, ''::bytea order by e.seq) from ledger_entry e
    where e.tenant = $1 and e.boundary = $2 and e.seq >= w.n * ${TILE_WIDTH} and e.seq < w.n * ${TILE_WIDTH} + w.width)
  else (
    select string_agg(t.root, ''::bytea order by t.n) from ledger_tile t
    where t.tenant = $1 and t.boundary = $2 and t.level = w.level - 1
      and t.n >= w.n * ${TILE_WIDTH} and t.n < w.n * ${TILE_WIDTH} + w.width) end as bytes
from unnest($3::int[], $4::bigint[], $5::int[]) with ordinality w(level, n, width, place) order by place`;

const STORED = sql('tile-stored')`
select t.root, t.bytes from unnest($3::int[], $4::bigint[]) with ordinality w(level, n, place)
left join ledger_tile t on t.tenant = $1 and t.boundary = $2 and t.level = w.level and t.n = w.n order by place`;

const COUNT = sql('tile-count')`
select coalesce(max(n) + 1, 0) as n from ledger_tile where tenant = $1 and boundary = $2 and level = $3`;

const GATHER_LEAVES = sql('tile-gather-leaves')`
select string_agg(leaf, ''::bytea order by seq) as bytes from ledger_entry
  where tenant = $1 and boundary = $2 and seq >= $3::bigint * ${TILE_WIDTH} and seq < ($3::bigint + 1) * ${TILE_WIDTH}`;

const GATHER_ROOTS = sql('tile-gather-roots')`
select string_agg(root, ''::bytea order by n) as bytes from ledger_tile
  where tenant = $1 and boundary = $2 and level = $4::int - 1
    and n >= $3::bigint * ${TILE_WIDTH} and n < ($3::bigint + 1) * ${TILE_WIDTH}`;

const ADD = sql('tile-add')`
insert into ledger_tile (tenant, boundary, level, n, root, bytes) values ($1, $2, $3, $4, $5, $6)`;

/** The bytes of tiles of a tree of `size`, in the order of their names; partial ones with their width. */
export async function readTiles(
  run: Run,
  log: LogName,
  names: readonly TileName[],
): Promise<readonly Uint8Array[]> {
  const rows = await run(READ, [
    log.tenant,
    log.boundary,
    names.map((name) => name.level),
    names.map((name) => name.index),
    names.map((name) => name.width),
  ]);
  return names.map((name, place) => {
    const found = optional(rows[place]?.['bytes'], bytes);
    invariant(
      found?.length === name.width * 32,
      `Expected the stored hashes of ${tilePath(name)}. Verify the log; its tiles can be rebuilt from the entries.`,
      { boundary: log.boundary },
    );
    return found;
  });
}

/** Full tiles as they are stored, believed or not; undefined where there is none. For whoever verifies them. */
export async function storedTiles(
  run: Run,
  log: LogName,
  names: readonly { readonly level: number; readonly n: number }[],
): Promise<readonly ({ readonly root: Uint8Array; readonly bytes: Uint8Array } | undefined)[]> {
  const levels = names.map(({ level }) => level);
  const places = names.map(({ n }) => n);
  const rows = await run(STORED, [log.tenant, log.boundary, levels, places]);
  return rows.map((row) =>
    row['root'] === null ? undefined : { root: bytes(row['root']), bytes: bytes(row['bytes']) },
  );
}

async function sourceOf(
  run: Run,
  log: LogName,
  plan: ProofPlan,
  size: number,
): Promise<ProofSource> {
  const names = tilesOfPlan(plan, size);
  const tiles = names.length === 0 ? [] : await readTiles(run, log, names);
  const byPath = new Map(names.map((name, place) => [tilePath(name), tiles[place]]));
  return tileSource(size, (path) => byPath.get(path));
}

/** The root over the first `size` entries, from the stored hashes. */
export async function rootAt(run: Run, log: LogName, size: number): Promise<Uint8Array> {
  const plan = rootPlan(size);
  return assembleRoot(plan, await sourceOf(run, log, [plan], size));
}

/** RFC 6962 § 2.1.1 for entry `index` in the tree over the first `size`. */
export async function inclusionProofAt(
  run: Run,
  log: LogName,
  place: { readonly index: number; readonly size: number },
): Promise<readonly Uint8Array[]> {
  const plan = inclusionPlan({ leafIndex: place.index, treeSize: place.size });
  return assembleProof(plan, await sourceOf(run, log, plan, place.size));
}

/** RFC 6962 § 2.1.2 between two sizes of a log. */
export async function consistencyProofAt(
  run: Run,
  log: LogName,
  sizes: { readonly size1: number; readonly size2: number },
): Promise<readonly Uint8Array[]> {
  const plan = consistencyPlan(sizes);
  return assembleProof(plan, await sourceOf(run, log, plan, sizes.size2));
}

/**
 * Makes the full tiles that a log of `size` entries should have and has not, and says how many. A log from before there
 * were tiles is brought up with it; whoever calls holds the log's lock.
 */
export async function makeMissingTiles(run: Run, log: LogName, size: number): Promise<number> {
  let made = 0;
  let hashes = size;
  for (let level = 0; hashes >= TILE_WIDTH; level += 1) {
    hashes = Math.floor(hashes / TILE_WIDTH);
    const [row] = await run(COUNT, [log.tenant, log.boundary, level]);
    for (let n = Number(row?.['n']); n < hashes; n += 1) {
      await makeTile(run, log, level, n);
      made += 1;
    }
  }
  return made;
}

/** Makes one full tile from what lies below it. */
export async function makeTile(run: Run, log: LogName, level: number, n: number): Promise<void> {
  const { tenant, boundary } = log;
  const [row] =
    level === 0
      ? await run(GATHER_LEAVES, [tenant, boundary, n])
      : await run(GATHER_ROOTS, [tenant, boundary, n, level]);
  const tile = optional(row?.['bytes'], bytes) ?? new Uint8Array(0);
  // Refuses anything but 256 whole hashes.
  const root = rootHash(decodeTile(tile, TILE_WIDTH));
  await run(ADD, [tenant, boundary, level, n, root, tile]);
}
