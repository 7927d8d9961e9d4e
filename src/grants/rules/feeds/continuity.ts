/** Whether a statement follows on the one before it. A missing one blocks the closing of a period. */
import type { Balance, Statement } from './feed-events.ts';
import { showCents } from './money.ts';

/** What is remembered of the last statement of an account; a `statementEnd` event is one. */
export type PreviousClosing = Pick<
  Statement,
  'account' | 'currency' | 'number' | 'page' | 'closing'
>;

export type FollowingStatement = Pick<
  Statement,
  'account' | 'currency' | 'number' | 'page' | 'opening'
>;

type ContinuityFinding =
  | { readonly code: 'OTHER_ACCOUNT'; readonly reason: string }
  | {
      readonly code: 'OPENING_DIFFERS';
      readonly reason: string;
      /** This opening less the previous closing. */
      readonly differenceCents: number;
    }
  | {
      readonly code: 'STATEMENT_MISSING';
      readonly reason: string;
      /** First and last missing number. */
      readonly missing: readonly [number, number];
    }
  | { readonly code: 'STATEMENT_REPEATED'; readonly reason: string };

type Continuity =
  /** No statement came before: nothing to hold it against. */
  | { readonly kind: 'first' }
  | { readonly kind: 'continuous' }
  /** The format gives no balance to compare, so that a gap could not be seen. */
  | { readonly kind: 'unproved'; readonly reason: string }
  | { readonly kind: 'broken'; readonly findings: readonly ContinuityFinding[] };

/** The opening balance must be the previous closing one, and no statement number may be left out. */
export function checkContinuity(
  previous: PreviousClosing | undefined,
  statement: FollowingStatement,
): Continuity {
  if (previous === undefined) return { kind: 'first' };
  const { account } = statement;
  if (account !== previous.account) {
    const reason = `The statement is of account ${account ?? 'unknown'}, the one before of ${previous.account ?? 'unknown'}.`;
    return { kind: 'broken', findings: [{ code: 'OTHER_ACCOUNT', reason }] };
  }
  const findings = [
    ...balanceFindings(previous.closing, statement.opening),
    ...numberFindings(previous, statement),
  ];
  if (findings.length > 0) return { kind: 'broken', findings };
  if (previous.closing === undefined || statement.opening === undefined) {
    const which =
      statement.opening === undefined ? 'This statement has no opening' : 'The last had no closing';
    return { kind: 'unproved', reason: `${which} balance.` };
  }
  return { kind: 'continuous' };
}

function balanceFindings(
  closing: Balance | undefined,
  opening: Balance | undefined,
): ContinuityFinding[] {
  if (closing === undefined || opening === undefined) return [];
  if (closing.amountCents === opening.amountCents && closing.currency === opening.currency) {
    return [];
  }
  return [
    {
      code: 'OPENING_DIFFERS',
      reason: `The last statement closed with ${showCents(closing.amountCents)} of ${closing.currency}, this one opens with ${showCents(opening.amountCents)} of ${opening.currency}.`,
      differenceCents: opening.amountCents - closing.amountCents,
    },
  ];
}

function numberFindings(
  previous: PreviousClosing,
  statement: FollowingStatement,
): ContinuityFinding[] {
  const { number } = statement;
  if (number === undefined || previous.number === undefined) return [];
  const page = statement.page ?? 1;
  const previousPage = previous.page ?? 1;
  if (number === previous.number) {
    if (page === previousPage + 1) return [];
    const found = `statement ${number}, page ${page}, after page ${previousPage} of the same`;
    return page <= previousPage
      ? [{ code: 'STATEMENT_REPEATED', reason: `Found ${found}.` }]
      : [
          {
            code: 'STATEMENT_MISSING',
            reason: `Found ${found}: pages are missing.`,
            missing: [number, number],
          },
        ];
  }
  // Banks begin again with 1 in a new year.
  const expected = number < previous.number ? 1 : previous.number + 1;
  if (number === expected) return [];
  const last = number - 1;
  return [
    {
      code: 'STATEMENT_MISSING',
      reason: `Expected statement ${expected} after ${previous.number}, found ${number}.`,
      missing: [expected, last],
    },
  ];
}
