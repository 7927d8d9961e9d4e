import { describe, expect, it } from 'vitest';
import { GRANTS_KINDS } from '../../src/grants/rules/evaluate.ts';
import { answer, goldenCases, refusal } from './grants-cases.ts';

const cases = goldenCases();
const ruled = cases.filter(({ kind }) => kind !== 'reconcile.match');
const second = goldenCases('grants-2');

describe('the golden cases', () => {
  it('are all there, and cover every kind', () => {
    expect(cases).toHaveLength(68);
    expect(ruled).toHaveLength(60);
    const kinds = new Set([...ruled, ...second].map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([...GRANTS_KINDS].sort());
    expect(second).toHaveLength(55);
  });

  it.each([...ruled, ...second])('$id $kind', ({ kind, input, expected }) => {
    const given = answer(kind, input);
    expect(given.result).toEqual(expected);
    expect(given.steps.length).toBeGreaterThan(0);
    expect(given.rule_version).toMatch(/^\d{4}-\d\d-\d\d\.\d+$/);
  });

  it('a case that rests on memory never decides alone', () => {
    const weak = [...ruled, ...second].filter(({ confidence }) =>
      /unverified|mixed/.test(confidence),
    );
    expect(weak.map(({ id }) => id)).toEqual(['F990-06', 'FFR-04', 'G2-19', 'G2-20']);
    for (const { kind, input } of weak) {
      const given = answer(kind, input);
      expect(given.decides).toBe(false);
      expect(given.task).toMatch(/^Confirm /);
      expect(given.confidence).not.toBe('high');
    }
  });

  it('a date that depends on a District of Columbia holiday names the safe day', () => {
    const given = answer('form990.due', { fiscalYearEnd: '2021-11-30' });
    expect(given).toMatchObject({ result: '2022-04-18', decides: false, confidence: 'medium' });
    expect(given.task).toContain('2022-04-15');
  });

  it('bank matching is no rule of law and says so', () => {
    expect(refusal('reconcile.match', { dataset: 'reco-001', bankEvent: 'B01' })).toMatch(
      /^RULE_UNKNOWN kind: .*reconcile\.match.*statements/,
    );
  });
});
