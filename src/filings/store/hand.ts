/**
 * Filings in people's hands: reading where one stands, under its lock, and writing what was decided. Nothing here is part of the
 * tick; a lane of people is never open to it (sql/0004_lanes.sql).
 */
import {
  type FilingId,
  filingId,
  type FilingStatus,
  type Instant,
  invariant,
  isUuid,
  type LedgerFact,
  notFound,
  type PersonId,
} from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import {
  FILING_COLUMNS,
  hex,
  lockedOnce,
  optional,
  type Row,
  type Run,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import { type HandFacts, type HandOutcome, type Taking, type TakingEnd } from '../rules/hand.ts';
import { type FilingView, viewOf } from './filings.ts';
import { provenByFile } from './receipts.ts';

/** No worker has this number; the rows of attempts and outcomes want one. */
const PEOPLE = 0;

export interface HandFiling {
  readonly facts: HandFacts;
  readonly filing: FilingView;
  readonly exceptions: number;
  /** The profile by which the lane goes now, and as it is named in an approval. */
  readonly profile: string;
  readonly profileSha256: string;
  /** For how long it is taken; undefined on a lane that is no longer one of people. */
  readonly takeMs: number | undefined;
  /** Of the office. */
  readonly zone: string;
}

const COLUMNS = `${FILING_COLUMNS}, f.next_at, f.verdict, f.code, f.receipt, f.ver, f.exceptions, l.by_hand, l.profile,
  l.profile_sha256, coalesce(l.profile_n = f.profile_n and f.approved_until > clock_timestamp(), false) as is_approved,
  (said.profile->'byHand'->>'visibleAfterMs')::bigint as visible_after, (said.profile->'byHand'->>'takeMs')::bigint as take_ms,
  said.profile->'hours'->>'zone' as zone, clock_timestamp() as now,
  t.no as taking_no, t.taken_at, t.expires_at, t.ended_at, t.ended, p.party, p.name as taker`;
const BESIDE = `join envelope e on e.tenant = f.tenant and e.id = f.id
join lane l on l.tenant = f.tenant and l.code = f.lane
-- Parsed once, and not once for each of its members.
cross join lateral (select l.profile::jsonb as profile offset 0) said
left join lateral (
  select * from taking t where t.tenant = f.tenant and t.filing = f.id order by t.no desc limit 1) t on true
left join person p on p.tenant = t.tenant and p.id = t.by_person`;

const LOCK = sql('hand-lock')`select id from filing where tenant = $1 and id = $2 for update`;
// By itself, and not with the lock: what stands beside the row is read as it is once the lock is held.
const FIND = sql(
  'hand-find',
)`select ${COLUMNS} from filing f ${BESIDE} where f.tenant = $1 and f.id = $2`;
const NAMED = sql('hand-named')`
select id from envelope where tenant = $1 and (id = $2::uuid or (key = $3 and not withdrawn))`;

const IS_FREE = `f.next_at is not null and f.next_at <= clock_timestamp() and f.status = 'pending'
    and f.step->>'action' = 'send' and f.profile_n = l.profile_n and f.approved_until > clock_timestamp()`;

// The most urgent of all lanes, and none that another person is taking at this moment. Each lane is read from its head by its
// index, and no further than a few rows ($3 of each, $4 of all): sorting the whole queue for each taking made people wait.
const NEXT = sql('hand-next')`
with heads as materialized (
  select l.profile_n, f.id, f.last_safe from lane l cross join lateral (
    select f.id, f.last_safe from filing f where f.tenant = l.tenant and f.lane = l.code and ${IS_FREE}
    order by f.last_safe, f.id limit $3) f
  where l.tenant = $1 and l.by_hand and ($2::text is null or l.code = $2)
  order by f.last_safe, f.id limit $4),
${lockedOnce(
  'free',
  `
  select f.id from heads l join filing f on f.tenant = $1 and f.id = l.id
  where ${IS_FREE} order by l.last_safe, l.id limit 1`,
  { of: 'f' },
)}
select id from free`;

// So many are in the middle of being taken at one moment, as a rule; of one lane by itself all of them may be.
const HEADS = { ofEach: 4, ofAll: 64 };
/** Where more people stand at the heads than that: whatever is free. */
const EVERYTHING = 10_000_000;

// $3 what a person can do something about now, or everything that is open; $4 who has it.
const LIST = sql('hand-list')`
select ${COLUMNS} from lane o
cross join lateral (
  select f.* from filing f
  where f.tenant = o.tenant and f.lane = o.code and f.status in ('pending', 'submitted')
    and ($3 or f.next_at <= clock_timestamp() or f.status = 'submitted')
    and ($4::uuid is null or exists (
      select 1 from taking t where t.tenant = f.tenant and t.filing = f.id and t.ended_at is null and t.by_person = $4))
  order by f.last_safe, f.id limit $5) f
${BESIDE}
where o.tenant = $1 and o.by_hand and ($2::text is null or o.code = $2)
order by f.last_safe, f.id limit $5`;

const COUNTS = sql('hand-counts')`
select count(*) filter (where f.next_at is not null and f.step->>'action' = 'send')::int as free,
  count(*) filter (where t.expires_at > clock_timestamp())::int as taken,
  count(*) filter (where f.status = 'submitted' and coalesce(t.expires_at <= clock_timestamp(), true))::int as look,
  count(*) filter (where f.status = 'pending' and f.next_at is null)::int as waiting,
  min(f.last_safe) filter (where f.next_at is not null or t.filing is not null) as first_last_safe
from lane l join filing f on f.tenant = l.tenant and f.lane = l.code and f.status in ('pending', 'submitted')
left join taking t on t.tenant = f.tenant and t.filing = f.id and t.ended_at is null
where l.tenant = $1 and l.by_hand`;

const LOST = sql('hand-lost')`
select t.filing from taking t where t.tenant = $1 and t.ended_at is null and t.expires_at <= clock_timestamp()
order by t.expires_at limit $2`;

const TAKE = sql('hand-take')`
insert into taking (tenant, filing, no, by_person, taken_at, expires_at) values ($1, $2, $3, $4, now(), to_timestamp($5::double precision / 1000))`;
const RENEW = sql('hand-renew')`
update taking set expires_at = to_timestamp($4::double precision / 1000) where tenant = $1 and filing = $2 and no = $3`;
const END = sql('hand-end')`
update taking set ended = $4, ended_at = clock_timestamp() where tenant = $1 and filing = $2 and no = $3 and ended_at is null`;
const CLAIM = sql('hand-claim')`
update filing set status = 'submitted', attempt = $3, attempt_id = $4, next_at = null, ver = ver + $5 where tenant = $1 and id = $2`;
const ATTEMPT = sql('hand-attempt')`
insert into attempt (tenant, filing, no, id, action, holder, intent_at) values ($1, $2, $3, $4, $5, ${String(PEOPLE)}, clock_timestamp())`;
const LOOK = sql('hand-look')`
insert into look (tenant, filing, no, by_person, found, place, looked_at)
values ($1, $2, $3, $4, $5, $6, to_timestamp($7::double precision / 1000))`;
const OUTCOME = sql('hand-outcome')`
insert into outcome (tenant, filing, no, holder, verdict, code, at, ct, counted)
values ($1, $2, $3, ${String(PEOPLE)}, $4, $5, clock_timestamp(), decode($6, 'hex'), true)`;
const CONFIRM = sql('hand-confirm')`
insert into confirmation (tenant, filing, no, sha256, kind, bytes, shared) values ($1, $2, $3, decode($4, 'hex'), $5, $6, $7)
on conflict do nothing returning no`;
const MOVE = sql('hand-move')`
update filing set status = $3, verdict = $4, code = $5, receipt = coalesce($6, receipt), step = $7::jsonb,
  next_at = case when $7::jsonb is null then null else clock_timestamp() end, exceptions = exceptions + $8, ver = ver + 1
where tenant = $1 and id = $2 returning ver, exceptions`;
const EXCEPTION = sql('hand-exception')`
insert into exception (tenant, filing, n, status, reason, ct, opened_at) values ($1, $2, $3, $4, $5, decode($6, 'hex'), now())`;
const CORRECT = sql('hand-correct')`
update filing set receipt = $3, ver = ver + 1 where tenant = $1 and id = $2 returning ver`;
const COMPLETE = sql('hand-complete')`insert into work (tenant, id, kind, target, body)
values ($1, $2, 'event', 'all', jsonb_build_object('type', 'COMPLIANCE_FILING_COMPLETE', 'filing', $3::uuid))`;

/** By id or by idempotency key. */
export async function namedFiling(run: Run, tenant: string, name: string): Promise<FilingId> {
  const [row] = await run(NAMED, [tenant, isUuid(name) ? name : null, name]);
  if (row === undefined) throw notFound(`No filing has the id or key ${name}; see hand list`);
  return filingId(text(row['id']));
}

/** Locked until the end of the transaction, so that whatever is decided of it is decided once. */
export async function lockInHand(run: Run, tenant: string, id: FilingId): Promise<HandFiling> {
  await run(LOCK, [tenant, id]);
  return findInHand(run, tenant, id);
}

export async function findInHand(run: Run, tenant: string, id: FilingId): Promise<HandFiling> {
  const [row] = await run(FIND, [tenant, id]);
  if (row === undefined) throw notFound(`No filing has the id ${id}; see hand list`);
  return handFilingOf(row);
}

/** The most urgent one that is free, locked; undefined when there is none. */
export async function nextFree(
  run: Run,
  tenant: string,
  lane: string | undefined,
): Promise<HandFiling | undefined> {
  const ofEach = lane === undefined ? HEADS.ofEach : HEADS.ofAll;
  const [row] = await run(NEXT, [tenant, lane ?? null, ofEach, HEADS.ofAll]);
  const [last] =
    row === undefined ? await run(NEXT, [tenant, lane ?? null, EVERYTHING, EVERYTHING]) : [row];
  return last === undefined ? undefined : findInHand(run, tenant, filingId(text(last['id'])));
}

interface HandFilter {
  readonly lane?: string;
  /** Also what waits for an approval or for its first day. */
  readonly all?: boolean;
  readonly by?: PersonId;
  readonly limit: number;
}

/** The most urgent first. */
export async function listByHand(
  run: Run,
  tenant: string,
  { lane, all, by, limit }: HandFilter,
): Promise<readonly HandFiling[]> {
  const rows = await run(LIST, [tenant, lane ?? null, all === true, by ?? null, limit]);
  return rows.map(handFilingOf);
}

export interface HandCounts {
  readonly free: number;
  readonly taken: number;
  readonly look: number;
  readonly waiting: number;
  readonly firstLastSafe: Instant | undefined;
}

export async function countByHand(run: Run, tenant: string): Promise<HandCounts> {
  const [row] = await run(COUNTS, [tenant]);
  const count = (name: string): number => Number(row?.[name] ?? 0);
  return {
    free: count('free'),
    taken: count('taken'),
    look: count('look'),
    waiting: count('waiting'),
    firstLastSafe: optional(row?.['first_last_safe'], when),
  };
}

/** Takings whose time is over and that nobody has put on record as lost. */
export async function lostTakings(run: Run, tenant: string, limit: number): Promise<FilingId[]> {
  return (await run(LOST, [tenant, limit])).map((row) => filingId(text(row['filing'])));
}

export async function take(
  run: Run,
  tenant: string,
  { filing }: HandFiling,
  taking: {
    readonly no: number;
    readonly by: PersonId;
    readonly until: Instant;
    readonly fact: LedgerFact;
  },
): Promise<void> {
  const { no, by, until, fact } = taking;
  await run(TAKE, [tenant, filing.id, no, by, until]);
  await run(CLAIM, [tenant, filing.id, no, fact.id, 1]);
  await run(ATTEMPT, [tenant, filing.id, no, fact.id, 'file']);
  await record(run, tenant, filing.id, filing.ver + 1, fact);
}

export async function renew(
  run: Run,
  tenant: string,
  filing: FilingId,
  { no, until }: { readonly no: number; readonly until: Instant },
): Promise<void> {
  await run(RENEW, [tenant, filing, no, until]);
}

export async function endTaking(
  run: Run,
  tenant: string,
  filing: FilingId,
  { no, ended }: { readonly no: number; readonly ended: TakingEnd },
): Promise<void> {
  await run(END, [tenant, filing, no, ended]);
}

/** Somebody looked: an attempt of its own. The fact, where the filing was pending: a question asked of the office needs none. */
export async function look(
  run: Run,
  tenant: string,
  { filing }: HandFiling,
  found: {
    readonly no: number;
    readonly id: string;
    readonly by: PersonId;
    readonly isThere: boolean;
    readonly place: string;
    readonly lookedAt: Instant;
    readonly fact: LedgerFact | undefined;
  },
): Promise<void> {
  const { no, id, by, isThere, place, lookedAt, fact } = found;
  await run(LOOK, [tenant, filing.id, no, by, isThere, place, lookedAt]);
  await run(CLAIM, [tenant, filing.id, no, id, fact === undefined ? 0 : 1]);
  await run(ATTEMPT, [tenant, filing.id, no, id, 'look']);
  if (fact === undefined) return;
  const [row] = await run(FIND, [tenant, filing.id]);
  await record(run, tenant, filing.id, Number(row?.['ver']), fact);
}

/** The filing whose confirmation it is already, where that is another one. */
export async function keepConfirmation(
  run: Run,
  tenant: string,
  filing: FilingId,
  file: {
    readonly no: number;
    readonly sha256: string;
    readonly kind: string;
    readonly bytes: number;
    readonly isShared: boolean;
  },
): Promise<FilingId | undefined> {
  const { no, sha256, kind, bytes, isShared } = file;
  const confirmed = () => provenByFile(run, tenant, filing, sha256);
  // Also that of filings that share one: who attaches it to another one must know, and say so.
  const before = isShared ? undefined : await confirmed();
  if (before !== undefined) return before;
  const [kept] = await run(CONFIRM, [tenant, filing, no, sha256, kind, bytes, isShared]);
  return kept === undefined ? confirmed() : undefined;
}

/** What has come of an attempt: the filing moves, with its outcome and the facts of both. */
export async function endAttempt(
  run: Run,
  tenant: string,
  filing: FilingId,
  end: {
    readonly outcome: HandOutcome;
    /** While the outcome is unknown: between which moments it may have been filed. */
    readonly doubt?: { readonly from: Instant; readonly to: Instant };
    readonly receipt?: string;
    readonly fact: LedgerFact;
    /** Of what the office refused. */
    readonly exception?: LedgerFact;
  },
): Promise<void> {
  const { outcome, doubt, receipt, fact, exception } = end;
  const { attempt, verdict, code, to } = outcome;
  const ct = fact.body?.sealed.ct ?? null;
  await run(OUTCOME, [tenant, filing, attempt, verdict, code, ct]);
  const opens = exception === undefined ? 0 : 1;
  const step = stepAfter(to, doubt);
  const [row] = await run(MOVE, [tenant, filing, to, verdict, code, receipt ?? null, step, opens]);
  if (exception !== undefined) {
    const n = Number(row?.['exceptions']);
    const subject = { kind: 'exception', id: filing, ver: n };
    await recordFact(run, { tenant, boundary: 'filing' }, subject, exception);
    await run(EXCEPTION, [tenant, filing, n, to, code, exception.body?.sealed.ct ?? null]);
  }
  if (to === 'accepted') await run(COMPLETE, [tenant, fact.id, filing]);
  await record(run, tenant, filing, Number(row?.['ver']), fact);
}

function stepAfter(
  to: FilingStatus,
  doubt: { readonly from: Instant; readonly to: Instant } | undefined,
): string | null {
  if (to === 'pending') return JSON.stringify({ action: 'send' });
  if (to !== 'submitted') return null;
  invariant(doubt !== undefined, 'Whatever is unknown says since when');
  const [firstSentAt, lastSentAt] = [doubt.from, doubt.to];
  return JSON.stringify({ action: 'ask', cause: 'unknown', firstSentAt, lastSentAt, unclear: 0 });
}

/** What two people agreed was a slip; the status stays. */
export async function correctReceipt(
  run: Run,
  tenant: string,
  filing: FilingId,
  receipt: string,
  fact: LedgerFact,
): Promise<void> {
  const [row] = await run(CORRECT, [tenant, filing, receipt]);
  await record(run, tenant, filing, Number(row?.['ver']), fact);
}

async function record(
  run: Run,
  tenant: string,
  filing: FilingId,
  ver: number,
  fact: LedgerFact,
): Promise<void> {
  await recordFact(run, { tenant, boundary: 'filing' }, { kind: 'filing', id: filing, ver }, fact);
}

function handFilingOf(row: Row): HandFiling {
  const filing = viewOf(row);
  return {
    filing,
    exceptions: Number(row['exceptions']),
    profile: text(row['profile']),
    profileSha256: hex(row['profile_sha256']),
    takeMs: optional(row['take_ms'], Number),
    zone: optional(row['zone'], text) ?? 'UTC',
    facts: {
      now: when(row['now']),
      status: filing.status,
      step: filing.step?.action,
      attempt: filing.attempt,
      isByHand: row['by_hand'] === true,
      nextAt: optional(row['next_at'], when),
      isApproved: row['is_approved'] === true,
      isHeldByWorker: filing.holder !== undefined,
      taking: takingOf(row),
      visibleAfterMs: Number(row['visible_after'] ?? 0),
    },
  };
}

function takingOf(row: Row): Taking | undefined {
  return optional(row['taking_no'], (no) => ({
    no: Number(no),
    party: text(row['party']),
    name: text(row['taker']),
    takenAt: when(row['taken_at']),
    expiresAt: when(row['expires_at']),
    endedAt: optional(row['ended_at'], when),
    // A check constraint holds the column to these words.
    ended: optional(row['ended'], (ended) => text(ended) as TakingEnd),
  }));
}
