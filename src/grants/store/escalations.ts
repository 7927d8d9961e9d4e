/** What stages give up, and the exception ledger that the fallback keeps of it. */
import {
  awardId,
  type AwardId,
  type Instant,
  type JsonValue,
  type PersonId,
  type ProposalDecision,
  type ProposalState,
} from '../../core/index.ts';
import { decideProposal, proposals, propose, type StoredProposal } from '../../people/index.ts';
import { hex, optional, type Row, sql, text, when } from '../../postgres/index.ts';
import type { StageStore, StageRun } from './stage.ts';

const ESCALATE = sql('grants-escalate')`
insert into grant_escalation (tenant, id, boundary, key, bytes) values ($1, $2, $3, $4, $5)`;

/** Leaves an envelope for the fallback; `about` names the key it is sealed with. Returns the exception's id. */
export async function escalate(
  store: StageStore,
  at: StageRun,
  about: string,
  canonicalEnvelope: Uint8Array,
): Promise<string> {
  const { entry, key, blob } = await store.sealFor(at, 'escalation', about, canonicalEnvelope);
  await at.run(ESCALATE, [at.tenant, entry, at.stage, key, Buffer.from(blob)]);
  return entry;
}

const WAITING = sql('grants-escalations-waiting')`
select e.id as entry, e.boundary, e.key, e.bytes from grant_escalation e
where e.tenant = $1 and not exists (select 1 from grant_exception x where x.tenant = e.tenant and x.id = e.id)
order by e.id limit 100`;

// One fallback at a time: two would open the same exception twice, and the second would fail as a whole.
const LOCK = sql('grants-fallback-lock')`
select lock_name($1, 'grants.fallback')`;

interface WaitingEscalation {
  readonly id: string;
  readonly boundary: string;
  readonly envelope: JsonValue;
}

export async function waitingEscalations(
  store: StageStore,
  at: StageRun,
): Promise<readonly WaitingEscalation[]> {
  await at.run(LOCK, [at.tenant]);
  const rows = await at.run(WAITING, [at.tenant]);
  const bodies = await store.openFrom(at, 'escalation', rows);
  return rows.map((row, index) => ({
    id: text(row['entry']),
    boundary: text(row['boundary']),
    envelope: JSON.parse(Buffer.from(bodies[index] ?? []).toString('utf8')) as JsonValue,
  }));
}

const ADD = sql('grants-exception-add')`
insert into grant_exception (tenant, id, boundary, award_key, escalation_code, violation_codes, payload_sha256,
  envelope_sha256, ct, amends)
values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), decode($8, 'hex'), decode($9, 'hex'), $10)`;

interface NewException {
  readonly id: string;
  readonly boundary: string;
  readonly awardKey: string;
  readonly escalationCode: string;
  readonly violationCodes: readonly string[];
  readonly payloadSha256: string;
  readonly envelopeSha256: string;
  readonly ct: string;
  /** The award that stands, and that this one would replace or end. */
  readonly amends: AwardId | undefined;
}

export async function addException(at: StageRun, exception: NewException): Promise<void> {
  const { id, boundary, awardKey, escalationCode, violationCodes } = exception;
  const hashes = [exception.payloadSha256, exception.envelopeSha256, exception.ct];
  const values = [id, boundary, awardKey, escalationCode, [...violationCodes], ...hashes];
  await at.run(ADD, [at.tenant, ...values, exception.amends ?? null]);
}

type ExceptionState = 'open' | 'proposed' | 'approved' | 'dismissed' | 'cancelled' | 'reingested';

export interface StoredException extends NewException {
  readonly openedAt: Instant;
  readonly state: ExceptionState;
  readonly document: string | undefined;
}

const LIST = sql('grants-exceptions')`
select x.*, d.id as document, p.state, p.terms::jsonb->>'resolution' as resolution from grant_exception x
left join grant_document d on d.tenant = x.tenant and d.replaces = x.id
left join proposal p on p.tenant = x.tenant and p.kind = 'exception' and p.subject = x.id::text
  and p.state in ('open', 'approved')
where x.tenant = $1 and ($2::uuid is null or x.id = $2) and ($3::boolean is null or $3 = not (
  d.id is not null or (p.state is not distinct from 'approved' and p.terms::jsonb->>'resolution' in ('dismiss', 'cancel'))))
order by x.opened_at, x.id limit 10000`;

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
    amends: optional(row['amends'], (key) => awardId(text(key))),
    openedAt: when(row['opened_at']),
    state: stateOf(row),
    document: optional(row['document'], text),
  }));
}

function stateOf(row: Row): ExceptionState {
  if (row['document'] !== null) return 'reingested';
  if (row['state'] === null) return 'open';
  if (row['state'] === 'open') return 'proposed';
  if (row['resolution'] === 'cancel') return 'cancelled';
  return row['resolution'] === 'dismiss' ? 'dismissed' : 'approved';
}

type ResolutionKind = 'reingest' | 'dismiss' | 'cancel';

/** What two people agree to. */
interface ResolutionTerms {
  readonly resolution: ResolutionKind;
  /** SHA-256 of the corrected document: agreed to, to the byte. */
  readonly document: string | undefined;
  /** The award that is replaced or ended by it. */
  readonly amends: AwardId | undefined;
}

export interface Resolution extends ResolutionTerms {
  readonly reason: string;
  readonly by: PersonId;
}

const KIND = 'exception';

/** Gives the number of the proposal among those for the exception. */
export async function proposeResolution(
  at: StageRun,
  exception: string,
  { resolution, document, amends, reason, by }: Resolution,
): Promise<number> {
  const terms = { resolution, document, amends };
  const made = { kind: KIND, subject: exception, terms, reason, by } as const;
  return (await propose(at.run, at.tenant, made)).n;
}

/** What was decided, and its number; throws SELF_APPROVAL for the person who made it. */
export async function decideResolution(
  at: StageRun,
  exception: string,
  decision: ProposalDecision,
): Promise<ResolutionTerms & { readonly n: number }> {
  const about = { kinds: [KIND], subject: exception, what: `Exception ${exception}` } as const;
  const decided = await decideProposal(at.run, at.tenant, about, decision);
  return { ...resolutionOf(decided), n: decided.n };
}

interface StoredAct extends ResolutionTerms {
  readonly act: 'proposed' | Exclude<ProposalState, 'open'>;
  readonly by: PersonId;
  readonly at: Instant;
  readonly reason: string;
}

export async function exceptionActs(
  at: StageRun,
  exception: string,
): Promise<readonly StoredAct[]> {
  const made = await proposals(at.run, at.tenant, [KIND], exception);
  return made.flatMap((one): StoredAct[] => {
    const terms = resolutionOf(one);
    const { reason, proposedBy: by, state, decidedBy, decidedAt } = one;
    const proposed = {
      ...terms,
      act: 'proposed',
      by,
      at: one.proposedAt,
      reason,
    } as const;
    if (state === 'open' || decidedBy === undefined || decidedAt === undefined) return [proposed];
    const said = one.decisionReason ?? SAID_BY_APPROVAL;
    return [proposed, { ...terms, act: state, by: decidedBy, at: decidedAt, reason: said }];
  });
}

const SAID_BY_APPROVAL = 'second person';

function resolutionOf({ terms }: StoredProposal): ResolutionTerms {
  return {
    // The constraint proposal_resolves holds it to these words.
    resolution: text(terms['resolution']) as ResolutionKind,
    document: optional(terms['document'], text),
    amends: optional(terms['amends'], (key) => awardId(text(key))),
  };
}

const REPLACEMENT = sql('grants-replacement')`
select min(key) as key from grant_award where tenant = $1 and document = $2`;

export async function replacementKey(at: StageRun, document: string): Promise<string | undefined> {
  const [row] = await at.run(REPLACEMENT, [at.tenant, document]);
  return optional(row?.['key'], text);
}

const KEEP_OPEN = sql('grants-keep-open')`
update ledger_dek k set retain_until = (now() at time zone 'UTC' + interval '7 years')::date
from grant_exception x
where x.tenant = $1 and k.tenant = x.tenant and k.subject = 'fallback/' || x.id and k.state = 'live'
  and k.retain_until < (now() at time zone 'UTC' + interval '1 year')::date
  and not exists (select 1 from proposal p where p.tenant = x.tenant and p.kind = 'exception' and p.subject = x.id::text
    and p.state = 'approved')`;

/** What nobody has resolved is not destroyed, however old it is. */
export async function keepOpenExceptions(at: StageRun): Promise<void> {
  await at.run(KEEP_OPEN, [at.tenant]);
}
