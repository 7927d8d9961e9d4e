/** What corrects the first golden dates and could have made somebody late; and fields that nobody knows. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { registerLaw } from '../../src/entities/acts/law.ts';
import { answerObligation } from '../../src/entities/rules/law/obligation-answer.ts';
import { readRecord } from '../../src/entities/rules/register/read-record.ts';

interface GoldenCase extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly why: string;
  readonly rule_id: string | null;
  readonly initial_id?: string;
  readonly expected_next_due?: string;
  readonly expected_rolled_due?: string;
  readonly expected_window_opens?: string;
  readonly expected_penalty_free_until?: string;
  readonly expected_required?: false;
  readonly conservative_due?: string;
  readonly last_timely_day?: string;
}

const golden = JSON.parse(
  readFileSync(new URL('../golden/entity-2.golden.json', import.meta.url), 'utf8'),
) as { readonly cases: readonly GoldenCase[] };
const law = registerLaw();

/** A case as a stranger would send it: nothing of the expected answer is in it. */
function question(golden: GoldenCase): Record<string, unknown> {
  const answers = /^(expected_|last_timely_day|conservative_due|why|source|confidence|verified)/;
  return Object.fromEntries(Object.entries(golden).filter(([name]) => !answers.test(name)));
}

describe('the second golden dates', () => {
  it('are all there', () => {
    expect(golden.cases).toHaveLength(125);
  });

  it.each(golden.cases.map((one) => [one.id, one.why, one] as const))(
    '%s: %s',
    (_id, _why, one) => {
      const answer = answerObligation(question(one), law);
      expect({
        next_due: answer.next_due,
        rolled_due: answer.rolled_due,
        // The cases give a window only where it is what they are about.
        window_opens: one.expected_window_opens === undefined ? undefined : answer.window_opens,
        penalty_free_until: answer.penalty_free_until,
        last_timely_day: answer.last_timely_day,
        conservative_due: answer.conservative_due,
        rule_id: answer.rule_id,
        initial_id: answer.initial_id,
      }).toEqual({
        next_due: one.expected_required === false ? null : one.expected_next_due,
        rolled_due: one.expected_rolled_due,
        window_opens: one.expected_window_opens,
        penalty_free_until: one.expected_penalty_free_until,
        last_timely_day: one.last_timely_day,
        conservative_due: one.conservative_due,
        rule_id: one.rule_id ?? one.initial_id,
        initial_id: one.initial_id,
      });
      if (answer.next_due === null) return;
      const earliest = [answer.next_due, one.conservative_due, one.last_timely_day]
        .filter((day) => day !== undefined)
        .toSorted()[0];
      expect(answer.due).toBe(one.expected_rolled_due ?? earliest);
      expect((answer.schedule_by ?? '9') <= (earliest ?? '')).toBe(true);
    },
  );

  it.each(golden.cases.filter((one) => one.rule_id !== null).map((one) => [one.id, one] as const))(
    '%s: the rule follows from jurisdiction, kind and origin alone, and from its id alone',
    (_id, one) => {
      const { rule_id: ruleId, initial_id: _initial, ...named } = question(one);
      const { jurisdiction, entity_kind: _kind, origin: _origin, ...byRule } = question(one);
      expect(answerObligation(named, law).rule_id).toBe(ruleId);
      expect(answerObligation(byRule, law).next_due).toBe(one.expected_next_due ?? null);
      expect(String(ruleId).startsWith(String(jurisdiction))).toBe(true);
    },
  );
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
