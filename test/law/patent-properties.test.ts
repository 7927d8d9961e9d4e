/** Laws that hold for every case, not only for the golden ones. */
import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Day, dayOf, formatDay } from '../../src/calendar/day.ts';
import { parsePeriod } from '../../src/calendar/period.ts';
import { parsePeriodChoice, startsOf } from '../../src/calendar/period-choice.ts';
import { replaySteps } from '../../src/calendar/replay.ts';
import { computeDeadline, type PatentDeadline } from '../../src/dockets/rules/compute.ts';
import { deadlineAnswer } from '../../src/dockets/rules/answer.ts';
import { readPatentCase } from '../../src/dockets/rules/case.ts';
import { shippedPatentLaw } from './patent-law.ts';

const law = shippedPatentLaw();
const rules = [...law.rules.rules.values()].filter(
  (rule) => rule.formula !== 'receipt' && rule.formula !== 'none',
);

const dayText = fc
  .integer({ min: dayOf(1979, 1, 1), max: dayOf(2060, 12, 31) })
  .map((number) => formatDay(number as Day));
const years = ['third', 'fourth', 'seventh', 'tenth', 'twentieth'].map((word) => `${word} year`);
/** Closings that move a date; a projected one does not. */
const MOVING = ['verified', 'secondary', 'unconfirmed'];
const periods = ['P1M', 'P2M', 'P3M', 'P30D', 'P60D', 'P2M+P1M', 'P60D+P2M', 'P1M then P1M'];

const anyCase = fc
  .record({
    rule: fc.constantFrom(...rules),
    trigger: dayText,
    year: fc.constantFrom(...years),
    period: fc.constantFrom(...periods),
    delay: fc.integer({ min: 0, max: 40 }),
    office: fc.nat(),
  })
  .map(({ rule, trigger, year, period, delay, office }) => {
    const renewal = rule.formula.startsWith('renewal');
    const isKnown =
      (rule.documentsFrom === undefined || trigger >= formatDay(rule.documentsFrom)) &&
      (rule.regimes !== 'cnipa' || trigger >= '1986-01-01');
    const from = isKnown ? trigger : '2024-05-17';
    const [y = 0, m = 1, d = 1] = from.split('-').map(Number);
    const choice = parsePeriodChoice(rule.period ?? '');
    const after = (days: number): string => formatDay((dayOf(y, m, d) + days) as Day);
    // In the order in which things happen, so that no case contradicts itself.
    const named = [
      ...(choice === undefined ? [] : startsOf(choice)),
      ...rule.needs.filter((name) => name !== 'delivered_date'),
      ...rule.takes.filter((name) => name.endsWith('_date')),
    ].map((name, at) => [name, after(name === 'grant_date' ? 1500 : delay * (at + 3))] as const);
    const isInMonths = rule.formula === 'final-advisory';
    const isInDays = rule.formula === 'first-day-counts';
    return {
      rule: rule.rule,
      office: rule.offices[office % rule.offices.length],
      trigger_date: from,
      period: renewal
        ? year === 'third year' && rule.renewal.from > 3
          ? 'seventh year'
          : year === 'fourth year' && rule.renewal.from > 4
            ? 'seventh year'
            : year
        : isInMonths
          ? 'P3M'
          : isInDays
            ? 'P60D'
            : (rule.period ??
              rule.periodsAt.get(rule.offices[office % rule.offices.length] ?? '') ??
              rule.limits?.oneOf?.[0]?.text ??
              period),
      inputs: {
        ...(rule.regimes === undefined
          ? { pta_days: delay, disclaimed_to: y < 2040 ? '2040-01-01' : `${y + 5}-01-01` }
          : { delivered_date: after(delay) }),
        ...Object.fromEntries(named),
      },
    };
  });

function compute(input: Readonly<Record<string, unknown>>, explain = true): PatentDeadline {
  return computeDeadline(readPatentCase(input), law, { explain });
}

describe('every deadline', () => {
  it('that rolls ends on no verified closing, never before raw, and never more than needed after it', () => {
    fc.assert(
      fc.property(anyCase, (input) => {
        const found = compute(input);
        const { rule, calendar } = found.matter;
        if (!rule.roll || rule.formula === 'day-after') return;
        expect(found.due).toBeGreaterThanOrEqual(found.raw);
        expect(MOVING).not.toContain(calendar.closedOn(found.due)?.standing);
        for (let day = found.raw; day < found.due; day = (day + 1) as Day) {
          expect(MOVING).toContain(calendar.closedOn(day)?.standing);
        }
        if (found.projectedDue !== undefined) {
          expect(found.projectedDue).toBeGreaterThan(found.due);
          expect(found.confidence).not.toBe('high');
        }
        if (found.final !== undefined) expect(found.final.day).toBeGreaterThanOrEqual(found.due);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is the same with and without its steps, and the steps replay to it', () => {
    fc.assert(
      fc.property(anyCase, (input) => {
        const explained = compute(input);
        const quick = compute(input, false);
        expect([
          quick.raw,
          quick.due,
          quick.final?.day,
          quick.projectedDue,
          quick.confidence,
        ]).toEqual([
          explained.raw,
          explained.due,
          explained.final?.day,
          explained.projectedDue,
          explained.confidence,
        ]);
        expect(replaySteps(explained.steps ?? [])).toBe(explained.due);
      }),
      { numRuns: 3_000 },
    );
  });

  it('outside the lists that were read says so in its steps and its confidence', () => {
    fc.assert(
      fc.property(anyCase, (input) => {
        const found = compute(input);
        const { rule, calendar } = found.matter;
        if (!rule.roll || calendar.coverageOf(found.raw) !== 'none') return;
        expect(found.confidence).not.toBe('high');
        expect(found.reasons.join(' ')).toContain('No list of closings');
        expect((found.steps ?? []).map((step) => step.text).join(' ')).toContain(
          'No list of closings',
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('that can only be later is never earlier, whatever closing turns out to be missing', () => {
    const graded = new Map<string, number>();
    fc.assert(
      fc.property(anyCase, fc.integer({ min: 0, max: 9 }), (input, missing) => {
        const found = compute(input, false);
        graded.set(found.confidence, (graded.get(found.confidence) ?? 0) + 1);
        if (found.confidence !== 'can-only-be-later') return;
        const { calendar } = found.matter;
        const gone = [found.raw, found.due, found.matter.trigger].map((day) => day + missing - 4);
        const calendars = new Map(law.calendars).set(calendar.code, {
          ...calendar,
          closedOn: (day: Day) =>
            gone.includes(day)
              ? { day, reason: 'Storm', standing: 'verified', source: 'notice' }
              : calendar.closedOn(day),
        });
        const told = computeDeadline(
          readPatentCase(input),
          { ...law, calendars },
          { explain: false },
        );
        expect(told.due).toBeGreaterThanOrEqual(found.due);
      }),
      { numRuns: 6_000 },
    );
    expect(graded.get('can-only-be-later')).toBeGreaterThan(500);
    expect(graded.get('high')).toBeGreaterThan(100);
  });

  it('comes no earlier when its trigger comes later, month ends included', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('US-ROLL', 'EP-MONTHS', 'JP-MONTHS', 'EP-RENEWAL-LAST-DAY'),
        fc.integer({ min: dayOf(1990, 1, 1), max: dayOf(2040, 1, 1) }),
        fc.integer({ min: 1, max: 40 }),
        (rule, start, months) => {
          const input = (day: number): Readonly<Record<string, unknown>> => ({
            rule,
            office: rule.slice(0, 2),
            trigger_date: formatDay(day as Day),
            period: rule.startsWith('EP-RENEWAL') ? 'third year' : `P${months}M`,
          });
          expect(compute(input(start + 1)).due).toBeGreaterThanOrEqual(compute(input(start)).due);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('the Japanese rule', () => {
  it('agrees with counting day by day from the next day', () => {
    fc.assert(
      fc.property(dayText, fc.integer({ min: 1, max: 60 }), (trigger_date, months) => {
        const found = compute({
          office: 'JP',
          rule: 'JP-MONTHS',
          trigger_date,
          period: `P${months}M`,
        });
        expect(formatDay(found.raw)).toBe(countedInJapan(trigger_date, months));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Walks whole months from the day after the trigger: each ends the day before the same number comes round again. */
function countedInJapan(trigger: string, months: number): string {
  const at = new Date(`${trigger}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + 1);
  const number = at.getUTCDate();
  const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));
  const length = new Date(
    Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0),
  ).getUTCDate();
  const end = new Date(first);
  end.setUTCDate(number > length ? length : number - 1);
  return end.toISOString().slice(0, 10);
}

describe('periods', () => {
  it.each(['', 'P', 'P0M', 'PT3H', '3M', 'P3M+', 'P3M then', 'P-1M', 'P3M P1M', 'P9999M', 'p3m'])(
    '%j is none',
    (text) => {
      expect(parsePeriod(text)).toBeUndefined();
    },
  );
  it.each([
    ['P3M+P1M', [{ daysFirst: 0, months: 4, daysLast: 0 }]],
    ['P1Y6M', [{ daysFirst: 0, months: 18, daysLast: 0 }]],
    ['P2W', [{ daysFirst: 14, months: 0, daysLast: 0 }]],
    ['P60D+P2M+P1M', [{ daysFirst: 60, months: 3, daysLast: 0 }]],
    [
      'P31M then P6M',
      [
        { daysFirst: 0, months: 31, daysLast: 0 },
        { daysFirst: 0, months: 6, daysLast: 0 },
      ],
    ],
  ])('%s', (text, expected) => {
    expect(parsePeriod(text)?.inARow).toMatchObject(expected);
  });
});

describe('limits with starts of their own', () => {
  it.each([
    'later(P2M from trigger)',
    'later(P2M from trigger; P3M)',
    'later(P2M from trigger; P3M from)',
    'later(P2M from trigger, P3M from notice_date)',
    'latest(P2M from trigger; P3M from notice_date)',
    'later(P2M from trigger; P3M from notice_date',
    'later(P31M then P6M from trigger; P3M from notice_date)',
    `later(${'later('.repeat(200)}`,
    'P2M from trigger',
  ])('%j is none', (text) => {
    expect(parsePeriodChoice(text)).toBeUndefined();
  });
  it('may be nested, and name what they start from', () => {
    const choice = parsePeriodChoice(
      'later(earlier(P16M from trigger; P16M from new_priority_date); P4M from filing_date)',
    );
    expect(choice?.pick).toBe('later');
    expect(choice === undefined ? [] : startsOf(choice)).toEqual([
      'new_priority_date',
      'filing_date',
    ]);
  });
});

describe('the machine’s own zone and language', () => {
  const before = process.env['TZ'];
  afterAll(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });

  it('change nothing', () => {
    const cases = JSON.parse(
      readFileSync(new URL('../golden/patent-deadlines.golden.json', import.meta.url), 'utf8'),
    ) as readonly Readonly<Record<string, unknown>>[];
    const answers = (): string =>
      JSON.stringify(cases.map((one) => deadlineAnswer(compute(one), law.rules.version)));
    process.env['TZ'] = 'UTC';
    const expected = answers();
    const offsets = new Set<number>();
    for (const zone of [
      'Pacific/Kiritimati',
      'America/Los_Angeles',
      'Asia/Kolkata',
      'Pacific/Apia',
    ]) {
      process.env['TZ'] = zone;
      offsets.add(new Date(2025, 0, 1).getTimezoneOffset());
      expect(answers()).toBe(expected);
    }
    // The zones really were in force, or the test would show nothing.
    expect(offsets.size).toBeGreaterThan(2);
  });

  it('are never asked for', () => {
    const folders = ['../../src/calendar/', '../../src/dockets/rules/'];
    for (const folder of folders) {
      const url = new URL(folder, import.meta.url);
      for (const name of readdirSync(url).filter((file) => /(?<!\.test)\.ts$/.test(file))) {
        if (name === 'ics.ts') continue;
        const text = readFileSync(new URL(name, url), 'utf8');
        expect(text, name).not.toMatch(/new Date\(|Intl\.|toLocale|Temporal\.Now/);
      }
    }
  });
});
