/** What others have signed under the heads of a log: witnesses, and authorities of time. Added once, never changed. */
import type { Instant } from '../../core/index.ts';
import { checkCheckpoint, type Checkpoint } from '../checkpoint.ts';
import { parseEntry } from '../entry-chain.ts';
import type { TrustPolicy } from '../trust-policy.ts';
import { bytes, optional, type Run, type Session, sql, when } from '../../postgres/index.ts';
import { checkpointOf, COLUMNS, NOTE, type StoredCheckpoint } from './checkpoints.ts';
import { consistencyProofAt, type LogName, rootAt } from './tree-store.ts';

// The sequencer of the log is who may write what stands under its heads.
export const AS_SEQUENCER = sql('cosignature-role')`
select set_config('role', role_prefix || '_seq_' || $1::text, true) from installation where roles = 'ready'`;

const ADD = sql('cosignature-add')`
insert into ledger_cosignature (tenant, boundary, size, witness, line, cosigned_at)
values ($1, $2, $3, $4, $5, to_timestamp($6::double precision)) on conflict do nothing`;

const LAST = sql('cosignature-last')`
select size, cosigned_at from ledger_cosignature
  where tenant = $1 and boundary = $2 and witness = $3 order by size desc limit 1`;

export async function addCosignature(
  session: Session,
  log: LogName,
  cosignature: {
    readonly size: number;
    readonly witness: string;
    readonly line: string;
    readonly seconds: number;
  },
): Promise<void> {
  const { size, witness, line, seconds } = cosignature;
  await session.transaction(async (run) => {
    await run(AS_SEQUENCER, [log.boundary]);
    await run(ADD, [log.tenant, log.boundary, size, witness, line, seconds]);
  });
}

/** The largest head of a log that a witness has signed, as far as it is known here. */
export async function lastCosigned(
  session: Pick<Session, 'run'>,
  log: LogName,
  witness: string,
): Promise<{ readonly size: number; readonly at: Instant } | undefined> {
  const [row] = await session.run(LAST, [log.tenant, log.boundary, witness]);
  return row === undefined
    ? undefined
    : { size: Number(row['size']), at: when(row['cosigned_at']) };
}

/** Shows a witness that the log has only grown since the size that it knows. */
export async function growthProof(
  session: Pick<Session, 'run'>,
  log: LogName,
  sizes: { readonly size1: number; readonly size2: number },
): Promise<readonly Uint8Array[]> {
  const run: Run = (statement, values) => session.run(statement, values);
  return consistencyProofAt(run, log, sizes);
}

/** Witnesses answer for one head after another, so the newest that enough of them have signed is among these. */
const COSIGNED_MAX = 1_000;

const COSIGNED = sql('cosignature-heads')`
select c.size, c.root, ${NOTE} as note from ledger_checkpoint c
where c.tenant = $1 and c.boundary = $2 and c.size >= $3 and exists (
  select 1 from ledger_cosignature w where w.tenant = c.tenant and w.boundary = c.boundary and w.size = c.size)
order by c.size desc limit ${COSIGNED_MAX}`;

const MOST = sql('cosignature-most')`
select ${COLUMNS} from ledger_checkpoint c join (
  select size, count(*) as n from ledger_cosignature where tenant = $1 and boundary = $2 and size >= $3
  group by size order by n desc, size desc limit 1) w on w.size = c.size
where c.tenant = $1 and c.boundary = $2`;

const ENTRY = sql('cosignature-entry')`
select bytes from ledger_entry where tenant = $1 and boundary = $2 and seq = $3`;

/** The newest head of at least this size under which most witnesses stand. */
export async function cosignedHead(
  session: Pick<Session, 'run'>,
  log: LogName,
  sizeMin: number,
): Promise<StoredCheckpoint | undefined> {
  const [row] = await session.run(MOST, [log.tenant, log.boundary, sizeMin]);
  return row === undefined ? undefined : checkpointOf(row);
}

/** The newest head, of at least this size, that the policy calls witnessed. */
export async function witnessedHead(
  session: Pick<Session, 'run'>,
  log: LogName & { readonly origin: string },
  policy: TrustPolicy,
  sizeMin = 0,
): Promise<Checkpoint | undefined> {
  for (const row of await session.run(COSIGNED, [log.tenant, log.boundary, sizeMin])) {
    const read = checkCheckpoint(bytes(row['note']), { origin: log.origin, policy });
    if (read.ok) return read.checkpoint;
  }
  return undefined;
}

/** The root over the first `size` entries as they are now, and the moment of the entry after them, if there is one. */
export async function afterHead(
  session: Pick<Session, 'run'>,
  log: LogName,
  size: number,
): Promise<{ readonly root: Uint8Array; readonly next: string | undefined }> {
  const run: Run = (statement, values) => session.run(statement, values);
  const [row] = await run(ENTRY, [log.tenant, log.boundary, size]);
  const next = optional(row?.['bytes'], (value) => parseEntry(bytes(value)).ts);
  return { root: await rootAt(run, log, size), next };
}
