/** What a patent rule file holds. A firm's file of the same form adds rules to the shipped ones or replaces them. */
import {
  type Confidence,
  type Day,
  type Duration,
  type LawNode,
  type MonthArithmetic,
  type NotificationRegime,
  parseDuration,
  parsePeriod,
  readLawDocument,
} from '../../calendar/index.ts';

const FORMULAS = [
  'period',
  'notified-period',
  'renewal',
  'renewal-earliest',
  'term-disclaimer',
  'earlier-arithmetic',
  'day-after',
  'receipt',
] as const;
type Formula = (typeof FORMULAS)[number];

/** How the day is found on which the right is lost; `due`: it is the due day itself. */
const FINALS = [
  'us-reply',
  'us-missing-parts',
  'maintenance-grace',
  'renewal-grace',
  'due',
] as const;
type Final = (typeof FINALS)[number];

interface PeriodLimits {
  readonly extensionMonthsMax: number | undefined;
  readonly totalMonthsMin: number | undefined;
  readonly totalMonthsMax: number | undefined;
  /** The only periods that the law knows here, as months; undefined where any may be set. */
  readonly oneOf: readonly Duration[] | undefined;
  readonly beyond: 'refuse' | 'warn';
  readonly citation: string;
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
  /** Of this kind of act, where that of the office does not hold for it. */
  readonly rescue: string | undefined;
  /** The Treaty counts in its own way at every office. */
  readonly arithmetic: MonthArithmetic | undefined;
  /** Where the law itself fixes the period; otherwise the case must give it. */
  readonly period: string | undefined;
  readonly regimes: string | undefined;
  readonly documentsFrom: Day | undefined;
  readonly receiptFrom: Day | undefined;
  readonly needs: readonly string[];
  readonly offsetMonths: number;
  readonly priorityPeriod: boolean;
  readonly grantOnTuesday: boolean;
  readonly extendable: boolean | undefined;
  readonly limits: PeriodLimits | undefined;
  readonly final: Final | undefined;
  readonly note: string | undefined;
  readonly citation: string;
  readonly confidence: Confidence;
}

export interface PatentOffice {
  readonly code: string;
  readonly title: string;
  readonly calendar: string;
  readonly arithmetic: MonthArithmetic;
  readonly monthsCitation: string;
  readonly daysCitation: string;
  readonly rollCitation: string;
  readonly cutoff: string;
  readonly cutoffCitation: string;
  readonly rescue: string | undefined;
}

export interface EventCode {
  readonly code: string;
  /** Whether `code` is only how the codes of this family begin. */
  readonly prefix: boolean;
  readonly office: string;
  readonly rule: string | undefined;
  readonly title: string;
  /** Usual, but printed in the action: named in the refusal, never used. */
  readonly usualPeriod: string | undefined;
}

export interface PatentRules {
  readonly version: string;
  readonly offices: ReadonlyMap<string, PatentOffice>;
  readonly filingCountries: ReadonlyMap<string, string>;
  readonly eventCodes: readonly EventCode[];
  readonly regimes: ReadonlyMap<string, readonly NotificationRegime[]>;
  readonly rules: ReadonlyMap<string, PatentRule>;
}

const EMPTY: PatentRules = {
  version: '',
  offices: new Map(),
  filingCountries: new Map(),
  eventCodes: [],
  regimes: new Map(),
  rules: new Map(),
};

/** `base` are the rules that the file adds to; what the file names again takes their place. */
export function readPatentRules(
  source: { readonly file: string; readonly text: string },
  base: PatentRules = EMPTY,
): PatentRules {
  const root = readLawDocument({ ...source, fault: 'RULE_FILE_INVALID' });
  root.object(
    ['kind', 'version', 'checked'],
    ['notes', 'offices', 'filing_countries', 'event_codes', 'notification_regimes', 'rules'],
  );
  root.field('kind').oneOf(['patent-rules']);
  root.field('checked').day();
  const version = root.field('version').text();
  const offices = members(root.optional('offices'), base.offices, readOffice);
  const regimes = members(root.optional('notification_regimes'), base.regimes, readRegimes);
  const known = { offices, regimes };
  const countries = members(root.optional('filing_countries'), base.filingCountries, (node) =>
    officeOf(node, offices),
  );
  const rules = new Map(base.rules);
  const lines = new Map<string, number>();
  for (const node of root.optional('rules')?.items() ?? []) {
    const rule = readRule(node, known);
    const line = lines.get(rule.rule);
    if (line !== undefined) node.field('rule').refuse(`this rule is already given on line ${line}`);
    lines.set(rule.rule, node.field('rule').line);
    rules.set(rule.rule, rule);
  }
  const codes = root.optional('event_codes')?.items() ?? [];
  return {
    version: base.version === '' ? version : `${version}+${base.version}`,
    offices,
    filingCountries: countries,
    // The file's own codes first: the first that fits is taken.
    eventCodes: [
      ...codes.map((node) => readEventCode(node, { offices, rules })),
      ...base.eventCodes,
    ],
    regimes,
    rules,
  };
}

function members<Value>(
  node: LawNode | undefined,
  base: ReadonlyMap<string, Value>,
  read: (node: LawNode, key: string) => Value,
): Map<string, Value> {
  const all = new Map(base);
  for (const key of node?.keys() ?? [])
    if (node !== undefined) all.set(key, read(node.field(key), key));
  return all;
}

function readOffice(node: LawNode, code: string): PatentOffice {
  node.object(
    [
      'title',
      'calendar',
      'arithmetic',
      'months_citation',
      'days_citation',
      'roll_citation',
      'cutoff',
      'cutoff_citation',
    ],
    ['rescue'],
  );
  return {
    code,
    title: node.field('title').text(),
    calendar: node.field('calendar').text(),
    arithmetic: node.field('arithmetic').oneOf(['same-number', 'japanese']),
    monthsCitation: node.field('months_citation').text(),
    daysCitation: node.field('days_citation').text(),
    rollCitation: node.field('roll_citation').text(),
    cutoff: node.field('cutoff').text(),
    cutoffCitation: node.field('cutoff_citation').text(),
    rescue: node.optional('rescue')?.text(),
  };
}

function readRegimes(node: LawNode): NotificationRegime[] {
  let before: Day | undefined;
  return node.items().map((item) => {
    item.object(['documents_from', 'deemed_after_days', 'citation'], ['safeguard_after_days']);
    const documentsFrom = item.field('documents_from').day();
    if (before !== undefined && documentsFrom <= before) {
      item.field('documents_from').refuse('expected a day after that of the regime above');
    }
    before = documentsFrom;
    return {
      documentsFrom,
      deemedAfterDays: item.field('deemed_after_days').integer({ min: 0, max: 60 }),
      safeguardAfterDays: item.optional('safeguard_after_days')?.integer({ min: 0, max: 60 }),
      citation: item.field('citation').text(),
    };
  });
}

function officeOf(node: LawNode, offices: ReadonlyMap<string, PatentOffice>): string {
  const code = node.text();
  if (!offices.has(code)) node.refuse(`expected one of ${[...offices.keys()].join(', ')}`);
  return code;
}

function readEventCode(node: LawNode, known: Pick<PatentRules, 'offices' | 'rules'>): EventCode {
  node.object(['office', 'title'], ['code', 'code_prefix', 'rule', 'usual_period']);
  if (node.has('code') === node.has('code_prefix')) {
    node.refuse('expected exactly one of code, code_prefix');
  }
  const rule = node.optional('rule');
  if (rule !== undefined && !known.rules.has(rule.text())) {
    rule.refuse(`no rule "${rule.text()}" is known`);
  }
  return {
    code: (node.optional('code') ?? node.field('code_prefix')).text(),
    prefix: node.has('code_prefix'),
    office: officeOf(node.field('office'), known.offices),
    rule: rule?.text(),
    title: node.field('title').text(),
    usualPeriod: node.optional('usual_period')?.text(),
  };
}

function readRule(node: LawNode, known: Pick<PatentRules, 'offices' | 'regimes'>): PatentRule {
  node.object(
    ['rule', 'offices', 'title', 'trigger', 'formula', 'roll', 'citation', 'confidence'],
    [
      'period',
      'arithmetic',
      'regimes',
      'documents_from',
      'receipt_from',
      'needs',
      'offset_months',
      'priority_period',
      'grant_on_tuesday',
      'extendable',
      'limits',
      'final',
      'note',
      'as_of',
      'rescue',
    ],
  );
  const formula = node.field('formula').oneOf(FORMULAS);
  const period = node.optional('period');
  if (period !== undefined && parsePeriod(period.text()) === undefined) {
    period.refuse('expected a period such as P3M, P60D or P31M then P6M');
  }
  const regimes = node.optional('regimes');
  if (regimes !== undefined && !known.regimes.has(regimes.text())) {
    regimes.refuse(`expected one of ${[...known.regimes.keys()].join(', ')}`);
  }
  if (formula === 'notified-period' && regimes === undefined) {
    node.refuse('the formula notified-period needs "regimes"');
  }
  return {
    rule: node.field('rule').text(),
    offices: node
      .field('offices')
      .items()
      .map((office) => officeOf(office, known.offices)),
    title: node.field('title').text(),
    trigger: node.field('trigger').text(),
    formula,
    roll: node.field('roll').boolean(),
    asOf: node.optional('as_of')?.oneOf(['loss', 'state']),
    rescue: node.optional('rescue')?.text(),
    period: period?.text(),
    arithmetic: node.optional('arithmetic')?.oneOf(['same-number', 'japanese']),
    regimes: regimes?.text(),
    documentsFrom: node.optional('documents_from')?.day(),
    receiptFrom: node.optional('receipt_from')?.day(),
    needs:
      node
        .optional('needs')
        ?.items()
        .map((item) => item.oneOf(['delivered_date'])) ?? [],
    offsetMonths: node.optional('offset_months')?.integer({ min: -24, max: 24 }) ?? 0,
    priorityPeriod: node.optional('priority_period')?.boolean() ?? false,
    grantOnTuesday: node.optional('grant_on_tuesday')?.boolean() ?? false,
    extendable: node.optional('extendable')?.boolean(),
    limits: readLimits(node.optional('limits')),
    final: node.optional('final')?.oneOf(FINALS),
    note: node.optional('note')?.text(),
    citation: node.field('citation').text(),
    confidence: node.field('confidence').oneOf(['high', 'medium', 'low']),
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
