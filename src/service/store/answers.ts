/** The first answer to each request under its Idempotency-Key, sealed; kept for a day. */
import { entryId, type PersonId, type SealedPayload } from '../../core/index.ts';
import { bytes, type Run, type Session, sql, text } from '../../postgres/index.ts';

/** Long enough for a client that was away over night. */
const KEPT_HOURS = 24;
/** A request that is under way under the same key has so long to end before its twin is sent away. */
const TWIN_MS = 5_000;

const WAIT = { name: 'request-wait', text: `set local lock_timeout = '${TWIN_MS}ms'` };
const NO_WAIT = { name: 'request-no-wait', text: 'set local lock_timeout = 0' };

// Waits for a twin that is under way: it commits, and its answer is found, or it does not, and this one is the first.
const TAKE = sql('request-take')`
insert into request_answer (tenant, asked, key_sha256, request_sha256) values ($1, $2, $3, $4)
on conflict do nothing returning 1`;

const FIND = sql('request-find')`
select r.request_sha256, r.status, r.sealed as blob, r.id as blob_entry, k.id as key_id, k.month as key_month,
  k.wrapped as key_wrapped
from request_answer r join ledger_dek k on k.tenant = r.tenant and k.id = r.key
where r.tenant = $1 and r.asked = $2 and r.key_sha256 = $3`;

const KEEP = sql('request-keep')`
update request_answer set status = $4, id = $5, key = $6, sealed = $7
where tenant = $1 and asked = $2 and key_sha256 = $3`;

const FORGET = sql('request-forget')`
delete from request_answer where tenant = $1 and at < now() - interval '${KEPT_HOURS} hours'`;

export interface RequestName {
  readonly tenant: string;
  readonly asked: PersonId;
  readonly keySha256: Uint8Array;
}

/** False where the key is known. */
export async function takeRequest(
  run: Run,
  { tenant, asked, keySha256 }: RequestName,
  requestSha256: Uint8Array,
): Promise<boolean> {
  await run(WAIT);
  const rows = await run(TAKE, [tenant, asked, keySha256, requestSha256]);
  await run(NO_WAIT);
  return rows.length > 0;
}

export async function findAnswer(
  run: Run,
  { tenant, asked, keySha256 }: RequestName,
): Promise<
  | {
      readonly requestSha256: Uint8Array;
      readonly status: number;
      readonly sealed: SealedPayload;
    }
  | undefined
> {
  const [row] = await run(FIND, [tenant, asked, keySha256]);
  if (row === undefined) return undefined;
  return {
    requestSha256: bytes(row['request_sha256']),
    status: Number(row['status']),
    sealed: {
      blob: bytes(row['blob']),
      entry: entryId(text(row['blob_entry'])),
      key: {
        id: text(row['key_id']),
        month: text(row['key_month']),
        wrapped: bytes(row['key_wrapped']),
      },
    },
  };
}

export async function keepAnswer(
  run: Run,
  { tenant, asked, keySha256 }: RequestName,
  answer: {
    readonly status: number;
    readonly id: string;
    readonly key: string;
    readonly sealed: Uint8Array;
  },
): Promise<void> {
  const { status, id, key, sealed } = answer;
  await run(KEEP, [tenant, asked, keySha256, status, id, key, sealed]);
}

export async function forgetAnswers(session: Session, tenant: string): Promise<void> {
  await session.run(FORGET, [tenant]);
}
