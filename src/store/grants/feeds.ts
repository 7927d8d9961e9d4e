/** Bank feeds as reconciliation keeps them: statements, the figures of lines, and their texts sealed in groups. */
import type { JsonValue } from '../../core/index.ts';
import { optional, SEALED_COLUMNS, sealedOf, text } from '../rows.ts';
import type { Row, Statement } from '../session.ts';
import { refusedByRule } from './escalations.ts';
import type { StageDesk, StageRun } from './stage.ts';

/** Lines in one sealed group: few enough to be opened for one of them, many enough that sealing costs nothing. */
export const LINE_GROUP = 500;

const LOCK: Statement = {
  name: 'grants-feed-lock',
  text: `select pg_advisory_xact_lock(hashtextextended('filewright.grants.feed/' || $1::text || '/' || $2::text, 0))`,
};

const FIND: Statement = {
  name: 'grants-feed-find',
  text: `select id, format, statements, lines from grant_feed where tenant = $1 and id = $2`,
};

const ADD_FEED: Statement = {
  name: 'grants-feed-add',
  text: `insert into grant_feed (tenant, id, name, format, statements, lines) values ($1, $2, $3, $4, $5, $6)`,
};

const ADD_LINES: Statement = {
  name: 'grants-lines-add',
  text: `
insert into grant_line (tenant, feed, ordinal, account, booked_on, cents, currency, direction, status, native_id, place)
select $1, $2, ordinal, account, "bookedOn", cents, currency, direction, status, "nativeId", place
from json_to_recordset($3::json) as i(
  ordinal int, account text, "bookedOn" date, cents bigint, currency text, direction text, status text, "nativeId" text,
  place int)`,
};

const ADD_GROUP: Statement = {
  name: 'grants-line-group-add',
  text: `
insert into grant_line_group (tenant, feed, n, lines, from_day, to_day, ct)
values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'))`,
};

const ADD_STATEMENT: Statement = {
  name: 'grants-statement-add',
  text: `
insert into grant_statement (tenant, feed, ordinal, account, currency, number, page, from_day, to_day, opening_cents,
  closing_cents)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

const PREVIOUS: Statement = {
  name: 'grants-statement-previous',
  text: `
select * , from_day::text as from_text, to_day::text as to_text from grant_statement
where tenant = $1 and account = $2 and to_day <= $3::date and (from_day, to_day) < ($4::date, $3::date)
order by to_day desc, from_day desc, number desc nulls last, page desc nulls last limit 1`,
};

const STATEMENTS: Statement = {
  name: 'grants-statements',
  text: `
select *, from_day::text as from_text, to_day::text as to_text from grant_statement
where tenant = $1 and account = $2 and to_day >= $3::date and from_day <= $4::date
order by from_day, to_day, feed, ordinal`,
};

const GROUPS: Statement = {
  name: 'grants-line-groups',
  text: `
select g.feed, g.n, ${SEALED_COLUMNS}, array(
  select l.ordinal from grant_match_line l
  where l.tenant = g.tenant and l.feed = g.feed and l.ordinal > g.n * ${LINE_GROUP}
    and l.ordinal <= (g.n + 1) * ${LINE_GROUP}) as settled
from grant_line_group g
join ledger_blob b on b.ct = g.ct
join ledger_dek k on k.tenant = b.tenant and k.id = b.key
where g.tenant = $1 and (g.feed, g.n) in (select * from unnest($2::text[], $3::int[])) order by g.feed, g.n`,
};

// Which groups up to a day have a line that no closed period has settled.
const GROUP_LIST: Statement = {
  name: 'grants-line-group-list',
  text: `
select g.feed, g.n from grant_line_group g
left join (
  select l.feed, (l.ordinal - 1) / ${LINE_GROUP} as n, count(*) as lines
  from grant_match_line l where l.tenant = $1 group by 1, 2) s on s.feed = g.feed and s.n = g.n
where g.tenant = $1 and g.from_day <= $2::date and coalesce(s.lines, 0) < g.lines order by g.feed, g.n`,
};

/** Sealed groups that are opened together. */
const GROUPS_AT_ONCE = 8;

export interface StoredFeed {
  readonly id: string;
  readonly format: string;
  readonly statements: number;
  readonly lines: number;
}

export async function lockFeed(at: StageRun, id: string): Promise<StoredFeed | undefined> {
  await at.run(LOCK, [at.tenant, id]);
  const [row] = await at.run(FIND, [at.tenant, id]);
  if (row === undefined) return undefined;
  const { statements, lines } = row;
  return { id, format: text(row['format']), statements: Number(statements), lines: Number(lines) };
}

export async function addFeed(
  at: StageRun,
  feed: StoredFeed & { readonly name: string },
): Promise<void> {
  const { id, name, format, statements, lines } = feed;
  await at.run(ADD_FEED, [at.tenant, id, name, format, statements, lines]);
}

export interface LineFigures {
  readonly ordinal: number;
  readonly account: string;
  readonly bookedOn: string;
  readonly cents: number;
  readonly currency: string;
  readonly direction: string;
  readonly status: string;
  readonly nativeId: string | undefined;
  /** Line of the feed. */
  readonly place: number;
}

/** Refused as a whole where one of them lies in a closed period. */
export async function addLines(
  at: StageRun,
  group: { readonly feed: string; readonly n: number; readonly ct: string },
  lines: readonly LineFigures[],
): Promise<void> {
  await at.run(ADD_LINES, [at.tenant, group.feed, JSON.stringify(lines)]).catch(refusedByRule);
  const days = lines.map(({ bookedOn }) => bookedOn).sort();
  const values = [group.feed, group.n, lines.length, days[0], days.at(-1), group.ct];
  await at.run(ADD_GROUP, [at.tenant, ...values]);
}

export interface StoredStatement {
  readonly account: string;
  readonly currency: string | undefined;
  readonly number: number | undefined;
  readonly page: number | undefined;
  readonly from: string;
  readonly to: string;
  readonly openingCents: number | undefined;
  readonly closingCents: number | undefined;
}

export async function addStatement(
  at: StageRun,
  place: { readonly feed: string; readonly ordinal: number },
  statement: StoredStatement,
): Promise<void> {
  const { account, currency, number, page, from, to, openingCents, closingCents } = statement;
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
  ]);
}

/** The last statement of the account before one that begins and ends on these days. */
export async function statementBefore(
  at: StageRun,
  statement: Pick<StoredStatement, 'account' | 'from' | 'to'>,
): Promise<StoredStatement | undefined> {
  const { account, from, to } = statement;
  const [row] = await at.run(PREVIOUS, [at.tenant, account, to, from]);
  return row === undefined ? undefined : statementOf(row);
}

export async function statementsOf(
  at: StageRun,
  period: { readonly account: string; readonly from: string; readonly to: string },
): Promise<readonly StoredStatement[]> {
  const { account, from, to } = period;
  return (await at.run(STATEMENTS, [at.tenant, account, from, to])).map(statementOf);
}

function statementOf(row: Row): StoredStatement {
  return {
    account: text(row['account']),
    currency: optional(row['currency'], text),
    number: optional(row['number'], Number),
    page: optional(row['page'], Number),
    from: text(row['from_text']),
    to: text(row['to_text']),
    openingCents: optional(row['opening_cents'], Number),
    closingCents: optional(row['closing_cents'], Number),
  };
}

export interface LineGroup {
  readonly feed: string;
  readonly first: number;
  readonly lines: readonly JsonValue[];
  /** Ordinals that a closed period has settled. */
  readonly settled: ReadonlySet<number>;
}

/** Groups with a line that no closed period has settled, up to a day, as they were sealed. */
export async function* lineGroups(
  desk: StageDesk,
  at: StageRun,
  until: string,
): AsyncGenerator<LineGroup> {
  const list = await at.run(GROUP_LIST, [at.tenant, until]);
  for (let from = 0; from < list.length; from += GROUPS_AT_ONCE) {
    const some = list.slice(from, from + GROUPS_AT_ONCE);
    const feeds = some.map((row) => text(row['feed']));
    const numbers = some.map((row) => Number(row['n']));
    for (const row of await at.run(GROUPS, [at.tenant, feeds, numbers])) {
      const body = Buffer.from(desk.open(sealedOf(row))).toString('utf8');
      yield {
        feed: text(row['feed']),
        first: Number(row['n']) * LINE_GROUP + 1,
        // Written by reconciliation as a list; the seal has just proved that it is unchanged.
        lines: JSON.parse(body) as JsonValue[],
        // A column of whole numbers.
        settled: new Set(row['settled'] as number[]),
      };
    }
  }
}
