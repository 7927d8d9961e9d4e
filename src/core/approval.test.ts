import { describe, expect, it } from 'vitest';
import { checkReason, checkSecondPerson, proposalHash, stateAfter } from './approval.ts';
import { personId } from './ids.ts';

const [ada, ben, twin] = [personId('ada'), personId('ben'), personId('twin of ada')];
const PARTIES = new Map([
  [ada, 'ada'],
  [twin, 'ada'],
  [ben, 'ben'],
]);

describe('who decides', () => {
  it.each([
    [true, ben, 'approved'],
    [false, ben, 'refused'],
    [false, ada, 'withdrawn'],
  ])('approves: %s, by %s: %s', (approves, by, state) => {
    expect(stateAfter('Batch 7', { approves, by }, ada, PARTIES)).toBe(state);
  });

  it('is never the person who proposed', () => {
    expect(() => stateAfter('Batch 7', { approves: true, by: ada }, ada, PARTIES)).toThrow(
      expect.objectContaining({ code: 'SELF_APPROVAL' }),
    );
    expect(() => checkSecondPerson('A recovery', ben, [ada, ben], PARTIES)).toThrow(/second/);
  });

  it('is of another party: a second name of the same human is none', () => {
    const code = expect.objectContaining({ code: 'SELF_APPROVAL' });
    expect(() => stateAfter('Batch 7', { approves: true, by: twin }, ada, PARTIES)).toThrow(code);
    expect(() => checkSecondPerson('A recovery', ben, [twin], PARTIES)).not.toThrow();
    expect(() => checkSecondPerson('A recovery', twin, [ben, ada], PARTIES)).toThrow(code);
  });

  it('is never somebody whose party nobody knows', () => {
    const code = expect.objectContaining({ code: 'SELF_APPROVAL' });
    expect(() => checkSecondPerson('Batch 7', 'stranger', [ada], PARTIES)).toThrow(code);
    expect(() => checkSecondPerson('Batch 7', ben, ['stranger'], PARTIES)).toThrow(code);
  });
});

describe('the hash of a proposal', () => {
  const act = {
    kind: 'exception',
    subject: 'x',
    reason: 'a good reason',
    terms: { a: 1 },
  } as const;
  const hash = proposalHash(act);

  it('is that of the bytes which the database composes', () => {
    // printf 'filewright proposal 1\nexception x %s\n{"a":1}\n' "$(printf 'a good reason' | sha256sum | cut -c1-64)" | sha256sum
    expect(hash).toBe('4ec731b39183ee24e569940cb830d307ded2db4fd3e8650f1baba7a8ad255c35');
  });

  it.each([
    ['kind', { kind: 'statement' as const }],
    ['subject', { subject: 'y' }],
    ['reason', { reason: 'another reason' }],
    ['terms', { terms: { a: 2 } }],
    ['lines', { lines: ['z'] }],
  ])('changes with its %s', (_, change) => {
    expect(proposalHash({ ...act, ...change })).not.toBe(hash);
  });

  it('does not change with the order of terms, nor with what is undefined', () => {
    const terms = { b: 1, a: 2 };
    const same = { a: 2, c: undefined, b: 1 };
    expect(proposalHash({ ...act, terms })).toBe(proposalHash({ ...act, terms: same }));
  });
});

describe('a reason', () => {
  it('is trimmed, and counted in characters rather than bytes', () => {
    expect(checkReason('--reason', '  ten letters ')).toBe('ten letters');
    expect(checkReason('--reason', '𝔞'.repeat(10))).toHaveLength(20);
    expect(checkReason('--reason', '𝔞'.repeat(500))).toHaveLength(1_000);
  });

  it.each([
    [undefined],
    [''],
    ['    done    '],
    ['nine char'],
    ['x'.repeat(501)],
    ['a\u0000 long reason'],
  ])('is not %j', (text) => {
    expect(() => checkReason('--reason', text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
