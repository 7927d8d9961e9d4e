/** What stages give up, and the exception ledger that the fallback keeps of it. */
import {
  FilewrightError,
  type Instant,
  type JsonValue,
  type PersonId,
  personId,
} from '../../core/index.ts';
import { hex, optional, text, when } from '../rows.ts';
import type { Row, Statement } from '../session.ts';
import type { StageDesk, StageRun } from './stage.ts';

const ESCALATE: Statement = {
  name: 'grants-escalate',
  text: `insert into grant_escalation (tenant, id, boundary, key, bytes) values ($1, $2, $3, $4, $5)`,
};

/** Leaves an envelope for the fallback; `about` names the key it is sealed with. Returns the exception's id. */
export async function escalate(
  desk: StageDesk,
  at: StageRun,
  about: string,
  canonicalEnvelope: Uint8Array,
): Promise<string> {
  const { entry, key, blob } = await desk.sealFor(at, 'escalation', about, canonicalEnvelope);
  await at.run(ESCALATE, [at.tenant, entry, at.stage, key, Buffer.from(blob)]);
  return entry;
}

const WAITING: Statement = {
  name: 'grants-escalations-waiting',
  text: `
select e.id as entry, e.boundary, e.key, e.bytes from grant_escalation e
where e.tenant = $1 and not exists (select 1 from grant_exception x where x.tenant = e.tenant and x.id = e.id)
order by e.id limit 100`,
};

// One fallback at a time: two would open the same exception twice, and the second would fail as a whole.
const LOCK: Statement = {
  name: 'grants-fallback-lock',
  text: `select pg_advisory_xact_lock(hashtextextended('filewright.grants.fallback/' || $1::text, 0))`,
};

export interface WaitingEscalation {
  readonly id: string;
  readonly boundary: string;
  readonly envelope: JsonValue;
}

export async function waitingEscalations(
  desk: StageDesk,
  at: StageRun,
): Promise<readonly WaitingEscalation[]> {
  await at.run(LOCK, [at.tenant]);
  const rows = await at.run(WAITING, [at.tenant]);
  const bodies = await desk.openFrom(at, 'escalation', rows);
  return rows.map((row, index) => ({
    id: text(row['entry']),
    boundary: text(row['boundary']),
    envelope: JSON.parse(Buffer.from(bodies[index] ?? []).toString('utf8')) as JsonValue,
  }));
}

const ADD: Statement = {
  name: 'grants-exception-add',
  text: `
insert into grant_exception (tenant, id, boundary, award_key, escalation_code, violation_codes, payload_sha256,
  envelope_sha256, ct, amends)
values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), decode($8, 'hex'), decode($9, 'hex'), $10)`,
};

export interface NewException {
  readonly id: string;
  readonly boundary: string;
  readonly awardKey: string;
  readonly escalationCode: string;
  readonly violationCodes: readonly string[];
  readonly payloadSha256: string;
  readonly envelopeSha256: string;
  readonly ct: string;
  /** The award that stands, and that this one would replace or end. */
  readonly amends: string | undefined;
}

export async function addException(at: StageRun, exception: NewException): Promise<void> {
  const { id, boundary, awardKey, escalationCode, violationCodes } = exception;
  const hashes = [exception.payloadSha256, exception.envelopeSha256, exception.ct];
  const values = [id, boundary, awardKey, escalationCode, [...violationCodes], ...hashes];
  await at.run(ADD, [at.tenant, ...values, exception.amends ?? null]);
}

export type ExceptionState =
  | 'open'
  | 'proposed'
  | 'approved'
  | 'dismissed'
  | 'cancelled'
  | 'reingested';

export interface StoredException extends NewException {
  readonly openedAt: Instant;
  readonly state: ExceptionState;
  readonly document: string | undefined;
}

const LIST: Statement = {
  name: 'grants-exceptions',
  text: `
select x.*, d.id as document, p.n as proposal, a.decision, ap.resolution from grant_exception x
left join grant_document d on d.tenant = x.tenant and d.replaces = x.id
left join grant_decision a on a.tenant = x.tenant and a.exception = x.id and a.decision = 'approved'
left join grant_proposal ap on ap.tenant = a.tenant and ap.exception = a.exception and ap.n = a.n
left join lateral (
  select p.n from grant_proposal p where p.tenant = x.tenant and p.exception = x.id
    and not exists (select 1 from grant_decision q where q.tenant = p.tenant and q.exception = p.exception and q.n = p.n)
  limit 1) p on true
where x.tenant = $1 and ($2::uuid is null or x.id = $2) and ($3::boolean is null or $3 = not (
  d.id is not null or coalesce(ap.resolution, '') in ('dismiss', 'cancel')))
order by x.opened_at, x.id limit 10000`,
};

export async function storedExceptions(
  at: StageRun,
  filter: { readonly id?: string; readonly isOpen?: boolean } = {},
): Promise<readonly StoredException[]> {
  const rows = await at.run(LIST, [at.tenant, filter.id ?? null, filter.isOpen ?? null]);
  return rows.map((row) => ({
    id: text(row['id']),
    boundary: text(row['boundary']),
    awardKey: text(row['award_key']),
    escalationCode: text(row['escalation_code']),
    // A column of texts.
    violationCodes: row['violation_codes'] as string[],
    payloadSha256: hex(row['payload_sha256']),
    envelopeSha256: hex(row['envelope_sha256']),
    ct: hex(row['ct']),
    amends: optional(row['amends'], text),
    openedAt: when(row['opened_at']),
    state: stateOf(row),
    document: optional(row['document'], text),
  }));
}

function stateOf(row: Row): ExceptionState {
  if (row['document'] !== null) return 'reingested';
  if (row['decision'] !== null) {
    if (row['resolution'] === 'cancel') return 'cancelled';
    return row['resolution'] === 'dismiss' ? 'dismissed' : 'approved';
  }
  return row['proposal'] === null ? 'open' : 'proposed';
}

const PROPOSE: Statement = {
  name: 'grants-propose',
  text: `
insert into grant_proposal (tenant, exception, n, resolution, document, reason, proposed_by, amends)
select $1, $2, coalesce(max(n), 0) + 1, $3, $4, $5, $6, $7 from grant_proposal where tenant = $1 and exception = $2
returning n`,
};

export interface Proposal {
  readonly exception: string;
  readonly resolution: ResolutionKind;
  readonly document: string | undefined;
  /** The award that is replaced or ended by it. */
  readonly amends: string | undefined;
  readonly reason: string;
  readonly by: PersonId;
}

export type ResolutionKind = 'reingest' | 'dismiss' | 'cancel';

export async function addProposalRow(at: StageRun, proposal: Proposal): Promise<number> {
  const { exception, resolution, document, amends, reason, by } = proposal;
  const values = [exception, resolution, document ?? null, reason, by, amends ?? null];
  const [row] = await at.run(PROPOSE, [at.tenant, ...values]).catch(refusedByRule);
  return Number(row?.['n']);
}

const DECIDE: Statement = {
  name: 'grants-decide',
  text: `
insert into grant_decision (tenant, exception, n, decision, reason, decided_by)
select $1, $2, p.n, $3, $4, $5 from grant_proposal p where p.tenant = $1 and p.exception = $2
  and not exists (select 1 from grant_decision d where d.tenant = p.tenant and d.exception = p.exception and d.n = p.n)
returning n`,
};

/** The number of the proposal that was decided; throws SELF_APPROVAL for the person who made it. */
export async function addDecision(
  at: StageRun,
  decision: {
    readonly exception: string;
    readonly decision: 'approved' | 'withdrawn';
    readonly reason: string;
    readonly by: PersonId;
  },
): Promise<number> {
  const { exception, reason, by } = decision;
  const values = [exception, decision.decision, reason, by];
  const [row] = await at.run(DECIDE, [at.tenant, ...values]).catch(refusedByRule);
  if (row === undefined) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Exception ${exception} has no proposal that waits for a decision; propose a resolution first`,
    );
  }
  return Number(row['n']);
}

const ACTS: Statement = {
  name: 'grants-exception-acts',
  text: `
select n, 'proposed' as act, resolution, document, amends, proposed_by as by, proposed_at as at, reason from grant_proposal
where tenant = $1 and exception = $2
union all
select d.n, d.decision, p.resolution, p.document, p.amends, d.decided_by, d.decided_at, d.reason from grant_decision d
join grant_proposal p on p.tenant = d.tenant and p.exception = d.exception and p.n = d.n
where d.tenant = $1 and d.exception = $2
order by at, n, act desc`,
};

export interface StoredAct {
  readonly act: 'proposed' | 'approved' | 'withdrawn';
  readonly resolution: ResolutionKind;
  /** SHA-256 of the corrected document. */
  readonly document: string | undefined;
  /** The award that is replaced or ended by it. */
  readonly amends: string | undefined;
  readonly by: PersonId;
  readonly at: Instant;
  readonly reason: string;
}

export async function exceptionActs(
  at: StageRun,
  exception: string,
): Promise<readonly StoredAct[]> {
  return (await at.run(ACTS, [at.tenant, exception])).map((row) => ({
    // Check constraints hold both columns to these words.
    act: text(row['act']) as StoredAct['act'],
    resolution: text(row['resolution']) as StoredAct['resolution'],
    document: optional(row['document'], text),
    amends: optional(row['amends'], text),
    by: personId(text(row['by'])),
    at: when(row['at']),
    reason: text(row['reason']),
  }));
}

const REPLACEMENT: Statement = {
  name: 'grants-replacement',
  text: `select min(key) as key from grant_award where tenant = $1 and document = $2`,
};

export async function replacementKey(at: StageRun, document: string): Promise<string | undefined> {
  const [row] = await at.run(REPLACEMENT, [at.tenant, document]);
  return optional(row?.['key'], text);
}

const KEEP_OPEN: Statement = {
  name: 'grants-keep-open',
  text: `
update ledger_dek k set retain_until = (now() at time zone 'UTC' + interval '7 years')::date
from grant_exception x
where x.tenant = $1 and k.tenant = x.tenant and k.subject = 'fallback/' || x.id and k.state = 'live'
  and k.retain_until < (now() at time zone 'UTC' + interval '1 year')::date
  and not exists (select 1 from grant_decision d where d.tenant = x.tenant and d.exception = x.id and d.decision = 'approved')`,
};

/** What nobody has resolved is not destroyed, however old it is. */
export async function keepOpenExceptions(at: StageRun): Promise<void> {
  await at.run(KEEP_OPEN, [at.tenant]);
}

/** The database's refusals in our words. */
export function refusedByRule(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === '23001') {
    const isSelf = 'constraint' in error && error.constraint === 'grant_second_person';
    throw new FilewrightError(isSelf ? 'SELF_APPROVAL' : 'REFUSED_BY_RULE', error.message, {
      cause: error,
    });
  }
  throw error;
}
