/**
 * The second person. What is approved runs in the same transaction: afterwards every filing of the proposal is in the
 * queue, or nothing has changed. sql/0005_filings.sql lets nothing else back into the queue.
 */
import {
  APPROVAL_DAYS,
  FilewrightError,
  type LedgerFact,
  type ProposalDecision,
} from '../../core/index.ts';
import { destinationsOf } from '../../lanes/index.ts';
import { factJson, recordFact } from '../../ledger/index.ts';
import { decideProposal } from '../../people/index.ts';
import { requireSameLanes } from './destinations.ts';
import {
  proposalItems,
  type ProposalView,
  REVIEW_KINDS,
  type ReviewItem,
} from './review-proposals.ts';
import { type Row, type Run, type Session, sql, text } from '../../postgres/index.ts';

// What is as it was when it was proposed. A correction builds on the revision before its own.
const CURRENT = `
from review_item i join proposal p on p.tenant = i.tenant and p.id = i.proposal
join filing f on f.tenant = i.tenant and f.id = i.filing
join envelope e on e.tenant = i.tenant and e.id = i.filing
join exception x on x.tenant = i.tenant and x.filing = i.filing and x.n = i.n
where i.tenant = $1 and i.proposal = $2`;
const IS_CURRENT = `f.status in ('rejected', 'fallout') and f.exceptions = i.n and f.last_safe > now() and f.holder is null
  and i.revision = e.revision + case p.kind when 'correct' then 1 else 0 end
  and (p.kind = 'correct' or (i.key = e.key and i.payload_sha256 = e.payload_sha256))`;

const LOCK_FILINGS = sql('review-lock-filings')`
select f.id, f.status, ${IS_CURRENT} as is_current, f.last_safe <= now() as is_late ${CURRENT} order by f.id for update of f`;

const KEEP_REVISION = sql('review-keep-revision')`
insert into envelope_revision (tenant, filing, revision, key, payload_sha256, payload_ct, proposal)
select e.tenant, e.id, e.revision, e.key, e.payload_sha256, e.payload_ct, i.proposal ${CURRENT}`;

const NEXT_REVISION = sql('review-next-revision')`
update envelope e set revision = i.revision, key = i.key, payload_sha256 = i.payload_sha256,
  payload_ct = i.payload_ct
from review_item i where i.tenant = $1 and i.proposal = $2 and e.tenant = i.tenant and e.id = i.filing`;

// They simply join the queue again: the lane's ceiling and each filing's slack pace them as they pace all others.
const RUN = sql('review-run')`
update filing f set status = 'pending', failures = 0, failing_since = null, captcha_marks = 0, ver = f.ver + 1,
  next_at = greatest(now(), e.not_before), profile_n = l.profile_n, approved_until = p.valid_until,
  step = case i.action when 'send' then '{"action":"send"}'::jsonb
    else jsonb_build_object('action', 'ask', 'cause', 'unknown', 'unclear', 0) || x.unsettled end
from review_item i
join proposal p on p.tenant = i.tenant and p.id = i.proposal
join envelope e on e.tenant = i.tenant and e.id = i.filing
join lane l on l.tenant = e.tenant and l.code = e.lane
join exception x on x.tenant = i.tenant and x.filing = i.filing and x.n = i.n
where i.tenant = $1 and i.proposal = $2 and f.tenant = i.tenant and f.id = i.filing
returning f.id, f.ver`;

const CLOSE = sql('review-close')`
update exception x set closed_at = now(), closed_by = $3, resolution = $4
from review_item i where i.tenant = $1 and i.proposal = $2 and x.tenant = i.tenant and x.filing = i.filing and x.n = i.n
  and x.closed_at is null`;

const RECORD_ALL = sql('review-record')`
insert into ledger_intake
  (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
select $1, 'filing', id, now(), type, 'filing', filing, ver, actor_kind, actor_id, trace, data
from json_to_recordset($2::json) as f(
  id uuid, type text, filing text, ver int, actor_kind text, actor_id text, trace text, data jsonb)`;

interface ReviewDecision extends ProposalDecision {
  readonly proposal: ProposalView;
  readonly fact: LedgerFact;
}

export async function endReview(
  session: Session,
  tenant: string,
  decision: ReviewDecision,
): Promise<void> {
  await session.transaction((run) => decideReview(run, tenant, decision));
}

/** `stateFact` makes the ledger fact of each filing from the status it had. */
export async function runReview(
  session: Session,
  tenant: string,
  decision: ReviewDecision,
  stateFact: (item: ReviewItem, from: string) => LedgerFact,
): Promise<void> {
  const { id, kind } = decision.proposal;
  const items = await proposalItems(session, tenant, id);
  await session.transaction(async (run) => {
    const { lanes } = decision.proposal;
    const codes = lanes.map(({ lane }) => lane);
    requireSameLanes(`Proposal ${id}`, lanes, await destinationsOf(run, tenant, codes));
    await decideReview(run, tenant, decision);
    const found = await run(LOCK_FILINGS, [tenant, id]);
    refuseStale(found, id);
    if (kind === 'correct') {
      await run(KEEP_REVISION, [tenant, id]);
      await run(NEXT_REVISION, [tenant, id]);
    }
    const queued = new Map((await run(RUN, [tenant, id])).map((row) => [text(row['id']), row]));
    await run(CLOSE, [tenant, id, decision.by, kind === 'correct' ? 'corrected' : 'replayed']);
    const from = new Map(found.map((row) => [text(row['id']), text(row['status'])]));
    const facts = items.map((item) => ({
      ...factJson(stateFact(item, from.get(item.filing) ?? '')),
      filing: item.filing,
      ver: Number(queued.get(item.filing)?.['ver']),
    }));
    await run(RECORD_ALL, [tenant, JSON.stringify(facts)]);
  });
}

async function decideReview(run: Run, tenant: string, decision: ReviewDecision): Promise<void> {
  const { id } = decision.proposal;
  await decideProposal(
    run,
    tenant,
    { kinds: REVIEW_KINDS, subject: id, what: `Proposal ${id}` },
    { validDays: APPROVAL_DAYS, ...decision },
  );
  const subject = { kind: 'review', id, ver: 1 };
  await recordFact(run, { tenant, boundary: 'access' }, subject, decision.fact);
}

const STALE_SHOWN_MAX = 5;

function refuseStale(rows: readonly Row[], proposal: string): void {
  const stale = rows.filter((row) => row['is_current'] !== true);
  if (stale.length === 0) return;
  const listed = stale
    .slice(0, STALE_SHOWN_MAX)
    .map(
      (row) =>
        `${text(row['id'])} (${row['is_late'] === true ? 'its last safe moment has passed' : text(row['status'])})`,
    );
  const more = stale.length - listed.length;
  throw new FilewrightError(
    'PROPOSAL_STALE',
    `${stale.length} of ${rows.length} filings of proposal ${proposal} are no longer as they were proposed: ` +
      `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Nothing was queued; withdraw it and propose again`,
  );
}
