/** Balances: those that people state, and what closed lines and statements add up to. */
import { sql, text } from '../../postgres/index.ts';
import type { StageRun } from './stage.ts';
import type { BalanceByPerson } from '../pipeline/bank-contracts.ts';

const STATE = sql('grants-balance-state')`
insert into grant_balance (tenant, account, on_day, n, cents, reason, stated_by)
select $1, $2, $3::date, coalesce(max(n), 0) + 1, $4, $5, $6 from grant_balance
where tenant = $1 and account = $2 and on_day = $3::date returning n`;

const STATED = sql('grants-balances-stated')`
select distinct on (on_day) on_day::text as day, cents from grant_balance
where tenant = $1 and account = $2 and on_day = any ($3::date[]) order by on_day, n desc`;

// Lines of the days that another period has closed: an outcome takes all of its lines with it.
const CLOSED_NET = sql('grants-closed-net')`
select coalesce(sum(case l.direction when 'credit' then l.cents else -l.cents end), 0)::text as cents
from grant_line l
join grant_match_line x on x.tenant = l.tenant and x.feed = l.feed and x.ordinal = l.ordinal
join grant_match m on m.tenant = x.tenant and m.id = x.match
where l.tenant = $1 and l.account = $2 and l.booked_on between $3::date and $4::date and not l.late
  and l.status = 'booked' and not l.announced and m.repeats is null`;

const STATEMENT_NET = sql('grants-statement-net')`
select coalesce(sum(case direction when 'credit' then cents else -cents end), 0)::text as cents from grant_line
where tenant = $1 and feed = $2 and coalesce(statement, 1) = $3 and account = $4 and booked_on <= $5::date
  and status = 'booked' and not announced`;

/** The how manieth word about the day it is. */
export async function stateBalance(at: StageRun, balance: BalanceByPerson): Promise<number> {
  const { account, on, cents, reason, by } = balance;
  const [row] = await at.run(STATE, [at.tenant, account, on, cents, reason, by]);
  return Number(row?.['n']);
}

/** The last word of a person about some days. */
export async function statedBalances(
  at: StageRun,
  account: string,
  days: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await at.run(STATED, [at.tenant, account, [...days]]);
  return new Map(rows.map((row) => [text(row['day']), Number(row['cents'])]));
}

interface AccountDays {
  readonly account: string;
  readonly from: string;
  readonly to: string;
}

export async function closedNet(at: StageRun, { account, from, to }: AccountDays): Promise<bigint> {
  const [row] = await at.run(CLOSED_NET, [at.tenant, account, from, to]);
  return BigInt(text(row?.['cents']));
}

/** What the lines of a statement add up to until a day. */
export async function statementNet(
  at: StageRun,
  statement: { readonly feed: string; readonly ordinal: number; readonly account: string },
  until: string,
): Promise<bigint> {
  const { feed, ordinal, account } = statement;
  const [row] = await at.run(STATEMENT_NET, [at.tenant, feed, ordinal, account, until]);
  return BigInt(text(row?.['cents']));
}
