import { describe, expect, it } from 'vitest';
import { addMs, instant } from '../../src/core/time.ts';
import {
  afterAnswer,
  RETRY_EXHAUSTED,
  type TriedQuestion,
} from '../../src/grants/rules/matching/retry.ts';
import {
  chainOfPeriod,
  checkFrozen,
  closePeriod,
  lockedBy,
  missingStatements,
} from '../../src/grants/rules/matching/period.ts';
import { checkBalance, type LawAnswer } from '../../src/grants/rules/matching/balance-law.ts';
import { checkSubawards } from '../../src/grants/rules/subawards.ts';
import { classifyFailure } from '../../src/grants/rules/intake/failures.ts';
import {
  releaseAfter,
  registrationCrossing,
  registrationTasks,
  singleAuditCrossing,
} from '../../src/grants/rules/crossings.ts';
import { isWeekday } from '../../src/grants/rules/matching/business-days.ts';
import { matchExpectedPayments } from '../../src/grants/rules/matching/match.ts';
import type { StatementCover } from '../../src/grants/rules/matching/statement-chain.ts';
import { grantsLaw } from '../law/grants-cases.ts';
import { day, line, expectedPayment } from './reco.ts';

const START = instant(1_000_000);
const busy = classifyFailure({ kind: 'http', status: 503 });

/** After so many tries, of which the last ones failed in a row. */
const tried = (tries: number, inARow: number, id = 'q'): TriedQuestion => ({
  id,
  requestSha256: 'h',
  startedAt: START,
  tries,
  inARow,
});

describe('what follows an answer over a lane', () => {
  const failed = { kind: 'failed', verdict: busy } as const;
  const now = { sha256: 'h', now: START };

  it('that failed is a wait of 2 to 30 seconds, longer each time, and a person after three in a row', () => {
    const first = afterAnswer(tried(1, 0), failed, now);
    const second = afterAnswer(tried(2, 1), failed, now);
    if (first.kind !== 'again' || second.kind !== 'again') throw new Error('both are retries');
    expect(first).toMatchObject({ inARow: 1, lastErrorCode: 'HTTP_503' });
    expect(first.at - START).toBeGreaterThanOrEqual(2_000);
    expect(second.at - START).toBeGreaterThanOrEqual(first.at - START);
    expect(afterAnswer(tried(3, 2), failed, now)).toEqual({
      kind: 'person',
      escalationCode: RETRY_EXHAUSTED,
      inARow: 3,
      lastErrorCode: 'HTTP_503',
    });
  });

  it('stays between 2 and 30 seconds whichever question it is, and questions spread out', () => {
    const waits = Array.from({ length: 200 }, (_, n) => {
      const after = afterAnswer(tried(1 + n, n % 2, `q${n}`), failed, now);
      if (after.kind !== 'again') throw new Error('not three in a row yet');
      return after.at - START;
    });
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    expect(new Set(waits).size).toBeGreaterThan(150);
  });

  it('is a person when the next try would lie beyond 15 minutes', () => {
    const late = { ...now, now: addMs(START, 15 * 60_000 - 1_000) };
    expect(afterAnswer(tried(1, 0), failed, late)).toMatchObject({
      kind: 'person',
      escalationCode: RETRY_EXHAUSTED,
    });
  });

  it('that failed for good is a person at once, with its cause', () => {
    const verdict = classifyFailure({ kind: 'http', status: 403 });
    expect(afterAnswer(tried(1, 0), { kind: 'failed', verdict }, now)).toMatchObject({
      kind: 'person',
      escalationCode: 'HTTP_403',
    });
  });

  it('that was read and may not be taken is a person at once; one that is good is the end', () => {
    expect(afterAnswer(tried(1, 0), { kind: 'refused', code: 'DIFFERS' }, now)).toMatchObject({
      kind: 'person',
      escalationCode: 'DIFFERS',
      lastErrorCode: 'DIFFERS',
    });
    expect(afterAnswer(tried(3, 2), { kind: 'good' }, now)).toEqual({ kind: 'done' });
  });

  it.each([failed, { kind: 'good' } as const])('to another request is no answer', (heard) => {
    expect(() => afterAnswer(tried(1, 0), heard, { ...now, sha256: 'other' })).toThrow(
      /must not change/,
    );
  });
});

function statement(
  from: string,
  to: string,
  openingCents: number | undefined,
  closingCents: number | undefined,
  number?: number,
): StatementCover {
  return { account: 'A1', from: day(from), to: day(to), number, openingCents, closingCents };
}

describe('closing a period', () => {
  const period = { account: 'A1', from: day('2026-03-01'), to: day('2026-03-31') };
  const question = { period, previousClosingCents: 100, isBusinessDay: isWeekday };
  const gaps = (...statements: StatementCover[]): readonly string[] =>
    missingStatements({ ...question, statements });
  /** The entries explain the balances. */
  const holds = (closingCents: bigint): LawAnswer => ({
    obstacles: [],
    closingCents,
    openingCents: undefined,
    entries: 0,
  });

  it('a statement that is missing blocks, wherever it is', () => {
    const [early, late] = [
      statement('2026-03-02', '2026-03-13', 100, 200, 1),
      statement('2026-03-16', '2026-03-31', 200, 300, 2),
    ] as const;
    expect(gaps(late, early)).toEqual([]);
    expect(gaps(early)).toEqual(['no statement after 2026-03-13']);
    expect(gaps(late)[0]).toMatch(/opens with 200 cents, the period before closed with 100/);
    expect(gaps()).toHaveLength(1);
    expect(gaps(early, { ...late, openingCents: 250 })[0]).toMatch(
      /closed with 200.*opened with 250/,
    );
    expect(gaps(early, { ...late, number: 3 })[0]).toMatch(/statement 2 is missing/);
    expect(gaps({ ...early, account: 'A2' }, late)).not.toEqual([]);
  });

  it('days without a statement are allowed only where the balances go on', () => {
    const daily = (opening?: number): StatementCover[] => [
      statement('2026-03-02', '2026-03-06', 100, opening),
      statement('2026-03-16', '2026-03-31', opening, 300),
    ];
    expect(gaps(...daily(200))).toEqual([]);
    expect(gaps(...daily())[0]).toMatch(/no balances/);
  });

  it('a statement over the end of a period serves both sides of it', () => {
    const march = statement('2026-03-01', '2026-03-27', 100, 200);
    const over = statement('2026-03-28', '2026-04-10', 200, 300);
    const statements = [march, over];
    const closing = closePeriod({ ...question, statements, outcomes: [], law: holds(250n) });
    expect(closing).toMatchObject({ kind: 'closed', closingCents: 250 });
    const april = { account: 'A1', from: day('2026-04-01'), to: day('2026-04-30') };
    const rest = statement('2026-04-11', '2026-04-30', 300, 400);
    const law = holds(400n);
    const next = { ...question, period: april, statements: [over, rest], outcomes: [], law };
    // Whatever is said of the end of March: the statement that goes over it opened before.
    for (const previousClosingCents of [undefined, 300]) {
      expect(closePeriod({ ...next, previousClosingCents })).toMatchObject({
        kind: 'closed',
        closingCents: 400,
      });
    }
  });

  it('what a bank tells again is no gap, in whatever order it comes', () => {
    const whole = statement('2026-03-01', '2026-03-31', 100, 400);
    const weeks = [
      statement('2026-03-02', '2026-03-10', 100, 200, 1),
      statement('2026-03-11', '2026-03-20', 200, 300, 2),
      statement('2026-03-23', '2026-03-31', 300, 400, 3),
    ];
    const [one, two, three] = weeks as [StatementCover, StatementCover, StatementCover];
    // Sent twice, by itself and in another format that dates the opening balance a day before.
    expect(gaps(whole, whole)).toEqual([]);
    expect(gaps(whole, statement('2026-02-28', '2026-03-31', 100, 400))).toEqual([]);
    // Parts beside the whole, also some of them only.
    expect(gaps(...weeks, whole)).toEqual([]);
    expect(gaps(whole, three, one)).toEqual([]);
    expect(gaps(...weeks, ...weeks)).toEqual([]);
    // Downloads that overlap: both tell the days between, and nothing is missing.
    expect(gaps(one, two, three, statement('2026-03-05', '2026-03-25', 150, 350))).toEqual([]);
    const early = statement('2026-03-01', '2026-03-20', 100, 300);
    expect(gaps(early, statement('2026-03-10', '2026-03-31', 180, 400))).toEqual([]);
    // The balance at the end is that of the last day told, wherever a part ended.
    const statements = [whole, two];
    expect(chainOfPeriod({ ...question, statements }).last).toBe(whole);
  });

  it('days that no statement covers are a gap, even if other days are reported twice', () => {
    const [one, three] = [
      statement('2026-03-02', '2026-03-10', 100, 200, 1),
      statement('2026-03-23', '2026-03-31', 300, 400, 3),
    ] as const;
    expect(gaps(one, one, three, three)).toEqual([
      'between 2026-03-10 and 2026-03-23: closed with 200 cents, opened with 300',
    ]);
    expect(gaps(one, statement('2026-03-02', '2026-03-06', 100, 150))).toEqual([
      'no statement after 2026-03-10',
    ]);
    // A part inside what was told does not fill what was not.
    expect(gaps(one, statement('2026-03-04', '2026-03-06', 120, 150), three)).toHaveLength(1);
    // Pages of the same days follow each other by their balances; one that is missing leaves a gap.
    const page = (opening: number, closing: number): StatementCover =>
      statement('2026-03-02', '2026-03-31', opening, closing);
    expect(gaps(page(300, 400), page(100, 200), page(200, 300))).toEqual([]);
    expect(gaps(page(300, 400), page(100, 200))).not.toEqual([]);
    const day3 = (opening: number, closing: number): StatementCover =>
      statement('2026-03-03', '2026-03-03', opening, closing);
    const rest = statement('2026-03-04', '2026-03-31', 300, 400);
    expect(gaps(day3(200, 300), rest, day3(100, 200))).toEqual([]);
    expect(gaps(day3(250, 300), rest, day3(100, 200))).not.toEqual([]);
  });

  it('an opening balance that is dated on the last day before must be the closing one', () => {
    // 28 February 2026 is a Saturday: Friday's closing balance may be told as that of either day.
    for (const from of ['2026-02-28', '2026-02-27']) {
      expect(gaps(statement(from, '2026-03-31', 100, 400))).toEqual([]);
      expect(gaps(statement(from, '2026-03-31', 130, 400))[0]).toMatch(
        /opens with 130 cents, the period before closed with 100/,
      );
    }
  });

  it('freezes its totals, takes nothing more and notices another result', () => {
    const lines = [line({ id: 'b1', references: ['R1'] })];
    const expectedPayments = [expectedPayment({ id: 'l1', reference: 'R1' })];
    const outcomes = matchExpectedPayments({ lines, expectedPayments });
    const statements = [statement('2026-03-01', '2026-03-31', 100, 100_01)];
    const closing = closePeriod({ ...question, statements, outcomes, law: holds(100_01n) });
    if (closing.kind !== 'closed') throw new Error(closing.obstacles.join());
    const { closed } = closing;
    expect(closed.totals.matchedCents).toEqual({ USD: '10000' });
    expect(() => checkFrozen(closed, outcomes)).not.toThrow();
    expect(() =>
      checkFrozen(closed, matchExpectedPayments({ lines: [], expectedPayments })),
    ).toThrow(/is closed/);
    expect(lockedBy(line({ id: 'b2' }), [closed])).toMatch(/is closed/);
    expect(lockedBy(line({ id: 'b3', bookingDate: day('2026-04-01') }), [closed])).toBeUndefined();
    expect(lockedBy(line({ id: 'b4', account: 'A2' }), [closed])).toBeUndefined();
  });

  it('an open decision of a person blocks the closing', () => {
    const lines = [line({ id: 'b1' })];
    const statements = [statement('2026-03-01', '2026-03-31', 100, 100_01)];
    const outcomes = matchExpectedPayments({ lines, expectedPayments: [] });
    const law = holds(100_01n);
    expect(closePeriod({ ...question, statements, outcomes, law })).toMatchObject({
      kind: 'blocked',
      obstacles: ['b1 needs a person (P6-unmatched-bank)'],
    });
  });
});

describe('thresholds that are crossed', () => {
  const amounts = [
    { id: 'r3', on: day('2026-05-01'), cents: 1n },
    { id: 'r1', on: day('2026-02-01'), cents: 20_000_00n },
    { id: 'r2', on: day('2026-03-01'), cents: 5_000_00n },
  ];

  it('name the day, the receipt and the obligation, one cent above the exemption', () => {
    const { exemption } = grantsLaw.charity.states.get('WI') ?? {};
    expect(exemption).toMatchObject({ measure: expect.any(String), amount: expect.any(Number) });
    const measure = exemption?.measure ?? '';
    const limit = BigInt(exemption?.amount ?? 0) * 100n;
    const rest = { id: 'r0', on: day('2026-01-05'), cents: limit - 25_000_00n };
    const crossing = registrationCrossing('WI', { [measure]: [...amounts, rest] }, grantsLaw);
    const isAtTheAmount = exemption?.op === '<';
    expect(crossing).toMatchObject({
      kind: 'charity.registration',
      jurisdiction: 'WI',
      on: isAtTheAmount ? '2026-03-01' : '2026-05-01',
      by: isAtTheAmount ? 'r2' : 'r3',
    });
    expect(crossing?.obligation).toMatch(/Register.*Wisconsin/);
    const below = { ...rest, cents: rest.cents - 1_00n };
    expect(
      registrationCrossing('WI', { [measure]: [...amounts, below] }, grantsLaw),
    ).toBeUndefined();
  });

  it.each([
    // Fla. Stat. 496.405; BCO-10 instructions; MCL 400.283(b); njconsumeraffairs.gov; Wis. DFI: 30 days of exceeding.
    ['FL', '2026-05-31'],
    ['PA', '2026-05-31'],
    ['MI', '2026-05-31'],
    ['NJ', '2026-05-31'],
    ['WI', '2026-05-31'],
    // No number of days was read.
    ['NC', undefined],
    ['CA', undefined],
  ])('%s: registered by %s after a crossing on 1 May', (state, due) => {
    const contributions = [{ id: 'r', on: day('2026-05-01'), cents: 60_000_00n }];
    const crossing = registrationCrossing(state, { contributions }, grantsLaw);
    expect(crossing?.due).toBe(due);
    expect(crossing?.on).toBe('2026-05-01');
  });

  it('a rule that no one has read decides nothing, also where nothing is crossed by it', () => {
    expect(registrationTasks('PA', grantsLaw)).toEqual([]);
    expect(registrationTasks('DE', grantsLaw)).toEqual([
      expect.stringMatching(/^Confirm the registration rule of Delaware.*known-unverified/),
    ]);
    expect(registrationTasks('CO', grantsLaw)).toHaveLength(1);
  });

  // MCL 400.283(b): 25,000 dollars in any 12-month period.
  it('in Michigan counts any twelve months, not those of the fiscal year', () => {
    const contributions = [
      { id: 'too-old', on: day('2026-01-05'), cents: 20_000_00n },
      { id: 'autumn', on: day('2026-10-01'), cents: 15_000_00n },
      { id: 'winter', on: day('2027-01-05'), cents: 10_000_00n },
      { id: 'spring', on: day('2027-03-01'), cents: 1n },
    ];
    const year = day('2027-01-01');
    const found = registrationCrossing('MI', { contributions }, grantsLaw, year);
    expect(found).toMatchObject({ on: '2027-03-01', by: 'spring', totalCents: '2500001' });
    expect(found?.due).toBe('2027-03-31');
    // A day earlier the money of January a year before is within twelve months.
    const earlier = [...contributions, { id: 'eve', on: day('2027-01-04'), cents: 1n }];
    expect(registrationCrossing('MI', { contributions: earlier }, grantsLaw, year)).toMatchObject({
      on: '2027-01-04',
      totalCents: '3500001',
    });
    expect(registrationCrossing('WI', { contributions }, grantsLaw, year)).toBeUndefined();
  });

  it('a state without general registration is never crossed', () => {
    expect(registrationCrossing('UT', { contributions: amounts }, grantsLaw)).toBeUndefined();
  });

  it('a code that is no state is refused, since no one would watch its threshold', () => {
    expect(() => registrationCrossing('NX', { contributions: amounts }, grantsLaw)).toThrow(
      /states: expected a state of the registration table .*, found "NX"/,
    );
  });

  it('block the handoff until a check from after the crossing is attached', () => {
    const crossing = registrationCrossing('CA', { contributions: amounts }, grantsLaw);
    if (crossing === undefined) throw new Error('California exempts nobody by size');
    const check = { jurisdiction: 'CA', checkedOn: day('2026-02-01'), evidence: 'CT0123456' };
    expect(releaseAfter([crossing], [])).toMatchObject({ kind: 'blocked' });
    expect(releaseAfter([crossing], [check])).toEqual({ kind: 'pass' });
    for (const wrong of [
      { ...check, checkedOn: day('2026-01-31') },
      { ...check, jurisdiction: 'NY' },
      { ...check, evidence: ' ' },
    ]) {
      expect(releaseAfter([crossing], [wrong]).kind).toBe('blocked');
    }
  });

  it('the single audit by the start of the year, with its date', () => {
    const spent = [
      { id: 'e1', on: day('2025-11-01'), cents: 749_999_99n },
      { id: 'e2', on: day('2026-02-01'), cents: 1n },
      { id: 'e3', on: day('2026-06-01'), cents: 250_000_00n },
    ];
    const year = { start: day('2025-07-01'), end: day('2026-06-30') };
    expect(singleAuditCrossing(year, spent, grantsLaw)).toMatchObject({
      on: '2026-06-01',
      by: 'e3',
      thresholdDollars: 1_000_000,
      due: '2027-03-31',
    });
    const earlier = { start: day('2024-07-01'), end: day('2025-06-30') };
    const before = spent.map((one) => ({ ...one, on: day('2025-01-10') }));
    expect(singleAuditCrossing(earlier, before.slice(0, 2), grantsLaw)).toMatchObject({
      thresholdDollars: 750_000,
      by: 'e2',
    });
    expect(singleAuditCrossing(year, before, grantsLaw)).toBeUndefined();
    const back = { id: 'e5', on: day('2025-06-30'), cents: -1n };
    expect(singleAuditCrossing(earlier, [...before.slice(0, 2), back], grantsLaw)).toBeUndefined();
    // That the exact amount is enough was not read: the same task as `grants evaluate` gives.
    const exact = singleAuditCrossing(earlier, before.slice(0, 2), grantsLaw);
    expect(exact?.evaluation.tasks.join()).toMatch(/exact amount already requires the audit/);
    const above = [...before.slice(0, 1), { id: 'e4', on: day('2025-01-10'), cents: 2n }];
    const crossed = singleAuditCrossing(earlier, above, grantsLaw);
    expect(crossed?.evaluation.tasks.join()).not.toMatch(/exact amount/);
  });
});

describe('subaward limits', () => {
  const subawards = [
    { id: 's1', recipient: 'A', cents: 40_000_00n, hasPriorApproval: true },
    { id: 's2', recipient: 'A', cents: 30_000_00n, hasPriorApproval: false },
    { id: 's3', recipient: 'B', cents: 10_000_00n, hasPriorApproval: false },
  ];
  const question = { awardId: 'W1', guidanceVersion: '2024', terms: {}, subawards };

  it('the share in the indirect base follows the guidance, and the award wins', () => {
    const base = (given: object): unknown =>
      (checkSubawards({ ...question, ...given }, grantsLaw).result as Record<string, unknown>)[
        'indirectBaseCents'
      ];
    expect(base({})).toBe('6000000');
    expect(base({ guidanceVersion: '2020' })).toBe('3500000');
    expect(base({ terms: { indirectBaseCentsMax: 5_000_00n } })).toBe('1000000');
    expect(() => base({ guidanceVersion: '1999' })).toThrow(/no subaward limit/);
  });

  it('all limits of the terms are reported at once, each with a task', () => {
    const terms = {
      totalCentsMax: 79_999_99n,
      perRecipientCentsMax: 70_000_00n,
      approvalAboveCents: 29_999_99n,
    };
    const { result, tasks } = checkSubawards({ ...question, terms }, grantsLaw);
    expect(result).toMatchObject({
      isAllowed: false,
      violations: [
        'subawards of 8000000 cents are above the limit of 7999999',
        'subaward s2 of 3000000 cents needs prior approval',
      ],
    });
    expect(tasks).toHaveLength(2);
    expect(checkSubawards(question, grantsLaw).result).toMatchObject({ isAllowed: true });
  });
});

describe('the balance law', () => {
  const period = { account: 'A1', from: day('2026-03-01'), to: day('2026-03-31') };
  const known = (cents: bigint, by = 'statement 1') => [{ cents, by }];
  const question = { period, currency: 'USD', netCents: 250n, entries: 3, isFirst: false };

  it('holds where opening and entries make the closing balance, and nowhere else', () => {
    const asked = { ...question, openings: known(-100n), closings: known(150n) };
    expect(checkBalance(asked)).toMatchObject({ obstacles: [], closingCents: 150n });
    const short = checkBalance({ ...asked, netCents: 240n });
    expect(short.closingCents).toBeUndefined();
    expect(short.obstacles).toEqual([
      expect.stringMatching(
        /^A1, 2026-03-01 to 2026-03-31: the opening balance is USD -1\.00 .* its 3 entries come to USD 2\.40, so the closing balance should be USD 1\.40; it is USD 1\.50 .*: USD 0\.10 is missing\. .*withdraw/,
      ),
    ]);
    expect(checkBalance({ ...asked, netCents: 260n }).obstacles[0]).toMatch(/0\.10 is too much/);
  });

  it('needs a balance at both ends, but for the first period of an account', () => {
    const open = { ...question, openings: [], closings: known(150n) };
    expect(checkBalance(open).obstacles).toEqual([
      expect.stringMatching(/2026-03-01.*grants balance/),
    ]);
    expect(checkBalance({ ...open, isFirst: true })).toMatchObject({ closingCents: 150n });
    const blind = { ...question, isFirst: true, openings: known(0n), closings: [] };
    expect(checkBalance(blind).obstacles).toEqual([
      expect.stringMatching(/2026-03-31.*grants balance/),
    ]);
  });

  it('decides nothing where two sources disagree', () => {
    const closings = [...known(350n), ...known(351n, 'entered by a person')];
    const { obstacles } = checkBalance({ ...question, openings: known(100n), closings });
    expect(obstacles).toEqual([expect.stringMatching(/3\.50 \(statement 1\), but USD 3\.51/)]);
  });
});
