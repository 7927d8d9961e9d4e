/** Reads law/rules/delaware-franchise-tax.json: rates by tax year, tentative payments, lateness. */
import {
  type Confidence,
  type LawNode,
  type NamedText,
  readLawDocument,
} from '../../../calendar/index.ts';
import { FilewrightError } from '../../../core/index.ts';
import { type Exact, over, readExact, whole } from './exact.ts';
import type { InstallmentPlan } from './installments.ts';

/** A tax in brackets, then by blocks or parts of blocks. */
export interface SteppedTax {
  readonly brackets: readonly { readonly upTo: bigint; readonly tax: bigint }[];
  readonly block: bigint;
  readonly perBlock: bigint;
}

export interface Schedule {
  readonly taxYearFrom: number;
  readonly taxYearTo: number | undefined;
  readonly authorizedShares: SteppedTax & { readonly minimum: Exact; readonly maximum: Exact };
  readonly assumedPar: {
    readonly decimals: number;
    readonly block: bigint;
    readonly perBlock: bigint;
    readonly minimum: Exact;
    readonly maximum: Exact;
    readonly noPar: SteppedTax & { readonly valuePerShare: bigint };
    readonly noParNote: string;
  };
  readonly largeFilerTax: Exact;
  readonly citations: {
    readonly authorizedShares: string;
    readonly assumedPar: string;
    readonly largeFiler: string;
  };
  readonly confidence: {
    readonly authorizedShares: Confidence;
    readonly assumedPar: Confidence;
    readonly noPar: Confidence;
    readonly largeFiler: Confidence;
  };
}

export interface DelawareRates {
  readonly version: string;
  readonly schedules: readonly Schedule[];
  readonly installments: InstallmentPlan & {
    readonly citation: string;
    readonly confidence: Confidence;
  };
  readonly late: {
    readonly penalty: Exact;
    readonly perMonth: Exact;
    readonly percentPerMonth: string;
    readonly confidence: Confidence;
    readonly citations: Readonly<Record<string, string>>;
    readonly note: string;
  };
}

const MONEY = { min: 0, max: 1_000_000_000 } as const;

export function readDelawareRates(source: NamedText): DelawareRates {
  const root = readLawDocument({ ...source, fault: 'RULE_FILE_INVALID' }).object(
    ['format', 'version', 'checked', 'title', 'schedules', 'rounding', 'installments', 'late'],
    ['not_covered'],
  );
  root.field('format').integer({ min: 1, max: 1 });
  root.field('checked').day();
  const late = root.field('late');
  const kinds = late.field('kinds');
  return {
    version: root.field('version').text(),
    schedules: root.field('schedules').items().map(readSchedule),
    installments: readInstallments(root.field('installments')),
    late: {
      penalty: money(late.field('penalty')),
      percentPerMonth: late.field('percent_per_month').text(),
      confidence: confidenceOf(late),
      perMonth: over(figure(late.field('percent_per_month')), whole(100)),
      citations: Object.fromEntries(kinds.keys().map((kind) => [kind, kinds.field(kind).text()])),
      note: late.field('note').text(),
    },
  };
}

function readSchedule(node: LawNode): Schedule {
  const shares = node.field('authorized_shares');
  const assumed = node.field('assumed_par_value');
  const noPar = assumed.field('no_par');
  const large = node.field('large_filer');
  const to = node.field('tax_year_to');
  return {
    taxYearFrom: year(node.field('tax_year_from')),
    taxYearTo: to.value === null ? undefined : year(to),
    authorizedShares: {
      ...stepped(shares, { upTo: 'up_to_shares', block: 'block_shares' }),
      minimum: money(shares.field('minimum')),
      maximum: money(shares.field('maximum')),
    },
    assumedPar: {
      decimals: assumed.field('par_decimals').integer({ min: 0, max: 12 }),
      block: count(assumed.field('block')),
      perBlock: count(assumed.field('per_block')),
      minimum: money(assumed.field('minimum')),
      maximum: money(assumed.field('maximum')),
      noPar: {
        ...stepped(noPar, { upTo: 'up_to', block: 'block' }),
        valuePerShare: count(noPar.field('value_per_share')),
      },
      noParNote: noPar.field('note').text(),
    },
    largeFilerTax: money(large.field('tax')),
    citations: {
      authorizedShares: shares.field('citation').text(),
      assumedPar: assumed.field('citation').text(),
      largeFiler: large.field('citation').text(),
    },
    confidence: {
      authorizedShares: confidenceOf(shares),
      assumedPar: confidenceOf(assumed),
      noPar: confidenceOf(noPar),
      largeFiler: confidenceOf(large),
    },
  };
}

function stepped(
  node: LawNode,
  names: { readonly upTo: string; readonly block: string },
): SteppedTax {
  const brackets = node
    .field('brackets')
    .items()
    .map((bracket) => ({
      upTo: count(bracket.field(names.upTo)),
      tax: count(bracket.field('tax')),
    }));
  if (brackets.length === 0) node.field('brackets').refuse('expected at least one bracket');
  const block = node.field(names.block);
  return { brackets, block: count(block), perBlock: count(node.field('per_block')) };
}

function readInstallments(node: LawNode): DelawareRates['installments'] {
  const monthDay = (one: LawNode): { month: number; day: number } => ({
    month: one.field('month').integer({ min: 1, max: 12 }),
    day: one.field('day').integer({ min: 1, max: 28 }),
  });
  return {
    threshold: money(node.field('threshold')),
    shares: node
      .field('shares')
      .items()
      .map((share) => ({
        ...monthDay(share),
        percent: share.field('percent').integer({ min: 1, max: 100 }),
      })),
    balance: monthDay(node.field('balance')),
    citation: node.field('citation').text(),
    confidence: confidenceOf(node),
  };
}

function confidenceOf(node: LawNode): Confidence {
  return node.field('confidence').oneOf(['high', 'medium', 'low']);
}

function year(node: LawNode): number {
  return node.integer({ min: 1899, max: 2999 });
}

function count(node: LawNode): bigint {
  return BigInt(node.integer({ min: 1, max: MONEY.max }));
}

function money(node: LawNode): Exact {
  return whole(node.integer(MONEY));
}

function figure(node: LawNode): Exact {
  const text = node.text();
  return /^\d+(\.\d+)?$/.test(text)
    ? readExact(text, node.pointer)
    : node.refuse('expected a figure like "1.5"');
}

/** The rates of a tax year; without one, the newest. Rates are never taken from another year. */
export function scheduleOf(rates: DelawareRates, taxYear: number | undefined): Schedule {
  const found =
    taxYear === undefined
      ? rates.schedules.at(-1)
      : rates.schedules.find(
          (one) => one.taxYearFrom <= taxYear && taxYear <= (one.taxYearTo ?? taxYear),
        );
  if (found !== undefined) return found;
  throw new FilewrightError(
    'RULE_UNKNOWN',
    `tax_year: no franchise tax rates for ${taxYear} are in version ${rates.version}`,
  );
}
