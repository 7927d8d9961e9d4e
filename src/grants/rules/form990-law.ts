/** law/rules/grants/form990.json as values. */
import { type LawNode, type NamedText, readLawDocument } from '../../calendar/index.ts';
import {
  DOLLARS_MAX,
  dollarsOf,
  type Fact,
  factOf,
  HEAD_KEYS,
  headOf,
  type LawHead,
  textsOf,
} from './facts.ts';

export const ORGANIZATION_FLAGS = [
  'church',
  'privateFoundation',
  'supporting509a3',
  'dafSponsor',
  'controlling512b13',
] as const;
export type OrganizationFlag = (typeof ORGANIZATION_FLAGS)[number];

/** Forms that are filed; `none` is an answer, not a form. */
export const FORMS = ['990-N', '990-EZ', '990', '990-PF'] as const;
export type Form = (typeof FORMS)[number];

export interface SelectionRule extends Fact {
  readonly form: Form | 'none';
  readonly onlyFor: readonly OrganizationFlag[];
  readonly notFor: readonly OrganizationFlag[];
  /** With one of these the form follows from what the sources do not forbid, so a person confirms it. */
  readonly confirmFor: readonly OrganizationFlag[];
  readonly grossReceiptsAtMost: number | undefined;
  readonly grossReceiptsBelow: number | undefined;
  readonly totalAssetsBelow: number | undefined;
}

interface NormallyTier extends Fact {
  readonly yearsAtMost: number | undefined;
  readonly yearsBelow: number | undefined;
  readonly amount: number;
}

/** The day of the n-th month after the month in which the year ends. */
export interface DayOfMonthAfter extends Fact {
  readonly month: number;
  readonly day: number;
}

interface ContributionLine {
  readonly element: string;
  readonly line: string;
  readonly funderTypes: readonly string[];
}

export interface Form990Law extends LawHead {
  readonly selection: readonly SelectionRule[];
  readonly normally: readonly NormallyTier[];
  readonly due: DayOfMonthAfter & {
    readonly calendar: string;
    readonly rollSource: string;
    readonly districtHolidays: Fact & { readonly without: string };
  };
  readonly extension: DayOfMonthAfter & {
    readonly notFor: readonly Form[];
    readonly afterRoll: Fact;
  };
  readonly yearEndInsideMonth: Fact;
  readonly contributionLines: readonly ContributionLine[];
  readonly contributionMapping: Fact & {
    readonly noncashElement: string;
    readonly totalElements: readonly string[];
  };
  readonly scheduleI: Fact & {
    readonly listedAboveCents: number;
    /** Of all individuals together. */
    readonly individualsAboveCents: number;
  };
  readonly scheduleB: Fact & {
    readonly listedFromCents: number;
    /** The share of all contributions from which the special rule lists, in hundredths of a percent. */
    readonly specialHundredths: number;
    /** Gifts below it need not be added up. */
    readonly addedFromCents: number;
  };
}

const FACT_KEYS = ['source', 'confidence'] as const;

export function readForm990Law({ file, text }: NamedText): Form990Law {
  const root = readLawDocument({ file, text, fault: 'RULE_FILE_INVALID' }).object(
    [
      ...HEAD_KEYS,
      'selection',
      'normally',
      'due',
      'extension',
      'yearEndInsideMonth',
      'contributionLines',
      'contributionMapping',
      'scheduleI',
      'scheduleB',
    ],
    ['notes'],
  );
  const selection = root.field('selection').items().map(selectionRule);
  const last = selection.at(-1);
  if (last === undefined || !holdsAlways(last)) {
    root.field('selection').refuse('the last rule must hold for every organization');
  }
  const normally = root.field('normally').items().map(normallyTier);
  const open = normally.at(-1);
  if (open === undefined || open.yearsAtMost !== undefined || open.yearsBelow !== undefined) {
    root.field('normally').refuse('the last tier must hold for every age');
  }
  return {
    ...headOf(root),
    selection,
    normally,
    due: dueOf(root.field('due')),
    extension: extensionOf(root.field('extension')),
    yearEndInsideMonth: factOf(root.field('yearEndInsideMonth').object(FACT_KEYS)),
    contributionLines: contributionLinesOf(root.field('contributionLines')),
    contributionMapping: mappingOf(root.field('contributionMapping')),
    scheduleI: scheduleIOf(root.field('scheduleI')),
    scheduleB: scheduleBOf(root.field('scheduleB')),
  };
}

function selectionRule(node: LawNode): SelectionRule {
  node.object(
    ['form', ...FACT_KEYS],
    [
      'onlyFor',
      'notFor',
      'confirmFor',
      'grossReceiptsAtMost',
      'grossReceiptsBelow',
      'totalAssetsBelow',
    ],
  );
  const amount = (name: string): number | undefined => {
    const field = node.optional(name);
    return field === undefined ? undefined : dollarsOf(field);
  };
  return {
    ...factOf(node),
    form: node.field('form').oneOf(['none', ...FORMS]),
    onlyFor: flagsOf(node.optional('onlyFor')),
    notFor: flagsOf(node.optional('notFor')),
    confirmFor: flagsOf(node.optional('confirmFor')),
    grossReceiptsAtMost: amount('grossReceiptsAtMost'),
    grossReceiptsBelow: amount('grossReceiptsBelow'),
    totalAssetsBelow: amount('totalAssetsBelow'),
  };
}

function flagsOf(node: LawNode | undefined): readonly OrganizationFlag[] {
  return node?.items().map((item) => item.oneOf(ORGANIZATION_FLAGS)) ?? [];
}

function holdsAlways(rule: SelectionRule): boolean {
  return (
    rule.onlyFor.length === 0 &&
    rule.notFor.length === 0 &&
    rule.grossReceiptsAtMost === undefined &&
    rule.grossReceiptsBelow === undefined &&
    rule.totalAssetsBelow === undefined
  );
}

function normallyTier(node: LawNode): NormallyTier {
  node.object(['amount', ...FACT_KEYS], ['yearsAtMost', 'yearsBelow']);
  const years = (name: string): number | undefined =>
    node.optional(name)?.integer({ min: 0, max: 100 });
  return {
    ...factOf(node),
    amount: dollarsOf(node.field('amount')),
    yearsAtMost: years('yearsAtMost'),
    yearsBelow: years('yearsBelow'),
  };
}

function dayOfMonthAfter(node: LawNode): DayOfMonthAfter {
  return {
    ...factOf(node),
    month: node.field('month').integer({ min: 1, max: 24 }),
    day: node.field('day').integer({ min: 1, max: 28 }),
  };
}

function dueOf(node: LawNode): Form990Law['due'] {
  node.object(['month', 'day', 'calendar', 'rollSource', 'districtHolidays', ...FACT_KEYS]);
  const district = node.field('districtHolidays').object(['without', ...FACT_KEYS]);
  return {
    ...dayOfMonthAfter(node),
    calendar: node.field('calendar').text(),
    rollSource: node.field('rollSource').text(),
    districtHolidays: { ...factOf(district), without: district.field('without').text() },
  };
}

function extensionOf(node: LawNode): Form990Law['extension'] {
  node.object(['month', 'day', 'notFor', 'afterRoll', ...FACT_KEYS]);
  return {
    ...dayOfMonthAfter(node),
    notFor: node
      .field('notFor')
      .items()
      .map((item) => item.oneOf(FORMS)),
    afterRoll: factOf(node.field('afterRoll').object(FACT_KEYS)),
  };
}

function contributionLinesOf(node: LawNode): readonly ContributionLine[] {
  const seen = new Set<string>();
  return node.items().map((item) => {
    item.object(['element', 'line', 'funderTypes']);
    const funderTypes = item.field('funderTypes');
    for (const type of funderTypes.items()) {
      if (seen.has(type.text())) type.refuse('this funder type already has a line');
      seen.add(type.text());
    }
    return {
      element: item.field('element').text(),
      line: item.field('line').text(),
      funderTypes: textsOf(funderTypes),
    };
  });
}

function mappingOf(node: LawNode): Form990Law['contributionMapping'] {
  node.object(['noncashElement', 'totalElements', ...FACT_KEYS]);
  return {
    ...factOf(node),
    noncashElement: node.field('noncashElement').text(),
    totalElements: textsOf(node.field('totalElements')),
  };
}

function scheduleIOf(node: LawNode): Form990Law['scheduleI'] {
  node.object(['listedAboveCents', 'individualsAboveCents', ...FACT_KEYS]);
  const cents = { min: 0, max: DOLLARS_MAX } as const;
  return {
    ...factOf(node),
    listedAboveCents: node.field('listedAboveCents').integer(cents),
    individualsAboveCents: node.field('individualsAboveCents').integer(cents),
  };
}

function scheduleBOf(node: LawNode): Form990Law['scheduleB'] {
  node.object(['listedFromCents', 'specialHundredths', 'addedFromCents', ...FACT_KEYS]);
  const cents = { min: 0, max: DOLLARS_MAX } as const;
  return {
    ...factOf(node),
    listedFromCents: node.field('listedFromCents').integer(cents),
    specialHundredths: node.field('specialHundredths').integer({ min: 0, max: 10_000 }),
    addedFromCents: node.field('addedFromCents').integer(cents),
  };
}
