/**
 * The tick: outcomes of the last group, claims and intents of the next, in one statement, so one round trip and one
 * commit. State change, ledger facts, outbox event and next wake-up stand or fall together.
 *
 * The session that runs it pins the planner (PLANNER): with the default settings a plan made while a table was still
 * small walks whole tables later. Pinning is not enough where the tenant alone selects an index: on a new installation
 * "all of the tenant's filings" looks cheaper than ten look-ups. So the tenant comes from the rows of `o` and `turn`,
 * never from the parameter, the comparison there makes the planner expect one row, and reads are fenced by `offset 0`.
 */
import {
  filingId,
  type OutcomeRecord,
  type TickAnswer,
  type TickInput,
  toRfc3339,
} from '../../core/index.ts';
import { factJson } from '../../ledger/index.ts';
import {
  claimsOf,
  FILING_COLUMNS,
  SEALED_COLUMNS,
  type Session,
  sql,
  type Statement,
  text,
} from '../../postgres/index.ts';

// $1 tenant, $2 worker, $3 outcomes, $4 lanes, $5 counts, $6 attempt ids, $7 and $8 where to begin in each lane, $9 by which profile
export const TICK: Statement = sql('tick')`
with o as materialized (
  select * from json_to_recordset($3::json) as o(
    tenant text, filing uuid, worker bigint, attempt int, verdict text, code text, from_status text, to_status text, step jsonb,
    delay_ms double precision, failures int, failing_since double precision, captcha_marks int, receipt text, lane text,
    -- The fact in columns of its own: taken out of a json value field by field, it would be parsed once per field.
    id uuid, type text, actor_kind text, actor_id text, trace text, data jsonb, body jsonb, ct text, blob text,
    exception json)
  where tenant = $1
),
-- A receipt is one filing's, and two workers may come with one receipt at the same moment: the primary key decides. In
-- one order, so that two ticks never wait for each other.
given as (
  insert into receipt (tenant, lane, number, filing)
  select tenant, lane, receipt, filing from o where receipt is not null order by lane, receipt
  on conflict do nothing returning filing
),
-- "not in", because it is hashed: the planner may join by nested loops alone. The second look finds a filing that has
-- its own receipt already, because the answer to the tick before was lost.
disputed as materialized (
  select filing, attempt from o
  where receipt is not null and filing not in (select filing from given) and not exists (
    select 1 from receipt r where r.tenant = o.tenant and r.lane = o.lane and r.number = o.receipt and r.filing = o.filing)
),
done as (
  update filing f set
    status = o.to_status, verdict = o.verdict, code = o.code, receipt = coalesce(o.receipt, f.receipt),
    holder = null, claim = null, step = o.step, failures = o.failures, captcha_marks = o.captcha_marks,
    failing_since = to_timestamp(o.failing_since / 1000),
    next_at = case when o.step is null then null else now() + o.delay_ms * interval '1 millisecond' end,
    ver = f.ver + 1,
    exceptions = f.exceptions + case when o.exception is null then 0 else 1 end
  from o
  -- coalesce keeps the planner off the holder index, whose entries for this worker change with every tick.
  where f.tenant = o.tenant and f.id = o.filing and coalesce(f.holder, -1) = o.worker and f.attempt = o.attempt
    and f.status = o.from_status and (o.filing, o.attempt) not in (select filing, attempt from disputed)
  returning f.id as filing, f.ver, f.status, f.exceptions, o.attempt, o.worker, o.id, o.type, o.actor_kind, o.actor_id,
    o.trace, o.data, o.body, o.exception
),
kept as (
  insert into outcome (tenant, filing, no, holder, verdict, code, at, ct, counted)
  -- Asked by "in", which is hashed; a join would compare each with each.
  select $1, o.filing, o.attempt, o.worker, o.verdict, o.code, now(), decode(o.ct, 'hex'),
    (o.filing, o.attempt, o.worker) in (select filing, attempt, worker from done)
  from o where (o.filing, o.attempt) not in (select filing, attempt from disputed)
  on conflict do nothing
),
blobs as (
  insert into ledger_blob (ct, tenant, boundary, entry, key, bytes)
  select decode(ct, 'hex'), $1, 'filing', id, body->>'key', decode(blob, 'base64') from o
  where ct is not null and (filing, attempt) not in (select filing, attempt from disputed)
  union all
  select decode(fact->>'ct', 'hex'), $1, 'filing', (fact->>'id')::uuid, fact->'body'->>'key', decode(fact->>'blob', 'base64')
  from (select exception->'fact' as fact from done where exception is not null) envelopes
  on conflict do nothing
),
exceptions as (
  insert into exception (tenant, filing, n, status, reason, unsettled, ct, opened_at)
  select $1, filing, exceptions, status, exception->>'reason', nullif((exception->'unsettled')::jsonb, 'null'),
    decode(exception->'fact'->>'ct', 'hex'), now()
  from done where exception is not null
),
events as (
  insert into work (tenant, id, kind, target, body)
  select $1, id, 'event', 'all', jsonb_build_object('type', 'COMPLIANCE_FILING_COMPLETE', 'filing', filing)
  from done where status = 'accepted'
),
alive as materialized (
  select id from worker
  where tenant = $1 and id = $2 and ended_at is null and expires_at > clock_timestamp() for key share
),
candidate as materialized (
  select l.tenant, l.profile_sha256, c.id, c.status, row_number() over () as place
  from alive, unnest($4::text[], $5::int[], $7::timestamptz[], $8::uuid[], $9::int[])
    want(lane, count, after_safe, after_id, profile_n)
  join lane l on l.tenant = $1 and l.code = want.lane and l.open_from <= now()
    and l.profile_n = coalesce(want.profile_n, l.profile_n)
  cross join lateral (
    select f.id, f.status from filing f
    where f.tenant = $1 and f.lane = want.lane and f.next_at is not null and f.next_at <= now() and f.last_safe > now()
      and (f.last_safe, f.id) > (want.after_safe, want.after_id)
      -- After a quarantine only questions go out until all are answered. Looked up once for the whole statement.
      and ((select not exists (select 1 from quarantine q where q.tenant = $1 and q.settling))
        or f.step->>'action' in ('ask', 'poll'))
      -- The same on a lane that recovers: what was under way when it failed is settled before anything new is sent.
      and (not l.asks_only or f.step->>'action' in ('ask', 'poll'))
      -- What is sent goes where two people said, while their word holds. A repeat was begun in time.
      and ((f.profile_n = l.profile_n and f.approved_until > now()) or f.step->>'action' in ('ask', 'poll')
        or (f.profile_n = l.profile_n and f.step->>'action' = 'resend'))
    order by f.last_safe, f.id limit want.count for update skip locked) c
),
turn as materialized (
  select c.tenant, c.id, c.status, c.profile_sha256, ($6::uuid[])[c.place::int] as attempt_id
  from candidate c where c.tenant = $1 and c.place <= cardinality($6::uuid[])
),
claimed as (
  update filing f set
    status = 'submitted', holder = $2, claim = 'turn', attempt = f.attempt + 1, next_at = null,
    attempt_id = turn.attempt_id,
    -- A question asked of the portal changes nothing and needs no intent, unless the filing was pending before.
    ver = f.ver + case when f.step->>'action' in ('send', 'resend') or f.status = 'pending' then 1 else 0 end
  from turn
  where f.tenant = turn.tenant and f.id = turn.id
  returning f.*, turn.status as from_status, turn.profile_sha256
),
attempts as (
  insert into attempt (tenant, filing, no, id, action, holder, intent_at)
  -- A step that is none has no attempt: whoever claims it hands it to a person (core/read-step.ts).
  select $1, id, attempt, attempt_id, step->>'action', $2, now() from claimed
  where step->>'action' in ('send', 'resend', 'ask', 'poll')
),
facts as (
  insert into ledger_intake
    (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data, body)
  select $1, 'filing', id, now(), type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data, body from (
    -- The envelope goes before the fallout that it belongs to: the verifier asks for it.
    select 1 as place, (exception->'fact'->>'id')::uuid as id, exception->'fact'->>'type' as type,
      'exception' as subj_kind, filing::text as subj_id, exceptions as subj_ver,
      exception->'fact'->>'actor_kind' as actor_kind, exception->'fact'->>'actor_id' as actor_id,
      exception->'fact'->>'trace' as trace, (exception->'fact'->'data')::jsonb as data,
      nullif((exception->'fact'->'body')::jsonb, 'null') as body
    from done where exception is not null
    union all
    select 2, id, type, 'filing', filing::text, ver, actor_kind, actor_id, trace, data, body
    from done
    union all
    select 3, c.attempt_id, case when c.step->>'action' in ('send', 'resend') then 'filing.intent' else 'filing.state' end,
      'filing', c.id::text, c.ver, 'service', 'worker/' || $2::text, c.attempt_id::text,
      jsonb_build_object('from', c.from_status, 'to', 'submitted', 'action',
        case when c.step->>'action' in ('send', 'resend', 'ask', 'poll') then c.step->>'action' else 'none' end,
        'attempt', c.attempt,
        'lane', c.lane, 'key', e.key, 'payload_sha256', encode(e.payload_sha256, 'hex'),
        'profile_sha256', encode(c.profile_sha256, 'hex')), null
    from claimed c
    cross join lateral (select key, payload_sha256 from envelope where tenant = c.tenant and id = c.id offset 0) e
    where c.step->>'action' in ('send', 'resend') or c.from_status = 'pending'
  ) all_facts order by place
)
select ${FILING_COLUMNS}, ${SEALED_COLUMNS}, null::uuid as disputed, null::int as disputed_attempt
from claimed f
cross join lateral (select * from envelope where tenant = f.tenant and id = f.id offset 0) e
cross join lateral (select * from ledger_blob where ct = e.payload_ct offset 0) b
cross join lateral (select * from ledger_dek where tenant = f.tenant and id = b.key offset 0) k
union all
select ${FILING_COLUMNS}, ${SEALED_COLUMNS}, d.filing, d.attempt
from disputed d left join filing f on false left join envelope e on false left join ledger_blob b on false
  left join ledger_dek k on false
order by last_safe, id`;

export async function tick(
  session: Session,
  tenant: string,
  input: TickInput,
): Promise<TickAnswer & { readonly unreadable: readonly string[] }> {
  const rows = await session.run(TICK, tickValues(tenant, input));
  return {
    ...claimsOf(rows.filter((row) => row['disputed'] === null)),
    disputed: rows
      .filter((row) => row['disputed'] !== null)
      .map((row) => ({
        filing: filingId(text(row['disputed'])),
        attempt: Number(row['disputed_attempt']),
      })),
  };
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export function tickValues(tenant: string, input: TickInput): readonly unknown[] {
  return [
    tenant,
    input.worker,
    JSON.stringify(input.outcomes.map((outcome) => outcomeJson(tenant, outcome))),
    input.wants.map((want) => want.lane),
    input.wants.map((want) => want.count),
    input.attemptIds,
    input.wants.map(({ after }) => (after === undefined ? '-infinity' : toRfc3339(after.lastSafe))),
    input.wants.map(({ after }) => after?.id ?? FIRST_ID),
    input.wants.map(({ profileN }) => profileN ?? null),
  ];
}

function outcomeJson(tenant: string, outcome: OutcomeRecord): object {
  return {
    tenant,
    filing: outcome.filing,
    worker: outcome.worker,
    attempt: outcome.attempt,
    verdict: outcome.verdict,
    code: outcome.code,
    from_status: outcome.from,
    to_status: outcome.to,
    step: outcome.next?.step ?? null,
    delay_ms: outcome.next?.delayMs ?? 0,
    failures: outcome.failures,
    failing_since: outcome.failingSince ?? null,
    captcha_marks: outcome.captchaMarks,
    receipt: outcome.receipt ?? null,
    lane: outcome.lane,
    ...factJson(outcome.fact),
    exception:
      outcome.exception === undefined
        ? null
        : {
            reason: outcome.exception.reason,
            unsettled: outcome.exception.unsettled ?? null,
            fact: factJson(outcome.exception.fact),
          },
  };
}
