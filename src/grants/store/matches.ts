/** Outcomes of matching: a count until their period is closed, then for ever. */
import { type JsonValue, periodId, type PeriodId, type PersonId } from '../../core/index.ts';
import { optional, sql, text } from '../../postgres/index.ts';
import { refusedByRule } from '../../people/index.ts';
import type { StageRun } from './stage.ts';

/** The rule of an outcome that a person decided. */
export const BY_PERSON = 'person';

/** One at a time: matching reads everything that is open. */
const LOCK = sql('grants-matching-lock')`
select lock_name($1, 'grants')`;

const DROP_DRAFT = sql('grants-draft-drop')`delete from grant_draft where tenant = $1`;

const ADD_DRAFT = sql('grants-draft-add')`
insert into grant_draft (tenant, matched) values ($1, $2)`;

const ADD = sql('grants-matches-add')`
insert into grant_match (tenant, id, ordinal, rule, status, repeats, reason, period)
select $1, id, ordinal, rule, status, repeats, reason, $3
from json_to_recordset($2::json) as i(id uuid, ordinal int, rule text, status text, repeats text, reason jsonb)`;

const ADD_LINES = sql('grants-match-lines-add')`
insert into grant_match_line (tenant, feed, ordinal, match)
select $1, d.feed, d.ordinal, d.match from unnest($2::text[], $3::int[], $4::uuid[]) d(feed, ordinal, match)`;

const ADD_PARTS = sql('grants-match-parts-add')`
insert into grant_match_part (tenant, match, award, feed, ordinal, cents, fee_cents, goods_cents, takes_back)
select $1, d.match, d.award, d.feed, d.ordinal, d.cents, d.fee_cents, d.goods_cents, d.takes_back
from unnest($2::uuid[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[])
  d(match, award, feed, ordinal, cents, fee_cents, goods_cents, takes_back)`;

export interface MatchRow {
  readonly id: string;
  readonly ordinal: number;
  readonly rule: string;
  readonly status: string;
  readonly repeats: string | undefined;
  readonly reason: JsonValue;
  readonly lines: readonly LinePlace[];
  readonly parts: readonly MatchPart[];
}

export interface LinePlace {
  readonly feed: string;
  readonly ordinal: number;
}

/** What one booking brought to one award, or took from it. */
interface MatchPart {
  readonly award: string;
  readonly line: LinePlace;
  readonly cents: number;
  readonly feeCents: number;
  readonly goodsCents: number;
  /** The line of the payment that it takes back. */
  readonly takesBack: string | undefined;
}

export async function lockMatching(at: StageRun): Promise<void> {
  await at.run(LOCK, [at.tenant]);
}

export async function dropDraft(at: StageRun): Promise<void> {
  await at.run(DROP_DRAFT, [at.tenant]);
}

export async function replaceDraft(at: StageRun, matched: number): Promise<void> {
  await dropDraft(at);
  await at.run(ADD_DRAFT, [at.tenant, matched]);
}

/** Outcomes that a closed period keeps; a line that has one already is refused by its key. */
export async function addMatches(
  at: StageRun,
  period: PeriodId,
  matches: readonly MatchRow[],
): Promise<void> {
  const heads = matches.map(({ id, ordinal, rule, status, repeats, reason }) => ({
    id,
    ordinal,
    rule,
    status,
    reason,
    repeats: repeats ?? null,
  }));
  await at.run(ADD, [at.tenant, JSON.stringify(heads), period]);
  const lines = matches.flatMap(({ id, lines: of }) => of.map((line) => ({ ...line, id })));
  await at.run(ADD_LINES, [
    at.tenant,
    lines.map(({ feed }) => feed),
    lines.map(({ ordinal }) => ordinal),
    lines.map(({ id }) => id),
  ]);
  const parts = matches.flatMap(({ id, parts: of }) => of.map((part) => ({ ...part, id })));
  await at.run(ADD_PARTS, [
    at.tenant,
    parts.map(({ id }) => id),
    parts.map(({ award }) => award),
    parts.map(({ line }) => line.feed),
    parts.map(({ line }) => line.ordinal),
    parts.map(({ cents }) => cents),
    parts.map(({ feeCents }) => feeCents),
    parts.map(({ goodsCents }) => goodsCents),
    parts.map(({ takesBack }) => takesBack ?? null),
  ]);
}

const ADD_PERIOD = sql('grants-period-add')`
insert into grant_period (tenant, id, account, from_day, to_day, closing_cents, totals, totals_sha256)
values ($1, $2, $3, $4, $5, $6, $7, decode($8, 'hex'))`;

interface NewPeriod {
  readonly id: PeriodId;
  readonly account: string;
  readonly from: string;
  readonly to: string;
  readonly closingCents: number | undefined;
  readonly totals: JsonValue;
  readonly totalsSha256: string;
}

export async function addClosedPeriod(at: StageRun, period: NewPeriod): Promise<void> {
  const { id, account, from, to, closingCents, totals, totalsSha256 } = period;
  const values = [id, account, from, to, closingCents ?? null, JSON.stringify(totals)];
  await at.run(ADD_PERIOD, [at.tenant, ...values, totalsSha256]).catch(refusedByRule);
}

const PERIODS = sql('grants-periods')`
select p.id, p.account, p.from_day::text as from_day, p.to_day::text as to_day, p.closed_at, p.closing_cents,
  encode(p.totals_sha256, 'hex') as totals_sha256, p.totals, h.period is not null as released
from grant_period p left join grant_release h on h.tenant = p.tenant and h.period = p.id
where p.tenant = $1 and ($2::uuid is null or p.id = $2) order by p.from_day, p.account`;

export interface StoredPeriod extends NewPeriod {
  readonly closedAt: number;
  readonly isReleased: boolean;
}

export async function closedPeriods(at: StageRun, id?: PeriodId): Promise<readonly StoredPeriod[]> {
  return (await at.run(PERIODS, [at.tenant, id ?? null])).map((row) => ({
    id: periodId(text(row['id'])),
    account: text(row['account']),
    from: text(row['from_day']),
    to: text(row['to_day']),
    closingCents: optional(row['closing_cents'], Number),
    totals: row['totals'] as JsonValue,
    totalsSha256: text(row['totals_sha256']),
    closedAt: Number(row['closed_at']),
    isReleased: row['released'] === true,
  }));
}

const RESOLVE = sql('grants-resolve')`
insert into grant_resolution (tenant, feed, ordinal, n, awards, reason, resolved_by, fee_cents, cents, rest_cents, rest_open)
select $1, $2, $3, coalesce(max(n), 0) + 1, $4, $5, $6, $7, $8::bigint[], $9::bigint, $10::boolean from grant_resolution
where tenant = $1 and feed = $2 and ordinal = $3 returning n`;

const UNDO = sql('grants-resolution-undo')`
insert into grant_resolution (tenant, feed, ordinal, n, awards, undoes, reason, resolved_by)
select $1, $2, $3, max(n) + 1, '{}', $4::int, $5, $6 from grant_resolution
where tenant = $1 and feed = $2 and ordinal = $3 returning n`;

// What still counts of what people said: no undo, and no word that one took back.
const COUNTS = (word: string): string => `${word}.undoes is null and not exists (
    select 1 from grant_resolution u where u.tenant = ${word}.tenant and u.feed = ${word}.feed
      and u.ordinal = ${word}.ordinal and u.undoes = ${word}.n)`;

const RESOLUTIONS = sql('grants-resolutions')`
select * from (
  select distinct on (r.feed, r.ordinal) r.feed, r.ordinal, r.n, r.awards, r.reason, r.fee_cents, r.cents, r.rest_cents,
    r.rest_open, r.resolved_at
  from grant_resolution r
  where r.tenant = $1 and ${COUNTS('r')} order by r.feed, r.ordinal, r.n desc) last
order by resolved_at, feed, ordinal`;

const OPEN_RESTS = sql('grants-open-rests-after')`
select 1 from grant_resolution s
join grant_line l on l.tenant = s.tenant and l.feed = s.feed and l.ordinal = s.ordinal
where s.tenant = $1 and s.rest_open and l.booked_on > $2::date and ${COUNTS('s')}
  and not exists (select 1 from grant_resolution t
    where t.tenant = s.tenant and t.feed = s.feed and t.ordinal = s.ordinal and t.n > s.n and ${COUNTS('t')})
  and not exists (select 1 from grant_match_line x
    where x.tenant = s.tenant and x.feed = s.feed and x.ordinal = s.ordinal) limit 1`;

/** Whether a line that is booked after a day, and in no closed period, has known parts and an open rest. */
export async function hasOpenRestsAfter(at: StageRun, day: string): Promise<boolean> {
  return (await at.run(OPEN_RESTS, [at.tenant, day])).length > 0;
}

export interface LineResolution {
  readonly feed: string;
  readonly ordinal: number;
  readonly awards: readonly string[];
  readonly reason: string;
  /** What the bank kept, as the person says. */
  readonly feeCents: number;
  /** What each award has of the line; undefined where one has whatever it brings, and where none has anything. */
  readonly cents: readonly number[] | undefined;
  readonly rest: ResolvedRest | undefined;
}

/** What the awards of a line leave of it: not known yet, or for none of our awards. */
export interface ResolvedRest {
  readonly state: 'open' | 'none';
  readonly cents: number;
}

/** One that is stored, by its number among the words about its line. */
export interface SaidOfLine extends LineResolution {
  readonly n: number;
}

/** Takes a word back; the one before it counts again. */
export async function undoResolution(
  at: StageRun,
  { feed, ordinal, n }: Pick<SaidOfLine, 'feed' | 'ordinal' | 'n'>,
  why: { readonly reason: string; readonly by: PersonId },
): Promise<number> {
  const values = [at.tenant, feed, ordinal, n, why.reason, why.by];
  const [row] = await at.run(UNDO, values).catch(refusedByRule);
  return Number(row?.['n']);
}

export async function addResolution(
  at: StageRun,
  resolution: LineResolution & { readonly by: PersonId },
): Promise<number> {
  const { feed, ordinal, awards, reason, by, feeCents, cents, rest } = resolution;
  const values = [feed, ordinal, [...awards], reason, by, feeCents, cents ?? null];
  const ofRest = [rest?.cents ?? 0, rest?.state === 'open'];
  const [row] = await at.run(RESOLVE, [at.tenant, ...values, ...ofRest]).catch(refusedByRule);
  return Number(row?.['n']);
}

/** The last word of a person about each line, the earliest first. */
export async function resolutions(at: StageRun): Promise<readonly SaidOfLine[]> {
  return (await at.run(RESOLUTIONS, [at.tenant])).map((row) => ({
    feed: text(row['feed']),
    ordinal: Number(row['ordinal']),
    n: Number(row['n']),
    // A column of texts.
    awards: row['awards'] as string[],
    reason: text(row['reason']),
    feeCents: Number(row['fee_cents']),
    // A column of whole numbers.
    cents: optional(row['cents'], (cents) => (cents as readonly unknown[]).map(Number)),
    rest: restOf(Number(row['rest_cents']), row['rest_open'] === true),
  }));
}

function restOf(cents: number, isOpen: boolean): ResolvedRest | undefined {
  return cents === 0 ? undefined : { state: isOpen ? 'open' : 'none', cents };
}
