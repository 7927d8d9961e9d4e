/** Dates on which nothing can be done any more, and cases that contradict themselves. */
import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import { instant, type Instant } from '../../src/core/time.ts';
import { computeDeadline } from '../../src/dockets/rules/compute.ts';
import { cutoffOf, deadlineAnswer, explanation } from '../../src/dockets/rules/answer.ts';
import { readPatentCase } from '../../src/dockets/rules/case.ts';
import { datesOf, isInTime } from '../../src/dockets/rules/docket/dates.ts';
import { docketOf } from '../../src/dockets/rules/docket/docket.ts';
import { readDocketRow } from '../../src/dockets/rules/docket/read-row.ts';
import { sha256Hex } from '../../src/core/ids.ts';
import { shippedPatentLaw } from './patent-law.ts';

const law = shippedPatentLaw();
const computed = (input: Readonly<Record<string, unknown>>) => {
  const deadline = computeDeadline(readPatentCase(input), law, { explain: true });
  return {
    deadline,
    answer: deadlineAnswer(deadline, law.rules.version),
    text: explanation(deadline, law.rules.version),
  };
};

describe('a date that is no due date', () => {
  it.each([
    ['US-ABANDONMENT', { trigger_date: '2026-02-16', period: 'P3M' }, '2026-05-19'],
    ['US-MF-EXPIRY-IF-UNPAID', { trigger_date: '2021-08-31', period: 'P4Y' }, '2025-08-31'],
    ['US-MF-WINDOW-OPEN', { trigger_date: '2021-08-31', period: 'P3Y' }, '2024-08-31'],
    ['US-TERM-TD', { trigger_date: '2006-07-03' }, '2026-07-03'],
    ['EP-RENEWAL-EARLIEST', { trigger_date: '2016-11-15', period: 'third year' }, '2018-05-31'],
    ['JP-TERM', { trigger_date: '2004-12-31' }, '2024-12-31'],
  ])('%s is an as_of: no cut-off, no rescue', (rule, rest, day) => {
    const { deadline, answer, text } = computed({ office: rule.slice(0, 2), rule, ...rest });
    expect(answer).toMatchObject({ as_of: day });
    if (rule === 'US-ABANDONMENT') expect(answer.due).toBeUndefined();
    expect(cutoffOf(deadline)).toBeUndefined();
    expect(text).toMatch(/^as of:/m);
    expect(text).not.toMatch(/^(due|cut-off|rescue|raw):/m);
  });

  it('that ends a right is over when it begins: the day before is the last', () => {
    const row = {
      application_number: '18/1',
      filing_date: '2024-01-02',
      event_code: 'X',
      office: 'US',
      rule: 'US-ABANDONMENT',
      period: 'P3M',
      event_date: '2026-02-16',
    };
    const reading = readDocketRow(row);
    if (reading.kind !== 'event') throw new Error(JSON.stringify(reading));
    const at = { tenant: 't', rules: law.rules, payloadSha256: sha256Hex('0'.repeat(64)) };
    const dates = datesOf(docketOf(reading.event, at), law, instant(Date.UTC(2026, 2, 1)));
    if (dates.kind !== 'dated') throw new Error(dates.why);
    // May 16 is a Saturday: the reply is due on Monday the 18th, and abandoned as of the 19th.
    expect(formatDay(dates.due)).toBe('2026-05-18');
    const moment = (text: string): Instant => instant(Date.parse(text));
    expect(isInTime(dates, moment('2026-05-18T23:59:00-04:00'))).toBe(true);
    expect(isInTime(dates, moment('2026-05-19T00:01:00-04:00'))).toBe(false);
  });

  it('and every other date keeps its cut-off', () => {
    const { answer, deadline, text } = computed({
      office: 'US',
      rule: 'US-REPLY-SSP',
      trigger_date: '2026-02-16',
      period: 'P3M',
    });
    expect(answer.due).toBe('2026-05-18');
    expect(cutoffOf(deadline)).toBe('2026-05-19T04:00:00.000Z');
    expect(text).toMatch(/^rescue: +A certificate of mailing/m);
  });
});

describe('a rescue', () => {
  it.each(['US-NATIONAL-30', 'US-PRIORITY-12', 'US-PROVISIONAL-12', 'US-RESTORATION-14'])(
    'of 37 CFR 1.8 is not promised for %s',
    (rule) => {
      const { text } = computed({ office: 'US', rule, trigger_date: '2025-02-17' });
      expect(text).toMatch(/^rescue: +Only Priority Mail Express under 37 CFR 1\.10/m);
    },
  );
});

describe('a case', () => {
  const known = { office: 'US', rule: 'US-REPLY-SSP', trigger_date: '2026-02-16', period: 'P3M' };
  it.each([
    ['trigger', 'trigger_date'],
    ['triggerdate', 'trigger_date'],
    ['ofice', 'office'],
    ['filing_contry', 'filing_country'],
    ['peroid', 'period'],
    ['input', 'inputs'],
  ])('with the field %s is refused', (field, meant) => {
    expect(() => readPatentCase({ ...known, [field]: 'x' })).toThrow(
      new RegExp(`${field}: unknown field; did you mean ${meant}`),
    );
  });

  it('may carry the notes of the person who keeps it', () => {
    expect(() => readPatentCase({ ...known, id: 'a', why: 'b', expected_due: 'c' })).not.toThrow();
  });

  it('whose office and filing country disagree is not to be relied on', () => {
    const { answer } = computed({ ...known, filing_country: 'JP' });
    expect(answer.confidence).toBe('low');
    expect(answer.warnings?.join(' ')).toMatch(/JP implies the office JP/);
  });

  it('with a reply period of less than thirty days is not to be relied on', () => {
    const { answer } = computed({ ...known, period: 'P20D' });
    expect(answer.confidence).toBe('low');
    expect(answer.warnings?.join(' ')).toMatch(/shorter than the 30 days/);
    expect(computed({ ...known, period: 'P30D' }).answer.confidence).toBe('high');
  });

  it('with a disclaimer before the filing is refused', () => {
    const inputs = { disclaimed_to: '2005-01-01' };
    const one = { office: 'US', rule: 'US-TERM-TD', trigger_date: '2006-07-03', inputs };
    expect(() => computed(one)).toThrow(/is before the filing date/);
  });
});
