/**
 * Quarantine: the database is behind what had been signed, or says something else, so it was restored from an older
 * backup. What was sent in the time that is lost is unknown here. Nothing is sent (no slot is given out) and nothing is
 * signed until a person lets the tenant go on; then every filing that may have been sent asks its portal, and nothing is
 * sent before the last of them has its answer.
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
import { checkPinned } from '../checkpoint.ts';
import { logOrigin } from '../entry.ts';
import type { CheckpointCopies } from './checkpoints.ts';
import { recordFact } from './facts.ts';
import { optional, type Run, type Session, sql, text, when } from '../../postgres/index.ts';
import { replaceSigningKeys, signingKeys, type SigningMeans } from './signing-keys.ts';
import { type LogName, rootAt } from './tree-store.ts';

/** How long after leaving a new filing still asks first, unless a person says otherwise: lost imports are repeated. */
const ASK_NEW_DAYS = 30;

/** A log that is not what its copy outside says. */
interface Contradiction {
  readonly origin: string;
  readonly boundary: string;
  readonly reason: 'behind' | 'different' | 'unreadable copy';
  /** What was signed and kept outside. */
  readonly keptSize: number;
  /** What the database has. */
  readonly size: number;
}

type Comparison =
  | { readonly kind: 'agrees'; readonly copiedSize: number }
  | { readonly kind: 'contradicted'; readonly contradiction: Contradiction };

export type Quarantine =
  | { readonly state: 'never' }
  | {
      readonly state: 'in' | 'out';
      readonly enteredAt: Instant;
      readonly contradictions: readonly Contradiction[];
      /** Filings that ask their portal before they may send, because of this. */
      readonly mustSettle: number;
      readonly leftAt: Instant | undefined;
      readonly leftBy: PersonId | undefined;
      readonly askNewUntil: Instant | undefined;
    };

const HEAD_SIZE = sql('quarantine-head-size')`
select size from ledger_head where tenant = $1 and boundary = $2`;

const ENTER = sql('quarantine-enter')`
insert into quarantine (tenant, state, entered_at, evidence)
values ($1, 'in', date_trunc('milliseconds', clock_timestamp()), $2::jsonb)
on conflict (tenant) do update set state = 'in', ver = quarantine.ver + 1, entered_at = excluded.entered_at,
  evidence = excluded.evidence, left_at = null, left_by = null
where quarantine.state = 'out' returning ver, entered_at`;

const ADD_EVIDENCE = sql('quarantine-add-evidence')`
update quarantine set evidence = evidence || $2::jsonb
  where tenant = $1 and state = 'in' and not evidence @> $2::jsonb`;

const READ = sql('quarantine-read')`
select state, entered_at, evidence, left_at, left_by, ask_new_until from quarantine where tenant = $1`;

/** Recognised by the moment: it is lastSentAt of exactly those questions that this quarantine caused. */
const MARKED = `(f.step->>'action' = 'ask'
    and (f.step->>'lastSentAt')::bigint = floor(extract(epoch from q.entered_at) * 1000)::bigint)`;

const COUNT_MARKED = sql('quarantine-count-marked')`
select count(*)::int as n from filing f join envelope e on e.tenant = f.tenant and e.id = f.id, quarantine q
where f.tenant = $1 and q.tenant = $1 and f.status in ('pending', 'submitted') and (
  (q.state = 'in' and f.step->>'action' <> 'poll' and e.not_before <= q.entered_at) or ${MARKED})`;

// What waits for approval is nobody's turn; it asks when it is approved.
const SETTLE = sql('quarantine-settle')`
update quarantine q set settling = false
where q.tenant = $1 and q.settling and q.state = 'out' and not exists (
  select 1 from filing f where f.tenant = $1 and f.status in ('pending', 'submitted')
    and (f.next_at is not null or f.holder is not null) and ${MARKED})`;

const LOCK = sql('quarantine-lock')`
select state, entered_at, evidence from quarantine where tenant = $1 for update`;

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
  and f.status in ('pending', 'submitted') and f.step->>'action' <> 'poll' and e.not_before <= q.entered_at
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

/** A log against the newest checkpoint kept outside: it must reach it and have the same root there. */
export async function compareCopies(
  session: Pick<Session, 'run'>,
  log: LogName & { readonly origin: string },
  copies: CheckpointCopies,
): Promise<Comparison> {
  const kept = await copies.newest(log.origin);
  if (kept === undefined) return { kind: 'agrees', copiedSize: 0 };
  const [head] = await session.run(HEAD_SIZE, [log.tenant, log.boundary]);
  const size = Number(head?.['size'] ?? 0);
  const contradicted = (reason: Contradiction['reason']): Comparison => ({
    kind: 'contradicted',
    contradiction: {
      origin: log.origin,
      boundary: log.boundary,
      reason,
      keptSize: kept.size,
      size,
    },
  });
  // A restored database may not know the key that signed; a key that it knows must have signed exactly this.
  const verifierKeys = (await signingKeys(session, log)).map((key) => key.vkey);
  const read = checkPinned(kept.note, { origin: log.origin, verifierKeys });
  if (!read.ok || read.checkpoint.size !== kept.size) return contradicted('unreadable copy');
  if (size < kept.size) return contradicted('behind');
  const run: Run = (statement, values) => session.run(statement, values);
  const root = await rootAt(run, log, kept.size);
  if (Buffer.compare(root, read.checkpoint.root) !== 0) return contradicted('different');
  return { kind: 'agrees', copiedSize: kept.size };
}

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
    const compared = await compareCopies(session, { tenant: tenant.id, boundary, origin }, copies);
    if (compared.kind === 'contradicted') found.push(compared.contradiction);
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
    if (row === undefined) {
      await run(ADD_EVIDENCE, [tenant, evidence]);
      return;
    }
    const id = entryId(uuidV7(when(row['entered_at']), random.bytes(10)));
    const subject = { kind: 'quarantine', id: tenant, ver: Number(row['ver']) };
    await recordFact(run, { tenant, boundary: 'access' }, subject, {
      id,
      type: 'quarantine.entered',
      actor: { kind: 'system', id: 'filewright' },
      trace: id,
      data: { logs: contradictions.map(logData) },
    });
  });
}

function logData({ origin, boundary, reason, keptSize, size }: Contradiction) {
  return { origin, boundary, reason, kept_size: keptSize, size };
}

export async function readQuarantine(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<Quarantine> {
  const [row] = await session.run(READ, [tenant]);
  if (row === undefined) return { state: 'never' };
  const [count] = await session.run(COUNT_MARKED, [tenant]);
  return {
    state: row['state'] === 'in' ? 'in' : 'out',
    enteredAt: when(row['entered_at']),
    // Written only by this file.
    contradictions: row['evidence'] as readonly Contradiction[],
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
 * A person lets the tenant go on. In one transaction every open filing is made to ask its portal first, the signing keys
 * of the logs that begin anew are replaced (no key may sign two histories), and the entry `quarantine.left` says so.
 * Afterwards the old copies are set aside; a crash before that leads back into quarantine, never past it.
 */
export async function leaveQuarantine(
  session: Session,
  tenant: { readonly id: string; readonly instance: string },
  by: PersonId,
  means: SigningMeans & {
    readonly copies: CheckpointCopies;
    readonly askNewDays?: number;
    /** Called once for each fact to be recorded. */
    readonly fact: (type: FactType) => LedgerFact;
  },
): Promise<{ readonly mustSettle: number; readonly beginAnew: readonly string[] }> {
  const days = means.askNewDays ?? ASK_NEW_DAYS;
  const left = await session.transaction(async (run) => {
    const [row] = await run(LOCK, [tenant.id]);
    if (row?.['state'] !== 'in') throw ruledOut(`The tenant ${tenant.id} is not in quarantine`);
    // Written only by this file.
    const contradictions = row['evidence'] as readonly Contradiction[];
    const marked = (await run(MARK, [tenant.id])).length;
    await run(MARK_EXCEPTIONS, [tenant.id]);
    for (const { boundary, origin } of contradictions) {
      const log = { tenant: tenant.id, boundary, origin };
      await replaceSigningKeys(run, log, means, means.fact('key.rotated'));
    }
    const [done] = await run(LEAVE, [tenant.id, by, days]);
    const subject = { kind: 'quarantine', id: tenant.id, ver: Number(done?.['ver']) };
    const fact = means.fact('quarantine.left');
    const logs = contradictions.map(logData);
    const data = { ...fact.data, logs, must_settle: marked, ask_new_days: days };
    await recordFact(run, { tenant: tenant.id, boundary: 'access' }, subject, {
      ...fact,
      data,
    });
    return { mustSettle: marked, beginAnew: contradictions.map(({ origin }) => origin) };
  });
  for (const origin of left.beginAnew) await means.copies.setAside(origin);
  return left;
}
