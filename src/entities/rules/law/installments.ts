/** Delaware's tentative payments and lateness. Money is exact until it is written. */
import { civilOf, type Day, dayOf, sameNumberDay } from '../../../calendar/index.ts';
import {
  add,
  compare,
  type Exact,
  over,
  roundHalfUp,
  subtract,
  times,
  whole,
  ZERO,
} from './exact.ts';

export interface InstallmentPlan {
  readonly threshold: Exact;
  readonly shares: readonly {
    readonly month: number;
    readonly day: number;
    readonly percent: number;
  }[];
  /** In the year after the tax year. */
  readonly balance: { readonly month: number; readonly day: number };
}

interface Payment {
  readonly due: Day;
  /** Undefined for a balance while the final tax is not known. */
  readonly amount: Exact | undefined;
}

export interface Installments {
  readonly required: boolean;
  readonly payments: readonly Payment[];
}

const CENTS = 2;

// 8 Del. C. § 504(a),(e): 40, 20 and 20 % of the preceding year's tax, and the balance with the report.
export function tentativePayments(
  plan: InstallmentPlan,
  taxYear: number,
  tax: { readonly precedingYear: Exact; readonly final: Exact | undefined },
): Installments {
  const required = compare(tax.precedingYear, plan.threshold) >= 0;
  const balanceDue = dayOf(taxYear + 1, plan.balance.month, plan.balance.day);
  if (!required) return { required, payments: [{ due: balanceDue, amount: tax.final }] };
  const early = plan.shares.map((share) => ({
    due: dayOf(taxYear, share.month, share.day),
    amount: roundHalfUp(times(tax.precedingYear, over(whole(share.percent), whole(100))), CENTS),
  }));
  const paid = early.reduce((sum, payment) => add(sum, payment.amount), ZERO);
  const amount = tax.final === undefined ? undefined : subtract(tax.final, paid);
  return { required, payments: [...early, { due: balanceDue, amount }] };
}

/** The smallest n for which the due day plus n months is not before the payment: a month to the day is one month. */
function monthsOrPortions(due: Day, paid: Day): number {
  if (paid <= due) return 0;
  const from = civilOf(due);
  const to = civilOf(paid);
  const between = (to.year - from.year) * 12 + (to.month - from.month);
  return sameNumberDay(due, between) >= paid ? between : between + 1;
}

export interface LateCharge {
  readonly months: number;
  readonly penalty: Exact;
  /** As the Division states it. */
  readonly interestOnTaxAndPenalty: Exact;
  /** As the statute puts it. */
  readonly interestOnTax: Exact;
}

// 8 Del. C. §§ 502(c), 504(c): a fixed penalty, and simple interest for each month or portion of a month.
export function lateCharge(
  rate: { readonly penalty: Exact; readonly perMonth: Exact },
  late: { readonly tax: Exact; readonly due: Day; readonly paid: Day },
): LateCharge {
  const months = monthsOrPortions(late.due, late.paid);
  const penalty = months > 0 ? rate.penalty : ZERO;
  const factor = times(rate.perMonth, whole(months));
  return {
    months,
    penalty,
    interestOnTaxAndPenalty: roundHalfUp(times(add(late.tax, penalty), factor), CENTS),
    interestOnTax: roundHalfUp(times(late.tax, factor), CENTS),
  };
}
