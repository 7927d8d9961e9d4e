/** What statements say about themselves and nobody sees in their balances: pages that did not come, totals without lines. */
import { formatDay } from '../../../calendar/index.ts';
import type { StatementCover } from './statement-chain.ts';

/** All that is missing at once. A copy of a page is that page. */
export function missingPages(statements: readonly StatementCover[]): readonly string[] {
  const gaps = new Set<string>();
  for (const one of statements) {
    const place = `${one.account}, ${nameOf(one)}`;
    if (one.hasPageAfter === true && !statements.some((other) => isPageAfter(one, other))) {
      gaps.add(`${place}: page ${(one.page ?? 1) + 1} is missing. Download it from the bank`);
    }
    if (one.hasPageBefore === true && !statements.some((other) => isPageAfter(other, one))) {
      gaps.add(
        `${place}: the page before page ${one.page ?? 2} is missing. Download it from the bank`,
      );
    }
    if (one.doubt !== undefined) {
      gaps.add(`${place}: ${one.doubt}. Import a statement with all its details`);
    }
  }
  return [...gaps].sort();
}

function isPageAfter(one: StatementCover, next: StatementCover): boolean {
  if (next.hasPageBefore !== true || one.hasPageAfter !== true) return false;
  if (one.format !== next.format || one.account !== next.account) return false;
  if (one.number !== next.number || one.page === undefined || next.page === undefined) {
    return false;
  }
  if (next.page !== one.page + 1) return false;
  // Balances between pages go on; where both pages have those of the whole, the bank's own name of it says that they are one.
  return one.closingCents === next.openingCents || isSameWhole(one, next);
}

function isSameWhole(one: StatementCover, next: StatementCover): boolean {
  return (
    one.openingCents === next.openingCents &&
    one.closingCents === next.closingCents &&
    one.statementId === next.statementId
  );
}

function nameOf({ number, from, to }: StatementCover): string {
  const days = `${formatDay(from)} to ${formatDay(to)}`;
  return number === undefined ? `statement of ${days}` : `statement ${number} of ${days}`;
}
