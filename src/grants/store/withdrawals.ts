/** Statements that leave again: one person proposes it, another agrees, and the database refuses everything else. */
import type { PersonId, ProposalDecision, ProposalState } from '../../core/index.ts';
import { decideProposal, proposals, propose } from '../../people/index.ts';
import { optional, sql, text } from '../../postgres/index.ts';
import type { StageRun } from './stage.ts';

const KIND = 'statement';

const FEEDS = sql('grants-feeds-named')`
select f.id, f.name, f.statements from grant_feed f where f.tenant = $1 and f.id like $2 || '%' order by f.id limit 2`;

const NAMES = sql('grants-feed-names')`
select id, name from grant_feed where tenant = $1 and id = any ($2::text[])`;

/** What two people agree to. */
interface WithdrawalTerms {
  /** All of the feed unless told. */
  readonly statement: number | undefined;
  /** Takes an earlier withdrawal back. */
  readonly restores: boolean;
  /** The SHA-256 of the feed that comes in its place, where there is one. */
  readonly replacement: string | undefined;
}

interface NewWithdrawal extends WithdrawalTerms {
  readonly feed: string;
  readonly reason: string;
  readonly by: PersonId;
}

/** Gives the number of the proposal among those for the feed. */
export async function proposeWithdrawal(at: StageRun, proposal: NewWithdrawal): Promise<number> {
  const { feed, statement, restores, replacement, reason, by } = proposal;
  const terms = { statement, restores, replacement };
  const made = { kind: KIND, subject: feed, terms, reason, by } as const;
  return (await propose(at.run, at.tenant, made)).n;
}

/** The number of the proposal that was decided; throws SELF_APPROVAL for the person who made it. */
export async function decideWithdrawal(
  at: StageRun,
  feed: string,
  decision: ProposalDecision,
): Promise<number> {
  const about = { kinds: [KIND], subject: feed, what: `Feed ${feed}` } as const;
  return (await decideProposal(at.run, at.tenant, about, decision)).n;
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

interface StoredWithdrawal extends WithdrawalTerms {
  readonly feed: string;
  readonly name: string;
  readonly reason: string;
  readonly state: 'proposed' | Exclude<ProposalState, 'open'>;
}

export async function withdrawals(at: StageRun): Promise<readonly StoredWithdrawal[]> {
  const made = await proposals(at.run, at.tenant, [KIND]);
  const feeds = made.map(({ subject }) => subject);
  const rows = await at.run(NAMES, [at.tenant, feeds]);
  const names = new Map(rows.map((row) => [text(row['id']), text(row['name'])]));
  return made.map(({ subject: feed, terms, reason, state }) => ({
    feed,
    name: names.get(feed) ?? '',
    statement: optional(terms['statement'], Number),
    restores: terms['restores'] === true,
    replacement: optional(terms['replacement'], text),
    reason,
    state: state === 'open' ? 'proposed' : state,
  }));
}
