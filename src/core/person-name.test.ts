import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPersonName } from './person-name.ts';

const skeleton = (name: string): string => readPersonName(name).skeleton;

describe('the name of a person', () => {
  it.each([
    ['a zero-width space', 'Pau\u200bla'],
    ['a zero-width joiner', 'Paula\u200d Preparer'],
    ['a soft hyphen', 'Pau\u00adla'],
    ['a bidirectional override', 'Paula \u202ereraperP'],
    ['an isolate', '\u2066Paula\u2069'],
    ['a tag character', 'Paula\u{e0041}'],
    ['a variation selector', 'Paula\ufe0f'],
    ['a byte order mark', '\ufeffPaula'],
    ['a line break', 'Paula\nPreparer'],
    ['an escape', 'Paula\u001b[2J'],
    ['a Hangul filler', 'Paula\u3164'],
    ['a braille blank', 'Paula\u2800'],
    ['a space of another width', 'Paula\u00a0Preparer'],
    ['a lone surrogate', 'Paula\ud800'],
    ['a Cyrillic letter in a Latin word', 'P\u0430ula'],
    ['a Greek letter in a Latin word', 'Paul\u03b1'],
    ['a word of letters that only look Latin', 'Paula \u0420\u043e\u0440\u0435'],
    ['letters of small capitals', 'Pᴀula'],
    ['a space before it', ' Paula'],
    ['nothing', ''],
    ['no letter', '--- ...'],
    ['too much', 'x'.repeat(201)],
  ])('is refused with %s', (_what, name) => {
    expect(() => readPersonName(name)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it.each([
    ['PAULA PREPARER', 'Paula Preparer'],
    ['Paula  Preparer', 'Paula Preparer'],
    ['PauIa', 'Paula'],
    ['Pau1a', 'Paula'],
    ['Ｐａｕｌａ', 'Paula'],
    ['B0b', 'Bob'],
    ['Bamey', 'Barney'],
    ['O’Neil', "O'Neil"],
    ['Anna–Lena', 'Anna-Lena'],
    ['Jose\u0301', 'José'],
    ['Straße', 'STRASSE'],
    ['𝐏𝐚𝐮𝐥𝐚', 'Paula'],
  ])('%s looks like %s', (one, other) => {
    expect(skeleton(one)).toBe(skeleton(other));
  });

  it.each([
    'José Ángel Núñez',
    'Ève Müller-Lüdenscheidt',
    'Иван Щедрин',
    'Ελένη Ψαρού',
    '山田太郎',
    "O'Brien, III",
  ])('%s is a name, and another than its neighbors', (name) => {
    expect(readPersonName(name).name).toBe(name.normalize('NFC'));
    expect(skeleton(name)).not.toBe(skeleton('Paula'));
  });

  it('is kept in normal form C', () => {
    expect(readPersonName('Jose\u0301').name).toBe('José');
  });

  it('however it is written, is refused or has one look: invisible characters make no second one', () => {
    const unseen = fc.constantFrom('\u200b', '\u00ad', '\u2060', '\u202e', '\ufeff', '\u{e0061}');
    const place = fc.nat({ max: 14 });
    fc.assert(
      fc.property(unseen, place, (character, at) => {
        const name = `${'Paula Preparer'.slice(0, at)}${character}${'Paula Preparer'.slice(at)}`;
        expect(() => readPersonName(name)).toThrow(expect.objectContaining({ code: 'USAGE' }));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
        try {
          const read = readPersonName(name);
          expect(readPersonName(read.name)).toEqual(read);
        } catch (error) {
          expect(error).toMatchObject({ code: 'USAGE' });
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
