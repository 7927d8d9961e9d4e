/** What is filed or published once, when an entity is formed or registers: a record of `initial_filings`. */
import { type Static, Type } from 'typebox';
import { basis, day, dollars, kinds, monthDay, orNull, record, whole, words } from './shapes.ts';

const WithinSchema = Type.Union([
  record({ days: whole(1, 1_000) }),
  record({ months: whole(1, 60), days: Type.Optional(whole(1, 31)) }),
  record({ business_days: whole(1, 30) }),
  /** Together with the formation paper itself. */
  record({ at_filing: Type.Literal(true) }),
  record({ not_read: Type.Literal(true) }),
]);

export const InitialFilingSchema = record({
  id: Type.String({ pattern: '^US-[A-Z]{2}\\.initial\\.\\d{2}$' }),
  jurisdiction: Type.String({ pattern: '^US-[A-Z]{2}$' }),
  entity_kinds: Type.Array(kinds(), { minItems: 1, maxItems: 10 }),
  /** `unqualified`: does business in the state without a certificate of authority. */
  origins: Type.Array(Type.Enum(['domestic', 'foreign', 'unqualified']), {
    minItems: 1,
    maxItems: 3,
  }),
  sort: Type.Enum(['initial', 'publication']),
  filing_name: words(),
  filed_with: words(),
  /** The event whose day the case gives as its formation date. */
  runs_from: words(),
  within: WithinSchema,
  /** Formed after this day of a year: due on a day of the next year, not before `opens`. */
  formed_after: Type.Optional(record({ after: monthDay(), due: monthDay(), opens: monthDay() })),
  /** Entities formed before this day have another time. */
  formed_before: Type.Optional(record({ day: day(), within: WithinSchema })),
  /** Nothing is owed where the case says so. */
  not_where: Type.Optional(
    record({ input: Type.Literal('agent_county_over_800k'), because: words() }),
  ),
  /** How the period is counted was not read: so many days earlier is safe. */
  conservative_days_before: Type.Optional(whole(1, 31)),
  /** What has to happen first takes this long. */
  start_before_days: Type.Optional(whole(1, 366)),
  fee_usd: orNull(dollars()),
  fee_by_kind: Type.Optional(Type.Record(Type.String(), dollars())),
  /** A kind for which less was read than for the others. */
  by_kind: Type.Optional(
    Type.Record(
      Type.String(),
      record({
        verified: Type.Enum(['primary', 'secondary', 'none']),
        confidence: Type.Enum(['high', 'medium', 'low']),
      }),
    ),
  ),
  ...basis(),
});

export type InitialFiling = Static<typeof InitialFilingSchema>;
export type Within = Static<typeof WithinSchema>;
