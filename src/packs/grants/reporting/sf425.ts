/** SF-425 (Federal Financial Report), lines 10a to 10o, each with the amounts that it is made of. */
import type { Fact } from '../facts.ts';
import { type Figure, type FigurePart, figureOf, totalOf } from './figure.ts';

/** The lines of the form were written down from memory: whoever files compares them with the form. */
export const SF425_LINES: Fact = {
  source: 'SF-425, section 10; form not read here',
  standing: 'known-unverified',
};

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
}

export interface Sf425 {
  readonly figures: readonly Figure[];
  /** What a person must look at before it is filed. */
  readonly tasks: readonly string[];
}

export function sf425Report(given: Sf425Input): Sf425 {
  const line = (letter: string, parts: readonly FigurePart[]): Figure =>
    figureOf(nameOf(letter), parts);
  const difference = (letter: string, plus: Figure, ...minus: Figure[]): Figure =>
    totalOf(nameOf(letter), [
      { sign: 1, figure: plus },
      ...minus.map((figure) => ({ sign: -1, figure }) as const),
    ]);
  const a = line('a', given.cashReceipts);
  const b = line('b', given.cashDisbursements);
  const d = line('d', given.federalFundsAuthorized);
  const e = line('e', given.federalExpenditures);
  const f = line('f', given.unliquidatedObligations);
  const g = totalOf(nameOf('g'), [
    { sign: 1, figure: e },
    { sign: 1, figure: f },
  ]);
  const i = line('i', given.recipientShareRequired);
  const j = line('j', given.recipientExpenditures);
  const l = line('l', given.programIncomeEarned);
  const m = line('m', given.programIncomeDeducted);
  const n = line('n', given.programIncomeAdded);
  const c = difference('c', a, b);
  const h = difference('h', d, g);
  const k = difference('k', i, j);
  const o = difference('o', l, m, n);
  const tasks = [
    `Confirm the lines: ${SF425_LINES.standing} (${SF425_LINES.source})`,
    ...[
      { figure: c, fault: 'more was paid out than received' },
      { figure: h, fault: 'more is spent and owed than authorized' },
      { figure: o, fault: 'more program income is used than earned' },
    ]
      .filter(({ figure }) => figure.dollars < 0n)
      .map(({ figure, fault }) => `${figure.name} is ${figure.dollars}: ${fault}`),
  ];
  return { figures: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o], tasks };
}

function nameOf(letter: string): Pick<Figure, 'name' | 'line' | 'xpath'> {
  return { name: `SF425/10${letter}`, line: `10${letter}`, xpath: undefined };
}
