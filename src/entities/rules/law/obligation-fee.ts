/** What the filing costs, by the tax year that it covers and not by the day on which it is paid. */
import { civilOf, type Day, formatDay } from '../../../calendar/index.ts';
import type { Alarm } from './alarm.ts';
import type { EntityCase } from './entity-case.ts';
import { moneyText, readExact } from './exact.ts';
import type { FilingRule } from './filing-rule.ts';
import { type InstallmentPlan, tentativePayments } from './installments.ts';

interface Fee {
  readonly fee: string;
  readonly fee_note?: string;
  readonly fee_basis: 'read' | 'memory';
  readonly fee_as_of?: string;
}

/** The year that a due date pays for; undefined where the filing is no tax for a year. */
export function taxYearOf(rule: FilingRule, due: Day): number | undefined {
  return rule.tax_year === undefined
    ? undefined
    : civilOf(due).year - rule.tax_year.years_before_due;
}

export function feeOf(entity: EntityCase, due: Day, alarms: Alarm[]): Fee | undefined {
  const { rule } = entity;
  // The fee that was read is that of the rule's own filing and origin.
  const isOwn = (entity.filing === 'periodic' || entity.initial !== undefined) && !entity.byAnalogy;
  if (!isOwn || rule.fee_usd === null) return undefined;
  const note = {
    ...(rule.fee_note === null ? {} : { fee_note: rule.fee_note }),
    ...feeBasis(rule),
  };
  const year = taxYearOf(rule, due);
  if (rule.fee_history === undefined || year === undefined) {
    return { fee: moneyText(readExact(rule.fee_usd, 'fee_usd')), ...note };
  }
  const inForce = rule.fee_history.find(
    (fee) => fee.tax_year_from <= year && year <= (fee.tax_year_to ?? year),
  );
  if (inForce === undefined) {
    alarms.push({
      code: 'FEE_NOT_KNOWN',
      message: `The fee of ${rule.id} for tax year ${year} is not on file.`,
    });
    return undefined;
  }
  return { fee: moneyText(readExact(inForce.fee_usd, 'fee_usd')), ...note };
}

/** Where a record says nothing of its fee, the fee was read with the rule, or is from memory as the rule is. */
function feeBasis({ fee_as_of: asOf, verified }: FilingRule): Omit<Fee, 'fee' | 'fee_note'> {
  if (asOf === undefined) return { fee_basis: verified === 'none' ? 'memory' : 'read' };
  return asOf === null ? { fee_basis: 'memory' } : { fee_basis: 'read', fee_as_of: asOf };
}

export interface EstimatedPayments {
  readonly threshold: string;
  /** Absent while the preceding year's tax is not given. */
  readonly required?: boolean;
  readonly payments: readonly {
    readonly due: string;
    readonly share: string;
    readonly amount?: string;
  }[];
  /** The first of them on or after the day of the question. */
  readonly next_due?: string;
}

// 8 Del. C. § 504(a),(e): payments in the tax year itself, before the report that closes it.
export function estimatedPaymentsOf(entity: EntityCase, due: Day): EstimatedPayments | undefined {
  const rule = entity.rule.estimated_payments;
  const year = taxYearOf(entity.rule, due);
  if (rule === undefined || year === undefined || entity.filing !== 'periodic') return undefined;
  const plan = planOf(rule);
  const known = entity.precedingYearTax;
  // They are shares of the preceding year's tax, and a corporation formed in the tax year has none.
  const { formed } = entity;
  if (known === undefined && formed !== undefined && civilOf(formed).year >= year) return undefined;
  const { required, payments } = tentativePayments(plan, year, {
    precedingYear: known ?? plan.threshold,
    final: entity.finalTax,
  });
  const next = payments.find((payment) => payment.due >= entity.asOf);
  return {
    threshold: moneyText(plan.threshold),
    ...(known === undefined ? {} : { required }),
    payments: payments.map((payment, index) => {
      const percent = required ? plan.shares[index]?.percent : undefined;
      return {
        due: formatDay(payment.due),
        share: percent === undefined ? 'balance' : `${percent}%`,
        ...(known === undefined || payment.amount === undefined
          ? {}
          : { amount: moneyText(payment.amount) }),
      };
    }),
    ...(next === undefined ? {} : { next_due: formatDay(next.due) }),
  };
}

function planOf(rule: NonNullable<FilingRule['estimated_payments']>): InstallmentPlan {
  const days = rule.schedule.map(([monthDay, share]) => {
    const [month, day] = monthDay.split('-').map(Number);
    return { month: month ?? 1, day: day ?? 1, share };
  });
  const balance = days.find((one) => one.share === 'balance');
  return {
    threshold: readExact(rule.threshold, 'threshold'),
    shares: days.flatMap(({ month, day, share }) =>
      share === 'balance' ? [] : [{ month, day, percent: share }],
    ),
    balance: { month: balance?.month ?? 1, day: balance?.day ?? 1 },
  };
}
