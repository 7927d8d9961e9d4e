/** Proposals to send filings again: fixed when they are made. Their approval is in review-approval.ts. */
import {
  FilewrightError,
  type FilingId,
  filingId,
  isUuid,
  type LedgerFact,
  type PersonId,
  type SealedPayload,
} from '../core/index.ts';
import { recordFact } from './facts.ts';
import { bytes, hex, optional, SEALED_COLUMNS, sealedOf, text, when } from './rows.ts';
import type { Row, Session, Statement } from './session.ts';

export type ProposalKind = 'replay' | 'correct';

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

export interface NewProposal {
  readonly id: string;
  readonly kind: ProposalKind;
  readonly by: PersonId;
  readonly reason: string;
  readonly filter: Readonly<Record<string, string>> | undefined;
  readonly sha256: string;
  readonly items: readonly ReviewItem[];
  /** For a correction its body is the sealed new payload. */
  readonly fact: LedgerFact;
}

export interface ProposalView {
  readonly id: string;
  readonly kind: ProposalKind;
  readonly proposedBy: string;
  readonly proposedById: string;
  readonly proposedAt: number;
  readonly reason: string;
  readonly filter: Readonly<Record<string, string>> | undefined;
  readonly count: number;
  readonly sha256: string;
  readonly decision: 'open' | 'approved' | 'withdrawn';
  readonly decidedBy: string | undefined;
  readonly decidedAt: number | undefined;
}

const PROPOSE: Statement = {
  name: 'review-propose',
  text: `insert into review_proposal (tenant, id, kind, proposed_by, reason, filter, count, sha256)
values ($1, $2, $3, $4, $5, $6::jsonb, $7, decode($8, 'hex'))`,
};

// $4: the sealed payload of a correction; a replay sends what its envelope holds.
const ADD_ITEMS: Statement = {
  name: 'review-items',
  text: `
insert into review_item (tenant, proposal, filing, n, action, revision, key, payload_sha256, payload_ct, not_filed)
select $1, $2, i.filing, i.n, i.action, i.revision, i.key, decode(i.payload_sha256, 'hex'),
  coalesce(decode($4, 'hex'), e.payload_ct), i.not_filed
from json_to_recordset($3::json) as i(filing uuid, n int, action text, revision int, key text, payload_sha256 text,
  not_filed text)
join envelope e on e.tenant = $1 and e.id = i.filing
returning filing`,
};

const VIEW = `p.id, p.kind, p.proposed_by as proposed_by_id, a.name as proposed_by, p.proposed_at, p.reason, p.filter, p.count,
  p.sha256, d.decision, b.name as decided_by, d.decided_at
from review_proposal p join person a on a.tenant = p.tenant and a.id = p.proposed_by
left join review_decision d on d.tenant = p.tenant and d.proposal = p.id
left join person b on b.tenant = d.tenant and b.id = d.decided_by`;

const FIND: Statement = {
  name: 'review-find',
  text: `select ${VIEW} where p.tenant = $1 and p.id = $2`,
};

const LIST: Statement = {
  name: 'review-list',
  text: `select ${VIEW} where p.tenant = $1 and ($2 or d.decision is null) order by p.proposed_at desc, p.id limit $3`,
};

const ITEMS: Statement = {
  name: 'review-items-of',
  text: `select filing, n, action, revision, key, payload_sha256, not_filed from review_item
where tenant = $1 and proposal = $2 order by filing`,
};

/** Both payloads of a correction: what was sent, and what would be. */
const PAYLOADS: Statement = {
  name: 'review-payloads',
  text: `
select ${SEALED_COLUMNS}, i.payload_ct = b.ct as is_new from review_item i
join exception x on x.tenant = i.tenant and x.filing = i.filing and x.n = i.n
left join envelope_revision r on r.tenant = i.tenant and r.filing = i.filing and r.revision = i.revision - 1
join envelope e on e.tenant = i.tenant and e.id = i.filing
join ledger_blob b on b.ct in (i.payload_ct, coalesce(r.payload_ct, e.payload_ct))
join ledger_dek k on k.tenant = i.tenant and k.id = b.key
where i.tenant = $1 and i.proposal = $2 and i.filing = $3`,
};

const REVISIONS: Statement = {
  name: 'review-revisions',
  text: `
select r.revision, r.key, r.payload_sha256, r.replaced_at, r.proposal from envelope_revision r
where r.tenant = $1 and r.filing = $2 order by r.revision`,
};

export async function addProposal(
  session: Session,
  tenant: string,
  proposal: NewProposal,
): Promise<void> {
  const { id, kind, by, reason, filter, sha256, items, fact } = proposal;
  await session.transaction(async (run) => {
    // The body first: an item names it by its hash.
    await recordFact(
      run,
      { tenant, boundary: 'filing' },
      { kind: 'review', id, ver: 1 },
      { ...fact, data: { ...fact.data, sha256, count: items.length } },
    );
    const head = [tenant, id, kind, by, reason, filter === undefined ? null : filter];
    await run(PROPOSE, [...head, items.length, sha256]);
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
  filter: { readonly all: boolean; readonly limit: number },
): Promise<ProposalView[]> {
  return (await session.run(LIST, [tenant, filter.all, filter.limit])).map(proposalOf);
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
      `A payload of proposal ${proposal} is not kept any more; its key may have been destroyed`,
    );
  }
  return { before: sealedOf(before), after: sealedOf(after) };
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

function noProposal(id: string): FilewrightError {
  return new FilewrightError('NOT_FOUND', `No proposal has the id ${id}; see review proposals`);
}

function proposalOf(row: Row): ProposalView {
  return {
    id: text(row['id']),
    // A check constraint holds the column to these words.
    kind: row['kind'] as ProposalKind,
    proposedBy: text(row['proposed_by']),
    proposedById: text(row['proposed_by_id']),
    proposedAt: when(row['proposed_at']),
    reason: text(row['reason']),
    // Written only by addProposal, from a record of texts.
    filter: optional(row['filter'], (value) => value as Readonly<Record<string, string>>),
    count: Number(row['count']),
    sha256: hex(row['sha256']),
    decision: row['decision'] === null ? 'open' : (text(row['decision']) as 'approved'), // As above.
    decidedBy: optional(row['decided_by'], text),
    decidedAt: optional(row['decided_at'], when),
  };
}
