/** What a record of law/rules/entity.json may hold: one periodic filing of one kind of entity in one jurisdiction. */
import { type Static, Type } from 'typebox';
import { InitialFilingSchema } from './initial-filing.ts';
import {
  basis,
  day,
  dayOfMonth,
  dollars,
  kinds,
  month,
  monthDay,
  orNull,
  record,
  whole,
  words,
  year,
} from './shapes.ts';

const RECORDS_MAX = 5_000;

const DATED_RULES = [
  record({
    type: Type.Literal('fixed'),
    month: month(),
    day: dayOfMonth(),
    /** The last day of that month, in leap years too. */
    month_end: Type.Optional(Type.Literal(true)),
    strictly_before: Type.Optional(Type.Boolean()),
    conservative: Type.Optional(monthDay()),
  }),
  record({ type: Type.Literal('anniversary_month_end'), offset_months: whole(0, 11) }),
  record({ type: Type.Literal('anniversary_month_start') }),
  record({ type: Type.Literal('anniversary_date') }),
  /** Without the day of that event the anniversary of the formation: earlier, so safe. */
  record({
    type: Type.Literal('anniversary_of'),
    of: Type.Literal('first_report_filed'),
    conservative: Type.Literal('anniversary_date'),
  }),
  record({ type: Type.Literal('anniversary_quarter_end') }),
  record({ type: Type.Literal('day_before_anniversary_month') }),
  record({
    type: Type.Literal('fiscal_year_end_offset'),
    months: whole(1, 12),
    day: Type.Union([dayOfMonth(), Type.Literal('last')]),
  }),
] as const;
const DatedRuleSchema = Type.Union([...DATED_RULES]);
/** No later than the federal return of the owner, which only the owner can name. */
const OwnerReturnSchema = record({ type: Type.Literal('owner_return') });
const DueRuleSchema = Type.Union([
  ...DATED_RULES,
  /** Nothing is owed before the office asks for it. */
  record({ type: Type.Literal('on_notice'), days_after_notice: whole(1, 366) }),
  record({ type: Type.Literal('none') }),
  record({ type: Type.Literal('unknown') }),
]);

const WindowRuleSchema = Type.Union([
  record({ type: Type.Literal('fixed'), month: month(), day: dayOfMonth() }),
  record({ type: Type.Literal('days_before_due'), days: whole(1, 366) }),
  record({ type: Type.Literal('months_before_due'), months: whole(1, 24) }),
  record({ type: Type.Literal('months_before_due_month'), months: whole(1, 24) }),
  record({ type: Type.Literal('days_before_anniversary_month'), days: whole(1, 366) }),
  record({ type: Type.Literal('first_day_of_due_quarter') }),
  record({ type: Type.Literal('first_business_day_of_due_month') }),
]);

const effect = { effect: words(), citation: orNull(words()) };
const FinalRuleSchema = Type.Union([
  record({ type: Type.Literal('days_after_due'), days: whole(1, 1_000), ...effect }),
  record({
    type: Type.Literal('months_after_due'),
    months: whole(1, 120),
    due_year_from: Type.Optional(year()),
    ...effect,
  }),
  record({
    type: Type.Literal('fixed_in_due_year'),
    month: month(),
    day: dayOfMonth(),
    ...effect,
  }),
  record({
    type: Type.Literal('nth_weekday'),
    month: month(),
    weekday: whole(0, 6),
    n: whole(1, 4),
    ...effect,
  }),
]);

const FilingRuleSchema = record({
  id: Type.String({
    pattern: '^US-[A-Z]{2}\\.(corporation|llc|lp|llp|nonprofit|pc|pllc)\\.(domestic|foreign)$',
  }),
  jurisdiction: Type.String({ pattern: '^US-[A-Z]{2}$' }),
  entity_kind: kinds(),
  origin: Type.Enum(['domestic', 'foreign']),
  required: orNull(Type.Boolean()),
  /** Which other record the rule follows, or how it differs. */
  relation: Type.Optional(words()),
  filing_name: orNull(words()),
  filed_with: words(),
  cadence: record({
    every_years: whole(0, 10),
    parity: orNull(
      Type.Enum([
        'formation_year',
        'odd',
        'even',
        'first_year_after_formation',
        'from_first_report',
        'years_ending_0_or_5',
      ]),
    ),
    /** The year in which the report is due counts, not the one in which the fiscal year ends. */
    parity_of: Type.Optional(Type.Literal('due_year')),
  }),
  due_rule: DueRuleSchema,
  /** The date hangs on something that the entity is or chose; where a case does not say it, the earlier one is relied on. */
  choice: Type.Optional(
    record({
      input: Type.Enum(['tax_class', 'filing_date_choice']),
      values: Type.Record(Type.String(), Type.Union([...DATED_RULES, OwnerReturnSchema])),
      absent: record({ use: words(), conservative: words() }),
    }),
  ),
  /** Another due rule under a condition, tried first. */
  exceptions: Type.Optional(
    Type.Array(
      record({
        when: record({
          choice: words(),
          fiscal_year_end: monthDay(),
          fiscal_year_begins_before: day(),
        }),
        due_rule: DatedRuleSchema,
        why: words(),
      }),
      { maxItems: 20 },
    ),
  ),
  /** Taken, and said, where the case does not give one. */
  fiscal_year_end_unless_given: Type.Optional(monthDay()),
  first_due: orNull(
    Type.Enum([
      'year_after_formation',
      'first_anniversary',
      'first_parity_anniversary',
      'next_parity_year',
      'first_fiscal_year_end',
      'skip_if_formed_after_09_30',
    ]),
  ),
  window_opens: orNull(WindowRuleSchema),
  window_verified: Type.Optional(Type.Boolean()),
  fee_usd: orNull(dollars()),
  fee_note: orNull(words()),
  /** Where the fee was read; null: from memory, and not to be paid from. Absent: read with the rule. */
  fee_as_of: Type.Optional(orNull(words())),
  fee_history: Type.Optional(
    Type.Array(
      record({
        tax_year_from: year(),
        tax_year_to: orNull(year()),
        fee_usd: dollars(),
        source: words(),
      }),
      { maxItems: 100 },
    ),
  ),
  tax_year: Type.Optional(record({ years_before_due: whole(0, 2), note: words() })),
  late: orNull(words()),
  ...basis(),
  weekend_roll: record({
    rule: Type.Enum(['next_business_day', 'none', 'unknown']),
    note: orNull(words()),
  }),
  official_url: words(),
  assigned_by_state: Type.Optional(Type.Boolean()),
  penalty_free_until: Type.Optional(
    record({ type: Type.Literal('anniversary_month_end'), offset_months: whole(0, 12) }),
  ),
  delinquency_notice: Type.Optional(
    record({ days: whole(1, 366), penalty_usd: dollars(), citation: words() }),
  ),
  final: Type.Optional(FinalRuleSchema),
  /** The due rule holds only for entities formed on or after this day. */
  formed_from: Type.Optional(day()),
  /** No duty before this day. */
  valid_from: Type.Optional(day()),
  /** The entity can have chosen another month than that of its formation. */
  alternative_due_date: Type.Optional(Type.Literal(true)),
  extended_filing_month: Type.Optional(Type.Literal(true)),
  cycle_start: Type.Optional(Type.Literal('uncertain')),
  estimated_payments: Type.Optional(
    record({
      threshold: dollars(),
      basis: words(),
      schedule: Type.Array(
        Type.Tuple([monthDay(), Type.Union([whole(1, 100), Type.Literal('balance')])]),
        { minItems: 1, maxItems: 12 },
      ),
    }),
  ),
});

const HoursSchema = record({
  zone: words(),
  weekly: Type.Array(
    record({
      days: Type.Array(Type.Enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), {
        minItems: 1,
        maxItems: 7,
      }),
      from: Type.String({ pattern: '^\\d{2}:\\d{2}$' }),
      to: Type.String({ pattern: '^\\d{2}:\\d{2}$' }),
    }),
    { maxItems: 14 },
  ),
  closedOn: Type.Array(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), { maxItems: 1_000 }),
});

const PortalSchema = record({
  /** A shipped portal profile whose hours count. */
  profile: Type.Optional(Type.String({ pattern: '^[a-z0-9-]+$' })),
  /** Hours for which there is no profile. */
  hours: Type.Optional(HoursSchema),
  /** Calendar of the holidays on which the portal is closed; null when it is open then. */
  holidays: orNull(words()),
  source: words(),
  verified: Type.Enum(['primary', 'secondary', 'none']),
});

export const EntityRulesSchema = record({
  format: Type.Literal(1),
  version: words(),
  checked: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  title: words(),
  words: Type.Record(Type.String(), Type.Unknown()),
  sources: Type.Record(Type.String(), words()),
  business_days: record({ calendar: words(), citation: words(), note: words() }),
  portals: Type.Record(Type.String(), PortalSchema),
  filings: Type.Array(FilingRuleSchema, { minItems: 1, maxItems: RECORDS_MAX }),
  initial_filings: Type.Array(InitialFilingSchema, { maxItems: RECORDS_MAX }),
});

export type EntityRulesFile = Static<typeof EntityRulesSchema>;
export type FilingRule = EntityRulesFile['filings'][number];
export type DueRule = FilingRule['due_rule'];
/** The due rules that give a date. */
export type DatedRule = Exclude<DueRule, { type: 'none' | 'unknown' | 'on_notice' }>;
export type WindowRule = NonNullable<FilingRule['window_opens']>;
export type FinalRule = NonNullable<FilingRule['final']>;
export type PortalRule = EntityRulesFile['portals'][string];
export type EntityKind = FilingRule['entity_kind'];
