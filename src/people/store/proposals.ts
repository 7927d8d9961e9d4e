/** Proposals and their decisions, of every kind: the one place that writes the table `proposal`. */
import {
  checkReason,
  type Instant,
  type PersonId,
  personId,
  type ProposalDecision,
  proposalHash,
  type ProposalKind,
  type ProposalState,
  type ProposalTerms,
  ruledOut,
  stateAfter,
  termsText,
} from '../../core/index.ts';
import { partiesOf } from '../../ledger/index.ts';
import { hex, optional, type Row, type Run, sql, text, when } from '../../postgres/index.ts';
import { refusedByRule } from './refused-by-rule.ts';

interface NewProposal {
  /** Made by the database unless told. */
  readonly id?: string;
  readonly kind: ProposalKind;
  readonly subject: string;
  readonly terms: ProposalTerms;
  readonly lines?: readonly string[];
  readonly reason: string;
  readonly by: PersonId;
}

export interface StoredProposal {
  readonly id: string;
  readonly kind: ProposalKind;
  readonly subject: string;
  /** Which proposal of the kind about its subject. */
  readonly n: number;
  readonly terms: ProposalTerms;
  readonly sha256: string;
  readonly reason: string;
  readonly proposedBy: PersonId;
  readonly proposedAt: Instant;
  readonly state: ProposalState;
  readonly decidedBy: PersonId | undefined;
  readonly decidedAt: Instant | undefined;
  readonly decisionReason: string | undefined;
}

const ADD = sql('proposal-add')`
insert into proposal (tenant, id, kind, subject, n, terms, sha256, reason, proposed_by)
select $1, coalesce($2, gen_random_uuid()), $3, $4, coalesce(max(n), 0) + 1, $5, decode($6, 'hex'), $7, $8
from proposal where tenant = $1 and kind = $3 and subject = $4
returning n`;

const LIST = sql('proposal-list')`
select id, kind, subject, n, terms, sha256, reason, proposed_by, proposed_at, state, decided_by, decided_at, decision_reason
from proposal where tenant = $1 and kind = any ($2::text[]) and ($3::text is null or subject = $3)
order by proposed_at, subject, n`;

const LOCK = sql('proposal-lock')`${LIST.text} for update`;

// The guard compares the hash that the person saw with that of what would run.
const DECIDE = sql('proposal-decide')`
update proposal set state = $3, decided_by = $4, decided_at = now(), decision_reason = $5, sha256 = decode($6, 'hex')
where tenant = $1 and id = $2`;

// By itself, because the stages of the grants pipeline decide too and have no right to this column.
const DECIDE_TO_SEND = sql('proposal-decide-to-send')`
update proposal set state = $3, decided_by = $4, decided_at = now(), decision_reason = $5, sha256 = decode($6, 'hex'),
  valid_until = now() + $7 * interval '1 day'
where tenant = $1 and id = $2`;

export async function propose(
  run: Run,
  tenant: string,
  proposal: NewProposal,
): Promise<{ readonly n: number; readonly sha256: string }> {
  const { id, kind, subject, terms, by } = proposal;
  const reason = checkReason('--reason', proposal.reason);
  const sha256 = proposalHash({ ...proposal, reason });
  const values = [tenant, id ?? null, kind, subject, termsText(terms), sha256, reason, by];
  const [row] = await run(ADD, values).catch(refusedByRule);
  return { n: Number(row?.['n']), sha256 };
}

export async function proposals(
  run: Run,
  tenant: string,
  kinds: readonly ProposalKind[],
  subject?: string,
): Promise<StoredProposal[]> {
  return (await run(LIST, [tenant, kinds, subject ?? null])).map(proposalOf);
}

/** Decides the one that waits. Of two people who decide at once the second waits here, and finds it decided. */
export async function decideProposal(
  run: Run,
  tenant: string,
  about: {
    readonly kinds: readonly ProposalKind[];
    readonly subject: string;
    /** For messages, as in "Exception 7". */
    readonly what: string;
  },
  decision: ProposalDecision,
): Promise<StoredProposal> {
  const { kinds, subject, what } = about;
  const rows = await run(LOCK, [tenant, kinds, subject]);
  const open = rows.map(proposalOf).find(({ state }) => state === 'open');
  if (open === undefined) {
    throw ruledOut(`${what} has no open proposal; it was already decided, or never proposed`);
  }
  const reason = decision.reason === undefined ? null : checkReason('--reason', decision.reason);
  const { by, sha256 = open.sha256 } = decision;
  const parties = await partiesOf(run, tenant, [by, open.proposedBy]);
  const state = stateAfter(what, decision, open.proposedBy, parties);
  const values = [tenant, open.id, state, by, reason, sha256];
  const { validDays } = decision;
  await (validDays === undefined || !decision.approves
    ? run(DECIDE, values)
    : run(DECIDE_TO_SEND, [...values, validDays])
  ).catch(refusedByRule);
  return { ...open, state };
}

function proposalOf(row: Row): StoredProposal {
  return {
    id: text(row['id']),
    // Check constraints hold both columns to these words.
    kind: row['kind'] as ProposalKind,
    state: row['state'] as ProposalState,
    subject: text(row['subject']),
    n: Number(row['n']),
    // Written by `propose` alone, and an object by a check constraint.
    terms: JSON.parse(text(row['terms'])) as ProposalTerms,
    sha256: hex(row['sha256']),
    reason: text(row['reason']),
    proposedBy: personId(text(row['proposed_by'])),
    proposedAt: when(row['proposed_at']),
    decidedBy: optional(row['decided_by'], (id) => personId(text(id))),
    decidedAt: optional(row['decided_at'], when),
    decisionReason: optional(row['decision_reason'], text),
  };
}
