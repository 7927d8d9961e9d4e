import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, type JsonValue } from '../core/canonical-json.ts';
import { isPlainlyCanonical, readCanonical } from './read-canonical.ts';

const textBytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** Writing the value again, and nothing else. */
function slowly(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return canonicalText(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

// Short keys that collide, look like numbers, and sort differently by code point and by code unit.
const key = fc.constantFrom(
  'a',
  'b',
  '',
  '10',
  '9',
  '-1',
  'ä',
  '\ufb33',
  '😂',
  '__proto__',
  'toJSON',
);
const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(
      0,
      1,
      -1,
      1.5,
      1e21,
      2 ** 53,
      2 ** 53 - 1,
      true,
      null,
      'x',
      '\u2028',
      '\\ud800',
      '"',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));

describe('reading canonical bytes', () => {
  it('takes the quick way only where the slow one says yes too', () => {
    let quick = 0;
    fc.assert(
      fc.property(json, fc.boolean(), (value, isSorted) => {
        const text = JSON.stringify(value);
        const spelled = isSorted ? (attemptCanonical(value) ?? text) : text;
        const read: JsonValue = JSON.parse(spelled);
        const slow = slowly(spelled);
        if (isPlainlyCanonical(read, spelled)) {
          quick++;
          expect(slow).toBeDefined();
        }
        expect(readCanonical(textBytes(spelled)) === undefined).toBe(slow === undefined);
      }),
      { numRuns: 3000 },
    );
    expect(quick).toBeGreaterThan(500);
  });

  it.each([
    '{"b":1,"a":2}',
    '{"a":{"b":1,"a":2}}',
    '[{"b":1,"a":2}]',
    '{"a":1,"a":1}',
    '{"a":1.5}',
    '{"a":9007199254740992}',
    '{"a":-0}',
    '{"a":1e2}',
    '{"a":"\\ud800"}',
    '{"a":"\\u0041"}',
    '{"a":"\\/"}',
    '{"a": 1}',
    '{"a":1}\n',
    '{"\ufb33":1,"😂":2}',
    `${'['.repeat(65)}${']'.repeat(65)}`,
    `${'['.repeat(32_000)}${']'.repeat(32_000)}`,
  ])('refuses %.60s', (text) => {
    expect(readCanonical(textBytes(text))).toBeUndefined();
  });

  it.each([
    '{"10":1,"9":2}',
    '{"😂":1,"\ufb33":2}',
    '{"__proto__":{"a":1},"toJSON":1}',
    '"\\\\ud800"',
    `${'['.repeat(64)}${']'.repeat(64)}`,
  ])('takes %s', (text) => {
    expect(JSON.stringify(readCanonical(textBytes(text)))).toHaveLength(text.length);
  });
});

function attemptCanonical(value: unknown): string | undefined {
  try {
    // The generator makes JSON, and some values that the profile refuses.
    return canonicalText(value as JsonValue);
  } catch {
    return undefined;
  }
}
