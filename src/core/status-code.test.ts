import { describe, expect, it } from 'vitest';
import { byStatus, statusMeaning } from './status-code.ts';

describe('a status code', () => {
  it.each([
    [200, 'success'],
    [299, 'success'],
    [101, 'elsewhere'],
    [302, 'elsewhere'],
    [304, 'changed'],
    [400, 'refused'],
    [401, 'denied'],
    [404, 'missing'],
    [408, 'not_now'],
    [409, 'conflict'],
    [410, 'changed'],
    [418, 'unclear'],
    [429, 'throttled'],
    [500, 'broken'],
    [501, 'changed'],
    [511, 'network_login'],
    [599, 'broken'],
    [999, 'broken'],
  ])('%i says %s', (status, meaning) => {
    expect(statusMeaning(status)).toBe(meaning);
  });

  it('means to a caller what the caller says of the code, else of its meaning, else of everything', () => {
    const rules = { codes: { 410: 'gone' }, meanings: { changed: 'look' }, otherwise: 'again' };
    expect([410, 405, 500].map((status) => byStatus(rules, status))).toEqual([
      'gone',
      'look',
      'again',
    ]);
    // A rule that says no is a rule.
    expect(byStatus({ codes: { 503: false }, otherwise: true }, 503)).toBe(false);
  });
});
