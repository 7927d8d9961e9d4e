/** Who may do what with a filing by hand: every act in every state. The adversary: two people who both believe it is theirs. */
import { describe, expect, it } from 'vitest';
import { addMs, instant } from '../../core/index.ts';
import { decideHand, type HandAct, type HandFacts, handState, type HandWord } from './hand.ts';

const NOW = instant(Date.UTC(2027, 2, 1, 15));
const MIN = 60_000;

const FREE: HandFacts = {
  now: NOW,
  status: 'pending',
  step: 'send',
  attempt: 0,
  isByHand: true,
  nextAt: addMs(NOW, -MIN),
  isApproved: true,
  isHeldByWorker: false,
  taking: undefined,
  visibleAfterMs: 60 * MIN,
};

const taken = (agoMs: number, forMs: number): HandFacts => ({
  ...FREE,
  status: 'submitted',
  attempt: 1,
  nextAt: undefined,
  taking: {
    no: 1,
    party: 'paula',
    name: 'Paula',
    takenAt: addMs(NOW, -agoMs),
    expiresAt: addMs(NOW, forMs - agoMs),
    endedAt: undefined,
    ended: undefined,
  },
});

const TAKEN = taken(5 * MIN, 45 * MIN);
const LOST = taken(50 * MIN, 45 * MIN);
const { taking } = TAKEN;
const UNSURE: HandFacts = {
  ...TAKEN,
  step: 'ask',
  nextAt: addMs(NOW, -MIN),
  taking: taking && { ...taking, endedAt: addMs(NOW, -MIN), ended: 'unsure' },
};

const TAKE: HandAct = { kind: 'take', takeMs: 45 * MIN };
const RENEW: HandAct = { kind: 'renew', takeMs: 45 * MIN };
const say = (word: HandWord): HandAct => ({ kind: 'say', word });
const FILED = say({ kind: 'filed', receipt: 'R-1' });
const NOT_FILED = say({ kind: 'not_filed' });
const absentAt = (lookedAt: number) => say({ kind: 'absent', lookedAt: instant(lookedAt) });

describe('a filing on a lane of people', () => {
  it.each([
    ['free', FREE, 'free'],
    ['not approved', { ...FREE, isApproved: false }, 'waiting'],
    ['not queued', { ...FREE, nextAt: undefined }, 'waiting'],
    ['before its first day', { ...FREE, nextAt: addMs(NOW, 1) }, 'early'],
    ['in the hands of a person', TAKEN, 'taken'],
    ['whose taking ends this very moment', taken(45 * MIN, 45 * MIN), 'look'],
    ['whose taking is over', LOST, 'look'],
    ['of which someone is not sure', UNSURE, 'look'],
    ['that was sent before and asked about', { ...FREE, step: 'ask' as const }, 'look'],
    ['of a portal', { ...FREE, isByHand: false }, 'worker'],
    ['that a worker still has', { ...FREE, isHeldByWorker: true }, 'worker'],
    ['that is accepted', { ...FREE, status: 'accepted' as const }, 'ended'],
  ])('%s is so', (_what, facts, kind) => {
    expect(handState(facts).kind).toBe(kind);
  });

  it('is taken by one', () => {
    expect(decideHand(FREE, TAKE, 'paula')).toEqual({
      kind: 'take',
      attempt: 1,
      until: addMs(NOW, 45 * MIN),
    });
    expect(decideHand(TAKEN, TAKE, 'quentin').kind).toBe('refused');
    expect(decideHand(TAKEN, TAKE, 'paula').kind).toBe('refused');
  });

  it.each([
    ['not approved', { ...FREE, isApproved: false }],
    ['early', { ...FREE, nextAt: addMs(NOW, 1) }],
    ['lost', LOST],
    ['unsure', UNSURE],
    ['accepted', { ...FREE, status: 'accepted' as const }],
  ])('is not taken while it is %s', (_what, facts) => {
    expect(decideHand(facts, TAKE, 'quentin').kind).toBe('refused');
  });

  it('is renewed and ended by the person who has it, under each of their names, and nobody else', () => {
    expect(decideHand(TAKEN, RENEW, 'paula')).toMatchObject({ until: addMs(NOW, 45 * MIN) });
    for (const act of [RENEW, FILED, NOT_FILED, say({ kind: 'unsure' }), absentAt(NOW)]) {
      expect(decideHand(TAKEN, act, 'quentin').kind).toBe('refused');
    }
  });

  it('is never shortened by a renewal', () => {
    const act = { kind: 'renew', takeMs: MIN } as const;
    expect(decideHand(TAKEN, act, 'paula')).toMatchObject({ until: addMs(NOW, 40 * MIN) });
  });

  it.each([
    ['filed', FILED, 'accepted', 'accepted'],
    ['refused', say({ kind: 'refused', code: 'NAME' }), 'rejected', 'rejected'],
    ['not filed', NOT_FILED, 'pending', 'transient'],
    ['not sure', say({ kind: 'unsure' }), 'submitted', 'unknown'],
  ] as const)('ends as %s', (_what, act, to, verdict) => {
    expect(decideHand(TAKEN, act, 'paula')).toMatchObject({
      kind: 'say',
      lost: undefined,
      ends: act.kind === 'say' ? act.word.kind : '',
      outcome: { attempt: 1, action: 'file', to, verdict },
    });
  });

  describe('whose taking is over', () => {
    it('is given back by nobody from memory, the person who had it least of all', () => {
      for (const party of ['paula', 'quentin']) {
        expect(decideHand(LOST, NOT_FILED, party).kind).toBe('refused');
        expect(decideHand(LOST, RENEW, party).kind).toBe('refused');
        expect(decideHand(UNSURE, NOT_FILED, party).kind).toBe('refused');
      }
    });

    it('is accepted as found by whoever looked, and the loss is put on record first', () => {
      expect(decideHand(LOST, FILED, 'quentin')).toMatchObject({
        lost: { attempt: 1, action: 'file', to: 'submitted', verdict: 'unknown' },
        outcome: { attempt: 2, action: 'look', to: 'accepted' },
        ends: 'lost',
      });
    });

    it('is free again only when the look was late enough to prove something', () => {
      const over = NOW - 5 * MIN;
      const later = { ...LOST, now: instant(over + 61 * MIN) };
      expect(decideHand(later, absentAt(over + 60 * MIN - 1), 'quentin')).toMatchObject({
        code: 'MAY_BE_FILED',
      });
      expect(decideHand(later, absentAt(over + 60 * MIN), 'quentin')).toMatchObject({
        outcome: { attempt: 2, action: 'look', to: 'pending', verdict: 'transient' },
      });
      expect(decideHand(later, absentAt(later.now + 1), 'quentin').kind).toBe('refused');
    });

    it('counts the office’s delay from the word of a person who was not sure', () => {
      const later = { ...UNSURE, now: instant(NOW + 70 * MIN) };
      expect(decideHand(later, absentAt(NOW + 58 * MIN), 'quentin').kind).toBe('refused');
      expect(decideHand(later, absentAt(NOW + 59 * MIN), 'quentin')).toMatchObject({
        lost: undefined,
        ends: undefined,
      });
    });
  });
});
