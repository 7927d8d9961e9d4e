/** What a calendar file holds, and the reader that refuses everything else by line and reason. */
import {
  addDays,
  type Day,
  daysInMonth,
  isWeekend,
  type WeekdayNumber,
  YEAR_MAX,
  YEAR_MIN,
} from './day.ts';
import { type LawNode, readLawDocument } from './law-document.ts';
import { isZone } from './office-time.ts';

const STANDINGS = ['verified', 'secondary', 'unconfirmed', 'projected'] as const;
export type Standing = (typeof STANDINGS)[number];

/**
 * `japan`: a holiday on a Sunday moves to the next day that is none, and a day between two holidays is one too.
 * `two-days-to-weekdays`: December 25 and 26, of which one that falls on a weekend goes to the next weekday left.
 */
export const OBSERVANCES = [
  'as-is',
  'us-federal',
  'sunday-to-monday',
  'weekend-to-monday',
  'two-days-to-weekdays',
  'japan',
] as const;
export type Observance = (typeof OBSERVANCES)[number];

export interface MonthDay {
  readonly month: number;
  readonly day: number;
}

export type HolidayPlace =
  | { readonly kind: 'on'; readonly days: readonly MonthDay[] }
  | {
      readonly kind: 'nth';
      readonly month: number;
      readonly weekday: WeekdayNumber;
      readonly n: number | 'last';
    }
  /** Days after Easter Sunday; before it negative. */
  | { readonly kind: 'easter'; readonly offset: number }
  /** The last such weekday before a day: Monday before May 25. */
  | { readonly kind: 'before'; readonly before: MonthDay; readonly weekday: WeekdayNumber }
  | { readonly kind: 'table'; readonly days: ReadonlyMap<number, MonthDay> };

export interface HolidayRule {
  readonly name: string;
  readonly place: HolidayPlace;
  readonly observance: Observance;
  readonly from: number;
  readonly to: number;
  /** 4 means: in `from`, four years later, and so on. */
  readonly every: number;
  readonly standing: Standing;
  /** Years outside are projected even where the rule's standing is verified. */
  readonly verifiedYears: { readonly from: number; readonly to: number };
  readonly source: string;
}

export interface DatedClosing {
  readonly from: Day;
  readonly to: Day;
  readonly reason: string;
  /** Sites of the office that are closed; empty means the whole office. */
  readonly sites: readonly string[];
  /** `open` takes a day back that a rule or the extended calendar would close; `working` opens a Saturday or Sunday. */
  readonly standing: Standing | 'open' | 'working';
  readonly source: string;
}

export interface CoverageSpan {
  readonly from: Day;
  readonly to: Day;
  readonly extent: 'complete' | 'partial';
  readonly note: string;
}

export interface CalendarFile {
  readonly code: string;
  readonly title: string;
  readonly version: string;
  readonly checked: Day;
  readonly zone: string;
  readonly weekendSource: string | undefined;
  /** Of an office whose weekend is not known: no day of the week closes it. */
  readonly openWeekends: boolean;
  /** Closings of that calendar count here too; the same code means the calendar loaded before under this code. */
  readonly extends: string | undefined;
  /** `projected`: what is inherited is shown but never moves a date. */
  readonly inheritsAs: Standing;
  readonly sites: ReadonlyMap<string, string>;
  readonly coverage: readonly CoverageSpan[] | undefined;
  readonly rules: readonly HolidayRule[];
  readonly dates: readonly DatedClosing[];
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const CODE = /^[a-z][a-z0-9-]{1,39}$/;
const MONTH_DAY = /^(\d{2})-(\d{2})$/;
const YEARS = { min: YEAR_MIN, max: YEAR_MAX } as const;

/** A span longer than this is a typing mistake, not a closing. */
const CLOSING_DAYS_MAX = 40;

export function readCalendarFile(text: string, file: string): CalendarFile {
  const root = readLawDocument({ file, text, fault: 'CALENDAR_FILE_INVALID' });
  root.object(
    ['kind', 'code', 'title', 'version', 'checked', 'zone'],
    [
      'weekend',
      'open_weekends',
      'extends',
      'inherits_as',
      'sites',
      'coverage',
      'rules',
      'dates',
      'notes',
    ],
  );
  root.field('kind').oneOf(['calendar']);
  const code = root.field('code').text();
  if (!CODE.test(code)) root.field('code').refuse('lower-case letters, digits and dashes expected');
  const zone = root.field('zone').text();
  if (!isZone(zone)) root.field('zone').refuse(`"${zone}" is not an IANA time zone`);
  const base = root.optional('extends')?.text();
  const weekend = root.optional('weekend')?.text();
  if (base === undefined && weekend === undefined) {
    root.refuse('expected "weekend" (the source that closes Saturday and Sunday) or "extends"');
  }
  if (base === undefined && root.has('inherits_as')) {
    root.field('inherits_as').refuse('means nothing without "extends"');
  }
  const sites = new Map(
    root
      .optional('sites')
      ?.keys()
      .map((key) => [key, root.field('sites').field(key).text()]) ?? [],
  );
  const dates = root.optional('dates')?.items() ?? [];
  return {
    code,
    title: root.field('title').text(),
    version: root.field('version').text(),
    checked: root.field('checked').day(),
    zone,
    weekendSource: weekend,
    openWeekends: root.optional('open_weekends')?.boolean() ?? false,
    extends: base,
    inheritsAs: root.optional('inherits_as')?.oneOf(['verified', 'projected']) ?? 'verified',
    sites,
    coverage: root.optional('coverage')?.items().map(readCoverage),
    rules: root.optional('rules')?.items().map(readRule) ?? [],
    dates: readDates(dates, sites),
  };
}

function readCoverage(node: LawNode): CoverageSpan {
  node.object(['from', 'to', 'extent', 'note']);
  const from = node.field('from').day();
  const to = node.field('to').day();
  if (to < from) node.field('to').refuse('ends before it begins');
  return {
    from,
    to,
    extent: node.field('extent').oneOf(['complete', 'partial']),
    note: node.field('note').text(),
  };
}

function readRule(node: LawNode): HolidayRule {
  node.object(
    ['name', 'from', 'to', 'standing', 'source'],
    ['on', 'nth', 'easter', 'before', 'table', 'observance', 'every', 'verified_years'],
  );
  const from = node.field('from').integer(YEARS);
  const to = node.field('to').integer({ min: from, max: YEAR_MAX });
  const verified = node.optional('verified_years')?.object(['from', 'to']);
  const verifiedFrom = verified?.field('from').integer(YEARS) ?? from;
  return {
    name: node.field('name').text(),
    place: readPlace(node, { from, to }),
    observance: node.optional('observance')?.oneOf(OBSERVANCES) ?? 'as-is',
    from,
    to,
    every: node.optional('every')?.integer({ min: 1, max: 100 }) ?? 1,
    standing: node.field('standing').oneOf(STANDINGS),
    verifiedYears: {
      from: verifiedFrom,
      to: verified?.field('to').integer({ min: verifiedFrom, max: YEAR_MAX }) ?? to,
    },
    source: node.field('source').text(),
  };
}

function readPlace(
  node: LawNode,
  years: { readonly from: number; readonly to: number },
): HolidayPlace {
  const given = ['on', 'nth', 'easter', 'before', 'table'].filter((name) => node.has(name));
  if (given.length !== 1) {
    node.refuse(`expected exactly one of on, nth, easter, before, table, found ${given.length}`);
  }
  if (node.has('on')) {
    const on = node.field('on');
    const days = Array.isArray(on.value) ? on.items() : [on];
    return { kind: 'on', days: days.map(readMonthDay) };
  }
  if (node.has('nth')) {
    const nth = node.field('nth').object(['month', 'weekday', 'n']);
    const n = nth.field('n');
    return {
      kind: 'nth',
      month: nth.field('month').integer({ min: 1, max: 12 }),
      // The position in the list is the number of the weekday, 0 to 6.
      weekday: WEEKDAYS.indexOf(nth.field('weekday').oneOf(WEEKDAYS)) as WeekdayNumber,
      n: n.value === 'last' ? 'last' : n.integer({ min: 1, max: 4 }),
    };
  }
  if (node.has('easter')) {
    return { kind: 'easter', offset: node.field('easter').integer({ min: -60, max: 80 }) };
  }
  if (node.has('before')) {
    const before = node.field('before').object(['day', 'weekday']);
    return {
      kind: 'before',
      before: readMonthDay(before.field('day')),
      weekday: WEEKDAYS.indexOf(before.field('weekday').oneOf(WEEKDAYS)) as WeekdayNumber,
    };
  }
  const table = node.field('table');
  const days = new Map<number, MonthDay>();
  for (const key of table.keys()) {
    const year = Number(key);
    if (!/^\d{4}$/.test(key) || year < years.from || year > years.to) {
      table.field(key).refuse(`expected a year from ${years.from} to ${years.to}`);
    }
    days.set(year, readMonthDay(table.field(key)));
  }
  return { kind: 'table', days };
}

function readMonthDay(node: LawNode): MonthDay {
  const match = typeof node.value === 'string' ? MONTH_DAY.exec(node.value) : null;
  const month = Number(match?.[1]);
  const day = Number(match?.[2]);
  // 2000 was a leap year: 02-29 is a day that some years have.
  if (match === null || month < 1 || month > 12 || day < 1 || day > daysInMonth(2000, month)) {
    node.refuse(`expected a day of the year as MM-DD, found ${JSON.stringify(node.value)}`);
  }
  return { month, day };
}

function readDates(nodes: readonly LawNode[], sites: ReadonlyMap<string, string>): DatedClosing[] {
  const lineOfDay = new Map<Day, number>();
  return nodes.map((node) => {
    node.object(['reason', 'standing', 'source'], ['date', 'from', 'to', 'sites']);
    const first = node.has('date') ? node.field('date') : node.field('from');
    if (node.has('date') && (node.has('from') || node.has('to'))) {
      node.refuse('expected "date" or "from" and "to", found both');
    }
    const from = first.day();
    const to = node.has('date') ? from : node.field('to').day();
    if (to < from) node.field('to').refuse('ends before it begins');
    if (to - from >= CLOSING_DAYS_MAX) {
      node.field('to').refuse(`expected at most ${CLOSING_DAYS_MAX} days, found ${to - from + 1}`);
    }
    for (let day = from; day <= to; day = (day + 1) as Day) {
      const before = lineOfDay.get(day);
      if (before !== undefined) first.refuse(`this day is already given on line ${before}`);
      lineOfDay.set(day, first.line);
    }
    const closedSites = node
      .optional('sites')
      ?.items()
      .map((site) => {
        return (
          sites.get(site.text()) ?? site.refuse(`expected one of ${[...sites.keys()].join(', ')}`)
        );
      });
    return {
      from,
      to,
      reason: node.field('reason').text(),
      sites: closedSites ?? [],
      standing: standingOf(node.field('standing'), from, to),
      source: node.field('source').text(),
    };
  });
}

function standingOf(node: LawNode, from: Day, to: Day): DatedClosing['standing'] {
  const standing = node.oneOf([...STANDINGS, 'open', 'working']);
  if (standing !== 'working') return standing;
  for (let day = from; day <= to; day = addDays(day, 1)) {
    if (!isWeekend(day)) node.refuse('only a Saturday or Sunday can be declared a working day');
  }
  return standing;
}
