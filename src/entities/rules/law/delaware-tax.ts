/**
 * Delaware's franchise tax by both methods, with every figure in between. Rounding decides bills here: the assumed par
 * is rounded to six decimals, capital is rounded up to whole millions, and both can change the tax by $400.
 */
import type { Schedule, SteppedTax } from './delaware-rates.ts';
import {
  add,
  compare,
  type Exact,
  greatest,
  least,
  over,
  roundHalfUp,
  roundUp,
  times,
  whole,
  ZERO,
} from './exact.ts';

export interface ShareClass {
  readonly shares: bigint;
  /** Undefined: no par value. */
  readonly par: Exact | undefined;
}

/** What the second method needs; the state bills by the first unless the filer supplies it. */
export interface Holdings {
  /** All classes, treasury shares included; above zero. */
  readonly issued: Exact;
  readonly grossAssets: Exact;
}

export interface AssumedParFigures {
  /** Rounded to six decimals. */
  readonly assumedPar: Exact;
  /** Par classes only, before rounding up. */
  readonly capital: Exact;
  readonly tax: Exact;
  /** What the tax would be if the quotient were not rounded. */
  readonly taxUnrounded: Exact;
}

const CENTS = 2;

// 8 Del. C. § 503(a)(1): by the number of authorised shares of all classes, "or part thereof".
export function authorizedSharesTax(classes: readonly ShareClass[], schedule: Schedule): Exact {
  const { authorizedShares: rates } = schedule;
  const shares = classes.reduce((sum, one) => sum + one.shares, 0n);
  return within(whole(steppedTax(shares, rates)), rates);
}

// 8 Del. C. § 503(a)(2), as the Division of Corporations applies it in its published example.
export function assumedParTax(
  classes: readonly ShareClass[],
  holdings: Holdings,
  schedule: Schedule,
): AssumedParFigures {
  const quotient = over(holdings.grossAssets, holdings.issued);
  const assumedPar = roundHalfUp(quotient, schedule.assumedPar.decimals);
  const capital = capitalOf(classes, assumedPar);
  return {
    assumedPar,
    capital,
    tax: taxOnCapital(classes, capital, schedule),
    taxUnrounded: taxOnCapital(classes, capitalOf(classes, quotient), schedule),
  };
}

/** Each par class counts with the greater of its own par and the assumed one; unissued shares count too. */
function capitalOf(classes: readonly ShareClass[], assumedPar: Exact): Exact {
  return classes.reduce(
    (sum, { shares, par }) =>
      par === undefined ? sum : add(sum, times(whole(shares), greatest(par, assumedPar))),
    ZERO,
  );
}

/** Par part and no-par part are added first; minimum and maximum apply to the sum. */
function taxOnCapital(classes: readonly ShareClass[], capital: Exact, schedule: Schedule): Exact {
  const { assumedPar: rates } = schedule;
  const parPart =
    compare(capital, whole(rates.block)) < 0
      ? roundHalfUp(over(times(whole(rates.perBlock), capital), whole(rates.block)), CENTS)
      : whole(rates.perBlock * roundUp(over(capital, whole(rates.block))));
  return within(add(parPart, whole(noParTax(classes, schedule))), rates);
}

function noParTax(classes: readonly ShareClass[], { assumedPar }: Schedule): bigint {
  const shares = classes.reduce((sum, one) => (one.par === undefined ? sum + one.shares : sum), 0n);
  return shares === 0n ? 0n : steppedTax(shares * assumedPar.noPar.valuePerShare, assumedPar.noPar);
}

/** The bracket that holds the amount, or the highest one plus a block for each block or part of one above it. */
function steppedTax(amount: bigint, rates: SteppedTax): bigint {
  let top = { upTo: 0n, tax: 0n };
  for (const bracket of rates.brackets) {
    if (amount <= bracket.upTo) return bracket.tax;
    top = bracket;
  }
  return top.tax + rates.perBlock * roundUp({ n: amount - top.upTo, d: rates.block });
}

function within(tax: Exact, limits: { readonly minimum: Exact; readonly maximum: Exact }): Exact {
  return least(greatest(tax, limits.minimum), limits.maximum);
}
