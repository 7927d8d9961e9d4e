/** Schedule of expenditures of federal awards: by assistance listing, with its title and cluster. */
import { badCase, badInput, StrictCsv } from '../../../core/index.ts';
import type { GrantsLaw } from '../law.ts';
import { agencyOf } from './federal-agencies.ts';
import { eachOnce, type Figure, figureOf, type FigurePart, totalOf } from './figure.ts';

export interface FederalExpenditure {
  readonly part: FigurePart;
  readonly assistanceListing: string;
  readonly cluster: string | undefined;
  /** Of the federal government; that of the assistance listing unless told. */
  readonly agency?: string | undefined;
  /** The organisation that passed the money through; undefined for direct awards. */
  readonly passThrough: string | undefined;
  /** By which that organisation knows the award. */
  readonly passThroughNumber?: string | undefined;
  /** The award's own number: what the row does not say is taken from its document. */
  readonly awardId?: string | undefined;
  readonly toSubrecipientsCents: bigint;
}

interface SefaRow {
  readonly agency: string | undefined;
  readonly assistanceListing: string;
  readonly title: string | undefined;
  readonly cluster: string | undefined;
  readonly passThrough: string | undefined;
  readonly passThroughNumber: string | undefined;
  readonly awardId: string | undefined;
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
  readonly agencyTotals: ReadonlyMap<string, SefaTotals>;
  readonly clusterTotals: ReadonlyMap<string, SefaTotals>;
  readonly total: SefaTotals;
  readonly tasks: readonly string[];
}

/** `Program Title,Program Number` as the clearinghouse publishes it. */
export function readAssistanceListings(text: string): ReadonlyMap<string, string> {
  const csv = new StrictCsv();
  const rows = [...csv.push(Buffer.from(text)), ...csv.finish()];
  const [header, ...listed] = rows.map(({ cells }) => cells);
  const title = header?.indexOf('Program Title') ?? -1;
  const number = header?.indexOf('Program Number') ?? -1;
  if (title < 0 || number < 0) throw badInput('line 1: Program Title and Program Number expected');
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
    const { assistanceListing } = one;
    if (!law.federal.identifiers.aln.pattern.test(assistanceListing)) {
      throw badCase(
        `expenditure ${one.part.id}: expected an assistance listing, found ${JSON.stringify(assistanceListing)}`,
      );
    }
    const key = JSON.stringify(wordsOf(one).map((word) => word ?? ''));
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
    agencyTotals: totalsBy(rows, (row) => row.agency, 'SEFA/agency'),
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

/** What makes a row of its own, in the order in which rows are listed; a listing begins with the number of its agency. */
function wordsOf(one: FederalExpenditure): readonly (string | undefined)[] {
  const { assistanceListing, passThrough, passThroughNumber, cluster, awardId } = one;
  const agency = one.agency ?? agencyOf(assistanceListing);
  return [assistanceListing, passThrough, cluster, passThroughNumber, awardId, agency];
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
  const { assistanceListing, cluster, passThrough, passThroughNumber, awardId } = first;
  const passedOn = group
    .filter(({ toSubrecipientsCents }) => toSubrecipientsCents !== 0n)
    .map(({ part, toSubrecipientsCents }) => ({ ...part, cents: toSubrecipientsCents }));
  return {
    agency: first.agency ?? agencyOf(assistanceListing),
    assistanceListing,
    title: listings.get(assistanceListing),
    cluster,
    passThrough,
    passThroughNumber,
    awardId,
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
  const unnamed = rows.filter(({ agency }) => agency === undefined);
  // 2 CFR 200.510(b)(2): the name of the pass-through entity and the number that it has assigned.
  const unnumbered = rows.filter(
    ({ passThrough, passThroughNumber }) =>
      passThrough !== undefined && passThroughNumber === undefined,
  );
  const nameless = rows.filter(
    ({ passThrough, passThroughNumber }) =>
      passThrough === undefined && passThroughNumber !== undefined,
  );
  return [
    ...untitled.map((listing) => `Look up the title of ${listing}: it is not in the listings file`),
    ...passed.map(
      ({ toSubrecipients }) =>
        `Correct ${toSubrecipients.name}: more was passed through than spent`,
    ),
    ...unnamed.map(
      ({ assistanceListing }) =>
        `Name the federal agency of ${assistanceListing}: its number does not show it`,
    ),
    ...unnumbered.map(
      ({ assistanceListing, passThrough }) =>
        `Look up the number that ${passThrough} assigned to ${assistanceListing}, or enter that there is none: pass_through_number`,
    ),
    ...nameless.map(
      ({ assistanceListing, passThroughNumber }) =>
        `Name the organization that passed ${assistanceListing} through under ${passThroughNumber}: pass_through`,
    ),
  ];
}

/** With what the award's own document says, where the row of the books does not; by the number of the award. */
export function filledFrom(
  expenditure: FederalExpenditure,
  payload: Readonly<Record<string, unknown>> | undefined,
): FederalExpenditure {
  if (payload === undefined) return expenditure;
  const said = (name: string): string | undefined => {
    const value = payload[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    ...expenditure,
    agency: expenditure.agency ?? said('agency'),
    cluster: expenditure.cluster ?? said('cluster'),
    passThrough: expenditure.passThrough ?? said('pass_through_name'),
    passThroughNumber: expenditure.passThroughNumber ?? said('pass_through_number'),
  };
}
