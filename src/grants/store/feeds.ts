/** Bank feeds as reconciliation keeps them: statements, the figures of lines, and their texts sealed in groups. */
import type { JsonValue } from '../../core/index.ts';
import { SEALED_COLUMNS, sealedOf, sql, text } from '../../postgres/index.ts';
import { refusedByRule } from '../../people/index.ts';
import type { LinePlace } from './matches.ts';
import type { StageStore, StageRun } from './stage.ts';

/** Lines in one sealed group: few enough to be opened for one of them, many enough that sealing costs nothing. */
export const LINE_GROUP = 500;

const LOCK = sql('grants-feed-lock')`
select lock_name($1, 'grants.feed', $2)`;

// Waits for a closing that is under way, and keeps the next one waiting until the lines are in.
const LOCK_LINES = sql('grants-lines-lock')`
select lock_name($1, 'grants', shared => true)`;

const FIND = sql('grants-feed-find')`
select id, format, statements, lines from grant_feed where tenant = $1 and id = $2`;

const ADD_FEED = sql('grants-feed-add')`
insert into grant_feed (tenant, id, name, format, statements, lines) values ($1, $2, $3, $4, $5, $6)`;

const ADD_LINES = sql('grants-lines-add')`
insert into grant_line (tenant, feed, ordinal, account, booked_on, cents, currency, direction, status, native_id, place,
  statement, announced, late)
select $1, $2, ordinal, account, "bookedOn", cents, currency, direction, status, "nativeId", place, statement, announced,
  exists (select 1 from grant_period p where p.tenant = $1 and p.account = i.account
    and i."bookedOn" between p.from_day and p.to_day)
from json_to_recordset($3::json) as i(
  ordinal int, account text, "bookedOn" date, cents bigint, currency text, direction text, status text, "nativeId" text,
  place int, statement int, announced boolean)`;

const ADD_GROUP = sql('grants-line-group-add')`
insert into grant_line_group (tenant, feed, n, lines, from_day, to_day, ct, announced)
values ($1, $2, $3, $4, $5, $6, decode($7, 'hex'), $8)`;

const GROUPS = sql('grants-line-groups')`
select g.feed, g.n, f.format, ${SEALED_COLUMNS}, array(
  select l.ordinal from grant_match_line l
  where l.tenant = g.tenant and l.feed = g.feed and l.ordinal > g.n * ${LINE_GROUP}
    and l.ordinal <= (g.n + 1) * ${LINE_GROUP}) as resolved, array(
  select l.ordinal from grant_line l
  where l.tenant = g.tenant and l.feed = g.feed and l.late and l.ordinal > g.n * ${LINE_GROUP}
    and l.ordinal <= (g.n + 1) * ${LINE_GROUP}) as late
from grant_line_group g
join grant_feed f on f.tenant = g.tenant and f.id = g.feed
join ledger_blob b on b.ct = g.ct
join ledger_dek k on k.tenant = b.tenant and k.id = b.key
where g.tenant = $1 and (g.feed, g.n) in (select * from unnest($2::text[], $3::int[])) order by g.feed, g.n`;

/** Feeds of these formats only announce; their lines were not marked as such from the beginning. */
export const ANNOUNCING = `('camt.052', 'camt.054', 'nacha')`;

// Which groups up to a day have a line that no closed period has resolved, or one of a day on which such a line must be held
// against what is resolved.
const GROUP_LIST = sql('grants-line-group-list')`
select g.feed, g.n, g.announced > 0 or f.format in ${ANNOUNCING} as announces,
  g.announced < g.lines and f.format not in ${ANNOUNCING} as tells
from grant_line_group g
join grant_feed f on f.tenant = g.tenant and f.id = g.feed
left join (
  select l.feed, (l.ordinal - 1) / ${LINE_GROUP} as n, count(*) as lines
  from grant_match_line l where l.tenant = $1 group by 1, 2) s on s.feed = g.feed and s.n = g.n
where g.tenant = $1 and g.from_day <= $2::date and (coalesce(s.lines, 0) < g.lines or exists (
  select 1 from unnest($3::date[]) d(day) where d.day between g.from_day and g.to_day)) order by g.feed, g.n`;

/** Sealed groups that are opened together. */
const GROUPS_AT_ONCE = 8;

interface StoredFeed {
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

/** Before any line is taken in: which periods are closed does not change from here on. */
export async function lockLines(at: StageRun): Promise<void> {
  await at.run(LOCK_LINES, [at.tenant]);
}

export async function addFeed(
  at: StageRun,
  feed: StoredFeed & { readonly name: string },
): Promise<void> {
  const { id, name, format, statements, lines } = feed;
  await at.run(ADD_FEED, [at.tenant, id, name, format, statements, lines]);
}

interface LineFigures {
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
  /** Ordinal of its statement. */
  readonly statement: number | undefined;
  readonly announced: boolean;
}

/** Lines in a closed period are marked as late; `lockLines` has made sure that none is closed meanwhile. */
export async function addLines(
  at: StageRun,
  group: { readonly feed: string; readonly n: number; readonly ct: string },
  lines: readonly LineFigures[],
): Promise<void> {
  await at.run(ADD_LINES, [at.tenant, group.feed, JSON.stringify(lines)]).catch(refusedByRule);
  const days = lines.map(({ bookedOn }) => bookedOn).sort();
  const announced = lines.filter((line) => line.announced).length;
  const values = [group.feed, group.n, lines.length, days[0], days.at(-1), group.ct, announced];
  await at.run(ADD_GROUP, [at.tenant, ...values]);
}

interface LineGroup {
  readonly feed: string;
  readonly format: string;
  readonly first: number;
  readonly lines: readonly JsonValue[];
  /** Ordinals that a closed period has resolved. */
  readonly resolved: ReadonlySet<number>;
  /** Ordinals of lines whose period was closed when they came. */
  readonly late: ReadonlySet<number>;
}

/** Groups with a line that no closed period has resolved, up to a day, as they were sealed; and those of the given days. */
export async function* lineGroups(
  store: StageStore,
  at: StageRun,
  wanted: {
    readonly until: string;
    readonly days: readonly string[];
    readonly of: 'announces' | 'tells';
  },
): AsyncGenerator<LineGroup> {
  const listed = await at.run(GROUP_LIST, [at.tenant, wanted.until, [...wanted.days]]);
  const list = listed.filter((row) => row[wanted.of] === true);
  for (let from = 0; from < list.length; from += GROUPS_AT_ONCE) {
    const some = list.slice(from, from + GROUPS_AT_ONCE);
    const feeds = some.map((row) => text(row['feed']));
    const numbers = some.map((row) => Number(row['n']));
    for (const row of await at.run(GROUPS, [at.tenant, feeds, numbers])) {
      const body = Buffer.from(store.open(sealedOf(row))).toString('utf8');
      yield {
        feed: text(row['feed']),
        format: text(row['format']),
        first: Number(row['n']) * LINE_GROUP + 1,
        // Written by reconciliation as a list; the seal has just proved that it is unchanged.
        lines: JSON.parse(body) as JsonValue[],
        // Columns of whole numbers.
        resolved: new Set(row['resolved'] as number[]),
        late: new Set(row['late'] as number[]),
      };
    }
  }
}

/** Single lines by their places, as they were sealed. */
export async function sealedLines(
  store: StageStore,
  at: StageRun,
  places: readonly LinePlace[],
): Promise<ReadonlyMap<string, JsonValue>> {
  const found = new Map<string, JsonValue>();
  const groups = new Map<string, readonly [feed: string, n: number]>();
  for (const { feed, ordinal } of places) {
    const n = Math.floor((ordinal - 1) / LINE_GROUP);
    groups.set(`${feed}/${n}`, [feed, n]);
  }
  const wanted = new Set(places.map(({ feed, ordinal }) => `${feed}#${ordinal}`));
  const list = [...groups.values()];
  for (let from = 0; from < list.length; from += GROUPS_AT_ONCE) {
    const some = list.slice(from, from + GROUPS_AT_ONCE);
    const feeds = some.map(([feed]) => feed);
    for (const row of await at.run(GROUPS, [at.tenant, feeds, some.map(([, n]) => n)])) {
      const body = Buffer.from(store.open(sealedOf(row))).toString('utf8');
      // Written by reconciliation as a list; the seal has just proved that it is unchanged.
      for (const [index, line] of (JSON.parse(body) as JsonValue[]).entries()) {
        const id = `${text(row['feed'])}#${Number(row['n']) * LINE_GROUP + 1 + index}`;
        if (wanted.has(id)) found.set(id, line);
      }
    }
  }
  return found;
}
