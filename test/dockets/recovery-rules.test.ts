/** The way back of a target as a state machine: what closes a breaker, and what never does. */
import { docketId } from '../../src/core/index.ts';
import { array, assert, boolean, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breakerAfter, type BreakerState, CLOSED, nextProbeAt } from '../../src/core/breaker.ts';
import { type Instant, instant } from '../../src/core/time.ts';
import { sha256Hex } from '../../src/core/ids.ts';
import {
  type CheckVerdict,
  DEFAULT_RECOVERY,
  dueCheck,
  nextRecovery,
  startRecovery,
} from '../../src/lanes/rules/recovery/next-recovery.ts';
import { nextTurnOf, type RecoveryState } from '../../src/core/recovery.ts';
import { differencesOf, graveReasons } from '../../src/dockets/rules/reconcile.ts';
import { DOCKET_RECOVERY } from '../../src/dockets/rules/recovery.ts';
import { undrained } from '../../src/lanes/rules/recovery/drain.ts';
import { DEFAULT_POLICY } from '../../src/dockets/rules/routing/policy.ts';

const OPENED = instant(1_000_000);
const { breaker: breakerPolicy } = DEFAULT_POLICY;

interface Walk {
  readonly state: RecoveryState;
  readonly breaker: BreakerState;
  readonly now: Instant;
}

const begin = (): Walk => {
  let breaker: BreakerState = CLOSED;
  for (let n = 0; n < 3; n += 1) breaker = breakerAfter(breaker, 'failure', breakerPolicy, OPENED);
  const at = nextProbeAt(breaker) ?? OPENED;
  return { state: startRecovery(at), breaker, now: at };
};

/** Waits for the next turn and answers its check; undefined when there is nothing to check. */
function answer(walk: Walk, verdict: CheckVerdict, isAutomatic = true): Walk {
  const at = nextTurnOf(walk.state);
  if (at === undefined) return walk;
  const now = instant(Math.max(at, walk.now));
  const step = dueCheck(walk.state, now);
  if (step === undefined) throw new Error('a turn without a check');
  return happen({ ...walk, now }, { kind: 'checked', step, verdict }, isAutomatic);
}

function happen(
  walk: Walk,
  happening: Parameters<typeof nextRecovery>[1],
  isAutomatic = true,
): Walk {
  const { now } = walk;
  const turn = nextRecovery(walk.state, happening, {
    now,
    plan: DOCKET_RECOVERY,
    policy: DEFAULT_RECOVERY,
    asks: isAutomatic ? [] : ['a person started it'],
    notBefore: nextProbeAt(walk.breaker) ?? now,
    afterFailure: instant(now + breakerPolicy.coolDownMs),
  });
  const breaker =
    turn.breaker === undefined
      ? walk.breaker
      : breakerAfter(walk.breaker, turn.breaker, breakerPolicy, now);
  return { state: turn.next, breaker, now };
}

const GOOD: CheckVerdict = { kind: 'good' };
const BAD: CheckVerdict = { kind: 'bad', why: 'test' };

describe('recovery', () => {
  it('asks for health twice, 15 seconds apart, then for each further proof, and closes with the last', () => {
    let walk = begin();
    expect(walk.now - OPENED).toBe(30_000);
    const seen: string[] = [];
    while (walk.state.state === 'probing' || walk.state.state === 'checking') {
      const at = nextTurnOf(walk.state) ?? walk.now;
      seen.push(`${dueCheck(walk.state, at)} +${at - OPENED} ${walk.breaker.state}`);
      walk = answer(walk, GOOD);
    }
    expect(seen).toEqual([
      'health +30000 open',
      'health +45000 half_open',
      'schema +45000 half_open',
      'drain +45000 half_open',
      'reconciliation +45000 half_open',
      'synthetic +45000 half_open',
    ]);
    expect(walk.state.state).toBe('closed');
    expect(walk.breaker).toEqual(CLOSED);
  });

  it.each(['health', 'schema', 'drain', 'reconciliation', 'synthetic'])(
    'a failure at %s opens the breaker again, with its cool-down, and begins anew',
    (failing) => {
      let walk = begin();
      for (let guard = 0; guard < 10; guard += 1) {
        const at = nextTurnOf(walk.state) ?? walk.now;
        const step = dueCheck(walk.state, at);
        const isSecondHealth = step === 'health' && walk.breaker.state === 'half_open';
        const fails = step === failing && (failing !== 'health' || isSecondHealth);
        walk = answer(walk, fails ? BAD : GOOD);
        if (fails) break;
      }
      expect(walk.breaker).toMatchObject({ state: 'open', until: walk.now + 30_000 });
      expect(walk.state).toEqual({ state: 'probing', good: 0, nextAt: walk.now + 30_000 });
    },
  );

  it('closes after nothing less than every proof in a row since the last failure', () => {
    const verdicts = array(
      constantFrom<CheckVerdict>(
        GOOD,
        GOOD,
        GOOD,
        BAD,
        { kind: 'wait', why: 'draining' },
        { kind: 'ask', reasons: ['2 differs'] },
      ),
      { maxLength: 40 },
    );
    assert(
      property(verdicts, boolean(), (list, isAutomatic) => {
        let walk = begin();
        let proofs: string[] = [];
        let approvals = 0;
        for (const verdict of list) {
          if (walk.state.state === 'closed') break;
          if (walk.state.state === 'awaiting_approval') {
            approvals += 1;
            walk = happen(walk, { kind: 'approved' }, isAutomatic);
            continue;
          }
          const step = dueCheck(walk.state, nextTurnOf(walk.state) ?? walk.now);
          const before = walk.state;
          walk = answer(walk, verdict, isAutomatic);
          const hasFailed = walk.state.state === 'probing' && walk.state.good === 0;
          if (hasFailed) {
            proofs = [];
            approvals = 0;
          } else if (verdict.kind === 'good' || before !== walk.state) {
            if (verdict.kind !== 'wait') proofs.push(step ?? '');
          }
          expect(walk.breaker.state === 'closed').toBe(walk.state.state === 'closed');
        }
        if (walk.state.state !== 'closed') return;
        expect(proofs).toEqual([
          'health',
          'health',
          'schema',
          'drain',
          'reconciliation',
          'synthetic',
        ]);
        if (!isAutomatic) expect(approvals).toBe(1);
      }),
      { numRuns: 2_000 },
    );
  });

  it('waits for a queue to drain, but not forever', () => {
    let walk = begin();
    for (const verdict of [GOOD, GOOD, GOOD]) walk = answer(walk, verdict);
    expect(walk.state).toMatchObject({ state: 'checking', step: 'drain' });
    const from = walk.now;
    for (let n = 0; n < 1_000 && walk.state.state === 'checking'; n += 1) {
      walk = answer(walk, { kind: 'wait', why: 'draining' });
    }
    expect(walk.now - from).toBe(DEFAULT_RECOVERY.drainMsMax);
    expect(walk.breaker.state).toBe('open');
  });

  it('keeps the cool-down even when a person is in a hurry', () => {
    const walk = { ...begin(), now: instant(OPENED + 1_000) };
    const hurried = happen(walk, { kind: 'hurried' });
    expect(hurried.state).toEqual({ state: 'probing', good: 0, nextAt: OPENED + 30_000 });
  });
});

describe('reconciliation', () => {
  const hash = (n: number) => sha256Hex(String(n).repeat(64));
  const ours = (n: number, changes = {}) => ({
    docket: docketId(`d${n}`),
    messageId: `m${n}`,
    payloadSha256: hash(n),
    isConfirmed: true,
    isManual: false,
    receipts: 0,
    ...changes,
  });
  const theirs = (n: number, of = n) => ({ messageId: `m${n}`, payloadSha256: hash(of) });

  it('names what is missing, differs, came twice, is unconfirmed or still manual; only lies and doubles are grave', () => {
    const found = differencesOf(
      [
        ours(1),
        ours(2),
        ours(3),
        ours(4),
        ours(5, { isConfirmed: false }),
        ours(6, { isConfirmed: false, isManual: true }),
        ours(7, { receipts: 2 }),
      ],
      [theirs(1), theirs(3, 9), theirs(4), theirs(4), theirs(5), theirs(7)],
    );
    expect(found.map(({ docket, kind }) => `${docket} ${kind}`)).toEqual([
      'd2 missing',
      'd3 differs',
      'd4 twice',
      'd5 unconfirmed',
      'd6 missing',
      'd6 manual',
      'd7 twice',
    ]);
    expect(graveReasons(found)).toEqual(['1 differs', '2 twice']);
    expect(graveReasons(differencesOf([ours(2)], []))).toEqual([]);
  });

  it('a queue is drained when it is back at its baseline', () => {
    const before = [{ queue: 'q', backlog: 100, lagMs: 1_000 }];
    expect(undrained(before, [{ queue: 'q', backlog: 110, lagMs: 6_000 }])).toEqual([]);
    expect(undrained(before, [{ queue: 'q', backlog: 111, lagMs: 0 }])).toHaveLength(1);
    expect(undrained(before, [{ queue: 'q', backlog: 0, lagMs: 6_001 }])).toHaveLength(1);
    expect(undrained(before, [{ queue: 'q', backlog: undefined, lagMs: undefined }])).toHaveLength(
      1,
    );
  });
});
