import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText } from './canonical-json.ts';
import { FilewrightError } from './errors.ts';
import { type JsonLimits, parseStrictJson } from './strict-json.ts';

const rejects: { must_reject_as_untrusted_json_input: { name: string; text: string }[] } =
  JSON.parse(readFileSync(new URL('../../test/vectors/jcs/reject.json', import.meta.url), 'utf8'));

function refusalOf(input: string | Uint8Array, limits?: JsonLimits): FilewrightError {
  try {
    parseStrictJson(input, limits);
  } catch (error) {
    if (error instanceof FilewrightError && error.code === 'JSON_MALFORMED') return error;
    throw error;
  }
  throw new Error('Expected a refusal.');
}

describe('strict JSON', () => {
  it.each(rejects.must_reject_as_untrusted_json_input)('refuses the vector: $name', ({ text }) => {
    expect(refusalOf(text).code).toBe('JSON_MALFORMED');
    expect(refusalOf(Buffer.from(text)).code).toBe('JSON_MALFORMED');
  });

  it.each([
    ['duplicate __proto__', '{"__proto__":1,"__proto__":2}', 1, 16, 'duplicate key'],
    ['duplicate on line 3', '{\n "a":1,\n "a":2}', 3, 2, 'duplicate key'],
    ['raw tab in a string', '["a\tb"]', 1, 4, 'raw control character'],
    ['unknown escape', '["\\x41"]', 1, 3, 'unknown escape'],
    ['short unicode escape', '["\\u12"]', 1, 3, 'unknown escape'],
    ['string without an end', '["abc', 1, 6, 'the string has no end'],
    ['raw lone surrogate', '["\ud800"]', 1, 3, 'lone surrogate'],
    ['pair in the wrong order', '["\\udc00\\ud800"]', 1, 2, 'lone surrogate'],
    ['object without an end', '{"a":1', 1, 7, 'expected a comma or the end of the object'],
    ['array without an end', '[1', 1, 3, 'expected a comma or the end of the array'],
    ['value missing', '{"a":', 1, 6, 'the text ends too early'],
    ['colon missing', '{"a" 1}', 1, 6, 'expected a colon after the key'],
    ['key without quotes', '{a:1}', 1, 2, 'expected a key in double quotes'],
    ['trailing comma in an object', '{"a":1,}', 1, 8, 'expected a key in double quotes'],
    ['word cut short', 'tru', 1, 1, 'expected a value'],
    ['minus alone', '-', 1, 1, 'expected a value'],
    ['point without digits', '1.', 1, 2, 'text after the end of the value'],
    ['only spaces', ' \n ', 2, 2, 'the text is empty'],
    ['no-break space', '\u00a01', 1, 1, 'expected a value'],
    ['byte order mark', '\ufeff{}', 1, 1, 'byte order mark'],
  ])('says where and why: %s', (_name, text, line, column, reason) => {
    const { details, message } = refusalOf(text);
    expect(details).toEqual({ line, column, reason });
    expect(message).toContain(`line ${line}, column ${column}: ${reason}`);
  });

  it.each([
    ['a stray continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])('refuses bytes that are not UTF-8: %s', (_name, bytes) => {
    expect(refusalOf(Uint8Array.from(bytes)).details.reason).toBe('the bytes are not UTF-8');
  });

  it('keeps the text of a payload out of the message', () => {
    expect(refusalOf('{"secret":"x" "y"}').message).not.toContain('secret');
  });

  it('takes __proto__ as an ordinary key and leaves the prototype alone', () => {
    const value = parseStrictJson('{"__proto__":{"polluted":true},"constructor":1}');
    expect(Object.keys(value ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('reads up to the limits and not beyond', () => {
    expect(parseStrictJson('['.repeat(64) + ']'.repeat(64))).toBeDefined();
    expect(refusalOf('['.repeat(65) + ']'.repeat(65)).details.column).toBe(65);
    expect(parseStrictJson('[[1]]', { depthMax: 2 })).toEqual([[1]]);
    expect(refusalOf('[[[1]]]', { depthMax: 2 }).details.reason).toContain('deeper than 2');
    expect(parseStrictJson('"é"', { bytesMax: 4 })).toBe('é');
    expect(refusalOf('"é"', { bytesMax: 3 }).details.reason).toContain('4 bytes');
    expect(parseStrictJson('['.repeat(512) + ']'.repeat(512), { depthMax: 512 })).toBeDefined();
    expect(() => parseStrictJson('1', { depthMax: 513 })).toThrow('depth limit');
  });

  it('reads what JSON.stringify writes, spaced or not, from text and from bytes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.nat(4), (value, spaces) => {
        const text = JSON.stringify(value, undefined, spaces);
        const expected: unknown = JSON.parse(text);
        expect(parseStrictJson(text)).toEqual(expected);
        expect(parseStrictJson(Buffer.from(text))).toEqual(expected);
      }),
    );
  });

  it('accepts nothing that JSON.parse refuses, and reads the rest alike', () => {
    const scraps = fc.constantFrom(
      ...'{ } [ ] , : "a" "b" "\\u0061" 1 -0 01 1e3 .5 true nul null " \\ /'.split(' '),
      ...' |\n|\t|\u000b|\u2028|\ufeff'.split('|'),
    );
    fc.assert(
      fc.property(fc.array(scraps, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let strict: unknown;
        try {
          strict = parseStrictJson(text);
        } catch {
          return;
        }
        expect(strict).toEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('reads canonical text back to the value it was written from', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.maxSafeInteger()), (record) => {
        const text = canonicalText({ ...record });
        expect(canonicalText(parseStrictJson(text))).toBe(text);
      }),
    );
  });
});
