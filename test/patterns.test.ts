/**
 * The adversary is a text: a page, a cell, a message. Every pattern that meets one is linear: at most 50 ms on a megabyte of
 * its own worst cases. Patterns are collected from the sources, so that none is forgotten.
 */
import { describe, expect, it } from 'vitest';
import { isLinearPattern, patternOf } from '../src/core/patterns.ts';
import { feeInText } from '../src/grants/rules/matching/fees.ts';
import {
  patternsElsewhere,
  patternsInSources,
  placesOfMadePatterns,
} from './fixtures/pattern-literals.ts';
import { slowCase } from './fixtures/pattern-times.ts';

/** Files in which a pattern is made at run time, and why it is linear all the same. */
const MADE: Readonly<Record<string, string>> = {
  'core/patterns.ts': 'profiles: compiled to see that it is one, run by RE2',
  'filings/acts/diagnose-sessions.ts': 'a name, escaped, behind the beginning or a comma',
  'grants/rules/federal-law.ts': 'of our own law; three shapes without a repeated group',
  'grants/rules/federal.ts': 'a count of digits',
  'grants/rules/feeds/decode.ts': 'one character of a class, or a tab',
  'grants/rules/feeds/narrative.ts': 'a literal that stands in the sources',
  'grants/rules/matching/fees.ts': 'every repetition has a bound; timed below',
  'testing/simulator/receipt-maker.ts': 'the simulator, on receipts of its own',
  'testing/simulator/routes.ts': 'the simulator, on paths of its own profile',
};

const PLACES_TIMED = 40;

describe('a regular expression in the sources', () => {
  const all = patternsInSources();

  it('is found by this test', () => {
    expect(all.length).toBeGreaterThan(300);
    expect(placesOfMadePatterns().toSorted()).toEqual(Object.keys(MADE).toSorted());
  });

  it('takes at most 50 ms on a megabyte of its worst cases', { timeout: 600_000 }, () => {
    const slow: string[] = [];
    const known = new Set<string>();
    for (const { place, pattern } of all) {
      const name = String(pattern);
      if (known.has(name)) continue;
      known.add(name);
      const found = slowCase(pattern);
      if (found === undefined) continue;
      const { ms, characters, text } = found;
      slow.push(
        `${place} ${name}: ${ms.toFixed(0)} ms on ${characters} of ${JSON.stringify(text)}`,
      );
    }
    expect(slow.slice(0, PLACES_TIMED)).toEqual([]);
  });

  it('and so does one of the offline verifiers, and of the database', { timeout: 120_000 }, () => {
    const elsewhere = patternsElsewhere();
    const of = (folder: string) => elsewhere.filter(({ place }) => place.startsWith(folder)).length;
    expect([of('tools/') > 12, of('sql/') > 15]).toEqual([true, true]);
    const slow = elsewhere.filter(({ pattern }) => slowCase(pattern) !== undefined);
    expect(slow.map(({ place, pattern }) => `${place} ${pattern}`)).toEqual([]);
    // The database's engine is linear but for what refers back or looks around.
    const odd = elsewhere.filter(
      ({ place, pattern }) => !place.startsWith('tools/') && /\\[1-9]|\(\?/.test(pattern.source),
    );
    expect(odd).toEqual([]);
  });

  it.each([/\s+$/, /(a+)+b/, /"(?:[^"\\]|\\.)*"/g, /\s*[&+]\s*/g, /^(\d+)*x$/])(
    'would be noticed: %s',
    (pattern) => {
      expect(slowCase(pattern)).toBeDefined();
    },
  );

  it('that is put together for fees is linear', () => {
    for (const start of ['GROSS', 'FEE', 'ORIGINAL', 'FEE OF ', '']) {
      for (const pump of [' ', ':', '. ', 'FEE', '1,111', ' OF ', '\n']) {
        const description = start + pump.repeat(Math.ceil(1_000_000 / pump.length));
        const startedMs = performance.now();
        feeInText({ description, direction: 'credit', amountCents: 100 });
        expect(performance.now() - startedMs, JSON.stringify(start + pump)).toBeLessThan(200);
      }
    }
  });
});

describe('the pattern of a profile', () => {
  it.each(['(a+)+b', '(a|aa)+$', '([a-z]+)*\\d', '(.*)*x', '.{1,100}.{1,100}x'])(
    '%s takes no longer than its text',
    (source) => {
      expect(isLinearPattern(source)).toBe(true);
      const texts = ['a'.repeat(1_000), 'a'.repeat(1_000_000), `${'a'.repeat(999)}!`];
      const startedMs = performance.now();
      for (const text of texts)
        expect(patternOf(source).test(text)).toBe(
          source === '(a|aa)+$' && text.length === 1_000 && !text.endsWith('!'),
        );
      expect(performance.now() - startedMs).toBeLessThan(50);
    },
  );

  it.each([
    '(?=a)b',
    '(?<!a)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '(?:a{0,1000}){0,1000}',
    '(',
    'a{2000}',
    '\\q',
  ])('%s is refused', (source) => {
    expect(isLinearPattern(source)).toBe(false);
  });

  it('means the whole text, and reads what JavaScript spells its own way', () => {
    expect(patternOf('DE-\\d{4}').test('DE-1234')).toBe(true);
    expect(patternOf('^DE-\\d{4}$').test('DE-1234')).toBe(true);
    expect(patternOf('DE-\\d{4}').test('ERROR DE-1234 not found')).toBe(false);
    expect(patternOf('a|b').test('ab')).toBe(false);
    expect(patternOf('caf\\u00e9').test('café')).toBe(true);
    expect(patternOf('\\p{Lu}+').test('ÉÀ')).toBe(true);
  });
});
