import * as fc from 'fast-check';
import { type Move, MOVES } from './house-model.ts';

/** Sequences of acts by whoever there is. */
export function moves(lengthMax: number): fc.Arbitrary<Move[]> {
  const place = fc.nat({ max: 11 });
  return fc.array(
    fc.record({
      act: fc.constantFrom(...MOVES),
      human: fc.nat({ max: 5 }),
      as: place,
      about: place,
      roles: place,
    }),
    { minLength: lengthMax / 2, maxLength: lengthMax, size: 'max' },
  );
}
