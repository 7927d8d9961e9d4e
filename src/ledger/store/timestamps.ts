/** What authorities of time have said of the heads of a log. Added once, never changed. */
import type { Instant } from '../../core/index.ts';
import { bytes, type Run, type Session, sql, when } from '../../postgres/index.ts';
import { parseEntry } from '../entry-chain.ts';
import { AS_SEQUENCER } from './cosignatures.ts';
import { NOTE } from './checkpoints.ts';
import type { LogName } from './tree-store.ts';

/** Stamps are made once an hour; a page is six weeks of them. */
const PAGE = 1_000;

const ADD = sql('timestamp-add')`
insert into ledger_timestamp (tenant, boundary, size, token, stamped_at)
values ($1, $2, $3, $4, to_timestamp($5::double precision / 1000)) on conflict do nothing`;

const LAST = sql('timestamp-last')`
select size, stamped_at from ledger_timestamp where tenant = $1 and boundary = $2 order by size desc limit 1`;

const FROM = sql('timestamp-from')`
select t.size, t.token, t.stamped_at, (select ${NOTE} from ledger_checkpoint c
    where c.tenant = t.tenant and c.boundary = t.boundary and c.size = t.size) as note
from ledger_timestamp t where t.tenant = $1 and t.boundary = $2 and t.size >= $3 order by t.size limit ${PAGE}`;

const ENTRY = sql('timestamp-entry')`
select bytes from ledger_entry where tenant = $1 and boundary = $2 and seq = $3`;

interface StoredStamp {
  readonly size: number;
  readonly token: Uint8Array;
  readonly at: Instant;
  /** The checkpoint that it is of; undefined when there is none of this size. */
  readonly note: Uint8Array | undefined;
}

export async function addStamp(
  session: Session,
  log: LogName,
  stamp: { readonly size: number; readonly token: Uint8Array; readonly at: Instant },
): Promise<void> {
  await session.transaction(async (run) => {
    await run(AS_SEQUENCER, [log.boundary]);
    await run(ADD, [log.tenant, log.boundary, stamp.size, stamp.token, stamp.at]);
  });
}

/** Of the largest head that was stamped, as far as it is known here. */
export async function lastStamp(
  session: Pick<Session, 'run'>,
  log: LogName,
): Promise<Pick<StoredStamp, 'size' | 'at'> | undefined> {
  const [row] = await session.run(LAST, [log.tenant, log.boundary]);
  return row === undefined ? undefined : { size: Number(row['size']), at: when(row['stamped_at']) };
}

/** Stamps of a log in order of size, from `size` on. */
export async function* stampsFrom(
  session: Pick<Session, 'run'>,
  log: LogName,
  size = 0,
): AsyncGenerator<StoredStamp> {
  for (let from = size; ; ) {
    const rows = await session.run(FROM, [log.tenant, log.boundary, from]);
    for (const row of rows) {
      yield {
        size: Number(row['size']),
        token: bytes(row['token']),
        at: when(row['stamped_at']),
        note: row['note'] === null ? undefined : bytes(row['note']),
      };
    }
    if (rows.length < PAGE) return;
    from = Number(rows.at(-1)?.['size']) + 1;
  }
}

/** When an entry was written, by the ledger's own clock; undefined where there is none. */
export async function entryTime(
  session: Pick<Session, 'run'>,
  log: LogName,
  seq: number,
): Promise<string | undefined> {
  const run: Run = (statement, values) => session.run(statement, values);
  const [row] = await run(ENTRY, [log.tenant, log.boundary, seq]);
  return row === undefined ? undefined : parseEntry(bytes(row['bytes'])).ts;
}
