/** Statements of bank accounts: what they say about themselves, and which of their days others tell as well. */
import { optional, type Row, sql, text } from '../../postgres/index.ts';
import { ANNOUNCING } from './feeds.ts';
import type { StageRun } from './stage.ts';

/** Not one of those that two people have withdrawn; they come as two lists, and mostly there is none. */
const isLeft = (
  row: string,
  statement: string,
  at: number,
): string => `(cardinality($${at}::text[]) = 0 or not exists (
  select 1 from unnest($${at}::text[], $${at + 1}::int[]) w(feed, statement)
  where w.feed = ${row}.feed and (w.statement is null or w.statement = ${statement})))`;

const WITHDRAWN = sql('grants-withdrawn')`
with agreed as (
  select p.subject as feed, (p.terms::jsonb->>'statement')::int as statement, p.n,
    (p.terms::jsonb->>'restores')::boolean as restores
  from proposal p where p.tenant = $1 and p.kind = 'statement' and p.state = 'approved')
select distinct a.feed, a.statement from agreed a
where not a.restores and not exists (select 1 from agreed r where r.feed = a.feed and r.restores and r.n > a.n
  and (r.statement is null or r.statement = a.statement))`;

const ADD_STATEMENT = sql('grants-statement-add')`
insert into grant_statement (tenant, feed, ordinal, account, currency, number, page, from_day, to_day, opening_cents,
  closing_cents, statement_id, page_before, page_after, doubt)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`;

const PREVIOUS = sql('grants-statement-previous')`
select s.*, s.from_day::text as from_text, s.to_day::text as to_text, '' as format from grant_statement s
where s.tenant = $1 and s.account = $2 and s.to_day <= $3::date and (s.from_day, s.to_day) < ($4::date, $3::date)
  and ${isLeft('s', 's.ordinal', 5)}
order by s.to_day desc, s.from_day desc, s.number desc nulls last, s.page desc nulls last limit 1`;

const ALL = sql('grants-statements-all')`
select s.*, s.from_day::text as from_text, s.to_day::text as to_text, f.format from grant_statement s
join grant_feed f on f.tenant = s.tenant and f.id = s.feed
where s.tenant = $1 and ${isLeft('s', 's.ordinal', 2)}
order by s.from_day, s.to_day, s.feed, s.ordinal`;

// Feeds of several statements, or whose days meet: without any, no day is told twice and no line needs to be looked at.
const MAY_MEET = sql('grants-feeds-meet')`
with told as (
  select g.feed, min(g.from_day) as from_day, max(g.to_day) as to_day from grant_line_group g
  where g.tenant = $1 and g.announced < g.lines group by g.feed)
select exists (select 1 from grant_feed f where f.tenant = $1 and f.statements > 1)
  or exists (select 1 from told a join told b on a.feed < b.feed and a.from_day <= b.to_day and b.from_day <= a.to_day)
  as meet`;

// Days with an open line that more than one statement tells.
const TOLD_TWICE = sql('grants-days-told-twice')`
select l.account, l.booked_on::text as day from grant_line l
join grant_feed f on f.tenant = l.tenant and f.id = l.feed
left join grant_match_line m on m.tenant = l.tenant and m.feed = l.feed and m.ordinal = l.ordinal
where l.tenant = $1 and l.booked_on <= $2::date and l.status = 'booked' and not l.announced
  and f.format not in ${ANNOUNCING} and ${isLeft('l', 'coalesce(l.statement, 1)', 3)}
group by l.account, l.booked_on
having count(*) > count(m.match)
  and (min(l.feed) <> max(l.feed) or min(coalesce(l.statement, 1)) <> max(coalesce(l.statement, 1)))`;

export interface StoredStatement {
  readonly account: string;
  readonly currency: string | undefined;
  readonly number: number | undefined;
  readonly page: number | undefined;
  readonly statementId: string | undefined;
  readonly hasPageBefore: boolean;
  readonly hasPageAfter: boolean;
  readonly doubt: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly openingCents: number | undefined;
  readonly closingCents: number | undefined;
}

export interface TellingStatement extends StoredStatement {
  readonly feed: string;
  readonly ordinal: number;
  readonly format: string;
}

export async function addStatement(
  at: StageRun,
  place: { readonly feed: string; readonly ordinal: number },
  statement: StoredStatement,
): Promise<void> {
  const { account, currency, number, page, from, to, openingCents, closingCents } = statement;
  const { statementId, hasPageBefore, hasPageAfter, doubt } = statement;
  await at.run(ADD_STATEMENT, [
    at.tenant,
    place.feed,
    place.ordinal,
    account,
    currency ?? null,
    number ?? null,
    page ?? null,
    from,
    to,
    openingCents ?? null,
    closingCents ?? null,
    statementId ?? null,
    hasPageBefore,
    hasPageAfter,
    doubt ?? null,
  ]);
}

interface Withdrawn {
  readonly feed: string;
  /** Undefined for every statement of the feed. */
  readonly statement: number | undefined;
}

/** What two people have withdrawn: it is as if it had never come. */
export async function withdrawnStatements(at: StageRun): Promise<readonly Withdrawn[]> {
  return (await at.run(WITHDRAWN, [at.tenant])).map((row) => ({
    feed: text(row['feed']),
    statement: optional(row['statement'], Number),
  }));
}

async function withdrawnLists(at: StageRun): Promise<readonly [string[], (number | null)[]]> {
  const withdrawn = await withdrawnStatements(at);
  return [withdrawn.map(({ feed }) => feed), withdrawn.map(({ statement }) => statement ?? null)];
}

/** The last statement of the account before one that begins and ends on these days. */
export async function statementBefore(
  at: StageRun,
  statement: Pick<StoredStatement, 'account' | 'from' | 'to'>,
): Promise<StoredStatement | undefined> {
  const { account, from, to } = statement;
  const withdrawn = await withdrawnLists(at);
  const [row] = await at.run(PREVIOUS, [at.tenant, account, to, from, ...withdrawn]);
  return row === undefined ? undefined : statementOf(row);
}

/** All that are not withdrawn, of every account. */
export async function tellingStatements(at: StageRun): Promise<readonly TellingStatement[]> {
  return (await at.run(ALL, [at.tenant, ...(await withdrawnLists(at))])).map(statementOf);
}

interface AccountDay {
  readonly account: string;
  readonly day: string;
}

/** Days up to one of them on which lines that are open must be folded with others. */
export async function daysToldTwice(at: StageRun, until: string): Promise<readonly AccountDay[]> {
  const [row] = await at.run(MAY_MEET, [at.tenant]);
  if (row?.['meet'] !== true) return [];
  const values = [at.tenant, until, ...(await withdrawnLists(at))];
  return (await at.run(TOLD_TWICE, values)).map((row) => ({
    account: text(row['account']),
    day: text(row['day']),
  }));
}

function statementOf(row: Row): TellingStatement {
  return {
    feed: text(row['feed']),
    ordinal: Number(row['ordinal']),
    format: text(row['format']),
    account: text(row['account']),
    currency: optional(row['currency'], text),
    number: optional(row['number'], Number),
    page: optional(row['page'], Number),
    statementId: optional(row['statement_id'], text),
    hasPageBefore: row['page_before'] === true,
    hasPageAfter: row['page_after'] === true,
    doubt: optional(row['doubt'], text),
    from: text(row['from_text']),
    to: text(row['to_text']),
    openingCents: optional(row['opening_cents'], Number),
    closingCents: optional(row['closing_cents'], Number),
  };
}
