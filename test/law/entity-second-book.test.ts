/** What corrects the first golden dates and could have made somebody late; and fields that nobody knows. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { registerLaw } from '../../src/entities/acts/law.ts';
import { answerObligation } from '../../src/entities/rules/law/obligation-answer.ts';
import { readRecord } from '../../src/entities/rules/register/read-record.ts';

interface GoldenCase extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly why: string;
  readonly rule_id: string;
  readonly expected_next_due: string;
  readonly conservative_due?: string;
}

const golden = JSON.parse(
  readFileSync(new URL('../golden/entity-2.golden.json', import.meta.url), 'utf8'),
) as { readonly cases: readonly GoldenCase[] };
const law = registerLaw();
/** The rest of the file widens the law to entities that have no rule here yet. */
const CORRECTED = /^US-(AL|SC|KS|SD)\.(corporation|llc)\.domestic$/;

function question({ conservative_due: _conservative, ...rest }: GoldenCase) {
  return rest;
}

describe('the second golden dates', () => {
  const cases = golden.cases.filter((one) => CORRECTED.test(one.rule_id));
  it('are there', () => {
    expect(cases).toHaveLength(11);
  });

  it.each(cases.map((one) => [one.id, one.why, one] as const))('%s: %s', (_id, _why, one) => {
    const answer = answerObligation(question(one), law);
    expect(answer.next_due).toBe(one.expected_next_due);
    expect(answer.conservative_due).toBe(one.conservative_due);
    const earliest = [one.expected_next_due, one.conservative_due ?? '9'].toSorted((a, b) =>
      a < b ? -1 : 1,
    )[0];
    expect(answer.due).toBe(earliest);
    expect(answer.schedule_by ?? '').not.toBe('');
    expect((answer.schedule_by ?? '') <= (earliest ?? '')).toBe(true);
  });
});

const base = { jurisdiction: 'US-SC', entity_kind: 'corporation', origin: 'domestic' };
const formed = { formation_date: '2019-05-20', as_of: '2026-11-15' };

describe('a date that depends on what was not said', () => {
  it.each([
    [
      'South Carolina, C',
      { ...base, tax_class: 'c', fiscal_year_end: '12-31' },
      '2027-04-15',
      undefined,
    ],
    [
      'South Carolina, S',
      { ...base, tax_class: 's', fiscal_year_end: '06-30' },
      '2027-09-15',
      undefined,
    ],
    [
      'South Carolina, not said',
      { ...base, fiscal_year_end: '12-31' },
      '2027-03-15',
      'CHOICE_NOT_GIVEN',
    ],
    [
      'Alabama, not said',
      { ...base, jurisdiction: 'US-AL', fiscal_year_end: '09-30' },
      '2026-12-15',
      'CHOICE_NOT_GIVEN',
    ],
    [
      'South Dakota, not said',
      { ...base, jurisdiction: 'US-SD' },
      '2027-01-31',
      'CHOICE_NOT_GIVEN',
    ],
    [
      'South Dakota LLC, chosen',
      {
        ...base,
        jurisdiction: 'US-SD',
        entity_kind: 'llc',
        filing_date_choice: 'anniversary_month',
      },
      '2027-05-01',
      undefined,
    ],
    [
      'Kansas, year end not said',
      { ...base, jurisdiction: 'US-KS' },
      '2027-04-15',
      'FISCAL_YEAR_END_ASSUMED',
    ],
    [
      'Kansas, June 30',
      { ...base, jurisdiction: 'US-KS', fiscal_year_end: '06-30' },
      '2027-10-15',
      undefined,
    ],
    [
      'Kansas LLC, March 31',
      { ...base, jurisdiction: 'US-KS', entity_kind: 'llc', fiscal_year_end: '03-31' },
      '2027-07-15',
      undefined,
    ],
  ])('%s', (_, input, due, alarm) => {
    const answer = answerObligation({ ...input, ...formed }, law);
    expect(answer.due).toBe(due);
    expect((answer.alarms ?? []).map(({ code }) => code)).toEqual(
      alarm === undefined ? [] : [alarm],
    );
  });

  it('follows the record of the state where there is one', () => {
    const answer = answerObligation(
      { ...base, ...formed, jurisdiction: 'US-SD', state_record_due: '2027-05-01' },
      law,
    );
    expect(answer.due).toBe('2027-05-01');
    expect(answer.conservative_due).toBeUndefined();
  });

  it('says that the earlier day has passed', () => {
    const input = { ...base, ...formed, jurisdiction: 'US-SD', as_of: '2026-03-01' };
    const answer = answerObligation(input, law);
    expect(answer).toMatchObject({ next_due: '2026-05-01', due: '2026-01-31' });
    expect((answer.alarms ?? []).map(({ code }) => code)).toContain('LAST_DAY_PAST');
  });

  it('cannot have been chosen elsewhere', () => {
    const input = {
      ...base,
      ...formed,
      fiscal_year_end: '12-31',
      filing_date_choice: 'january_31',
    };
    expect(() => answerObligation(input, law)).toThrow(/under US-SC.*does not choose its date/);
    expect(() => answerObligation({ ...base, ...formed, tax_class: 'llc' }, law)).toThrow(/c, s/);
  });
});

describe('an unknown field', () => {
  const known = { ...base, ...formed, jurisdiction: 'US-WY' };
  it.each([
    ['state_record_date', 'state_record_due'],
    ['state_record', 'state_record_due'],
    ['record_due', 'state_record_due'],
    ['formationdate', 'formation_date'],
    ['fiscal_year', 'fiscal_year_end'],
    ['delinquency_date', 'delinquency_notice_date'],
    ['State_Record_Due', 'state_record_due'],
  ])('%s is refused, and %s proposed', (field, meant) => {
    expect(() => answerObligation({ ...known, [field]: '2026-12-01' }, law)).toThrow(
      new RegExp(`${field}: unknown field; did you mean ${meant}`),
    );
  });

  it('is refused also where it is like none', () => {
    expect(() => answerObligation({ ...known, colour: 'blue' }, law)).toThrow(
      /colour: unknown field/,
    );
    expect(() => answerObligation({ ...known, ['x'.repeat(100_000)]: 1 }, law)).toThrow(
      /unknown field/,
    );
  });

  it('may be a note of the person who keeps the case', () => {
    const notes = { id: 'a', why: 'b', source: 'c', expected_next_due: '2027-01-01' };
    expect(answerObligation({ ...known, ...notes }, law).due).toBe('2027-05-01');
  });

  it('in a register file is refused where it looks like the date on the state’s record', () => {
    const row = {
      jurisdiction: 'US-WY',
      registry_number: '1',
      entity_name: 'E',
      entity_kind: 'llc',
      origin: 'domestic',
      formation_date: '2019-05-20',
    };
    expect(readRecord(row, law.rules).ok).toBe(true);
    expect(
      readRecord({ ...row, state_record_number: '7', formation_state: 'WY' }, law.rules).ok,
    ).toBe(true);
    for (const name of ['state_record_date', 'record_due', 'State Record Due']) {
      expect(readRecord({ ...row, [name]: '2026-12-01' }, law.rules)).toMatchObject({
        ok: false,
        errors: [{ where: name }],
      });
    }
    expect(readRecord({ ...row, tax_class: 'x' }, law.rules).ok).toBe(false);
    const chosen = readRecord({ ...row, filing_date_choice: 'january_31' }, law.rules);
    expect(chosen).toMatchObject({ record: { sealed: { filing_date_choice: 'january_31' } } });
  });
});
