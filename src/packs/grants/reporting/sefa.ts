/** Schedule of expenditures of federal awards: by assistance listing, with its title and cluster. */
import { FilewrightError } from '../../../core/index.ts';
import { CsvRows } from '../csv-rows.ts';
import type { GrantsLaw } from '../law.ts';
import { type Figure, type FigurePart, figureOf, totalOf } from './figure.ts';

export interface FederalExpenditure {
  readonly part: FigurePart;
  readonly assistanceListing: string;
  readonly cluster: string | undefined;
  /** Of the organisation that passed the money through; undefined for direct awards. */
  readonly passThrough: string | undefined;
  readonly toSubrecipientsCents: bigint;
}

export interface SefaRow {
  readonly assistanceListing: string;
  readonly title: string | undefined;
  readonly cluster: string | undefined;
  readonly passThrough: string | undefined;
  readonly expended: Figure;
  readonly toSubrecipients: Figure;
}

export interface Sefa {
  /** By agency and number, then pass-through. */
  readonly rows: readonly SefaRow[];
  readonly programTotals: ReadonlyMap<string, Figure>;
  readonly total: Figure;
  readonly tasks: readonly string[];
}

/** `Program Title,Program Number` as the clearinghouse publishes it. */
export function readAssistanceListings(text: string): ReadonlyMap<string, string> {
  const rows = new CsvRows();
  const [header, ...listed] = [...rows.push(text), ...rows.finish()].map(({ cells }) => cells);
  const title = header?.indexOf('Program Title') ?? -1;
  const number = header?.indexOf('Program Number') ?? -1;
  if (title < 0 || number < 0) {
    throw new FilewrightError(
      'INPUT_MALFORMED',
      'line 1: Program Title and Program Number expected',
    );
  }
  return new Map(
    listed.map((cells) => [(cells[number] ?? '').trim(), (cells[title] ?? '').trim()]),
  );
}

export function sefaReport(
  expenditures: readonly FederalExpenditure[],
  listings: ReadonlyMap<string, string>,
  law: GrantsLaw,
): Sefa {
  const groups = new Map<string, FederalExpenditure[]>();
  for (const one of expenditures) {
    const { assistanceListing, cluster, passThrough } = one;
    if (!law.federal.identifiers.aln.pattern.test(assistanceListing)) {
      throw new FilewrightError(
        'CASE_INVALID',
        `expenditure ${one.part.id}: an assistance listing was expected, found ${JSON.stringify(assistanceListing)}`,
      );
    }
    const key = JSON.stringify([assistanceListing, passThrough ?? '', cluster ?? '']);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [one]);
    else known.push(one);
  }
  const keys = [...groups.keys()].sort();
  const rows = keys.map((key) => rowOf(groups.get(key) ?? [], listings));
  const programTotals = new Map<string, Figure>();
  for (const { assistanceListing } of rows) {
    if (programTotals.has(assistanceListing)) continue;
    const own = rows.filter((row) => row.assistanceListing === assistanceListing);
    programTotals.set(assistanceListing, sumOf(`SEFA/${assistanceListing}/total`, own));
  }
  return { rows, programTotals, total: sumOf('SEFA/total', rows), tasks: tasksFor(rows) };
}

function sumOf(name: string, rows: readonly SefaRow[]): Figure {
  return totalOf(
    { name, line: 'total', xpath: undefined },
    rows.map(({ expended }) => ({ sign: 1, figure: expended }) as const),
  );
}

function rowOf(
  group: readonly FederalExpenditure[],
  listings: ReadonlyMap<string, string>,
): SefaRow {
  const [first] = group;
  if (first === undefined) throw new Error('a row has at least one expenditure');
  const { assistanceListing, cluster, passThrough } = first;
  const name = [assistanceListing, passThrough, cluster].filter((word) => word !== undefined);
  const label = `SEFA/${name.join('/')}`;
  const passedOn = group
    .filter(({ toSubrecipientsCents }) => toSubrecipientsCents !== 0n)
    .map(({ part, toSubrecipientsCents }) => ({ ...part, cents: toSubrecipientsCents }));
  return {
    assistanceListing,
    title: listings.get(assistanceListing),
    cluster,
    passThrough,
    expended: figureOf(
      { name: `${label}/expended`, line: 'expenditures', xpath: undefined },
      group.map(({ part }) => part),
    ),
    toSubrecipients: figureOf(
      { name: `${label}/toSubrecipients`, line: 'passed through', xpath: undefined },
      passedOn,
    ),
  };
}

function tasksFor(rows: readonly SefaRow[]): readonly string[] {
  const untitled = [
    ...new Set(
      rows
        .filter(({ title }) => title === undefined)
        .map(({ assistanceListing }) => assistanceListing),
    ),
  ];
  const passed = rows.filter(
    ({ expended, toSubrecipients }) => toSubrecipients.cents > expended.cents,
  );
  return [
    ...untitled.map((listing) => `Look up the title of ${listing}: it is not in the list`),
    ...passed.map(
      ({ toSubrecipients }) => `Correct ${toSubrecipients.name}: more was passed on than spent`,
    ),
  ];
}
