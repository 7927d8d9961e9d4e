/** Schedule of expenditures of federal awards: by assistance listing, with its title and cluster. */
import { FilewrightError } from '../../../core/index.ts';
import { CsvRows } from '../csv-rows.ts';
import type { GrantsLaw } from '../law.ts';
import { eachOnce, type Figure, type FigurePart, figureOf, totalOf } from './figure.ts';

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

export interface SefaTotals {
  readonly expended: Figure;
  readonly toSubrecipients: Figure;
}

export interface Sefa {
  /** By agency and number, then pass-through. */
  readonly rows: readonly SefaRow[];
  readonly programTotals: ReadonlyMap<string, SefaTotals>;
  readonly clusterTotals: ReadonlyMap<string, SefaTotals>;
  readonly total: SefaTotals;
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
  const labels = eachOnce(keys.map((key) => labelOf(groups.get(key) ?? [])));
  const rows = keys.map((key, at) => rowOf(groups.get(key) ?? [], labels[at] ?? '', listings));
  return {
    rows,
    programTotals: totalsBy(rows, (row) => row.assistanceListing, 'SEFA'),
    clusterTotals: totalsBy(rows, (row) => row.cluster, 'SEFA/cluster'),
    total: totalsOf('SEFA', rows),
    tasks: tasksFor(rows),
  };
}

// 2 CFR 200.510(b): for each program, and for each cluster of programs, what was spent and what of it was passed on.
function totalsBy(
  rows: readonly SefaRow[],
  wordOf: (row: SefaRow) => string | undefined,
  prefix: string,
): ReadonlyMap<string, SefaTotals> {
  const words = [...new Set(rows.flatMap((row) => wordOf(row) ?? []))];
  return new Map(
    words.map((word) => [
      word,
      totalsOf(
        `${prefix}/${word}`,
        rows.filter((row) => wordOf(row) === word),
      ),
    ]),
  );
}

function totalsOf(name: string, rows: readonly SefaRow[]): SefaTotals {
  const sumOf = (end: string, line: string, pick: (row: SefaRow) => Figure): Figure =>
    totalOf(
      { name: `${name}/${end}`, line, xpath: undefined },
      rows.map((row) => ({ sign: 1, figure: pick(row) }) as const),
    );
  return {
    expended: sumOf('total', 'total', ({ expended }) => expended),
    toSubrecipients: sumOf(
      'totalToSubrecipients',
      'total passed through',
      ({ toSubrecipients }) => toSubrecipients,
    ),
  };
}

function labelOf(group: readonly FederalExpenditure[]): string {
  const [first] = group;
  return [first?.assistanceListing, first?.passThrough, first?.cluster]
    .filter((word) => word !== undefined)
    .join('/');
}

function rowOf(
  group: readonly FederalExpenditure[],
  label: string,
  listings: ReadonlyMap<string, string>,
): SefaRow {
  const [first] = group;
  if (first === undefined) throw new Error('a row has at least one expenditure');
  const { assistanceListing, cluster, passThrough } = first;
  const passedOn = group
    .filter(({ toSubrecipientsCents }) => toSubrecipientsCents !== 0n)
    .map(({ part, toSubrecipientsCents }) => ({ ...part, cents: toSubrecipientsCents }));
  return {
    assistanceListing,
    title: listings.get(assistanceListing),
    cluster,
    passThrough,
    expended: figureOf(
      { name: `SEFA/${label}/expended`, line: 'expenditures', xpath: undefined },
      group.map(({ part }) => part),
    ),
    toSubrecipients: figureOf(
      { name: `SEFA/${label}/toSubrecipients`, line: 'passed through', xpath: undefined },
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
