/** Laws that hold for every rule, and the dates once more by a walk from day to day that shares no code with them. */
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replaySteps } from '../../src/calendar/replay.ts';
import { registerLaw } from '../../src/entities/acts/law.ts';
import { answerObligation } from '../../src/entities/rules/law/obligation-answer.ts';
import { computeObligation } from '../../src/entities/rules/law/obligation.ts';
import { readEntityCase } from '../../src/entities/rules/law/entity-case.ts';

interface RawRule {
  readonly id: string;
  readonly cadence: {
    readonly every_years: number;
    readonly parity: string | null;
    readonly parity_of?: string;
  };
  readonly exceptions?: unknown;
  readonly due_rule: {
    readonly type: string;
    readonly month: number;
    readonly day: number | 'last';
    readonly months: number;
    readonly month_end?: true;
  };
  readonly formed_from?: string;
  readonly valid_from?: string;
  readonly first_due: string | null;
}

const law = registerLaw();
const raw = JSON.parse(
  readFileSync(new URL('../../law/rules/entity.json', import.meta.url), 'utf8'),
) as { readonly filings: readonly RawRule[] };
const dated = raw.filings.filter(
  (rule) => !['none', 'unknown', 'on_notice'].includes(rule.due_rule.type),
);

const DAY_MS = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const days = (from: string, to: string): fc.Arbitrary<string> =>
  fc
    .integer({ min: Date.parse(from) / DAY_MS, max: Date.parse(to) / DAY_MS })
    .map((day) => iso(day * DAY_MS));
/** Month ends and leap days are where rules break, so they come more often than by chance. */
const formations = fc.oneof(
  days('1990-01-01', '2028-12-31'),
  fc.constantFrom(
    '2020-02-29',
    '2024-02-29',
    '2023-01-31',
    '2026-12-31',
    '2026-01-01',
    '2026-09-30',
    '2026-10-01',
  ),
);
const asked = fc.oneof(
  days('2022-01-01', '2032-12-31'),
  fc.constantFrom('2026-12-31', '2027-01-01', '2028-02-29', '2027-02-28', '2027-03-01'),
);
const yearEnds = fc.constantFrom(
  '12-31',
  '06-30',
  '09-30',
  '02-28',
  '02-29',
  '01-31',
  '11-30',
  '08-31',
  '10-15',
);

interface Entity {
  readonly rule: RawRule;
  readonly formed: string;
  readonly asOf: string;
  readonly yearEnd: string;
}
const entities: fc.Arbitrary<Entity> = fc
  .record({ rule: fc.constantFrom(...dated), formed: formations, asOf: asked, yearEnd: yearEnds })
  .filter(({ rule, formed }) => formed >= (rule.formed_from ?? ''));

function input({ rule, formed, asOf, yearEnd }: Entity): Record<string, unknown> {
  return { rule_id: rule.id, formation_date: formed, as_of: asOf, fiscal_year_end: yearEnd };
}

/** The filing year that a day closes under the rule, or undefined when it is no due day. Strings and Date only. */
function filingYearOf(ms: number, { rule, formed, yearEnd }: Entity): number | undefined {
  const [year, month, day] = iso(ms).split('-').map(Number) as [number, number, number];
  const isLast = iso(ms + DAY_MS).endsWith('-01');
  const formedMonth = Number(formed.slice(5, 7));
  const due = rule.due_rule;
  switch (due.type) {
    case 'fixed':
      if (due.month_end === true) return month === due.month && isLast ? year : undefined;
      return month === due.month && day === due.day ? year : undefined;
    case 'anniversary_month_end':
      return month === formedMonth && isLast ? year : undefined;
    case 'anniversary_month_start':
      return month === formedMonth && day === 1 ? year : undefined;
    case 'anniversary_date':
    case 'anniversary_of': {
      const isLeapStandIn = formed.endsWith('-02-29') && month === 2 && day === 28 && isLast;
      return iso(ms).slice(5) === formed.slice(5) || isLeapStandIn ? year : undefined;
    }
    case 'anniversary_quarter_end':
      return isLast && month % 3 === 0 && Math.ceil(formedMonth / 3) === month / 3
        ? year
        : undefined;
    case 'day_before_anniversary_month': {
      const next = iso(ms + DAY_MS);
      return next.slice(5) === `${formed.slice(5, 7)}-01` ? Number(next.slice(0, 4)) : undefined;
    }
    default: {
      const endMonth = Number(yearEnd.slice(0, 2));
      // Alabama, June 30: a month earlier for years that began before 2026.
      const isEarly = rule.exceptions !== undefined && yearEnd === '06-30' && year <= 2026;
      const months = endMonth + (isEarly ? 3 : due.months);
      const isDay = due.day === 'last' ? isLast : day === due.day;
      if (!isDay || month !== ((months - 1) % 12) + 1) return undefined;
      if (rule.cadence.parity_of === 'due_year') return year;
      return months > 12 ? year - 1 : year;
    }
  }
}

function yearEndIn(year: number, yearEnd: string): string {
  const isCommon = new Date(Date.UTC(year, 1, 29)).getUTCMonth() !== 1;
  return `${year}-${yearEnd === '02-29' && isCommon ? '02-28' : yearEnd}`;
}

function isAllowed(year: number, { rule, formed, yearEnd }: Entity): boolean {
  const formedYear = Number(formed.slice(0, 4));
  const late = formed.slice(5) > '09-30' ? 1 : 0;
  const earliest: Record<string, boolean> = {
    year_after_formation: year > formedYear,
    first_anniversary: year > formedYear,
    next_parity_year: year > formedYear,
    first_parity_anniversary: year > formedYear + 1,
    skip_if_formed_after_09_30: year > formedYear + late,
    first_fiscal_year_end: yearEndIn(year, yearEnd) >= formed,
  };
  if (earliest[rule.first_due ?? ''] !== true) return false;
  const even = (n: number): boolean => Math.abs(n) % 2 === 0;
  const { every_years: everyYears } = rule.cadence;
  switch (rule.cadence.parity ?? 'every year') {
    case 'formation_year':
      return (year - formedYear) % everyYears === 0;
    case 'years_ending_0_or_5':
      return /[05]$/.test(String(year));
    case 'first_year_after_formation':
      return !even(year - formedYear);
    case 'even':
      return even(year);
    case 'odd':
      return !even(year);
    case 'from_first_report':
      return even(year - formedYear) === yearEndIn(formedYear, yearEnd) >= formed;
    default:
      return true;
  }
}

/** The first day that is a due day of an allowed year, looking at one day after the other. */
function walk(entity: Entity): string {
  const from = entity.rule.valid_from ?? '';
  const start = Date.parse(entity.asOf < from ? from : entity.asOf);
  for (let day = 0; day < 366 * 45; day += 1) {
    const ms = start + day * DAY_MS;
    const year = filingYearOf(ms, entity);
    if (year !== undefined && isAllowed(year, entity)) return iso(ms);
  }
  throw new Error(`no due day under ${entity.rule.id}`);
}

describe('every rule', () => {
  it('gives the day that a walk from day to day finds', () => {
    fc.assert(
      fc.property(entities, (entity) => {
        expect(answerObligation(input(entity), law).next_due).toBe(walk(entity));
      }),
      { numRuns: 600 },
    );
  });

  it('is walked at least once for an old and for a new entity', () => {
    for (const rule of dated) {
      for (const formed of ['2004-02-29', '2026-11-10']) {
        const entity = { rule, formed, asOf: '2026-11-15', yearEnd: '06-30' };
        expect([rule.id, answerObligation(input(entity), law).next_due]).toEqual([
          rule.id,
          walk(entity),
        ]);
      }
    }
  });

  it('never answers with a day that has passed, and keeps its dates in order', () => {
    fc.assert(
      fc.property(entities, (entity) => {
        const answer = answerObligation(input(entity), law);
        const due = answer.next_due ?? '';
        expect(due >= entity.asOf).toBe(true);
        if (answer.window_opens !== undefined) expect(answer.window_opens <= due).toBe(true);
        if (answer.rolled_due !== undefined) expect(answer.rolled_due >= due).toBe(true);
        if (answer.last_timely_day !== undefined) expect(answer.last_timely_day < due).toBe(true);
        if (answer.conservative_due !== undefined)
          expect(answer.conservative_due <= due).toBe(true);
        if (answer.penalty_free_until !== undefined)
          expect(answer.penalty_free_until >= due).toBe(true);
        if (answer.final !== undefined) expect(answer.final > due).toBe(true);
        if (answer.cutoff !== undefined)
          expect(answer.cutoff.slice(0, 10) <= (answer.due ?? '')).toBe(true);
        expect((answer.schedule_by ?? '') <= due).toBe(true);
        expect([0, 6]).not.toContain(new Date(`${answer.schedule_by}T00:00:00Z`).getUTCDay());
      }),
      { numRuns: 400 },
    );
  });

  it('explains itself: the steps replayed end on the day to rely on', () => {
    fc.assert(
      fc.property(entities, fc.option(asked, { nil: undefined }), (entity, record) => {
        const question = {
          ...input(entity),
          ...(record === undefined ? {} : { state_record_due: record }),
        };
        const found = computeObligation(readEntityCase(question, law.rules), law);
        expect(replaySteps(found.steps)).toBe(found.due);
        expect(answerObligation(question, law).steps.map((step) => step.n)).toEqual(
          found.steps.map((_, index) => index + 1),
        );
      }),
      { numRuns: 400 },
    );
  });

  it('asked again on its own due day gives the same day, and on the day after a later one', () => {
    fc.assert(
      fc.property(entities, (entity) => {
        const due = answerObligation(input(entity), law).next_due ?? '';
        expect(answerObligation(input({ ...entity, asOf: due }), law).next_due).toBe(due);
        const after = iso(Date.parse(due) + DAY_MS);
        const next = answerObligation(input({ ...entity, asOf: after }), law).next_due ?? '';
        expect(next > due).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
