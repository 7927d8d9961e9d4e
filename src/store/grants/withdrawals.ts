/** Statements that leave again: one person proposes it, another agrees, and the database refuses everything else. */
import { FilewrightError, type PersonId } from '../../core/index.ts';
import { optional, text } from '../rows.ts';
import type { Row, Statement } from '../session.ts';
import { refusedByRule } from './escalations.ts';
import type { StageRun } from './stage.ts';

const PROPOSE: Statement = {
  name: 'grants-withdrawal-propose',
  text: `
insert into grant_withdrawal (tenant, feed, n, statement, restores, replacement, reason, proposed_by)
select $1, $2, coalesce(max(n), 0) + 1, $3, $4, $5, $6, $7 from grant_withdrawal where tenant = $1 and feed = $2
returning n`,
};

const DECIDE: Statement = {
  name: 'grants-withdrawal-decide',
  text: `
insert into grant_withdrawal_decision (tenant, feed, n, decision, reason, decided_by)
select w.tenant, w.feed, w.n, $3, $4, $5 from grant_withdrawal w
where w.tenant = $1 and w.feed = $2 and not exists (
  select 1 from grant_withdrawal_decision d where d.tenant = w.tenant and d.feed = w.feed and d.n = w.n)
returning n`,
};

const FEEDS: Statement = {
  name: 'grants-feeds-named',
  text: `
select f.id, f.name, f.statements from grant_feed f where f.tenant = $1 and f.id like $2 || '%' order by f.id limit 2`,
};

const LIST: Statement = {
  name: 'grants-withdrawals',
  text: `
select w.feed, f.name, w.n, w.statement, w.restores, w.replacement, w.reason, d.decision
from grant_withdrawal w
join grant_feed f on f.tenant = w.tenant and f.id = w.feed
left join grant_withdrawal_decision d on d.tenant = w.tenant and d.feed = w.feed and d.n = w.n
where w.tenant = $1 order by w.proposed_at, w.feed, w.n`,
};

export interface NewWithdrawal {
  readonly feed: string;
  readonly statement: number | undefined;
  /** Takes an earlier withdrawal back. */
  readonly restores: boolean;
  readonly replacement: string | undefined;
  readonly reason: string;
  readonly by: PersonId;
}

export async function proposeWithdrawal(at: StageRun, proposal: NewWithdrawal): Promise<number> {
  const { feed, statement, restores, replacement, reason, by } = proposal;
  const values = [feed, statement ?? null, restores, replacement ?? null, reason, by];
  const [row] = await at.run(PROPOSE, [at.tenant, ...values]).catch(refusedByRule);
  return Number(row?.['n']);
}

/** The number of the proposal that was decided; throws SELF_APPROVAL for the person who made it. */
export async function decideWithdrawal(
  at: StageRun,
  decision: {
    readonly feed: string;
    readonly decision: 'approved' | 'refused';
    readonly reason: string;
    readonly by: PersonId;
  },
): Promise<number> {
  const { feed, reason, by } = decision;
  const values = [at.tenant, feed, decision.decision, reason, by];
  const [row] = await at.run(DECIDE, values).catch(refusedByRule);
  if (row === undefined) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Feed ${feed} has no withdrawal that waits for a decision; propose one first`,
    );
  }
  return Number(row['n']);
}

export interface NamedFeed {
  readonly id: string;
  readonly name: string;
  readonly statements: number;
}

/** Feeds whose id begins so; two are enough to know that it is not one. */
export async function feedsNamed(at: StageRun, begin: string): Promise<readonly NamedFeed[]> {
  return (await at.run(FEEDS, [at.tenant, begin])).map((row) => ({
    id: text(row['id']),
    name: text(row['name']),
    statements: Number(row['statements']),
  }));
}

export interface StoredWithdrawal {
  readonly feed: string;
  readonly name: string;
  readonly statement: number | undefined;
  readonly restores: boolean;
  readonly replacement: string | undefined;
  readonly reason: string;
  readonly state: 'proposed' | 'approved' | 'refused';
}

export async function withdrawals(at: StageRun): Promise<readonly StoredWithdrawal[]> {
  return (await at.run(LIST, [at.tenant])).map(withdrawalOf);
}

function withdrawalOf(row: Row): StoredWithdrawal {
  return {
    feed: text(row['feed']),
    name: text(row['name']),
    statement: optional(row['statement'], Number),
    restores: row['restores'] === true,
    replacement: optional(row['replacement'], text),
    reason: text(row['reason']),
    // A check constraint holds the column to these.
    state:
      optional(row['decision'], text) === undefined
        ? 'proposed'
        : (text(row['decision']) as 'approved' | 'refused'),
  };
}
