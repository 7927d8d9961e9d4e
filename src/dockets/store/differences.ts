/** What the fallback log and a primary docket database do not agree about, each with its two-hour clock. */
import type { Docket } from '../rules/docket/docket.ts';
import {
  docketId,
  type DocketId,
  type Instant,
  type JsonValue,
  sha256Hex,
  type Sha256Hex,
  type TargetId,
} from '../../core/index.ts';
import { hex, optional, type Row, type Session, sql, text, when } from '../../postgres/index.ts';
import { json, jsonText, type Run } from './docket-rows.ts';

export const DIFFERENCE_KINDS = ['missing', 'differs', 'twice', 'unconfirmed', 'manual'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

export interface StoredDifference {
  readonly run: string;
  readonly docket: DocketId;
  readonly kind: DifferenceKind;
  readonly flag: 'MANUAL_ESCALATION_REQUIRED';
  readonly foundAt: Instant;
  readonly reviewBy: Instant;
  readonly evidence: JsonValue;
  readonly overdue: number;
  readonly reviewed: { readonly at: Instant; readonly by: string } | undefined;
}

const COLUMNS =
  'run, docket, kind, found_at, review_by, evidence, overdue, reviewed_at, reviewed_by';

/** A docket that went past a target, as our side knows it. */
export interface PassedDocket {
  readonly docket: DocketId;
  readonly messageId: string;
  readonly payloadSha256: Sha256Hex;
  readonly phase: string;
  /** Different receipts that this one target gave for it: more than one is a double effect there. */
  readonly receipts: number;
}

const PASSED = sql('docket-passed')`
select d.id, d.message_id, d.payload_sha256, d.phase, (
    select count(distinct r.receipt) from docket_handoff r
    where r.tenant = d.tenant and r.docket = d.id and r.target = $2 and r.receipt is not null) as receipts
from docket d where d.tenant = $1 and d.id > $4 and exists (
  select 1 from docket_handoff h where h.tenant = d.tenant and h.docket = d.id
    and (h.target = $2 or $2 = any (h.passed)) and h.started_at >= to_timestamp($3::float8 / 1000))
order by d.id limit $5`;

/** Dockets that were tried at the target, or went past it, since then; in pages by id. */
export async function passedDockets(
  session: Pick<Session, 'run'>,
  tenant: string,
  at: {
    readonly target: TargetId;
    readonly since: Instant;
    readonly after: string;
    readonly count: number;
  },
): Promise<PassedDocket[]> {
  const rows = await session.run(PASSED, [tenant, at.target, at.since, at.after, at.count]);
  return rows.map((row) => ({
    docket: docketId(text(row['id'])),
    messageId: text(row['message_id']),
    payloadSha256: sha256Hex(hex(row['payload_sha256'])),
    phase: text(row['phase']),
    receipts: Number(row['receipts']),
  }));
}

const PASSED_EVENT = sql('docket-passed-event')`
select d.docket from docket d join docket_handoff h on h.tenant = d.tenant and h.docket = d.id
where d.tenant = $1 and d.docket ? 'event' and (h.target = $2 or $2 = any (h.passed))
  and h.started_at >= to_timestamp($3::float8 / 1000)
order by h.started_at desc, d.id limit 1`;

/** The newest docket that went past a target and could be read when it came in. */
export async function passedEvent(
  session: Pick<Session, 'run'>,
  tenant: string,
  at: { readonly target: TargetId; readonly since: Instant },
): Promise<Docket | undefined> {
  const [row] = await session.run(PASSED_EVENT, [tenant, at.target, at.since]);
  return optional(row?.['docket'], (value) => value as Docket);
}

const LAST_SUCCESS = sql('docket-last-success')`
select max(started_at) as at from docket_handoff where tenant = $1 and target = $2
    and outcome in ('confirmed', 'sent') and ended_at < to_timestamp($3::float8 / 1000)`;

/** When the target last took something before that moment: what came after may be missing there. */
export async function lastSuccessBefore(
  session: Pick<Session, 'run'>,
  tenant: string,
  target: TargetId,
  before: Instant,
): Promise<Instant | undefined> {
  const [row] = await session.run(LAST_SUCCESS, [tenant, target, before]);
  return optional(row?.['at'], when);
}

const ADD = sql('recovery-differences-add')`
insert into recovery_difference (tenant, run, docket, kind, review_by, evidence)
select $1, $2, d.docket, d.kind, to_timestamp($4::float8 / 1000), d.evidence
from json_to_recordset($3::json) as d(docket text, kind text, evidence jsonb)
on conflict do nothing`;

/** Found again by the same run, a difference keeps the clock it has. */
export async function addDifferences(
  run: Run,
  tenant: string,
  of: { readonly run: string; readonly reviewBy: Instant },
  differences: readonly {
    readonly docket: DocketId;
    readonly kind: DifferenceKind;
    readonly evidence: object;
  }[],
): Promise<void> {
  if (differences.length === 0) return;
  await run(ADD, [tenant, of.run, jsonText(differences), of.reviewBy]);
}

const LIST = sql('recovery-differences')`
select ${COLUMNS} from recovery_difference where tenant = $1 and ($2::uuid is null or run = $2)
    and ($3 or reviewed_at is null) and ($4::text is null or docket = $4) and ($6::text is null or kind = $6)
    and ($7::text is null or run in (select r.id from recovery_run r where r.tenant = $1 and r.target = $7))
    order by review_by, docket, kind limit $5`;

export async function listDifferences(
  session: Pick<Session, 'run'>,
  tenant: string,
  filter: {
    readonly run?: string;
    readonly docket?: DocketId;
    readonly all?: boolean;
    readonly limit?: number;
    readonly kind?: DifferenceKind;
    /** Of all runs of that target. */
    readonly target?: TargetId;
  } = {},
): Promise<StoredDifference[]> {
  const { run, docket, all = false, limit = 10_000, kind, target } = filter;
  const values = [tenant, run ?? null, all, docket ?? null, limit, kind ?? null, target ?? null];
  return (await session.run(LIST, values)).map(differenceOf);
}

const REVIEW = sql('recovery-difference-review')`
update recovery_difference set reviewed_at = now(), reviewed_by = $3
    where tenant = $1 and docket = $2 and reviewed_at is null and ($4::text is null or kind = $4)
      and ($5::text is null or run in (select r.id from recovery_run r where r.tenant = $1 and r.target = $5))
    returning run`;

/** How many differences of the docket were open until now. */
export async function reviewDifferences(
  run: Run,
  tenant: string,
  docket: DocketId,
  by: string,
  only: { readonly kind?: DifferenceKind; readonly target?: TargetId } = {},
): Promise<number> {
  const values = [tenant, docket, by, only.kind ?? null, only.target ?? null];
  return (await run(REVIEW, values)).length;
}

const OVERDUE = sql('recovery-differences-overdue')`
with due as materialized (
  select run, docket, kind from recovery_difference where tenant = $1 and reviewed_at is null and review_by <= now()
  order by review_by, run, docket, kind limit $3)
update recovery_difference r set overdue = overdue + 1, review_by = now() + $2::float8 * interval '1 millisecond'
from due where r.tenant = $1 and r.run = due.run and r.docket = due.docket and r.kind = due.kind
  and r.reviewed_at is null and r.review_by <= now()
returning ${COLUMNS.split(', ')
  .map((name) => `r.${name}`)
  .join(', ')}`;

/**
 * Differences whose clock has run out; each gets a new clock, in the transaction that tells somebody. Of two processes that
 * look at once, the second finds the new clock and tells nobody.
 */
export async function overdueDifferences(
  run: Run,
  tenant: string,
  again: { readonly clockMs: number; readonly count: number },
): Promise<StoredDifference[]> {
  return (await run(OVERDUE, [tenant, again.clockMs, again.count])).map(differenceOf);
}

function differenceOf(row: Row): StoredDifference {
  const at = optional(row['reviewed_at'], when);
  return {
    run: text(row['run']),
    docket: docketId(text(row['docket'])),
    // A check constraint holds the column to these words.
    kind: text(row['kind']) as DifferenceKind,
    flag: 'MANUAL_ESCALATION_REQUIRED',
    foundAt: when(row['found_at']),
    reviewBy: when(row['review_by']),
    evidence: json(row['evidence']),
    overdue: Number(row['overdue']),
    reviewed: at === undefined ? undefined : { at, by: text(row['reviewed_by']) },
  };
}
