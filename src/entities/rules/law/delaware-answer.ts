/** The three Delaware questions as cases: the tax, its tentative payments, and what lateness costs. */
import { type Confidence, formatDay, YEAR_MAX } from '../../../calendar/index.ts';
import { badCase, caseFields, refuseUnknown } from '../../../core/index.ts';
import { type CaseInput, choiceField, flagField, neededDay, refuseCase } from './case-fields.ts';
import { type DelawareRates, type Schedule, scheduleOf } from './delaware-rates.ts';
import {
  type FigureStep,
  installmentSteps,
  lateSteps,
  taxConfidence,
  taxSteps,
} from './delaware-steps.ts';
import {
  type AssumedParFigures,
  assumedParTax,
  authorizedSharesTax,
  type Holdings,
  type ShareClass,
} from './delaware-tax.ts';
import {
  add,
  compare,
  type Exact,
  fixedText,
  moneyText,
  plainText,
  readExact,
  readWhole,
  subtract,
  whole,
  ZERO,
} from './exact.ts';
import { lateCharge, tentativePayments } from './installments.ts';

type TaxMethod = 'authorized_shares' | 'assumed_par_value';

/** Where every figure comes from. */
interface Grounded {
  readonly notes?: readonly string[];
  readonly steps: readonly FigureStep[];
  readonly citation: string;
  readonly confidence: Confidence;
  readonly rule_version: string;
}

export interface TaxAnswer extends Grounded {
  readonly tax: string;
  /** The method whose tax is owed; null for a large filer, who owes a flat amount whatever the method. */
  readonly method: TaxMethod | null;
  readonly intermediate: {
    readonly authorized_shares_tax: string;
    readonly assumed_par?: string;
    readonly assumed_par_value_capital?: string;
    readonly apvc_tax?: string;
    readonly apvc_tax_if_quotient_not_rounded?: string;
  };
  /** What the other method would cost more or less: never below zero. */
  readonly difference?: string;
}

const METHODS = ['authorized_shares', 'assumed_par_value', 'lesser'] as const;
const CLASSES_MAX = 1_000;
/** The tax law began then; an earlier year is a typing mistake. */
const TAX_YEAR_MIN = 1899;

const TAX_FIELDS = caseFields(
  ['tax_year', 'authorized', 'issued', 'gross_assets', 'large_filer', 'method'],
  ['tax', 'intermediate', 'difference'],
);

export function answerTax(input: CaseInput, rates: DelawareRates): TaxAnswer {
  refuseUnknown(input, TAX_FIELDS);
  const schedule = scheduleOf(
    rates,
    (input['tax_year'] ?? undefined) === undefined ? undefined : readTaxYear(input['tax_year']),
  );
  const classes = readClasses(input);
  const asked = choiceField(input, 'method', METHODS) ?? 'lesser';
  const isLargeFiler = flagField(input, 'large_filer');
  const { holdings, missing, why } = readHoldings(input);
  const byShares = authorizedSharesTax(classes, schedule);
  const byCapital = holdings === undefined ? undefined : assumedParTax(classes, holdings, schedule);
  if (asked === 'assumed_par_value' && byCapital === undefined && !isLargeFiler) {
    throw badCase(
      `${missing}: the assumed par value method needs the issued shares (above zero) and the total gross assets`,
    );
  }
  const useCapital =
    byCapital !== undefined &&
    (asked === 'assumed_par_value' || (asked === 'lesser' && compare(byCapital.tax, byShares) < 0));
  const method: TaxMethod = useCapital ? 'assumed_par_value' : 'authorized_shares';
  const notes = [
    ...(isLargeFiler ? [] : holdingsNotes(asked, missing, why)),
    ...figureNotes(classes, holdings, byCapital, schedule),
  ];
  const due = moneyText(owed(isLargeFiler, useCapital, byShares, byCapital, schedule));
  const citation = citationOf(isLargeFiler, useCapital, schedule);
  const text = `${owedBecause(isLargeFiler, asked, byCapital !== undefined)}: $${due}.`;
  return {
    tax: due,
    method: isLargeFiler ? null : method,
    intermediate: {
      authorized_shares_tax: moneyText(byShares),
      ...(byCapital === undefined ? {} : capitalFigures(byCapital, schedule)),
    },
    ...(byCapital === undefined || isLargeFiler
      ? {}
      : { difference: moneyText(distance(byShares, byCapital.tax)) }),
    ...(notes.length === 0 ? {} : { notes }),
    steps: taxSteps({
      classes,
      schedule,
      byShares,
      byCapital:
        byCapital === undefined || holdings === undefined ? undefined : { ...byCapital, holdings },
      owed: { text, citation },
    }),
    citation,
    confidence: taxConfidence(schedule, {
      largeFiler: isLargeFiler,
      capital: useCapital,
      noPar: classes.some((one) => one.par === undefined),
    }),
    rule_version: rates.version,
  };
}

function owed(
  isLargeFiler: boolean,
  useCapital: boolean,
  byShares: Exact,
  byCapital: AssumedParFigures | undefined,
  schedule: Schedule,
): Exact {
  if (isLargeFiler) return schedule.largeFilerTax;
  return useCapital && byCapital !== undefined ? byCapital.tax : byShares;
}

function owedBecause(
  isLargeFiler: boolean,
  asked: (typeof METHODS)[number],
  hasBoth: boolean,
): string {
  if (isLargeFiler) return 'A large corporate filer owes a flat amount under either method';
  if (asked !== 'lesser') return 'By the method that was asked for';
  return hasBoth ? 'The lesser of the two methods is owed' : 'By the one method that could be used';
}

function citationOf(isLargeFiler: boolean, useCapital: boolean, { citations }: Schedule): string {
  if (isLargeFiler) return citations.largeFiler;
  return useCapital ? citations.assumedPar : citations.authorizedShares;
}

function capitalFigures(figures: AssumedParFigures, schedule: Schedule) {
  return {
    assumed_par: fixedText(figures.assumedPar, schedule.assumedPar.decimals),
    assumed_par_value_capital: plainText(figures.capital),
    apvc_tax: moneyText(figures.tax),
    ...(compare(figures.tax, figures.taxUnrounded) === 0
      ? {}
      : { apvc_tax_if_quotient_not_rounded: moneyText(figures.taxUnrounded) }),
  };
}

function holdingsNotes(
  asked: (typeof METHODS)[number],
  missing: string | undefined,
  why = 'not given',
): string[] {
  if (asked !== 'lesser' || missing === undefined) return [];
  return [
    `${missing}: ${why}, so only the authorized shares method could be used. The state bills by this method; with issued shares and gross assets the tax may be lower.`,
  ];
}

/** Where a rounding step or a gap in what was read decides the bill, the filer has to see it. */
function figureNotes(
  classes: readonly ShareClass[],
  holdings: Holdings | undefined,
  figures: AssumedParFigures | undefined,
  schedule: Schedule,
): string[] {
  if (holdings === undefined || figures === undefined) return [];
  const { decimals, block, perBlock, noParNote } = schedule.assumedPar;
  const notes: string[] = [];
  if (compare(figures.tax, figures.taxUnrounded) !== 0) {
    notes.push(
      `Rounding the assumed par to ${decimals} decimals, as the Division publishes it, makes the tax $${moneyText(figures.tax)}; the unrounded quotient would give $${moneyText(figures.taxUnrounded)}. Ask the Division if the difference matters.`,
    );
  }
  const overshoot = figures.capital.n % (figures.capital.d * block);
  if (compare(figures.capital, whole(block)) > 0 && overshoot !== 0n) {
    const above = plainText({ n: overshoot, d: figures.capital.d });
    notes.push(
      `The capital is $${above} above a whole number of millions; each started million costs $${perBlock}.`,
    );
  }
  if (classes.some((one) => one.par === undefined)) notes.push(noParNote);
  if (compare(holdings.grossAssets, ZERO) === 0) {
    notes.push('The Division asks filers with gross assets of zero to call before they file.');
  }
  const authorized = classes.reduce((sum, one) => sum + one.shares, 0n);
  if (compare(holdings.issued, whole(authorized)) > 0) {
    notes.push('More shares are issued than authorized: check both figures.');
  }
  return notes;
}

function distance(a: Exact, b: Exact): Exact {
  return compare(a, b) < 0 ? subtract(b, a) : subtract(a, b);
}

function readClasses(input: CaseInput): ShareClass[] {
  const list = input['authorized'];
  if (!Array.isArray(list) || list.length === 0 || list.length > CLASSES_MAX) {
    return refuseCase('authorized', 'a list of share classes {shares, par}', list);
  }
  const classes = list.map((item: unknown, index) => readClass(item, `authorized[${index}]`));
  if (classes.every((one) => one.shares === 0n)) {
    return refuseCase('authorized', 'at least one authorized share', list);
  }
  return classes;
}

function readClass(item: unknown, field: string): ShareClass {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    return refuseCase(field, 'a share class {shares, par}', item);
  }
  // Neither null nor a list, so an object of the JSON reader.
  const { shares, par } = item as CaseInput;
  const value = par === null || par === undefined ? undefined : readExact(par, `${field}.par`);
  // Null is an answer, a field that is left out is none: the two methods treat no-par stock differently.
  if (par === undefined || (value !== undefined && compare(value, ZERO) === 0)) {
    return refuseCase(`${field}.par`, 'a par value above zero, or null for no par value,', par);
  }
  return { shares: readWhole(shares, `${field}.shares`), par: value };
}

/** `missing` names the field that keeps the second method from being used. */
function readHoldings(input: CaseInput): { holdings?: Holdings; missing?: string; why?: string } {
  const issued = optionalFigure(input, 'issued');
  const grossAssets = optionalFigure(input, 'gross_assets');
  if (issued === undefined) return { missing: 'issued' };
  if (compare(issued, ZERO) === 0) return { missing: 'issued', why: 'zero' };
  if (grossAssets === undefined) return { missing: 'gross_assets' };
  return { holdings: { issued, grossAssets } };
}

function optionalFigure(input: CaseInput, field: string): Exact | undefined {
  const value = input[field] ?? undefined;
  return value === undefined ? undefined : readExact(value, field);
}

export interface InstallmentsAnswer extends Grounded {
  readonly required: boolean;
  /** An amount is null while the final tax is not known. */
  readonly payments: readonly { readonly due: string; readonly amount: string | null }[];
}

const INSTALLMENT_FIELDS = caseFields(
  ['tax_year', 'preceding_year_tax', 'final_tax'],
  ['required', 'payments'],
);

export function answerInstallments(input: CaseInput, rates: DelawareRates): InstallmentsAnswer {
  refuseUnknown(input, INSTALLMENT_FIELDS);
  const taxYear = readTaxYear(input['tax_year'] ?? undefined);
  const precedingYear = readExact(input['preceding_year_tax'] ?? undefined, 'preceding_year_tax');
  const final = optionalFigure(input, 'final_tax');
  const found = tentativePayments(rates.installments, taxYear, { precedingYear, final });
  const isOverpaid = found.payments.some(
    ({ amount }) => amount !== undefined && compare(amount, ZERO) < 0,
  );
  return {
    required: found.required,
    payments: found.payments.map(({ due, amount }) => ({
      due: formatDay(due),
      amount: amount === undefined ? null : moneyText(amount),
    })),
    ...(isOverpaid
      ? { notes: ['The tentative payments are more than the final tax; the balance is a credit.'] }
      : {}),
    steps: installmentSteps(rates.installments, found, precedingYear),
    citation: rates.installments.citation,
    confidence: rates.installments.confidence,
    rule_version: rates.version,
  };
}

export interface LateAnswer extends Grounded {
  readonly months_or_portions: number;
  readonly penalty: string;
  readonly interest_tax_and_penalty: string;
  readonly interest_tax_only: string;
  /** Tax, penalty and the higher interest. */
  readonly total: string;
}

const LATE_FIELDS = caseFields(
  ['entity_kind', 'tax', 'due', 'filed_and_paid'],
  ['penalty', 'interest_tax_only', 'interest_tax_and_penalty', 'months_or_portions'],
);

export function answerLate(input: CaseInput, rates: DelawareRates): LateAnswer {
  refuseUnknown(input, LATE_FIELDS);
  const kinds = Object.keys(rates.late.citations);
  const kind =
    choiceField(input, 'entity_kind', kinds) ??
    refuseCase('entity_kind', `one of ${kinds.join(', ')}`, undefined);
  const tax = readExact(input['tax'] ?? undefined, 'tax');
  const late = { tax, due: neededDay(input, 'due'), paid: neededDay(input, 'filed_and_paid') };
  const charge = lateCharge(rates.late, late);
  const citation = rates.late.citations[kind] ?? '';
  const total = add(add(tax, charge.penalty), charge.interestOnTaxAndPenalty);
  return {
    months_or_portions: charge.months,
    penalty: moneyText(charge.penalty),
    interest_tax_and_penalty: moneyText(charge.interestOnTaxAndPenalty),
    interest_tax_only: moneyText(charge.interestOnTax),
    total: moneyText(total),
    ...(charge.months === 0 ? {} : { notes: [rates.late.note] }),
    steps: lateSteps(late, charge, { percentPerMonth: rates.late.percentPerMonth, citation }),
    citation,
    confidence: rates.late.confidence,
    rule_version: rates.version,
  };
}

function readTaxYear(value: unknown): number {
  const year = typeof value === 'string' && /^\d{4}$/.test(value) ? Number(value) : value;
  return typeof year === 'number' &&
    Number.isInteger(year) &&
    year >= TAX_YEAR_MIN &&
    year < YEAR_MAX
    ? year
    : refuseCase('tax_year', `a year from ${TAX_YEAR_MIN} to ${YEAR_MAX - 1}`, value);
}
