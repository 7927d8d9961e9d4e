/** A year held against its truth: figures to the cent, pairs that the product made by itself, questions that it asked. */
import type { Stand } from '../grants/stand.ts';
import { MONTHS } from './days.ts';
import { countedCents, type Entry, type HiddenYear, type Promised } from './hidden-year.ts';
import type { YearOffice } from './office.ts';

export interface YearFigures {
  readonly seed: number;
  readonly precision: number;
  readonly recall: number;
  readonly questions: number;
  /** Entries that nobody can resolve without being told, and those that were asked about and may be. */
  readonly needed: number;
  /** Of all months together, each without its sign. */
  readonly centsOff: number;
  readonly faults: readonly string[];
}

export const RECALL_MIN = 0.97;
export const QUESTIONS_MAX = 1.1;

interface Pair {
  readonly entry: Entry | undefined;
  readonly award: Promised | undefined;
  readonly rule: string;
  /** Before what a bank on the way kept. */
  readonly cents: number;
}

export async function figuresOf(
  year: HiddenYear,
  office: YearOffice,
  stand: Stand,
): Promise<YearFigures> {
  const pairs = await automaticPairs(office, stand);
  const isTrue = ({ entry, award, cents }: Pair): boolean =>
    entry !== undefined &&
    entry.shares.some((share) => share.award === award && share.cents === cents);
  const wrong = pairs.filter((pair) => !isTrue(pair));
  const found = new Set(
    pairs.filter(isTrue).map(({ entry, award }) => `${entry?.id} ${award?.number}`),
  );
  const wanted = year.entries
    .filter(({ decidedBy }) => decidedBy === 'evidence')
    .flatMap((entry) => entry.shares.map(({ award }) => ({ entry, award })));
  const missed = wanted.filter(({ entry, award }) => !found.has(`${entry.id} ${award.number}`));
  const asked = new Set(office.questions.flatMap(({ entry }) => entry ?? []));
  const needed = year.entries.filter(
    (entry) => entry.decidedBy === 'person' || (entry.decidedBy === 'either' && asked.has(entry)),
  ).length;
  const needless = office.questions.filter(
    ({ entry }, at) =>
      entry === undefined ||
      entry.decidedBy === 'evidence' ||
      office.questions.findIndex((one) => one.entry === entry) < at,
  );
  const off = centsOff(year, office);
  const figures = {
    seed: year.seed,
    precision: pairs.length === 0 ? 1 : (pairs.length - wrong.length) / pairs.length,
    recall: wanted.length === 0 ? 1 : (wanted.length - missed.length) / wanted.length,
    questions: office.questions.length,
    needed,
    centsOff: off.reduce((sum, one) => sum + Math.abs(one.cents), 0),
  };
  return {
    ...figures,
    faults: [
      ...office.surprises.map(({ habit, text }) => `[${habit}] ${text}`),
      ...off.map(({ month, cents }) => `[figures] ${month}: ${cents} cents off`),
      ...wrong.map(
        ({ entry, award, rule, cents }) =>
          `[${entry?.habit ?? 'plain'}] ${entry?.id ?? 'a line of nothing'} was given to ${award?.number} with ${cents} cents by ${rule}`,
      ),
      ...(figures.recall < RECALL_MIN
        ? missed.map(
            ({ entry, award }) => `[${entry.habit}] ${entry.id} was not found for ${award.number}`,
          )
        : []),
      ...(figures.questions > needed * QUESTIONS_MAX
        ? needless.map(
            ({ entry, rule, why }) =>
              `[${entry?.habit ?? 'plain'}] needless question about ${entry?.id}: ${rule}: ${why}`,
          )
        : []),
    ],
  };
}

/** What was matched without a person, pair by pair, as the closed periods keep it. */
async function automaticPairs(office: YearOffice, stand: Stand): Promise<readonly Pair[]> {
  const rows = await stand.session.run(
    {
      name: '',
      text: `select m.rule, p.feed, p.ordinal, p.award, p.cents from grant_match m
        join grant_match_part p on p.tenant = m.tenant and p.match = m.id
        where m.tenant = $1 and m.status = 'matched' and m.rule like 'P%'`,
    },
    [stand.tenant],
  );
  const awardOf = new Map([...office.keyOf].map(([award, key]) => [key, award]));
  return rows.map(({ rule, feed, ordinal, award, cents }) => ({
    rule: String(rule),
    cents: Number(cents),
    entry: office.entryOfLine.get(`${String(feed)}#${String(ordinal)}`),
    award: awardOf.get(String(award)),
  }));
}

function centsOff(
  year: HiddenYear,
  office: YearOffice,
): readonly { readonly month: string; readonly cents: number }[] {
  return MONTHS.flatMap(({ from, to }) => {
    const truth = year.entries
      .filter(({ on }) => on >= from && on <= to)
      .reduce((sum, entry) => sum + countedCents(entry), 0);
    const cents = Number(office.reported.get(`${from} ${to}`) ?? 0n) - truth;
    return cents === 0 ? [] : [{ month: from.slice(0, 7), cents }];
  });
}
