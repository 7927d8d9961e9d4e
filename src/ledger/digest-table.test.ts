import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DigestTable } from './digest-table.ts';

describe('digest table', () => {
  it('answers like a Map, whatever is put, counted and asked', () => {
    const step = fc.tuple(
      fc.constantFrom('put', 'count', 'get'),
      fc.nat(3000).map(String),
      fc.integer({ min: 1, max: 1000 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 3000, size: 'max' }), (steps) => {
        const table = new DigestTable();
        const map = new Map<string, number>();
        for (const [act, text, value] of steps) {
          const before = map.get(text) ?? 0;
          if (act === 'get') expect(table.get(text)).toBe(before);
          if (act === 'put') {
            expect(table.put(text, value)).toBe(before);
            map.set(text, value);
          }
          if (act === 'count') {
            expect(table.count(text)).toBe(before + 1);
            map.set(text, before + 1);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it('keeps every key while it grows', () => {
    const table = new DigestTable();
    const keys = 50_000;
    for (let key = 1; key <= keys; key++) table.put(`key-${key}`, key);
    for (let key = 1; key <= keys; key++) {
      if (table.get(`key-${key}`) !== key) expect.fail(`lost key-${key}`);
    }
    expect(table.get('key-0')).toBe(0);
  });
});
