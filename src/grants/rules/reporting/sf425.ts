/** SF-425 (Federal Financial Report), section 10: each line with the amounts that it is made of, by the form's own formulas. */
import { invariant } from '../../../core/index.ts';
import type { GrantsLaw } from '../law.ts';
import { type Figure, figureOf, type FigurePart, totalOf } from './figure.ts';

export interface Sf425Input {
  /** Federal cash, cumulative over the award. */
  readonly cashReceipts: readonly FigurePart[];
  readonly cashDisbursements: readonly FigurePart[];
  readonly federalFundsAuthorized: readonly FigurePart[];
  readonly federalExpenditures: readonly FigurePart[];
  readonly unliquidatedObligations: readonly FigurePart[];
  readonly recipientShareRequired: readonly FigurePart[];
  readonly recipientExpenditures: readonly FigurePart[];
  readonly programIncomeEarned: readonly FigurePart[];
  readonly programIncomeDeducted: readonly FigurePart[];
  readonly programIncomeAdded: readonly FigurePart[];
  /** Line 11d, where the books say it. */
  readonly indirectBase?: readonly FigurePart[];
  /** Line 11f. */
  readonly indirectFederalShare?: readonly FigurePart[];
  /** Line 11b in hundredths of a percent; with the base it gives line 11e. */
  readonly indirectRate?: number | undefined;
}

type LineInput = Exclude<
  keyof Sf425Input,
  'indirectRate' | 'indirectBase' | 'indirectFederalShare'
>;

export interface Sf425 {
  readonly figures: readonly Figure[];
  /** What a person must look at before it is filed. */
  readonly tasks: readonly string[];
}

/** Lines that somebody must know; every other one is computed. */
const INPUT_OF: Readonly<Record<string, LineInput>> = {
  '10a': 'cashReceipts',
  '10b': 'cashDisbursements',
  '10d': 'federalFundsAuthorized',
  '10e': 'federalExpenditures',
  '10f': 'unliquidatedObligations',
  '10i': 'recipientShareRequired',
  '10j': 'recipientExpenditures',
  '10l': 'programIncomeEarned',
  '10m': 'programIncomeDeducted',
  '10n': 'programIncomeAdded',
};

const FAULT_BELOW_ZERO: Readonly<Record<string, string>> = {
  '10c': 'more was paid out than received',
  '10h': 'more is spent and owed than authorized',
  '10o': 'more program income is used than earned',
};

export function sf425Report(given: Sf425Input, { federal }: GrantsLaw): Sf425 {
  const { lines, alternatives, standing, source } = federal.sf425;
  const figures = new Map<string, Figure>();
  const of = (line: string): Figure => {
    const figure = figures.get(line);
    invariant(
      figure !== undefined,
      `line ${line} of the SF-425 comes before the lines computed from it`,
    );
    return figure;
  };
  for (const { line, formula } of lines) {
    const name = { name: `SF425/${line}`, line, xpath: undefined };
    const input = INPUT_OF[line];
    invariant(
      (formula === undefined) === (input !== undefined),
      `line ${line} is given or computed`,
    );
    const signed = (names: readonly string[], sign: 1 | -1) =>
      names.map((one) => ({ sign, figure: of(one) }));
    const figure =
      formula === undefined
        ? figureOf(name, input === undefined ? [] : given[input])
        : totalOf(name, [...signed(formula.plus, 1), ...signed(formula.minus, -1)]);
    figures.set(line, figure);
  }
  const used = alternatives.filter((line) => of(line).cents !== 0n);
  const tasks = [
    ...(standing === 'verified' ? [] : [`Confirm the lines: ${standing} (${source})`]),
    ...(used.length > 1
      ? [
          `Lines ${used.join(' and ')} are both used: the form subtracts one or the other; ask the agency`,
        ]
      : []),
    ...[...figures.values()]
      .filter(({ line, dollars }) => dollars < 0n && FAULT_BELOW_ZERO[line] !== undefined)
      .map((figure) => `${figure.name} is ${figure.dollars}: ${FAULT_BELOW_ZERO[figure.line]}`),
  ];
  return { figures: [...figures.values(), ...indirectFigures(given)], tasks };
}

/** Line 11, as far as the books say it: base, what the rate makes of it, and the federal share. */
function indirectFigures(given: Sf425Input): readonly Figure[] {
  const { indirectBase: base = [], indirectFederalShare: share = [], indirectRate: rate } = given;
  const named = (line: string): Pick<Figure, 'name' | 'line' | 'xpath'> => ({
    name: `SF425/${line}`,
    line,
    xpath: undefined,
  });
  const charged = base.map((part) => ({
    ...part,
    cents: (part.cents * BigInt(rate ?? 0)) / HUNDREDTHS_OF_PERCENT,
  }));
  return [
    ...(base.length === 0 ? [] : [figureOf(named('11d'), base)]),
    ...(base.length === 0 || rate === undefined ? [] : [figureOf(named('11e'), charged)]),
    ...(share.length === 0 ? [] : [figureOf(named('11f'), share)]),
  ];
}

const HUNDREDTHS_OF_PERCENT = 10_000n;
