/** Random sequences of acts by three people and more: no filing leaves without two humans, whatever each of them tries. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partyOfNew, vouching } from '../../src/access/party.ts';
import { personId } from '../../src/core/ids.ts';
import { HouseModel, type Move, MOVES, type Planted } from './house-model.ts';
import { moves } from './moves.ts';

const SEQUENCES = 10_000;

/** Undefined where the house kept its promises. */
function fault(sequence: readonly Move[], founders: number, planted?: Planted): string | undefined {
  const house = new HouseModel(founders, planted);
  for (const move of sequence) {
    house.do(move);
    if (house.alone.length > 0) return 'one human prepared and approved';
    if (humanOfTwoParties(house)) return 'one human has the keys of two parties';
  }
  return undefined;
}

function humanOfTwoParties(house: HouseModel): boolean {
  const parties = new Map<number, string>();
  return house.people.some(({ holders, party }) =>
    [...holders].some(
      (human) => (parties.get(human) ?? party) !== (parties.set(human, party), party),
    ),
  );
}

describe('whatever three people do', () => {
  it('no filing leaves by one human alone, and no human becomes two', () => {
    const seen = new Map<string, number>();
    let sent = 0;
    fc.assert(
      fc.property(moves(40), fc.constantFrom(1, 2), (sequence, founders) => {
        expect(fault(sequence, founders)).toBeUndefined();
        const house = new HouseModel(founders);
        for (const move of sequence) {
          const key = `${move.act} ${house.do(move).kind}`;
          seen.set(key, (seen.get(key) ?? 0) + 1);
        }
        sent += house.batches.filter(({ isSent }) => isSent).length;
      }),
      { numRuns: SEQUENCES },
    );
    // A test in which nothing happens proves nothing.
    expect(sent).toBeGreaterThan(SEQUENCES / 10);
    for (const act of MOVES) {
      const kinds = ['done', 'issued', 'waiting'].map((kind) => seen.get(`${act} ${kind}`) ?? 0);
      expect(Math.max(...kinds), act).toBeGreaterThan(100);
      expect(seen.get(`${act} refused`) ?? 0, act).toBeGreaterThan(100);
    }
  });

  it.each(['persons are compared', 'everybody is a party', 'only one joins'] as const)(
    'a house in which %s is found out',
    (planted) => {
      const found = fc.check(
        fc.property(moves(40), (sequence) => fault(sequence, 2, planted) === undefined),
        { numRuns: SEQUENCES * 3, seed: 15 },
      );
      expect(found.failed).toBe(true);
    },
    120_000,
  );
});

describe('the party of somebody new', () => {
  const [ann, ben, new_] = ['ann', 'ben', 'new'].map(personId) as [
    ReturnType<typeof personId>,
    ReturnType<typeof personId>,
    ReturnType<typeof personId>,
  ];

  it.each([
    ['a founder is one of its own', [], new_],
    ['whom one vouched for alone is of that one', [ann], ann],
    ['whom one vouched for twice, under two names, too', [ann, ann], ann],
    ['whom two vouched for is one of its own', [ann, ben], new_],
  ] as const)('%s', (_what, vouchers, party) => {
    expect(partyOfNew(new_, vouchers)).toBe(party);
  });

  it('alone nobody gives what they do not have', () => {
    const admin = { party: ann, roles: ['admin', 'viewer'] } as const;
    expect(vouching(admin, [ann], ['viewer'])).toEqual({ kind: 'alone' });
    expect(vouching(admin, [ann, ann], ['auditor', 'viewer'])).toEqual({
      kind: 'refused',
      missing: ['auditor'],
    });
    expect(vouching(admin, [ann, ben], ['auditor'])).toEqual({ kind: 'two_parties' });
  });
});
