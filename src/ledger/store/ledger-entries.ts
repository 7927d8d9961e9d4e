/** Reading the ledger back: heads, entries in pages, blobs. Bounded memory whatever its size. */
import { FilewrightError, LEDGER_BOUNDARIES } from '../../core/index.ts';
import type { TreeHead } from '../checkpoint.ts';
import { CompactRange } from '../compact-range.ts';
import { bytes, type Session, sql, text } from '../../postgres/index.ts';
import { NOTE } from './checkpoints.ts';

/** About 1 MB of entries at a time. */
const PAGE = 1_000;

const HEADS = sql('ledger-heads')`
select boundary, size, range from ledger_head where tenant = $1 and size > 0 order by boundary`;

// A log whose head was taken away still shows by its entries and by its signed heads. One statement, so that the newest
// signed head is none that was signed after the head was read.
const LOGS = sql('ledger-logs')`
select b.boundary, h.size, h.range, h.signed_size, c.note from unnest($2::text[]) b(boundary)
left join ledger_head h on h.tenant = $1 and h.boundary = b.boundary
left join lateral (
  select ${NOTE} as note from ledger_checkpoint c where c.tenant = $1 and c.boundary = b.boundary
  order by c.size desc limit 1) c on true
where h.size > 0 or c.note is not null
  or exists (select 1 from ledger_entry e where e.tenant = $1 and e.boundary = b.boundary)
order by b.boundary`;

const ENTRIES = sql('ledger-entries')`
select seq, bytes from ledger_entry where tenant = $1 and boundary = $2 and seq >= $3 order by seq limit $4`;

const WAITING = sql('ledger-waiting')`
select count(*)::int as rows, coalesce(extract(epoch from now() - min(at)), 0)::float8 as oldest_s
  from ledger_intake where tenant = $1`;

const BLOBS = sql('ledger-blobs')`
select b.ct, b.bytes, b.entry, k.id as key_id, k.month as key_month, k.wrapped as key_wrapped
from ledger_blob b left join ledger_dek k on k.tenant = b.tenant and k.id = b.key and k.state = 'live'
where b.tenant = $1 and b.boundary = $2 and b.ct = any ($3::bytea[])`;

const KEY_STATES = sql('ledger-key-states')`
select id, state from ledger_dek where tenant = $1 and id = any ($2::text[])`;

interface LogHead extends TreeHead {
  readonly boundary: string;
}

export async function ledgerHeads(session: Session, tenant: string): Promise<LogHead[]> {
  return (await session.run(HEADS, [tenant])).map((row) => {
    const range = CompactRange.fromBytes(bytes(row['range']));
    return { boundary: text(row['boundary']), size: Number(row['size']), root: range.root() };
  });
}

/** What the database says of a log, believed or not. */
export interface FoundLog {
  readonly boundary: string;
  /** Undefined when it is gone, or is none. */
  readonly head: TreeHead | undefined;
  /** The newest signed note; undefined before the first. */
  readonly checkpoint: Uint8Array | undefined;
  /** The last signed size as the head says it; 0 before the first, or without a head. */
  readonly signedSize: number;
}

/** Every log that left any trace, for a verifier: `ledgerHeads` trusts that each of them has a head. */
export async function findLogs(session: Session, tenant: string): Promise<FoundLog[]> {
  return (await session.run(LOGS, [tenant, LEDGER_BOUNDARIES])).map((row) => {
    const size = row['size'];
    const range = row['range'];
    const root = range === null ? undefined : rootOf(bytes(range));
    return {
      boundary: text(row['boundary']),
      head: root === undefined ? undefined : { size: Number(size), root },
      checkpoint: row['note'] === null ? undefined : bytes(row['note']),
      signedSize: Number(row['signed_size'] ?? 0),
    };
  });
}

function rootOf(range: Uint8Array): Uint8Array | undefined {
  try {
    return CompactRange.fromBytes(range).root();
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    // Not a range: whoever verifies says so.
    return undefined;
  }
}

/** Entries of a log from its beginning, or from `first` on, up to `size`, in order. */
export async function* ledgerEntries(
  session: Pick<Session, 'run'>,
  tenant: string,
  boundary: string,
  size = Number.MAX_SAFE_INTEGER,
  first = 0,
): AsyncGenerator<Uint8Array> {
  for (let from = first; from < size; ) {
    const rows = await session.run(ENTRIES, [tenant, boundary, from, Math.min(PAGE, size - from)]);
    if (rows.length === 0) return;
    for (const row of rows) yield bytes(row['bytes']);
    from = Number(rows.at(-1)?.['seq']) + 1;
  }
}

/** Facts that are committed but not yet in the log. */
export async function ledgerWaiting(
  session: Session,
  tenant: string,
): Promise<{ readonly rows: number; readonly oldestSeconds: number }> {
  const [row] = await session.run(WAITING, [tenant]);
  return { rows: Number(row?.['rows']), oldestSeconds: Number(row?.['oldest_s']) };
}

export interface StoredBlob {
  readonly blob: Uint8Array;
  readonly key:
    | { readonly id: string; readonly month: string; readonly wrapped: Uint8Array }
    | undefined;
}

export async function ledgerBlobs(
  session: Session,
  tenant: string,
  boundary: string,
  hashes: readonly string[],
): Promise<Map<string, StoredBlob>> {
  const rows = await session.run(BLOBS, [
    tenant,
    boundary,
    hashes.map((ct) => Buffer.from(ct, 'hex')),
  ]);
  return new Map(
    rows.map((row) => [
      Buffer.from(bytes(row['ct'])).toString('hex'),
      {
        blob: bytes(row['bytes']),
        key:
          row['key_wrapped'] === null
            ? undefined
            : {
                id: text(row['key_id']),
                month: text(row['key_month']),
                wrapped: bytes(row['key_wrapped']),
              },
      },
    ]),
  );
}

/**
 * Which of these data keys live and which were shredded. A body that is missing is in order only when its key was
 * shredded; one that is missing under a live key, or under a key that nobody knows, was taken away.
 */
export async function dataKeyStates(
  session: Session,
  tenant: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, 'live' | 'shredded'>> {
  const rows = await session.run(KEY_STATES, [tenant, keys]);
  return new Map(
    rows.map((row) => [text(row['id']), row['state'] === 'live' ? 'live' : 'shredded']),
  );
}
