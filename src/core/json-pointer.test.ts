import { describe, expect, it } from 'vitest';
import { decodeJson, pointer, textAt } from './json-pointer.ts';

// The document and the answers of RFC 6901 § 5.
const DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('JSON pointers', () => {
  it.each<[string, unknown]>([
    ['', DOCUMENT],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['/foo/2', undefined],
    ['/foo/-', undefined],
    ['/foo/0/x', undefined],
    ['/nothing/below', undefined],
    ['/toString', undefined],
    ['/__proto__', undefined],
    ['/constructor/name', undefined],
  ])('%j leads where RFC 6901 says', (path, expected) => {
    expect(pointer(DOCUMENT, path)).toEqual(expected);
  });

  it('decodes ~01 as ~1, not as a slash', () => {
    expect(pointer({ '~1': 'right', '/': 'wrong' }, '/~01')).toBe('right');
  });

  it.each<[string, unknown, string | undefined]>([
    ['a text', 'x', 'x'],
    ['an empty text', '', ''],
    ['a whole number', 42, '42'],
    ['a number too large to be exact', 2 ** 53, undefined],
    ['a fraction', 1.5, undefined],
    ['true', true, undefined],
    ['null', null, undefined],
    ['an array', ['x'], undefined],
  ])('read %s as a text or not at all', (_what, found, text) => {
    expect(textAt({ at: found }, '/at')).toBe(text);
  });

  it.each<[string, Uint8Array]>([
    ['no JSON', Buffer.from('<html>')],
    ['nothing', Buffer.alloc(0)],
    ['no UTF-8', Buffer.from('"\u00fc"', 'latin1')],
    ['half a JSON', Buffer.from('{"a":')],
  ])('are not looked for in %s', (_what, bytes) => {
    expect(decodeJson(bytes)).toBeUndefined();
  });
});
