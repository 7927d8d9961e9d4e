/**
 * Quarantine: the database is behind what had been signed, so it was restored from an older backup; or it says something
 * else, so somebody has changed what was signed (contradictions.ts). What was sent in the time that is lost is unknown
 * here. Nothing is sent (no slot is given out) and nothing is signed until two people let the tenant go on; then every
 * filing that may have been sent asks its portal, and nothing is sent before the last of them has its answer.
 */
import {
  entryId,
  type FactType,
  type Instant,
  instant,
  LEDGER_BOUNDARIES,
  type LedgerFact,
  type PersonId,
  type Random,
  ruledOut,
  uuidV7,
} from '../../core/index.ts';
import { logOrigin } from '../entry.ts';
import { type CheckpointCopies, copyFrom, type KnownLogs } from './checkpoints.ts';
import { compareCopies, type Contradiction, contradictionData } from './contradictions.ts';
import { recordFact } from './facts.ts';
import { raiseAlertRow } from './raise-alert.ts';
import { optional, type Run, type Session, sql, text, when } from '../../postgres/index.ts';
import { replaceSigningKeys, type SigningMeans } from './signing-keys.ts';

/** How long after leaving a new filing still asks first, unless a person says otherwise: lost imports are repeated. */
const ASK_NEW_DAYS = 30;

export type Quarantine =
  | { readonly state: 'never' }
  | {
      readonly state: 'in' | 'out';
      /** Forgery: something that was signed is not there. Otherwise the database is older than what was signed. */
      readonly cause: 'forgery' | 'older database';
      /** Counts the times; the release is proposed for this one. */
      readonly ver: number;
      readonly enteredAt: Instant;
      readonly contradictions: readonly Contradiction[];
      /** Filings that ask their portal before they may send, because of this. */
      readonly mustSettle: number;
      readonly leftAt: Instant | undefined;
      readonly leftBy: PersonId | undefined;
      readonly askNewUntil: Instant | undefined;
    };

const ENTER = sql('quarantine-enter')`
insert into quarantine (tenant, state, entered_at, evidence)
values ($1, 'in', date_trunc('milliseconds', clock_timestamp()), $2::jsonb)
on conflict (tenant) do update set state = 'in', ver = quarantine.ver + 1, entered_at = excluded.entered_at,
  evidence = excluded.evidence, left_at = null, left_by = null
where quarantine.state = 'out' returning ver, entered_at`;

// In quarantine facts are still recorded: a log that was behind grows past its copy with other entries than the lost ones.
// That is no forgery, and what was found first stands.
const ADD_EVIDENCE = sql('quarantine-add-evidence')`
update quarantine q set evidence = q.evidence || fresh.logs
from (
  select jsonb_agg(e) as logs from quarantine k, jsonb_array_elements($2::jsonb) e
  where k.tenant = $1 and not k.evidence @> jsonb_build_array(
      jsonb_build_object('origin', e->'origin', 'reason', e->'reason', 'keptSize', e->'keptSize'))
    and not (e->>'reason' = 'forged' and k.evidence @> jsonb_build_array(
      jsonb_build_object('origin', e->'origin', 'reason', 'behind', 'keptSize', e->'keptSize')))) fresh
where q.tenant = $1 and q.state = 'in' and fresh.logs is not null returning 1 as added`;

const NOW = sql('quarantine-now')`
select date_trunc('milliseconds', clock_timestamp()) as now`;

const READ = sql('quarantine-read')`
select state, ver, entered_at, evidence, left_at, left_by, ask_new_until from quarantine where tenant = $1`;

/** Recognised by the moment: it is lastSentAt of exactly those questions that this quarantine caused. */
const MARKED = `(f.step->>'action' = 'ask'
    and (f.step->>'lastSentAt')::bigint = floor(extract(epoch from q.entered_at) * 1000)::bigint)`;

/** A person has it: their word settles it, or another looks for it when their time is over. */
const IN_HAND = `(f.status = 'submitted' and f.step->>'action' = 'send' and f.next_at is null and f.holder is null)`;

const COUNT_MARKED = sql('quarantine-count-marked')`
select count(*)::int as n from filing f join envelope e on e.tenant = f.tenant and e.id = f.id, quarantine q
where f.tenant = $1 and q.tenant = $1 and f.status in ('pending', 'submitted') and (
  (q.state = 'in' and f.step->>'action' <> 'poll' and e.not_before <= q.entered_at and not ${IN_HAND}) or ${MARKED})`;

// What waits for approval is nobody's turn; it asks when it is approved.
const SETTLE = sql('quarantine-settle')`
update quarantine q set settling = false
where q.tenant = $1 and q.settling and q.state = 'out' and not exists (
  select 1 from filing f where f.tenant = $1 and f.status in ('pending', 'submitted')
    and (f.next_at is not null or f.holder is not null) and ${MARKED})`;

const LOCK = sql('quarantine-lock')`
select state, ver, entered_at, evidence from quarantine where tenant = $1 for update`;

// A filing that waits for approval stays unqueued, and asks first once it is approved. One that polls asks already. One
// whose time has not come cannot have been sent, and its portal might take a question for an early filing.
const MARK = sql('quarantine-mark')`
update filing f set
  step = jsonb_build_object('action', 'ask', 'cause', 'unknown', 'unclear', 0,
    'firstSentAt', floor(extract(epoch from e.created_at) * 1000)::bigint,
    'lastSentAt', floor(extract(epoch from q.entered_at) * 1000)::bigint),
  holder = null, claim = null,
  next_at = case when f.next_at is null and f.holder is null then null else now() end
from envelope e, quarantine q
where f.tenant = $1 and e.tenant = f.tenant and e.id = f.id and q.tenant = f.tenant
  and f.status in ('pending', 'submitted') and f.step->>'action' <> 'poll' and e.not_before <= q.entered_at and not ${IN_HAND}
returning 1`;

const MARK_EXCEPTIONS = sql('quarantine-mark-exceptions')`
update exception x set unsettled = jsonb_build_object(
  'firstSentAt', floor(extract(epoch from e.created_at) * 1000)::bigint,
  'lastSentAt', floor(extract(epoch from q.entered_at) * 1000)::bigint)
from envelope e, quarantine q
where x.tenant = $1 and x.closed_at is null and e.tenant = x.tenant and e.id = x.filing and q.tenant = x.tenant`;

const LEAVE = sql('quarantine-leave')`
update quarantine set state = 'out', ver = ver + 1, left_at = clock_timestamp(), left_by = $2, settling = true,
  ask_new_until = clock_timestamp() + $3 * interval '1 day'
where tenant = $1 and state = 'in' returning ver`;

/**
 * To be called by every process that would send, before it takes part: compares all logs with their copies outside and
 * puts the tenant into quarantine when one of them contradicts. True when sending is allowed.
 */
export async function mayTakePart(
  session: Session,
  tenant: { readonly id: string; readonly instance: string },
  copies: CheckpointCopies,
  random: Random,
): Promise<boolean> {
  const found: Contradiction[] = [];
  for (const boundary of LEDGER_BOUNDARIES) {
    const origin = logOrigin(tenant.instance, tenant.id, boundary);
    const log = { tenant: tenant.id, boundary, origin };
    const compared = await compareCopies(session, log, copies);
    if (compared.kind === 'contradicted') found.push(compared.contradiction);
    // What a process that was killed just after it signed left without a copy.
    else await copyFrom(session, log, copies, compared.copiedSize + 1);
  }
  if (found.length > 0) await enterQuarantine(session, tenant.id, found, random);
  return (await readQuarantine(session, tenant.id)).state !== 'in';
}

/** Records the state and its reason; a tenant that is in quarantine already only gets the further evidence. */
export async function enterQuarantine(
  session: Session,
  tenant: string,
  contradictions: readonly Contradiction[],
  random: Random,
): Promise<void> {
  const evidence = JSON.stringify(contradictions);
  await session.transaction(async (run) => {
    const [row] = await run(ENTER, [tenant, evidence]);
    const hasNews = row !== undefined || (await run(ADD_EVIDENCE, [tenant, evidence])).length > 0;
    if (hasNews) await tell(run, tenant, contradictions, random);
    if (row === undefined) return;
    const id = entryId(uuidV7(when(row['entered_at']), random.bytes(10)));
    const subject = { kind: 'quarantine', id: tenant, ver: Number(row['ver']) };
    await recordFact(run, { tenant, boundary: 'access' }, subject, {
      id,
      type: 'quarantine.entered',
      actor: { kind: 'system', id: 'filewright' },
      trace: id,
      data: { logs: contradictions.map(contradictionData) },
    });
  });
}

/** Nothing is sent from now on, and somebody must know why; forgery is told anew where an older backup was told. */
async function tell(
  run: Run,
  tenant: string,
  contradictions: readonly Contradiction[],
  random: Random,
): Promise<void> {
  const cause = causeOf(contradictions);
  const [now] = await run(NOW);
  const logs = contradictions.map(
    ({ origin, keptSize, size }) =>
      `${origin}: ${keptSize} entries signed, ${size} in the database`,
  );
  const what =
    cause === 'forgery'
      ? 'Entries that were signed are not in the database: its ledger was changed. This is not an older backup. Keep the database and the copies as they are'
      : 'The database is older than what was signed';
  await raiseAlertRow(run, tenant, {
    id: uuidV7(when(now?.['now']), random.bytes(10)),
    kind: 'quarantine',
    subject: tenant,
    severity: 'critical',
    recipient: undefined,
    text: `${what}. Nothing is sent until two people release the tenant; see audit quarantine status.\n${logs.join('\n')}`,
    dedup: `quarantine/${cause}`,
  });
}

function causeOf(contradictions: readonly Contradiction[]): 'forgery' | 'older database' {
  return contradictions.some(({ reason }) => reason === 'forged') ? 'forgery' : 'older database';
}

export async function readQuarantine(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<Quarantine> {
  const [row] = await session.run(READ, [tenant]);
  if (row === undefined) return { state: 'never' };
  const [count] = await session.run(COUNT_MARKED, [tenant]);
  // Written only by this file.
  const contradictions = row['evidence'] as readonly Contradiction[];
  return {
    state: row['state'] === 'in' ? 'in' : 'out',
    cause: causeOf(contradictions),
    ver: Number(row['ver']),
    enteredAt: when(row['entered_at']),
    contradictions,
    mustSettle: Number(count?.['n']),
    leftAt: optional(row['left_at'], when),
    // The column is a person's id by its foreign key.
    leftBy: optional(row['left_by'], (value) => text(value) as PersonId),
    askNewUntil: optional(row['ask_new_until'], (value) => instant(when(value))),
  };
}

/** Lets sending begin again once every filing that a left quarantine made ask has heard from its portal. */
export async function settleQuarantine(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<void> {
  await session.run(SETTLE, [tenant]);
}

/**
 * A second person lets the tenant go on (`approve` asks for the first one's proposal). In one transaction every open filing is made to ask its portal first, the signing keys
 * of the logs that begin anew are replaced (no key may sign two histories), and the entry `quarantine.left` says so.
 * Afterwards the old copies are set aside; a crash before that leads back into quarantine, never past it.
 */
export async function leaveQuarantine(
  session: Session,
  tenant: { readonly id: string; readonly instance: string },
  by: PersonId,
  means: SigningMeans & {
    readonly copies: CheckpointCopies;
    /** What was remembered of the logs that begin anew is put away with their copies. */
    readonly known?: Pick<KnownLogs, 'setAside'>;
    readonly askNewDays?: number;
    /** Decides the proposal to release this quarantine, in the same transaction; the database asks for it too. */
    readonly approve: (run: Run, quarantine: { readonly ver: number }) => Promise<PersonId>;
    /** Called once for each fact to be recorded. */
    readonly fact: (type: FactType) => LedgerFact;
  },
): Promise<{ readonly mustSettle: number; readonly beginAnew: readonly string[] }> {
  const days = means.askNewDays ?? ASK_NEW_DAYS;
  const left = await session.transaction(async (run) => {
    const [row] = await run(LOCK, [tenant.id]);
    if (row?.['state'] !== 'in') throw ruledOut(`The tenant ${tenant.id} is not in quarantine`);
    const proposedBy = await means.approve(run, { ver: Number(row['ver']) });
    // Written only by this file.
    const contradictions = row['evidence'] as readonly Contradiction[];
    const marked = (await run(MARK, [tenant.id])).length;
    await run(MARK_EXCEPTIONS, [tenant.id]);
    const logs = new Map(contradictions.map(({ boundary, origin }) => [boundary, origin]));
    for (const [boundary, origin] of logs) {
      const log = { tenant: tenant.id, boundary, origin };
      await replaceSigningKeys(run, log, means, means.fact('key.rotated'));
    }
    const [done] = await run(LEAVE, [tenant.id, by, days]);
    const subject = { kind: 'quarantine', id: tenant.id, ver: Number(done?.['ver']) };
    const fact = means.fact('quarantine.left');
    const data = {
      ...fact.data,
      logs: contradictions.map(contradictionData),
      must_settle: marked,
      ask_new_days: days,
      proposed_by: proposedBy,
    };
    await recordFact(run, { tenant: tenant.id, boundary: 'access' }, subject, {
      ...fact,
      data,
    });
    return { mustSettle: marked, logs };
  });
  for (const [boundary, origin] of left.logs) {
    await means.copies.setAside(origin);
    await means.known?.setAside(origin);
    await copyFrom(session, { tenant: tenant.id, boundary, origin }, means.copies, 0);
  }
  return { mustSettle: left.mustSettle, beginAnew: [...left.logs.values()] };
}
