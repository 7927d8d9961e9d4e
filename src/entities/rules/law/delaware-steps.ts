/** How a Delaware figure comes about, in sentences that a person can check with a pocket calculator. */
import { type Confidence, type Day, formatDay, leastConfidence } from '../../../calendar/index.ts';
import type { DelawareRates, Schedule } from './delaware-rates.ts';
import type { AssumedParFigures, Holdings, ShareClass } from './delaware-tax.ts';
import { type Exact, fixedText, moneyText, plainText } from './exact.ts';
import type { Installments, LateCharge } from './installments.ts';

export interface FigureStep {
  readonly n: number;
  readonly text: string;
  readonly citation: string;
}

type Line = Omit<FigureStep, 'n'>;

interface TaxCourse {
  readonly classes: readonly ShareClass[];
  readonly schedule: Schedule;
  readonly byShares: Exact;
  readonly byCapital: (AssumedParFigures & { readonly holdings: Holdings }) | undefined;
  /** What is owed, why, and by which section. */
  readonly owed: Line;
}

export function taxSteps(course: TaxCourse): FigureStep[] {
  const { classes, schedule, byShares, byCapital } = course;
  const { authorizedShares, assumedPar, citations } = schedule;
  const shares = classes.reduce((sum, one) => sum + one.shares, 0n);
  const top = authorizedShares.brackets.at(-1);
  const lines: Line[] = [
    {
      text: `${shares} authorized shares of all classes: $${top?.tax} up to ${top?.upTo} shares (less in the brackets below), $${authorizedShares.perBlock} for each further ${authorizedShares.block} or part, between $${moneyText(authorizedShares.minimum)} and $${moneyText(authorizedShares.maximum)}: $${moneyText(byShares)}.`,
      citation: citations.authorizedShares,
    },
  ];
  if (byCapital !== undefined) {
    const { holdings } = byCapital;
    const noPar = classes.reduce(
      (sum, one) => (one.par === undefined ? sum + one.shares : sum),
      0n,
    );
    const noParText =
      noPar === 0n
        ? ''
        : `, plus the part of ${noPar} no-par shares at $${assumedPar.noPar.valuePerShare} each`;
    const texts = [
      `Assumed par: gross assets of $${plainText(holdings.grossAssets)} over ${plainText(holdings.issued)} issued shares, to ${assumedPar.decimals} decimals: ${fixedText(byCapital.assumedPar, assumedPar.decimals)}.`,
      `Capital: the authorized shares of each par class times the greater of its par and the assumed par: $${plainText(byCapital.capital)}.`,
      `$${assumedPar.perBlock} for each $${assumedPar.block} of capital or part (pro rata below the first)${noParText}, between $${moneyText(assumedPar.minimum)} and $${moneyText(assumedPar.maximum)}: $${moneyText(byCapital.tax)}.`,
    ];
    lines.push(...texts.map((text) => ({ text, citation: citations.assumedPar })));
  }
  return numbered([...lines, course.owed]);
}

/** As sure as the weakest part that the amount rests on. */
export function taxConfidence(
  { confidence }: Schedule,
  used: { readonly largeFiler: boolean; readonly capital: boolean; readonly noPar: boolean },
): Confidence {
  if (used.largeFiler) return confidence.largeFiler;
  if (!used.capital) return confidence.authorizedShares;
  return used.noPar
    ? leastConfidence(confidence.assumedPar, confidence.noPar)
    : confidence.assumedPar;
}

export function installmentSteps(
  plan: DelawareRates['installments'],
  found: Installments,
  precedingYear: Exact,
): FigureStep[] {
  const { citation } = plan;
  const test = `The preceding year's tax of $${moneyText(precedingYear)} is ${found.required ? 'at least' : 'below'} $${moneyText(plan.threshold)}, so tentative payments are ${found.required ? 'required' : 'not required'}.`;
  const early = plan.shares.map((share, index) => {
    const payment = found.payments[index];
    return `${share.percent} % of it on ${payment === undefined ? '' : formatDay(payment.due)}: $${moneyText(payment?.amount ?? precedingYear)}.`;
  });
  const last = found.payments.at(-1);
  const balance = `${found.required ? 'The final tax less these' : 'The final tax'} on ${last === undefined ? '' : formatDay(last.due)}${last?.amount === undefined ? '' : `: $${moneyText(last.amount)}`}.`;
  return numbered(
    [test, ...(found.required ? early : []), balance].map((text) => ({ text, citation })),
  );
}

export function lateSteps(
  late: { readonly tax: Exact; readonly due: Day; readonly paid: Day },
  charge: LateCharge,
  rate: { readonly percentPerMonth: string; readonly citation: string },
): FigureStep[] {
  const { citation } = rate;
  const count = `Due on ${formatDay(late.due)}, filed and paid on ${formatDay(late.paid)}: ${charge.months} months or portions of one after the due day.`;
  if (charge.months === 0) return numbered([{ text: count, citation }]);
  return numbered(
    [
      count,
      `Penalty: $${moneyText(charge.penalty)}.`,
      `Interest of ${rate.percentPerMonth} % x ${charge.months}, not compounded: $${moneyText(charge.interestOnTaxAndPenalty)} on tax and penalty, $${moneyText(charge.interestOnTax)} on the tax alone.`,
    ].map((text) => ({ text, citation })),
  );
}

function numbered(lines: readonly Line[]): FigureStep[] {
  return lines.map((line, index) => ({ n: index + 1, ...line }));
}
