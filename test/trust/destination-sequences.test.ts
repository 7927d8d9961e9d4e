/**
 * Random sequences of acts by three people, one of them with a second name: whatever leaves has the word of two humans, and
 * goes where both saw that it goes. That the model is what the program does: real-destinations.test.ts.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Profile } from '../../src/core/profile.ts';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import {
  DestinationModel,
  type Move,
  MOVES,
  PEOPLE,
  PLANTED,
  type Planted,
} from './destination-model.ts';

const SEQUENCES = 10_000;

/** What a thief would change: the host, the way there, the reference that is read, the header that carries it. */
const THIEVES: readonly Profile[] = [
  sampleProfile(),
  sampleProfile({ baseUrl: 'http://127.0.0.1:4666/US-DE' }),
  sampleProfile({ egress: { proxies: ['http://127.0.0.1:4667'], afterBlock: 'stay' } }),
  sampleProfile({ credentials: [{ header: 'X-Token', value: 'env:OTHER_TOKEN' }] }),
  sampleProfile({ submit: { method: 'POST', path: '/another/inbox' } }),
];

const place = fc.nat({ max: 11 });
const sequences = fc.array(
  fc.record({ act: fc.constantFrom(...MOVES), as: place, about: place, profile: place }),
  { minLength: 20, maxLength: 50, size: 'max' },
);

function played(sequence: readonly Move[], planted?: Planted): DestinationModel {
  const model = new DestinationModel(THIEVES, PEOPLE, planted);
  for (const move of sequence) {
    model.do(move);
    if (model.fault !== undefined) break;
  }
  return model;
}

describe('whatever three people do', () => {
  it('no filing leaves without two humans, nor to where two humans did not see that it goes', () => {
    const to = new Map<number, number>();
    fc.assert(
      fc.property(sequences, (sequence) => {
        const { fault, sent } = played(sequence);
        expect(fault).toBeUndefined();
        for (const { profile } of sent) to.set(profile, (to.get(profile) ?? 0) + 1);
      }),
      { numRuns: SEQUENCES },
    );
    // A test in which nothing leaves proves nothing.
    for (const profile of THIEVES.keys()) expect(to.get(profile) ?? 0).toBeGreaterThan(100);
  }, 120_000);

  it.each(PLANTED)('it is found out that %s', (planted) => {
    const found = fc.check(
      fc.property(sequences, (sequence) => played(sequence, planted).fault === undefined),
      { numRuns: SEQUENCES, seed: 15 },
    );
    expect(found.failed).toBe(true);
  });
});
