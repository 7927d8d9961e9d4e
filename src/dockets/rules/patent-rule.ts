/** One rule of patent law as data: what it starts from, how it counts, what may be done after it. */
import {
  type Confidence,
  type Day,
  type Duration,
  type LawNode,
  type MonthArithmetic,
  parseDuration,
  parsePeriod,
  parsePeriodChoice,
  startsOf,
} from '../../calendar/index.ts';
import { INPUT_NAMES, isNamedDay } from './case.ts';
import { type FinalRule, readFinal } from './final-rule.ts';

const FORMULAS = [
  'period',
  'notified-period',
  'renewal',
  'renewal-earliest',
  'renewal-first-late',
  'term-disclaimer',
  'earlier-arithmetic',
  'final-advisory',
  'first-day-counts',
  'day-before',
  'day-after',
  'receipt',
  'none',
] as const;
type Formula = (typeof FORMULAS)[number];

/** How the rule is known: `read` in the law or an official statement of it, `secondary`, or from `memory`. */
export const STANDINGS = ['read', 'secondary', 'memory'] as const;
export type RuleStanding = (typeof STANDINGS)[number];

interface PeriodLimits {
  readonly extensionMonthsMax: number | undefined;
  readonly totalMonthsMin: number | undefined;
  readonly totalMonthsMax: number | undefined;
  /** The only periods that the law knows here, as months; undefined where any may be set. */
  readonly oneOf: readonly Duration[] | undefined;
  readonly beyond: 'refuse' | 'warn';
  readonly citation: string;
}

/** A fee for a year: from which year on, and whether it falls due with the month of the anniversary or on that day. */
interface RenewalYears {
  readonly from: number;
  readonly dueAt: 'month-end' | 'anniversary';
  readonly citation: string;
}

/** A period that the law had for what began before a day; known from memory. */
interface EarlierPeriod {
  readonly before: Day;
  readonly period: string;
}

export interface PatentRule {
  readonly rule: string;
  readonly offices: readonly string[];
  readonly title: string;
  /** What the trigger date is. */
  readonly trigger: string;
  readonly formula: Formula;
  readonly roll: boolean;
  /**
   * The date is no day on which anybody may still act: as of it a right is lost (`loss`), or something else is so, as a
   * term that ends or a window that opens (`state`). It has no cut-off and no rescue.
   */
  readonly asOf: 'loss' | 'state' | undefined;
  /** A name among the rescues of the office, or a text; undefined where nothing saves what comes late. */
  readonly rescue: string | undefined;
  /** False where the date is no last day at this office: a due date that is paid later, an act at other offices. */
  readonly cutoff: boolean;
  /** The Treaty counts in its own way at every office. */
  readonly arithmetic: MonthArithmetic | undefined;
  /** Where the law itself fixes the period; otherwise the case must give it. */
  readonly period: string | undefined;
  /** Where it differs from office to office. */
  readonly periodsAt: ReadonlyMap<string, string>;
  readonly earlierPeriods: readonly EarlierPeriod[];
  /** Printed in the document: named in the refusal, never used. */
  readonly usualPeriod: string | undefined;
  readonly regimes: string | undefined;
  readonly documentsFrom: Day | undefined;
  readonly receiptFrom: Day | undefined;
  /** Inputs without which nothing can be computed. */
  readonly needs: readonly string[];
  /** Inputs that change the answer where they are given. */
  readonly takes: readonly string[];
  readonly renewal: RenewalYears;
  readonly offsetMonths: number;
  readonly priorityPeriod: boolean;
  readonly grantOnTuesday: boolean;
  readonly extendable: boolean | undefined;
  readonly limits: PeriodLimits | undefined;
  readonly final: FinalRule | undefined;
  readonly note: string | undefined;
  readonly citation: string;
  readonly standing: RuleStanding;
  readonly confidence: Confidence;
  /** Offices at which what the rule says is from memory. */
  readonly memoryAt: ReadonlySet<string>;
}

/** What a rule may name. */
interface RuleSurroundings {
  readonly officeOf: (node: LawNode) => string;
  readonly regimes: ReadonlyMap<string, unknown>;
}

const OPTIONAL = [
  'standing',
  'period',
  'periods_at',
  'earlier_periods',
  'usual_period',
  'arithmetic',
  'regimes',
  'documents_from',
  'receipt_from',
  'needs',
  'takes',
  'renewal',
  'offset_months',
  'priority_period',
  'grant_on_tuesday',
  'extendable',
  'limits',
  'final',
  'note',
  'as_of',
  'rescue',
  'cutoff',
  'memory_at',
];

export function readPatentRule(node: LawNode, known: RuleSurroundings): PatentRule {
  node.object(
    ['rule', 'offices', 'title', 'trigger', 'formula', 'roll', 'citation', 'confidence'],
    OPTIONAL,
  );
  const formula = node.field('formula').oneOf(FORMULAS);
  const period = periodText(node.optional('period'));
  const regimes = node.optional('regimes');
  if (regimes !== undefined && !known.regimes.has(regimes.text())) {
    regimes.refuse(`expected one of ${[...known.regimes.keys()].join(', ')}`);
  }
  if (formula === 'notified-period' && regimes === undefined) {
    node.refuse('the formula notified-period needs "regimes"');
  }
  const confidence = node.field('confidence').oneOf(['high', 'medium', 'low']);
  const citation = node.field('citation').text();
  return {
    rule: node.field('rule').text(),
    offices: node.field('offices').items().map(known.officeOf),
    title: node.field('title').text(),
    trigger: node.field('trigger').text(),
    formula,
    roll: node.field('roll').boolean(),
    asOf: node.optional('as_of')?.oneOf(['loss', 'state']),
    rescue: node.optional('rescue')?.text(),
    cutoff: node.optional('cutoff')?.boolean() ?? true,
    period,
    periodsAt: readPeriodsAt(node.optional('periods_at')),
    earlierPeriods: node.optional('earlier_periods')?.items().map(readEarlier) ?? [],
    usualPeriod: periodText(node.optional('usual_period')),
    arithmetic: node.optional('arithmetic')?.oneOf(['same-number', 'japanese']),
    regimes: regimes?.text(),
    documentsFrom: node.optional('documents_from')?.day(),
    receiptFrom: node.optional('receipt_from')?.day(),
    needs: readInputNames(node.optional('needs')),
    takes: readInputNames(node.optional('takes')),
    renewal: readRenewal(node.optional('renewal'), citation),
    offsetMonths: node.optional('offset_months')?.integer({ min: -24, max: 24 }) ?? 0,
    priorityPeriod: node.optional('priority_period')?.boolean() ?? false,
    grantOnTuesday: node.optional('grant_on_tuesday')?.boolean() ?? false,
    extendable: node.optional('extendable')?.boolean(),
    limits: readLimits(node.optional('limits')),
    final: readFinal(node.optional('final')),
    note: node.optional('note')?.text(),
    citation,
    // A firm that does not say how it knows a rule is taken at its own word for it, as before.
    standing: node.optional('standing')?.oneOf(STANDINGS) ?? STANDING_OF[confidence],
    confidence,
    memoryAt: new Set(node.optional('memory_at')?.items().map(known.officeOf)),
  };
}

const STANDING_OF: Readonly<Record<Confidence, RuleStanding>> = {
  high: 'read',
  medium: 'secondary',
  low: 'memory',
};

function readInputNames(node: LawNode | undefined): readonly string[] {
  return node?.items().map((item) => item.oneOf(INPUT_NAMES)) ?? [];
}

function periodText(node: LawNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  const text = node.text();
  const choice = parsePeriodChoice(text);
  if (choice === undefined && parsePeriod(text) === undefined) {
    node.refuse(
      'expected a period such as P3M, P60D, P31M then P6M or later(P16M from trigger; P4M from filing_date)',
    );
  }
  for (const name of choice === undefined ? [] : startsOf(choice)) {
    if (!isNamedDay(name)) node.refuse(`"${name}" is no day that a case can give`);
  }
  return text;
}

function readPeriodsAt(node: LawNode | undefined): ReadonlyMap<string, string> {
  const periods = new Map<string, string>();
  for (const office of node?.keys() ?? []) {
    const text = periodText(node?.field(office));
    if (text !== undefined) periods.set(office, text);
  }
  return periods;
}

function readEarlier(node: LawNode): EarlierPeriod {
  node.object(['before', 'period']);
  const period = node.field('period');
  return { before: node.field('before').day(), period: periodText(period) ?? '' };
}

/** Rule 51(1) EPC: from the third year on, with the month of the anniversary. */
const FIRST_RENEWAL_YEAR = 3;

function readRenewal(node: LawNode | undefined, citation: string): RenewalYears {
  node?.object(['from', 'due_at', 'citation']);
  return {
    from: node?.field('from').integer({ min: 2, max: 5 }) ?? FIRST_RENEWAL_YEAR,
    dueAt: node?.field('due_at').oneOf(['month-end', 'anniversary']) ?? 'month-end',
    citation: node?.field('citation').text() ?? citation,
  };
}

function readLimits(node: LawNode | undefined): PeriodLimits | undefined {
  if (node === undefined) return undefined;
  node.object(
    ['beyond', 'citation'],
    ['extension_months_max', 'total_months_min', 'total_months_max', 'one_of'],
  );
  const months = { min: 0, max: 60 };
  return {
    extensionMonthsMax: node.optional('extension_months_max')?.integer(months),
    totalMonthsMin: node.optional('total_months_min')?.integer(months),
    totalMonthsMax: node.optional('total_months_max')?.integer(months),
    oneOf: node
      .optional('one_of')
      ?.items()
      .map((item) => parseDuration(item.text()) ?? item.refuse('expected a period such as P3Y6M')),
    beyond: node.field('beyond').oneOf(['refuse', 'warn']),
    citation: node.field('citation').text(),
  };
}
