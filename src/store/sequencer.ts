/**
 * Turns intake rows into ledger entries. One sequencer per log at a time: an advisory lock keeps others out, and the
 * compare-and-set on the head's size fences one that lost the lock without noticing.
 *
 * Rows are taken by presence, not by a high-water mark, because a lower number may commit later. Per subject the order
 * is right all the same: `subj_ver` and `n` are both assigned while the subject's row is locked, so a later version has
 * a larger number, and it is visible only after the earlier one.
 */
import { type Instant, invariant, type SequencerStore, toRfc3339 } from '../core/index.ts';
import {
  buildEntry,
  CompactRange,
  genesisPrev,
  type IntakeEntry,
  logOrigin,
} from '../ledger/index.ts';
import { bytes, optional, text, when } from './rows.ts';
import type { Row, Session, Statement } from './session.ts';

/** Bounds the memory and the length of one transaction; larger groups were not faster. */
export const GROUP_MAX = 256;

const HEAD: Statement = {
  name: 'ledger-head',
  text: `
insert into ledger_head (tenant, boundary) values ($1, $2) on conflict do nothing`,
};

/** Which of the logs have facts to take: an idle pass costs one look. */
const WAITING: Statement = {
  name: 'ledger-waiting-logs',
  text: `
select b as boundary from unnest($2::text[]) b
where exists (select 1 from ledger_intake i where i.tenant = $1 and i.boundary = b)`,
};

const LOCK: Statement = {
  name: 'ledger-lock',
  text: `
select pg_try_advisory_xact_lock(hashtextextended('filewright.sequencer/' || $1::text || '/' || $2::text, 0)) as mine`,
};

// A statement of its own: one that takes the lock has its snapshot from before, and could see the head as it was until
// the last sequencer let go.
const READ_HEAD: Statement = {
  name: 'ledger-read-head',
  text: `
select size, range, last_leaf, last_ts, date_trunc('milliseconds', clock_timestamp()) as now
from ledger_head where tenant = $1 and boundary = $2`,
};

// A scalar subquery on purpose: `exists` is answered by hashing the whole log once per group.
const TAKE: Statement = {
  name: 'ledger-take',
  text: `
select i.n, i.id, i.at, i.type, i.subj_kind, i.subj_id, i.subj_ver, i.actor_kind, i.actor_id, i.trace, i.cls, i.data,
  i.body, (
    select true from ledger_entry x where x.tenant = $1 and x.boundary = $2 and x.id = i.id limit 1) as known
from ledger_intake i where i.tenant = $1 and i.boundary = $2 order by i.n limit $3`,
};

// All entries travel as one value and are cut apart here: as an array each would be written out in hexadecimal twice.
const APPEND: Statement = {
  name: 'ledger-append',
  text: `
with gone as (delete from ledger_intake where tenant = $1 and boundary = $2 and n = any ($3::bigint[])),
entries as (
  insert into ledger_entry (tenant, boundary, seq, id, bytes, leaf)
  select $1, $2, $4::bigint + place - 1, id, substring($5::bytea from start for length),
    substring($6::bytea from (place::int - 1) * 32 + 1 for 32)
  from unnest($7::uuid[], $12::int[], $13::int[]) with ordinality e(id, start, length, place))
update ledger_head set size = $8, range = $9, last_leaf = $10, last_ts = to_timestamp($11::double precision / 1000)
where tenant = $1 and boundary = $2 and size = $4 returning size`,
};

export class PostgresSequencer implements SequencerStore {
  readonly #session: Session;
  readonly #tenant: string;
  readonly #instance: string;
  readonly #boundaries: readonly string[];
  #ready = false;

  constructor(options: {
    readonly session: Session;
    readonly tenant: string;
    readonly instance: string;
    readonly boundaries?: readonly string[];
  }) {
    this.#session = options.session;
    this.#tenant = options.tenant;
    this.#instance = options.instance;
    this.#boundaries = options.boundaries ?? ['filing', 'access'];
  }

  async sequence(limit = GROUP_MAX): Promise<number> {
    if (!this.#ready) {
      for (const boundary of this.#boundaries)
        await this.#session.run(HEAD, [this.#tenant, boundary]);
      this.#ready = true;
    }
    let appended = 0;
    for (const row of await this.#session.run(WAITING, [this.#tenant, this.#boundaries])) {
      appended += await this.#sequenceLog(text(row['boundary']), limit);
    }
    return appended;
  }

  #sequenceLog(boundary: string, limit: number): Promise<number> {
    return this.#session.transaction(async (run) => {
      const [lock] = await run(LOCK, [this.#tenant, boundary]);
      if (lock?.['mine'] !== true) return 0;
      const [head] = await run(READ_HEAD, [this.#tenant, boundary]);
      invariant(head !== undefined, 'A log has a head', { boundary });
      const rows = await run(TAKE, [this.#tenant, boundary, limit]);
      if (rows.length === 0) return 0;
      // The three are only ever the names of boundaries; the ledger's own check refuses any other.
      const origin = logOrigin(this.#instance, this.#tenant, boundary as 'filing' | 'access');
      const group = appendGroup(origin, head, rows);
      const { entries } = group;
      let next = 1;
      const starts = entries.map((entry) => (next += entry.bytes.length) - entry.bytes.length);
      const [done] = await run(APPEND, [
        this.#tenant,
        boundary,
        rows.map((row) => row['n']),
        head['size'],
        Buffer.concat(entries.map((entry) => entry.bytes)),
        Buffer.concat(entries.map((entry) => entry.leaf)),
        entries.map((entry) => entry.id),
        group.range.size,
        group.range.toBytes(),
        group.lastLeaf,
        group.ts,
        starts,
        entries.map((entry) => entry.bytes.length),
      ]);
      invariant(done !== undefined, 'The ledger head moved under the sequencer', { boundary });
      return entries.length;
    });
  }
}

interface Appended {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly leaf: Uint8Array;
}

interface Group {
  readonly entries: readonly Appended[];
  readonly range: CompactRange;
  readonly lastLeaf: Uint8Array | undefined;
  readonly ts: Instant;
}

function appendGroup(origin: string, head: Row, rows: readonly Row[]): Group {
  const stored = bytes(head['range']);
  const range = stored.length === 0 ? CompactRange.empty() : CompactRange.fromBytes(stored);
  invariant(range.size === Number(head['size']), 'The ledger head and its compact range differ', {
    origin,
  });
  let lastLeaf = optional(head['last_leaf'], bytes);
  const lastTs = optional(head['last_ts'], when);
  const now = when(head['now']);
  // The database's clock may have been set back; the log's time may not.
  const ts = lastTs !== undefined && lastTs > now ? lastTs : now;
  const entries: Appended[] = [];
  // A retried transaction may have left the same fact twice.
  const seen = new Set<string>();
  for (const row of rows) {
    if (row['known'] === true || seen.has(text(row['id']))) continue;
    seen.add(text(row['id']));
    const seq = range.size;
    const prev = lastLeaf ?? genesisPrev(origin);
    const built = buildEntry(intakeOf(row), { log: origin, seq, prev, ts: toRfc3339(ts) });
    range.append(built.leaf);
    lastLeaf = built.leaf;
    entries.push({ id: text(row['id']), ...built });
  }
  return { entries, range, lastLeaf, ts };
}

function intakeOf(row: Row): IntakeEntry {
  return {
    id: text(row['id']),
    at: toRfc3339(when(row['at'])),
    type: text(row['type']),
    subj: { kind: text(row['subj_kind']), id: text(row['subj_id']), ver: Number(row['subj_ver']) },
    // Each of these columns is held to its words by a check constraint or by buildEntry itself.
    actor: { kind: row['actor_kind'] as IntakeEntry['actor']['kind'], id: text(row['actor_id']) },
    trace: text(row['trace']),
    cls: row['cls'] as IntakeEntry['cls'],
    data: row['data'] as IntakeEntry['data'],
    body: row['body'] as IntakeEntry['body'],
  };
}
