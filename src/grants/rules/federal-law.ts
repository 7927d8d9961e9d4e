/** law/rules/grants/federal.json as values. */
import { type Day, type LawNode, type NamedText, readLawDocument } from '../../calendar/index.ts';
import { dollarsOf, type Fact, factOf, HEAD_KEYS, headOf, type LawHead } from './facts.ts';

export interface ReportOffset extends Fact {
  /** Versions of the Uniform Guidance under which the offset holds. */
  readonly guidance: readonly string[];
  readonly days: number;
}

interface AuditThreshold extends Fact {
  /** First fiscal year start for which the amount holds; undefined: from the beginning. */
  readonly from: Day | undefined;
  /** Fiscal years that start earlier were not looked up. */
  readonly readFrom: Day | undefined;
  readonly amount: number;
}

export interface IdentifierShape extends Fact {
  readonly pattern: RegExp;
  /** A run of this many digits is not allowed. */
  readonly digitRunBelow: number | undefined;
}

/** A line of the SF-425; with `plus` and `minus` it is computed from lines above it. */
interface Sf425Line {
  readonly line: string;
  readonly title: string;
  readonly formula:
    | { readonly plus: readonly string[]; readonly minus: readonly string[] }
    | undefined;
}

export interface FederalLaw extends LawHead {
  readonly guidance: readonly string[];
  readonly currentGuidance: string;
  readonly reports: ReadonlyMap<string, readonly ReportOffset[]>;
  readonly sf425: Fact & {
    readonly lines: readonly Sf425Line[];
    /** Lines of which the form subtracts one or the other. */
    readonly alternatives: readonly string[];
  };
  readonly agencyCloseout: Fact & { readonly months: number };
  readonly singleAudit: Fact & {
    /** The latest first. */
    readonly thresholds: readonly AuditThreshold[];
    readonly atThreshold: Fact;
    readonly daysAfterReport: number;
    readonly monthsAfterYearEnd: number;
    readonly monthEndSource: string;
    readonly calendar: string;
  };
  readonly retention: Fact & { readonly years: number };
  readonly identifiers: Readonly<Record<'uei' | 'aln' | 'ein', IdentifierShape>>;
}

const FACT_KEYS = ['source', 'confidence'] as const;
const OFFSET_DAYS = { min: 0, max: 3660 } as const;

export function readFederalLaw({ file, text }: NamedText): FederalLaw {
  const root = readLawDocument({ file, text, fault: 'RULE_FILE_INVALID' }).object(
    [
      ...HEAD_KEYS,
      'guidance',
      'currentGuidance',
      'reports',
      'sf425',
      'agencyCloseout',
      'singleAudit',
      'retention',
      'identifiers',
    ],
    ['notes'],
  );
  const guidance = root
    .field('guidance')
    .items()
    .map((item) => {
      item.object(['id', 'title']).field('title').text();
      return item.field('id').text();
    });
  const closeout = root.field('agencyCloseout').object(['months', ...FACT_KEYS]);
  const retention = root.field('retention').object(['years', ...FACT_KEYS]);
  const identifiers = root.field('identifiers').object(['uei', 'aln', 'ein']);
  return {
    ...headOf(root),
    guidance,
    currentGuidance: root.field('currentGuidance').oneOf(guidance),
    reports: reportsOf(root.field('reports'), guidance),
    sf425: sf425Of(root.field('sf425')),
    agencyCloseout: {
      ...factOf(closeout),
      months: closeout.field('months').integer({ min: 1, max: 120 }),
    },
    singleAudit: singleAuditOf(root.field('singleAudit')),
    retention: {
      ...factOf(retention),
      years: retention.field('years').integer({ min: 0, max: 100 }),
    },
    identifiers: {
      uei: shapeOf(identifiers.field('uei')),
      aln: shapeOf(identifiers.field('aln')),
      ein: shapeOf(identifiers.field('ein')),
    },
  };
}

function reportsOf(
  node: LawNode,
  guidance: readonly string[],
): ReadonlyMap<string, readonly ReportOffset[]> {
  const reports = new Map<string, readonly ReportOffset[]>();
  for (const item of node.items()) {
    item.object(['id', 'offsets']);
    const id = item.field('id').text();
    if (reports.has(id)) item.field('id').refuse('this report is already listed above');
    const offsets = item
      .field('offsets')
      .items()
      .map((offset): ReportOffset => {
        offset.object(['guidance', 'days', ...FACT_KEYS]);
        return {
          ...factOf(offset),
          guidance: offset
            .field('guidance')
            .items()
            .map((version) => version.oneOf(guidance)),
          days: offset.field('days').integer(OFFSET_DAYS),
        };
      });
    const named = offsets.flatMap((offset) => offset.guidance);
    // Two offsets for one version would make the answer hang on their order; none would leave it open.
    if (named.length !== guidance.length || new Set(named).size !== guidance.length) {
      item.field('offsets').refuse('each version of the guidance needs exactly one offset');
    }
    reports.set(id, offsets);
  }
  return reports;
}

function sf425Of(node: LawNode): FederalLaw['sf425'] {
  node.object(['lines', 'alternatives', ...FACT_KEYS]);
  const known: string[] = [];
  const lines = node
    .field('lines')
    .items()
    .map((item): Sf425Line => {
      item.object(['line', 'title'], ['plus', 'minus']);
      const line = item.field('line').text();
      if (known.includes(line)) item.field('line').refuse('this line is already listed above');
      const namesIn = (list: LawNode): readonly string[] =>
        list.items().map((name) => name.oneOf(known));
      const [plus, minus] = [item.optional('plus'), item.optional('minus')];
      if ((plus === undefined) !== (minus === undefined)) item.refuse('plus and minus go together');
      const formula =
        plus === undefined || minus === undefined
          ? undefined
          : { plus: namesIn(plus), minus: namesIn(minus) };
      known.push(line);
      return { line, title: item.field('title').text(), formula };
    });
  const alternatives = node
    .field('alternatives')
    .items()
    .map((name) => name.oneOf(known));
  return { ...factOf(node), lines, alternatives };
}

function singleAuditOf(node: LawNode): FederalLaw['singleAudit'] {
  node.object([
    'thresholds',
    'atThreshold',
    'daysAfterReport',
    'monthsAfterYearEnd',
    'monthEndSource',
    'calendar',
    ...FACT_KEYS,
  ]);
  const thresholds = node
    .field('thresholds')
    .items()
    .map((item): AuditThreshold => {
      item.object(['amount', ...FACT_KEYS], ['fiscalYearStartFrom', 'readFrom']);
      return {
        ...factOf(item),
        from: item.optional('fiscalYearStartFrom')?.day(),
        readFrom: item.optional('readFrom')?.day(),
        amount: dollarsOf(item.field('amount')),
      };
    })
    .toSorted((one, other) => (other.from ?? -Infinity) - (one.from ?? -Infinity));
  if (thresholds.filter((threshold) => threshold.from === undefined).length !== 1) {
    node.field('thresholds').refuse('exactly one threshold must hold from the beginning');
  }
  return {
    ...factOf(node),
    thresholds,
    atThreshold: factOf(node.field('atThreshold').object(FACT_KEYS)),
    daysAfterReport: node.field('daysAfterReport').integer(OFFSET_DAYS),
    monthsAfterYearEnd: node.field('monthsAfterYearEnd').integer({ min: 1, max: 120 }),
    monthEndSource: node.field('monthEndSource').text(),
    calendar: node.field('calendar').text(),
  };
}

function shapeOf(node: LawNode): IdentifierShape {
  node.object(['pattern', 'ignoreCase', ...FACT_KEYS], ['digitRunBelow']);
  const pattern = node.field('pattern');
  // Without `u`: with it the Kelvin sign counts as a K and the long s as an S.
  const flags = node.field('ignoreCase').boolean() ? 'i' : '';
  let compiled: RegExp;
  try {
    compiled = new RegExp(pattern.text(), flags);
  } catch (error) {
    return pattern.refuse(
      `expected a regular expression: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return {
    ...factOf(node),
    pattern: compiled,
    digitRunBelow: node.optional('digitRunBelow')?.integer({ min: 1, max: 100 }),
  };
}
