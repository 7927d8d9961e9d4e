/** law/rules/grants/duties.json as values. */
import { type Day, type LawNode, type NamedText, readLawDocument } from '../../calendar/index.ts';
import { dollarsOf, type Fact, factOf, HEAD_KEYS, headOf, type LawHead } from './facts.ts';
import { type Form, FORMS } from './form990-law.ts';

interface ReturnDue extends Fact {
  /** Month after the year's end, and the day in it. */
  readonly month: number;
  readonly day: number;
  readonly extendedMonths: number;
}

interface MonthDay {
  readonly month: number;
  readonly day: number;
}

export interface DutiesLaw extends LawHead {
  readonly sam: Fact & {
    readonly days: number;
    readonly startDaysBefore: number;
    readonly anchor: Fact;
  };
  readonly ffata: Fact & {
    readonly threshold: number;
    readonly individuals: Fact;
    readonly smallIncome: Fact & { readonly below: number };
  };
  readonly deMinimis: Fact & {
    readonly from: Day;
    readonly before: number;
    readonly after: number;
  };
  readonly form990T: ReturnDue & { readonly employeeTrustMonth: number };
  readonly form4720: ReturnDue;
  readonly form990PF: ReturnDue;
  readonly estimates: Fact & {
    /** Months of the tax year itself. */
    readonly months: Readonly<
      Record<'privateFoundation' | 'unrelatedBusinessIncome', readonly number[]>
    >;
    readonly day: number;
    readonly requiredFrom: number;
  };
  readonly form8868: Fact & { readonly months: number; readonly notFor: readonly Form[] };
  readonly informationReturns: Fact & {
    /** By the year of payment; the years after the last are not known. */
    readonly thresholds: readonly { readonly to: number; readonly amount: number }[];
    readonly electronicFrom: number;
    readonly due: Fact &
      Readonly<Record<'recipient' | 'necIrs' | 'miscPaper' | 'miscElectronic', MonthDay>>;
  };
}

const FACT_KEYS = ['source', 'confidence'] as const;

export function readDutiesLaw({ file, text }: NamedText): DutiesLaw {
  const root = readLawDocument({ file, text, fault: 'RULE_FILE_INVALID' }).object(
    [
      ...HEAD_KEYS,
      'sam',
      'ffata',
      'deMinimis',
      'form990T',
      'form4720',
      'form990PF',
      'estimates',
      'form8868',
      'informationReturns',
    ],
    ['notes'],
  );
  return {
    ...headOf(root),
    sam: samOf(root.field('sam')),
    ffata: ffataOf(root.field('ffata')),
    deMinimis: deMinimisOf(root.field('deMinimis')),
    form990T: form990TOf(root.field('form990T')),
    form4720: returnDue(root.field('form4720'), []),
    form990PF: returnDue(root.field('form990PF'), []),
    estimates: estimatesOf(root.field('estimates')),
    form8868: form8868Of(root.field('form8868')),
    informationReturns: informationReturnsOf(root.field('informationReturns')),
  };
}

function samOf(node: LawNode): DutiesLaw['sam'] {
  node.object(['days', 'startDaysBefore', 'anchor', ...FACT_KEYS]);
  return {
    ...factOf(node),
    days: node.field('days').integer({ min: 1, max: 3660 }),
    startDaysBefore: node.field('startDaysBefore').integer({ min: 1, max: 366 }),
    anchor: factOf(node.field('anchor').object(FACT_KEYS)),
  };
}

function ffataOf(node: LawNode): DutiesLaw['ffata'] {
  node.object(['threshold', 'individuals', 'smallIncome', ...FACT_KEYS]);
  const small = node.field('smallIncome').object(['below', ...FACT_KEYS]);
  return {
    ...factOf(node),
    threshold: dollarsOf(node.field('threshold')),
    individuals: factOf(node.field('individuals').object(FACT_KEYS)),
    smallIncome: { ...factOf(small), below: dollarsOf(small.field('below')) },
  };
}

function deMinimisOf(node: LawNode): DutiesLaw['deMinimis'] {
  node.object(['from', 'before', 'after', ...FACT_KEYS]);
  const percent = { min: 0, max: 100 } as const;
  return {
    ...factOf(node),
    from: node.field('from').day(),
    before: node.field('before').integer(percent),
    after: node.field('after').integer(percent),
  };
}

function returnDue(node: LawNode, more: readonly string[]): ReturnDue {
  node.object(['month', 'day', 'extendedMonths', ...more, ...FACT_KEYS]);
  return {
    ...factOf(node),
    month: node.field('month').integer({ min: 1, max: 24 }),
    day: node.field('day').integer({ min: 1, max: 28 }),
    extendedMonths: node.field('extendedMonths').integer({ min: 1, max: 24 }),
  };
}

function form990TOf(node: LawNode): DutiesLaw['form990T'] {
  return {
    ...returnDue(node, ['employeeTrustMonth']),
    employeeTrustMonth: node.field('employeeTrustMonth').integer({ min: 1, max: 24 }),
  };
}

function estimatesOf(node: LawNode): DutiesLaw['estimates'] {
  node.object([
    'privateFoundation',
    'unrelatedBusinessIncome',
    'day',
    'requiredFrom',
    ...FACT_KEYS,
  ]);
  const months = (name: string): readonly number[] =>
    node
      .field(name)
      .items()
      .map((item) => item.integer({ min: 1, max: 12 }));
  return {
    ...factOf(node),
    months: {
      privateFoundation: months('privateFoundation'),
      unrelatedBusinessIncome: months('unrelatedBusinessIncome'),
    },
    day: node.field('day').integer({ min: 1, max: 28 }),
    requiredFrom: dollarsOf(node.field('requiredFrom')),
  };
}

function form8868Of(node: LawNode): DutiesLaw['form8868'] {
  node.object(['months', 'notFor', ...FACT_KEYS]);
  return {
    ...factOf(node),
    months: node.field('months').integer({ min: 1, max: 24 }),
    notFor: node
      .field('notFor')
      .items()
      .map((item) => item.oneOf(FORMS)),
  };
}

function informationReturnsOf(node: LawNode): DutiesLaw['informationReturns'] {
  node.object(['thresholds', 'electronicFrom', 'due', ...FACT_KEYS]);
  const parts = ['recipient', 'necIrs', 'miscPaper', 'miscElectronic'] as const;
  const due = node.field('due').object([...parts, ...FACT_KEYS]);
  const monthDay = (name: (typeof parts)[number]): MonthDay => {
    const field = due.field(name);
    const match = /^(\d{2})-(\d{2})$/.exec(field.text());
    if (match === null) field.refuse('expected a month and day, as 01-31');
    return { month: Number(match?.[1]), day: Number(match?.[2]) };
  };
  return {
    ...factOf(node),
    thresholds: node
      .field('thresholds')
      .items()
      .map((item) => {
        item.object(['to', 'amount']);
        return {
          to: item.field('to').integer({ min: 1900, max: 2999 }),
          amount: dollarsOf(item.field('amount')),
        };
      })
      .toSorted((one, other) => one.to - other.to),
    electronicFrom: node.field('electronicFrom').integer({ min: 1, max: 100_000 }),
    due: {
      ...factOf(due),
      recipient: monthDay('recipient'),
      necIrs: monthDay('necIrs'),
      miscPaper: monthDay('miscPaper'),
      miscElectronic: monthDay('miscElectronic'),
    },
  };
}
