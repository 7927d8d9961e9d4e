/**
 * Signed tree heads. The last signed (size, root) moves in the transaction that keeps the checkpoint, and only forward,
 * so that two heads that contradict each other are never signed. Each checkpoint of a log puts its head into the spine.
 */
import {
  entryId,
  type Instant,
  instant,
  type LedgerFact,
  type Random,
  uuidV7,
} from '../../core/index.ts';
import type { NoteSigner } from '../note-signer.ts';
import { signCheckpoint, type TreeHead } from '../checkpoint.ts';
import { factJson } from './facts.ts';
import { bytes, type Row, type Run, type Session, sql, text, when } from '../../postgres/index.ts';
import type { LogName } from './tree-store.ts';

/** While entries come in, no log is signed more often than this. */
export const CHECKPOINT_MS = 1_000;

/** Checkpoints are small, but a log has many. */
const PAGE = 500;

/** Where checkpoints are kept outside the database. */
export interface CheckpointCopies {
  /** Durable when it resolves; keeping the same checkpoint twice is fine. */
  keep(origin: string, size: number, note: Uint8Array): Promise<void>;
  /** The same checkpoint with more signatures under it. */
  amend(origin: string, size: number, note: Uint8Array): Promise<void>;
  /** The largest one that was kept; undefined when there is none. */
  newest(origin: string): Promise<{ readonly size: number; readonly note: Uint8Array } | undefined>;
  /** Puts all copies of a log away, because a person has accepted that it begins anew from an older state. */
  setAside(origin: string): Promise<void>;
}

/** The same, for whoever compares all of them. */
export interface CheckpointArchive extends CheckpointCopies {
  /** Every size of which there is a copy, from the smallest on. */
  sizes(origin: string): Promise<readonly number[]>;
  read(origin: string, size: number): Promise<Uint8Array | undefined>;
  /** The largest size that ever had its copy here; 0 for none. */
  reached(origin: string): Promise<number>;
  /** Logs below a name (`<instance>/<tenant>`) of which there are copies. */
  logs(name: string): Promise<readonly string[]>;
  /** What an authority of time said of a head; keeping the same twice is fine. */
  keepStamp(origin: string, size: number, token: Uint8Array): Promise<void>;
  /** Every size of which a stamp is kept, from the smallest on. */
  stamps(origin: string): Promise<readonly number[]>;
  readStamp(origin: string, size: number): Promise<Uint8Array | undefined>;
}

/** What was found of a log when it was last verified, kept outside the database. */
interface KnownLog {
  /** The verifier key that signed its first head. */
  readonly firstKey: string;
  readonly size: number;
  /** Base64, as in a checkpoint. */
  readonly root: string;
}

/** The logs that were verified here before: whoever rewrites the database does not reach them. */
export interface KnownLogs {
  read(origin: string): Promise<KnownLog | undefined>;
  remember(origin: string, log: KnownLog): Promise<void>;
  /** Puts what is known of a log away, because two people have accepted that it begins anew. */
  setAside(origin: string): Promise<void>;
  logs(name: string): Promise<readonly string[]>;
}

/** The note of `ledger_checkpoint c`, with the signatures of witnesses under those of the log. */
export const NOTE = `c.note || convert_to(coalesce((
    select string_agg(w.line, '' order by w.cosigned_at, w.witness) from ledger_cosignature w
    where w.tenant = c.tenant and w.boundary = c.boundary and w.size = c.size), ''), 'UTF8')`;

export interface StoredCheckpoint extends TreeHead {
  readonly boundary: string;
  /** The signed note, to the byte; what witnesses signed stands under it. */
  readonly note: Uint8Array;
  readonly signedAt: Instant;
}

// $1 tenant, $2 boundary, $3 size, $4 root, $5 note, $6 moment, $7 the spine's fact or null
const SIGN = sql('checkpoint-sign')`
with signed as (
  update ledger_head set signed_size = $3, signed_root = $4, signed_at = to_timestamp($6::double precision / 1000),
    spine_ver = spine_ver + case when $7::json is null then 0 else 1 end
  where tenant = $1 and boundary = $2 and size = $3 and signed_size < $3
  returning spine_ver),
kept as (
  insert into ledger_checkpoint (tenant, boundary, size, root, note, signed_at)
  select $1, $2, $3, $4, $5, to_timestamp($6::double precision / 1000) from signed),
spine as (
  insert into ledger_intake
    (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
  select $1, 'spine', (f.fact->>'id')::uuid, now(), f.fact->>'type', 'log', f.fact->'data'->>'origin', signed.spine_ver,
    f.fact->>'actor_kind', f.fact->>'actor_id', f.fact->>'trace', (f.fact->'data')::jsonb
  from signed, (select $7::json as fact) f where f.fact is not null)
select spine_ver from signed`;

const IN_QUARANTINE = sql('checkpoint-quarantine')`
select 1 as found from quarantine where tenant = $1 and state = 'in'`;

/** Of `ledger_checkpoint c`, as `checkpointOf` reads them. */
export const COLUMNS = `c.boundary, c.size, c.root, ${NOTE} as note, c.signed_at`;

const LATEST = sql('checkpoint-latest')`
select ${COLUMNS} from ledger_checkpoint c where c.tenant = $1 and c.boundary = $2 order by c.size desc limit 1`;

const FROM = sql('checkpoint-from')`
select ${COLUMNS} from ledger_checkpoint c
  where c.tenant = $1 and c.boundary = $2 and c.size >= $3 order by c.size limit $4`;

/** Whether this tenant's database has been found to be behind what was signed; then nothing more is signed. */
export async function isQuarantined(run: Run, tenant: string): Promise<boolean> {
  return (await run(IN_QUARANTINE, [tenant])).length > 0;
}

/**
 * Signs the head and keeps the checkpoint, in the caller's transaction; the caller holds the log's lock and has just
 * read or written the head. Nothing may be handed out before the commit.
 */
export async function signHead(
  run: Run,
  log: LogName & { readonly origin: string },
  head: TreeHead,
  signers: readonly NoteSigner[],
  by: { readonly now: Instant; readonly random: Random },
): Promise<Uint8Array | undefined> {
  const note = Buffer.from(
    signCheckpoint({ origin: log.origin, size: head.size, root: head.root }, signers),
    'utf8',
  );
  const id = entryId(uuidV7(by.now, by.random.bytes(10)));
  const fact: LedgerFact = {
    id,
    type: 'spine.head',
    actor: { kind: 'system', id: 'sequencer' },
    trace: id,
    data: {
      origin: log.origin,
      size: head.size,
      root: Buffer.from(head.root).toString('hex'),
    },
  };
  const rows = await run(SIGN, [
    log.tenant,
    log.boundary,
    head.size,
    head.root,
    note,
    by.now,
    // The spine has no entry about itself: it would never come to rest.
    log.boundary === 'spine' ? null : JSON.stringify(factJson(fact)),
  ]);
  return rows.length === 0 ? undefined : note;
}

/** The newest signed head of a log; undefined before the first. */
export async function latestCheckpoint(
  session: Pick<Session, 'run'>,
  log: LogName,
): Promise<StoredCheckpoint | undefined> {
  const [row] = await session.run(LATEST, [log.tenant, log.boundary]);
  return row === undefined ? undefined : checkpointOf(row);
}

/** Signed heads of a log in order of size, from `size` on. */
export async function* checkpointsFrom(
  session: Pick<Session, 'run'>,
  log: LogName,
  size = 0,
): AsyncGenerator<StoredCheckpoint> {
  for (let from = size; ; ) {
    const rows = await session.run(FROM, [log.tenant, log.boundary, from, PAGE]);
    for (const row of rows) yield checkpointOf(row);
    if (rows.length < PAGE) return;
    from = Number(rows.at(-1)?.['size']) + 1;
  }
}

/** Copies the checkpoints from `size` on that a crash, or another host, left without a copy here; says the last size. */
export async function copyFrom(
  session: Pick<Session, 'run'>,
  log: LogName & { readonly origin: string },
  copies: CheckpointCopies,
  size: number,
): Promise<number> {
  let last = size;
  for await (const checkpoint of checkpointsFrom(session, log, size)) {
    await copies.keep(log.origin, checkpoint.size, checkpoint.note);
    last = checkpoint.size;
  }
  return last;
}

export function checkpointOf(row: Row): StoredCheckpoint {
  return {
    boundary: text(row['boundary']),
    size: Number(row['size']),
    root: bytes(row['root']),
    note: bytes(row['note']),
    signedAt: instant(when(row['signed_at'])),
  };
}
