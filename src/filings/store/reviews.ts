/** What one person does with an exception alone, because nothing is sent by it; and finding what a bulk filter means. */
import {
  type FilewrightError,
  type FilingId,
  filingId,
  type LedgerFact,
  type PersonId,
  receiptSpelling,
  ruledOut,
  type Unsettled,
} from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import { giveReceipt, isReceiptOnRecord, provenByFile } from './receipts.ts';
import { hex, optional, type Run, type Session, sql, text } from '../../postgres/index.ts';

/** What a bulk filter can name; every value is compared for equality. */
export const REVIEW_FILTERS = [
  'lane',
  'batch',
  'reason',
  'status',
  'kind',
  'entity',
  'assigned',
] as const;
export type ReviewFilter = { readonly [Name in (typeof REVIEW_FILTERS)[number]]?: string };

export interface ReviewCandidate {
  readonly filing: FilingId;
  readonly n: number;
  readonly lane: string;
  readonly revision: number;
  readonly key: string;
  readonly payloadSha256: string;
  readonly unsettled: Unsettled | undefined;
  readonly isLate: boolean;
}

const CANDIDATES = sql('review-candidates')`
select f.id, x.n, f.lane, e.revision, e.key, e.payload_sha256, x.unsettled, f.last_safe <= now() as is_late
from filing f join envelope e on e.tenant = f.tenant and e.id = f.id
join exception x on x.tenant = f.tenant and x.filing = f.id and x.n = f.exceptions
left join person a on a.tenant = x.tenant and a.id = x.assigned_to
where f.tenant = $1 and f.status in ('rejected', 'fallout') and x.closed_at is null
  and ($2::text is null or f.lane = $2) and ($3::uuid is null or e.batch = $3)
  and ($4::text is null or x.reason = $4) and ($5::text is null or f.status = $5)
  and ($6::text is null or e.filing_kind = $6) and ($7::text is null or e.entity_id = $7)
  and ($8::text is null or a.name = $8)
order by f.id limit $9`;

const ASSIGNED = sql('review-assigned')`
select x.filing, a.name from exception x join person a on a.tenant = x.tenant and a.id = x.assigned_to
where x.tenant = $1 and x.filing = any ($2::uuid[]) and x.closed_at is null`;

const LOCK = sql('review-lock-filing')`
select status from filing where tenant = $1 and id = $2 and exceptions = $3 and holder is null
  and status in ('rejected', 'fallout') for update`;

const ACT = sql('review-act')`
insert into review_act (tenant, filing, n, no, act, by_person, reason, receipt, evidence_sha256, to_person)
select $1, $2, $3, coalesce(max(a.no), 0) + 1, $4, $5, $6, $7, decode($8, 'hex'), $9
from review_act a where a.tenant = $1 and a.filing = $2 and a.n = $3`;

const CHANGE = sql('review-change')`
update filing set status = $3, receipt = coalesce($4, receipt), ver = ver + 1,
  verdict = case when $5::text is null then verdict else 'review' end, code = coalesce($5, code)
where tenant = $1 and id = $2 returning ver`;

const CLOSE = sql('review-close-one')`
update exception set closed_at = now(), closed_by = $4, resolution = $5
where tenant = $1 and filing = $2 and n = $3 and closed_at is null returning n`;

const ASSIGN = sql('review-assign')`update exception set assigned_to = $4
where tenant = $1 and filing = $2 and n = $3 and closed_at is null returning n`;

const COMPLETE = sql('review-complete')`insert into work (tenant, id, kind, target, body)
    values ($1, $2, 'event', 'all', jsonb_build_object('type', 'COMPLIANCE_FILING_COMPLETE', 'filing', $3::uuid))`;

/** At most `limit`, in the order of the filings. */
export async function reviewCandidates(
  session: Session,
  tenant: string,
  filter: ReviewFilter,
  limit: number,
): Promise<ReviewCandidate[]> {
  const { lane, batch, reason, status, kind, entity, assigned } = filter;
  const named = [lane, batch, reason, status, kind, entity, assigned].map((value) => value ?? null);
  return (await session.run(CANDIDATES, [tenant, ...named, limit])).map((row) => ({
    filing: filingId(text(row['id'])),
    n: Number(row['n']),
    lane: text(row['lane']),
    revision: Number(row['revision']),
    key: text(row['key']),
    payloadSha256: hex(row['payload_sha256']),
    // Written only by the tick, from an Unsettled.
    unsettled: optional(row['unsettled'], (value) => value as Unsettled),
    isLate: row['is_late'] === true,
  }));
}

/** The names of the people to whom open exceptions are assigned. */
export async function assignedPeople(
  session: Session,
  tenant: string,
  filings: readonly FilingId[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await session.run(ASSIGNED, [tenant, filings]);
  return new Map(rows.map((row) => [text(row['filing']), text(row['name'])]));
}

interface Reviewed {
  readonly filing: FilingId;
  readonly n: number;
  readonly by: PersonId;
  readonly reason: string;
  readonly fact: LedgerFact;
}

/** Accepted as filed: final, and as much an acceptance for everybody who listens as a receipt from the portal is. */
export async function acceptAsFiled(
  session: Session,
  tenant: string,
  act: Reviewed & {
    readonly receipt: string;
    readonly evidenceSha256: string;
    /** And no text: the same words may be said of many. */
    readonly isFile: boolean;
    readonly isShared: boolean;
  },
): Promise<void> {
  await session.transaction(async (run) => {
    await lock(run, tenant, act);
    const owner = await giveReceipt(run, tenant, act.filing, {
      number: act.receipt,
      spelling: receiptSpelling(act.receipt),
    });
    if (owner !== act.filing && !act.isShared) throw receiptOfAnother(act, owner);
    if (!(await isReceiptOnRecord(run, tenant, act.filing, act.receipt))) {
      throw ruledOut(
        `Receipt ${act.receipt} is on record for filing ${owner} in another spelling; write it as filing show ${owner} has it`,
      );
    }
    if (act.isFile && !act.isShared) await requireOwnFile(run, tenant, act);
    await record(run, tenant, act, 'accepted_as_filed');
    const change = [tenant, act.filing, 'accepted', act.receipt, 'ACCEPTED_AS_FILED'];
    const [row] = await run(CHANGE, change);
    await run(CLOSE, [tenant, act.filing, act.n, act.by, 'accepted as filed']);
    await run(COMPLETE, [tenant, act.fact.id, act.filing]);
    await recordState(run, tenant, act, Number(row?.['ver']));
  });
}

async function requireOwnFile(
  run: Run,
  tenant: string,
  { filing, evidenceSha256 }: { readonly filing: FilingId; readonly evidenceSha256: string },
): Promise<void> {
  const other = await provenByFile(run, tenant, filing, evidenceSha256);
  if (other === undefined) return;
  throw ruledOut(
    `This file is already the proof of filing ${other}. Attach the one of filing ${filing}; or, if the office gave one for both, add --shared-receipt`,
  );
}

/** Closed or withdrawn. What the portal has refused keeps its status; the person's word ends the matter. */
export async function rejectByReview(
  session: Session,
  tenant: string,
  act: Reviewed & { readonly evidenceSha256?: string },
): Promise<void> {
  await session.transaction(async (run) => {
    await lock(run, tenant, act);
    await record(run, tenant, act, 'rejected');
    const [row] = await run(CHANGE, [tenant, act.filing, 'rejected', null, null]);
    const [closed] = await run(CLOSE, [tenant, act.filing, act.n, act.by, 'rejected']);
    if (closed === undefined) throw changed(act.filing);
    await recordState(run, tenant, act, Number(row?.['ver']));
  });
}

export async function assignReview(
  session: Session,
  tenant: string,
  act: Reviewed & { readonly to: PersonId },
): Promise<void> {
  await session.transaction(async (run) => {
    const status = await lock(run, tenant, act);
    await record(run, tenant, act, 'assigned');
    const [assigned] = await run(ASSIGN, [tenant, act.filing, act.n, act.to]);
    if (assigned === undefined) throw changed(act.filing);
    const [row] = await run(CHANGE, [tenant, act.filing, status, null, null]);
    await recordState(run, tenant, act, Number(row?.['ver']));
  });
}

async function lock(run: Run, tenant: string, act: Reviewed): Promise<string> {
  const [row] = await run(LOCK, [tenant, act.filing, act.n]);
  if (row === undefined) throw changed(act.filing);
  return text(row['status']);
}

async function record(
  run: Run,
  tenant: string,
  act: Reviewed & {
    readonly receipt?: string;
    readonly evidenceSha256?: string;
    readonly to?: PersonId;
  },
  name: 'accepted_as_filed' | 'rejected' | 'assigned',
): Promise<void> {
  const { filing, n, by, reason, receipt, evidenceSha256, to } = act;
  const evidence = [receipt ?? null, evidenceSha256 ?? null, to ?? null];
  await run(ACT, [tenant, filing, n, name, by, reason, ...evidence]);
}

async function recordState(
  run: Run,
  tenant: string,
  { filing, fact }: Reviewed,
  ver: number,
): Promise<void> {
  await recordFact(run, { tenant, boundary: 'filing' }, { kind: 'filing', id: filing, ver }, fact);
}

function receiptOfAnother(
  { filing, receipt }: { readonly filing: FilingId; readonly receipt: string },
  owner: FilingId,
): FilewrightError {
  return ruledOut(
    `Receipt ${receipt} is already on record for filing ${owner}. One receipt proves one filing. Find the receipt of ` +
      `filing ${filing}; or, if the portal gave one receipt for both, add --shared-receipt`,
  );
}

function changed(filing: FilingId): FilewrightError {
  return ruledOut(
    `The exception of filing ${filing} was changed or closed in the meantime; check it with review show`,
  );
}
