import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, canonicalText, JSON_DEPTH_MAX, type JsonValue } from './canonical-json.ts';
import { FilewrightError } from './errors.ts';

const vectors = new URL('../../test/vectors/jcs/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, vectors), 'utf8');

const integers = fc.maxSafeInteger();
/** Values of the ledger's profile, with keys that are easy to sort wrongly. */
const profileValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    integers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { maxKeys: 5 }),
  ),
})).value;

function refusalOf(value: unknown): FilewrightError {
  try {
    // The point is to pass what the type forbids.
    canonicalText(value as JsonValue);
  } catch (error) {
    if (error instanceof FilewrightError) return error;
  }
  throw new Error('Expected a refusal.');
}

function nested(levels: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

describe('canonical JSON', () => {
  it.each(readdirSync(new URL('input/', vectors)))('writes the RFC 8785 vector %s', (name) => {
    const text = canonicalText(JSON.parse(read(`input/${name}`)), { numbers: 'any' });
    expect(Buffer.from(text)).toEqual(readFileSync(new URL(`output/${name}`, vectors)));
  });

  it('writes the first thousand doubles of the published sequence as RFC 8785 asks', () => {
    const view = new DataView(new ArrayBuffer(8));
    const lines = read('es6-numbers-1000.txt').trim().split('\n');
    expect(lines).toHaveLength(1000);
    for (const line of lines) {
      const [hex = '', expected] = line.split(',');
      view.setBigUint64(0, BigInt(`0x${hex}`));
      expect(canonicalText(view.getFloat64(0), { numbers: 'any' })).toBe(expected);
    }
  });

  it('writes every scrambled pair in its one spelling', () => {
    const pairs: { input: string; output: string }[] = JSON.parse(read('pairs.json'));
    expect(pairs.length).toBeGreaterThan(0);
    for (const { input, output } of pairs) {
      expect(canonicalText(JSON.parse(input), { numbers: 'any' })).toBe(output);
    }
  });

  it('refuses the numbers that the ledger profile leaves out', () => {
    const cases: { name: string; text: string }[] = JSON.parse(
      read('reject.json'),
    ).must_reject_in_ledger_profile;
    expect(cases.length).toBeGreaterThan(0);
    for (const { name, text } of cases) {
      expect(refusalOf(JSON.parse(text)).code, name).toBe('NOT_CANONICAL');
    }
  });

  it('writes the largest integers and turns minus zero into zero', () => {
    expect(canonicalText([2 ** 53 - 1, -(2 ** 53 - 1), -0])).toBe(
      '[9007199254740991,-9007199254740991,0]',
    );
  });

  class Money {
    readonly cents = 1;
  }
  const holed: unknown[] = [1];
  holed[2] = 3;
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a bigint', 1n],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a date', new Date(0)],
    ['a map', new Map([['a', 1]])],
    ['an instance of a class', new Money()],
    ['an object with toJSON', { toJSON: () => 1 }],
    ['a typed array', new Uint8Array(1)],
    ['a sparse array', holed],
    ['an array of a subclass', new (class extends Array<number> {})()],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00a'],
    ['a lone surrogate in a key', { '\ud83d': 1 }],
    ['a symbol as a key', { [Symbol('s')]: 1 }],
    ['65 levels', nested(JSON_DEPTH_MAX + 1)],
  ])('refuses %s at any depth', (_name, value) => {
    expect(refusalOf(value).code).toBe('NOT_CANONICAL');
    expect(refusalOf({ a: [value] }).code).toBe('NOT_CANONICAL');
  });

  it('refuses a cycle instead of recursing forever', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(refusalOf(cycle).message).toContain('deeper than 64');
  });

  it('writes 64 levels', () => {
    expect(canonicalText(nested(JSON_DEPTH_MAX))).toBe('['.repeat(64) + ']'.repeat(64));
  });

  it('names the place of the value it refuses as a JSON pointer', () => {
    const error = refusalOf({ ok: 1, 'a/b~c': [0, { deep: 1.5 }] });
    expect(error.details.path).toBe('/a~1b~0c/1/deep');
    expect(error.message).toContain('/a~1b~0c/1/deep');
    expect(refusalOf(undefined).details.path).toBe('');
  });

  it('keeps __proto__ and toJSON as ordinary keys', () => {
    const text = '{"__proto__":{"a":1},"toJSON":"x"}';
    expect(canonicalText(JSON.parse(text))).toBe(text);
  });

  it('gives the UTF-8 of the text as bytes', () => {
    expect(Buffer.from(canonicalBytes({ é: '😂' })).toString('utf8')).toBe('{"é":"😂"}');
  });

  it('is a fixed point: reading and writing again changes nothing', () => {
    fc.assert(
      fc.property(profileValue, (value) => {
        const text = canonicalText(value);
        expect(canonicalText(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('does not depend on the order in which keys were added', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), integers), (record) => {
        const turned = Object.fromEntries(Object.entries(record).reverse());
        expect(canonicalText(turned)).toBe(canonicalText({ ...record }));
      }),
    );
  });
});
