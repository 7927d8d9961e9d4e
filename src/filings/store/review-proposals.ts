/** The filings of proposals to send again: fixed when they are made. Their approval is in review-approval.ts. */
import {
  FilewrightError,
  type FilingId,
  filingId,
  isUuid,
  type LedgerFact,
  notFound,
  type PersonId,
  proposalHash,
  type ProposalState,
  type ProposalTerms,
  type SealedPayload,
  sha256Of,
} from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import type { Destination } from '../../lanes/index.ts';
import { propose } from '../../people/index.ts';
import {
  bytes,
  hex,
  optional,
  type Row,
  SEALED_COLUMNS,
  sealedOf,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';

export const REVIEW_KINDS = ['replay', 'correct'] as const;
type ReviewKind = (typeof REVIEW_KINDS)[number];

export interface ReviewItem {
  readonly filing: FilingId;
  /** The number of the exception that is reviewed. */
  readonly n: number;
  readonly action: 'send' | 'ask';
  readonly revision: number;
  readonly key: string;
  readonly payloadSha256: string;
  readonly notFiled: string | undefined;
}

interface NewReview {
  readonly id: string;
  readonly kind: ReviewKind;
  readonly by: PersonId;
  readonly reason: string;
  /** As it was typed, for many at once. */
  readonly filter: Readonly<Record<string, string>> | undefined;
  /** Where they will be sent. */
  readonly lanes: readonly Destination[];
  readonly items: readonly ReviewItem[];
  /** For a correction its body is the sealed new payload. */
  readonly fact: LedgerFact;
}

export interface ProposalView {
  readonly id: string;
  readonly kind: ReviewKind;
  readonly proposedBy: string;
  readonly proposedById: string;
  readonly proposedAt: number;
  readonly reason: string;
  readonly filter: Readonly<Record<string, string>> | undefined;
  readonly lanes: readonly Destination[];
  readonly count: number;
  readonly sha256: string;
  readonly decision: ProposalState;
  readonly decidedBy: string | undefined;
  readonly decidedAt: number | undefined;
}

// $4: the sealed payload of a correction; a replay sends what its envelope holds.
const ADD_ITEMS = sql('review-items')`
insert into review_item (tenant, proposal, filing, n, action, revision, key, payload_sha256, payload_ct, not_filed)
select $1, $2, i.filing, i.n, i.action, i.revision, i.key, decode(i.payload_sha256, 'hex'),
  coalesce(decode($4, 'hex'), e.payload_ct), i.not_filed
from json_to_recordset($3::json) as i(filing uuid, n int, action text, revision int, key text, payload_sha256 text,
  not_filed text)
join envelope e on e.tenant = $1 and e.id = i.filing
returning filing`;

const VIEW = `p.id, p.kind, p.proposed_by as proposed_by_id, a.name as proposed_by, p.proposed_at, p.reason, p.terms, p.sha256,
  (select count(*) from review_item i where i.tenant = p.tenant and i.proposal = p.id) as count,
  p.state, b.name as decided_by, p.decided_at
from proposal p join person a on a.tenant = p.tenant and a.id = p.proposed_by
left join person b on b.tenant = p.tenant and b.id = p.decided_by
where p.kind in ('replay', 'correct') and p.tenant = $1`;

const FIND = sql('review-find')`select ${VIEW} and p.id = $2`;

const LIST = sql('review-list')`
select ${VIEW} and ($2 or p.state = 'open') and ($4::uuid is null
  or (p.proposed_at, p.id) < (select x.proposed_at, x.id from proposal x where x.tenant = $1 and x.id = $4))
order by p.proposed_at desc, p.id desc limit $3`;

const COUNT = sql('review-count')`select count(*)::int as total from proposal p
where p.kind in ('replay', 'correct') and p.tenant = $1 and ($2 or p.state = 'open')`;

const ITEMS = sql('review-items-of')`
select filing, n, action, revision, key, payload_sha256, not_filed from review_item
where tenant = $1 and proposal = $2 order by filing`;

/** Both payloads of a correction: what was sent, and what would be. */
const PAYLOADS = sql('review-payloads')`
select ${SEALED_COLUMNS}, i.payload_ct = b.ct as is_new,
  case when i.payload_ct = b.ct then i.key else coalesce(r.key, e.key) end as idempotency_key from review_item i
join exception x on x.tenant = i.tenant and x.filing = i.filing and x.n = i.n
left join envelope_revision r on r.tenant = i.tenant and r.filing = i.filing and r.revision = i.revision - 1
join envelope e on e.tenant = i.tenant and e.id = i.filing
join ledger_blob b on b.ct in (i.payload_ct, coalesce(r.payload_ct, e.payload_ct))
join ledger_dek k on k.tenant = i.tenant and k.id = b.key
where i.tenant = $1 and i.proposal = $2 and i.filing = $3`;

const REVISIONS = sql('review-revisions')`
select r.revision, r.key, r.payload_sha256, r.replaced_at, r.proposal from envelope_revision r
where r.tenant = $1 and r.filing = $2 order by r.revision`;

/** Gives the hash over all of it. */
export async function proposeReview(
  session: Session,
  tenant: string,
  review: NewReview,
): Promise<string> {
  const { id, kind, by, reason, filter, lanes, items, fact } = review;
  return session.transaction(async (run) => {
    const terms = reviewTerms({ filter, lanes });
    const lines = reviewLines(items);
    const { sha256 } = await propose(run, tenant, {
      id,
      kind,
      subject: id,
      terms,
      lines,
      reason,
      by,
    });
    // The body before the items: each names it by its hash.
    await recordFact(
      run,
      { tenant, boundary: 'filing' },
      { kind: 'review', id, ver: 1 },
      {
        ...fact,
        data: {
          ...fact.data,
          sha256,
          count: items.length,
          lanes: lanes.map((lane) => ({ ...lane })),
        },
      },
    );
    const list = items.map(({ payloadSha256, notFiled, ...item }) => ({
      ...item,
      payload_sha256: payloadSha256,
      not_filed: notFiled ?? null,
    }));
    const ct = kind === 'correct' ? fact.body?.sealed.ct : undefined;
    const added = await run(ADD_ITEMS, [tenant, id, JSON.stringify(list), ct ?? null]);
    if (added.length !== items.length) {
      throw new FilewrightError('BROKEN_INVARIANT', `Not every filing of proposal ${id} exists`);
    }
    return sha256;
  });
}

function reviewTerms({ filter, lanes }: Pick<ProposalView, 'filter' | 'lanes'>): ProposalTerms {
  return { filter, lanes: lanes.map((lane) => ({ ...lane })) };
}

/** SHA-256 of what would run, as it stands now. */
export function reviewHash(
  { id, kind, reason, ...to }: Pick<ProposalView, 'id' | 'kind' | 'reason' | 'filter' | 'lanes'>,
  items: readonly ReviewItem[],
): string {
  const terms = reviewTerms(to);
  return proposalHash({ kind, subject: id, reason, terms, lines: reviewLines(items) });
}

/** One for each filing in the order of their ids, as proposal_hash in sql/0003_people.sql composes them. */
function reviewLines(items: readonly ReviewItem[]): string[] {
  return [...items]
    .sort((a, b) => (a.filing < b.filing ? -1 : 1))
    .map(({ filing, n, action, revision, key, payloadSha256, notFiled }) => {
      const known = notFiled === undefined ? '-' : sha256Of(notFiled);
      return [filing, n, action, revision, key, payloadSha256, known].join(' ');
    });
}

export async function findProposal(
  session: Session,
  tenant: string,
  id: string,
): Promise<ProposalView> {
  const [row] = isUuid(id) ? await session.run(FIND, [tenant, id]) : [];
  if (row === undefined) throw noProposal(id);
  return proposalOf(row);
}

export async function listProposals(
  session: Session,
  tenant: string,
  filter: { readonly all: boolean; readonly limit: number; readonly after?: string },
): Promise<ProposalView[]> {
  const { all, limit, after } = filter;
  return (await session.run(LIST, [tenant, all, limit, after ?? null])).map(proposalOf);
}

export async function countProposals(
  session: Session,
  tenant: string,
  all: boolean,
): Promise<number> {
  const [row] = await session.run(COUNT, [tenant, all]);
  return Number(row?.['total']);
}

export async function proposalItems(
  session: Session,
  tenant: string,
  id: string,
): Promise<ReviewItem[]> {
  return (await session.run(ITEMS, [tenant, id])).map((row) => ({
    filing: filingId(text(row['filing'])),
    n: Number(row['n']),
    // A check constraint holds the column to these words.
    action: row['action'] as ReviewItem['action'],
    revision: Number(row['revision']),
    key: text(row['key']),
    payloadSha256: hex(row['payload_sha256']),
    notFiled: optional(row['not_filed'], text),
  }));
}

/** The payload before a correction and the one after it, sealed as they are kept. */
export async function correctionPayloads(
  session: Session,
  tenant: string,
  proposal: string,
  filing: FilingId,
): Promise<{ readonly before: SealedPayload; readonly after: SealedPayload }> {
  const rows = await session.run(PAYLOADS, [tenant, proposal, filing]);
  const before = rows.find((row) => row['is_new'] !== true);
  const after = rows.find((row) => row['is_new'] === true);
  if (before === undefined || after === undefined) {
    throw new FilewrightError(
      'SEAL_BROKEN',
      `A payload of proposal ${proposal} is no longer kept; its key may have been destroyed`,
    );
  }
  const owned = (row: Row): SealedPayload =>
    sealedOf(row, { filing, key: text(row['idempotency_key']) });
  return { before: owned(before), after: owned(after) };
}

export interface FormerRevision {
  readonly revision: number;
  readonly key: string;
  readonly payloadSha256: string;
  readonly replacedAt: number;
  readonly proposal: string;
}

export async function formerRevisions(
  session: Session,
  tenant: string,
  filing: FilingId,
): Promise<FormerRevision[]> {
  return (await session.run(REVISIONS, [tenant, filing])).map((row) => ({
    revision: Number(row['revision']),
    key: text(row['key']),
    payloadSha256: Buffer.from(bytes(row['payload_sha256'])).toString('hex'),
    replacedAt: when(row['replaced_at']),
    proposal: text(row['proposal']),
  }));
}

/** Written by proposeReview alone. */
function termsOf(row: Row): Pick<ProposalView, 'filter' | 'lanes'> {
  const { filter, lanes } = JSON.parse(text(row['terms'])) as Partial<ProposalView>;
  return { filter, lanes: lanes ?? [] };
}

function noProposal(id: string): FilewrightError {
  return notFound(`No proposal has the id ${id}; see review proposals`);
}

function proposalOf(row: Row): ProposalView {
  return {
    id: text(row['id']),
    // Check constraints hold kind and state to these words.
    kind: row['kind'] as ReviewKind,
    proposedBy: text(row['proposed_by']),
    proposedById: text(row['proposed_by_id']),
    proposedAt: when(row['proposed_at']),
    reason: text(row['reason']),
    ...termsOf(row),
    count: Number(row['count']),
    sha256: hex(row['sha256']),
    decision: row['state'] as ProposalState,
    decidedBy: optional(row['decided_by'], text),
    decidedAt: optional(row['decided_at'], when),
  };
}
