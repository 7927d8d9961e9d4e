/** The rule file as data: complete, consistent with itself, and refused by line where somebody breaks it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../../src/core/errors.ts';
import { readDelawareRates } from '../../src/entities/rules/law/delaware-rates.ts';
import { readEntityRules } from '../../src/entities/rules/law/read-entity-rules.ts';

const text = readFileSync(new URL('../../law/rules/entity.json', import.meta.url), 'utf8');
const delaware = readFileSync(
  new URL('../../law/rules/delaware-franchise-tax.json', import.meta.url),
  'utf8',
);
const rules = readEntityRules({ file: 'entity.json', text });
const all = [...rules.byId.values()];

function fault(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof FilewrightError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('the file was accepted');
}

/** The text with one change at its first match, and the line on which the change stands. */
function broken(pattern: string, replacement: string): { text: string; line: number } {
  const at = text.indexOf(pattern);
  if (at < 0) throw new Error(`not in the file: ${pattern}`);
  return {
    text: text.replace(pattern, replacement),
    line: text.slice(0, at).split('\n').length,
  };
}

describe('the entity rules', () => {
  it('cover 51 jurisdictions with three kinds each, and what was read of the others', () => {
    expect(all).toHaveLength(410);
    expect(rules.initialFilings).toHaveLength(17);
    expect(rules.jurisdictions.size).toBe(51);
    for (const jurisdiction of rules.jurisdictions) {
      const ofIt = all.filter((one) => one.jurisdiction === jurisdiction);
      const kinds = (origin: string): string[] =>
        ofIt.filter((one) => one.origin === origin).map((one) => one.entity_kind);
      expect(kinds('domestic')).toEqual(
        expect.arrayContaining(['corporation', 'llc', 'lp', 'nonprofit']),
      );
      expect(kinds('foreign')).toEqual(expect.arrayContaining(['corporation', 'llc', 'nonprofit']));
    }
    expect(all.filter((one) => one.due_rule.type === 'unknown')).toHaveLength(15);
    expect(all.filter((one) => one.due_rule.type === 'none')).toHaveLength(41);
  });

  it('say of every fact where it comes from', () => {
    for (const rule of all) {
      expect(rule.sources.length).toBeGreaterThan(0);
      if (rule.citation === null) expect(rule.citation_basis, rule.id).toBe('memory');
    }
  });

  it('move a date for a weekend only in Texas (franchise tax) and Virginia', () => {
    const rolling = all.filter((one) => one.weekend_roll.rule === 'next_business_day');
    expect(new Set(rolling.map((one) => one.jurisdiction))).toEqual(new Set(['US-TX', 'US-VA']));
    // What is filed with the Secretary of State of Texas does not move.
    const texas = all.filter((one) => one.jurisdiction === 'US-TX');
    expect(texas.filter((one) => !rolling.includes(one)).map((one) => one.id)).toEqual([
      'US-TX.llp.domestic',
      'US-TX.llp.foreign',
      'US-TX.nonprofit.domestic',
      'US-TX.nonprofit.foreign',
    ]);
  });

  it('have the newest fee of a history as their fee', () => {
    const withHistory = all.filter((one) => one.fee_history !== undefined);
    expect(withHistory).toHaveLength(4);
    for (const rule of withHistory) expect(rule.fee_history?.at(-1)?.fee_usd).toBe(rule.fee_usd);
  });

  it('agree with the Delaware file about estimated payments', () => {
    const plan = rules.byId.get('US-DE.corporation.domestic')?.estimated_payments;
    const { installments } = readDelawareRates({ file: 'delaware.json', text: delaware });
    expect(plan?.threshold).toBe(Number(installments.threshold.n));
    const written = (month: number, day: number): string =>
      `${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
    expect(plan?.schedule).toEqual([
      ...installments.shares.map((one) => [written(one.month, one.day), one.percent]),
      [written(installments.balance.month, installments.balance.day), 'balance'],
    ]);
  });
});

describe('a broken rule file is refused by line', () => {
  it.each([
    [
      'a month that does not exist',
      '"month": 1,\n        "day": 2',
      '"month": 13,\n        "day": 2',
    ],
    ['an unknown kind of due rule', '"type": "anniversary_date"', '"type": "anniversary_day"'],
    ['a misspelled key', '"filed_with"', '"filed_wiht"'],
    ['a confidence that does not exist', '"confidence": "high"', '"confidence": "sure"'],
    ['an id that is not its own', '"id": "US-AL.llc.domestic"', '"id": "US-AL.lp.foreign"'],
    [
      'an id that occurs twice',
      '"id": "US-AL.llc.domestic",\n      "jurisdiction": "US-AL",\n      "entity_kind": "llc"',
      '"id": "US-AL.corporation.domestic",\n      "jurisdiction": "US-AL",\n      "entity_kind": "corporation"',
    ],
    ['dates without a first year', '"first_due": "first_anniversary"', '"first_due": null'],
    ['a source that is not listed', '"sources": ["MO-SOS"]', '"sources": ["HEARSAY"]'],
    ['a choice that is none of the values', '"use": "c"', '"use": "d"'],
    [
      'two first filings of one sort',
      '"id": "US-SC.initial.16",\n      "jurisdiction": "US-SC",\n      "entity_kinds": ["corporation"],\n      "origins": ["unqualified"]',
      '"id": "US-SC.initial.16",\n      "jurisdiction": "US-SC",\n      "entity_kinds": ["corporation"],\n      "origins": ["foreign"]',
    ],
  ])('%s', (_what, pattern, replacement) => {
    const { text: changed, line } = broken(pattern, replacement);
    const message = fault(() => readEntityRules({ file: 'entity.json', text: changed }));
    const found = /^RULE_FILE_INVALID: entity\.json, line (\d+), /.exec(message);
    // The fault is told at the changed line, or at a neighbour that the change contradicts.
    expect(Math.abs(Number(found?.[1]) - line), message).toBeLessThanOrEqual(4);
  });

  it.each([
    ['a bracket without a tax', '"tax": 175', '"texas": 175'],
    ['a percentage in words', '"percent": 40', '"percent": "forty"'],
    ['a rate that is no figure', '"percent_per_month": "1.5"', '"percent_per_month": "1,5"'],
  ])('Delaware: %s', (_what, pattern, replacement) => {
    expect(delaware).toContain(pattern);
    const message = fault(() =>
      readDelawareRates({ file: 'de.json', text: delaware.replace(pattern, replacement) }),
    );
    expect(message).toMatch(/^RULE_FILE_INVALID: de\.json, line \d+, /);
  });
});
