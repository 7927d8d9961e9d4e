import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUuid, uuidV7 } from './ids.ts';

const epochMs = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const random = fc.uint8Array({ minLength: 10, maxLength: 10 });

describe('version 7 ids', () => {
  it('match the example of RFC 9562, appendix A.6', () => {
    // rand_a is 0xCC3, rand_b is 0x18C4DC0C0C07398F; the version and variant bits are overwritten.
    const bytes = Buffer.from('0cc318c4dc0c0c07398f', 'hex');
    expect(uuidV7(0x017f22e279b0, bytes)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
  });

  it('have the layout of version 7, variant 10, for every time and every dice', () => {
    fc.assert(
      fc.property(epochMs, random, (ms, dice) => {
        const id = uuidV7(ms, dice);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(ms);
        expect(isUuid(id)).toBe(true);
      }),
    );
  });

  it('sort as text by their time', () => {
    fc.assert(
      fc.property(epochMs, epochMs, random, random, (a, b, diceA, diceB) => {
        fc.pre(a < b);
        expect(uuidV7(a, diceA) < uuidV7(b, diceB)).toBe(true);
      }),
    );
  });

  it('differ within one millisecond when any of the 74 random bits differs', () => {
    const zero = uuidV7(1, new Uint8Array(10));
    const others = Array.from({ length: 80 }, (_, bit) => {
      const dice = new Uint8Array(10);
      dice[bit >> 3] = 0x80 >> (bit & 7);
      return uuidV7(1, dice);
    });
    // 80 bits are given; four hold the version and two the variant.
    expect(new Set(others.filter((id) => id !== zero)).size).toBe(74);
  });

  it('do not change the dice they are given', () => {
    const dice = new Uint8Array(10).fill(255);
    uuidV7(1, dice);
    expect([...dice]).toEqual(Array.from({ length: 10 }, () => 255));
  });

  it.each([
    ['capital letters', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F'],
    ['no dashes', '017f22e279b07cc398c4dc0c0c07398f'],
    ['braces', '{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}'],
    ['a line break at the end', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f\n'],
    ['nothing', ''],
  ])('are not read from %s', (_what, text) => {
    expect(isUuid(text)).toBe(false);
  });
});
