/** Lines as they are stored, folded into entries; and the one that somebody named. */
import { type Day, formatDay } from '../../../calendar/index.ts';
import { misuse, notFound } from '../../../core/index.ts';
import { type BankLine, isHint } from '../../rules/matching/bank-line.ts';
import { Deliveries } from '../../rules/matching/deliveries/deliveries.ts';
import { lineGroups } from '../../store/feeds.ts';
import type { StageRun } from '../../store/stage.ts';
import { AccountNets } from './account-nets.ts';
import { dayOfText } from './day-of-text.ts';
import { linesNamed, openedLine } from './line-codec.ts';
import type { ReconciliationDeps } from './deps.ts';
import { type Told, toldUntil } from './tellings.ts';
import { ToldLines } from './told-lines.ts';

interface FoldedLines {
  readonly told: ToldLines;
  readonly nets: AccountNets;
  /** Open ones, before they were folded. */
  readonly lines: number;
}

/** Every delivery up to a day, folded into entries, which are given to `take` one by one; with `late` those that came too late. */
export async function foldLines(
  deps: ReconciliationDeps,
  at: StageRun,
  until: Day,
  take: (line: BankLine, deliveries: readonly string[], late: ToldLines | undefined) => void,
): Promise<FoldedLines> {
  const known = await toldUntil(at, formatDay(until));
  const deliveries = new Deliveries(known.tellings, known.isToldTwice);
  const told = new ToldLines();
  const nets = new AccountNets();
  const late = new Set<string>();
  let count = 0;
  const takeEntry = (line: BankLine, ids: readonly string[], ofStatements = ids): void => {
    const entry = known.posted(line);
    nets.add(entry);
    take(entry, ids, ofStatements.every((id) => late.has(id)) ? told : undefined);
  };
  for await (const group of linesOf(deps, at, known, { until, of: 'announces' })) {
    for (const { line, isClosed } of group) {
      if (!isHint(line) || isClosed) continue;
      count += 1;
      deliveries.addHint(line);
    }
  }
  for await (const group of linesOf(deps, at, known, { until, of: 'tells' })) {
    for (const { line, isClosed, isLate } of group) {
      if (isHint(line)) continue;
      if (!isClosed) count += 1;
      if (isLate) late.add(line.id);
      if (isClosed && !known.isToldTwice(line.account, line.bookingDate)) continue;
      if (!deliveries.keep(line, isClosed)) takeEntry(line, [line.id]);
    }
  }
  for (const folded of deliveries.folded()) {
    if (folded.kind !== 'entry') told.add({ ...folded, line: known.posted(folded.line) });
    else if (!folded.isClosed) takeEntry(folded.line, folded.deliveries, folded.told);
  }
  return { told, nets, lines: count };
}

interface StoredLine {
  readonly line: BankLine;
  readonly isClosed: boolean;
  readonly isLate: boolean;
}

/** Lines of the groups that have an open one, or one of a day that must be folded; those that are withdrawn only where told. */
export async function* linesOf(
  { store }: ReconciliationDeps,
  at: StageRun,
  told: Told,
  wanted: {
    readonly until: Day;
    readonly of: 'announces' | 'tells';
    readonly withWithdrawn?: boolean;
  },
): AsyncGenerator<readonly StoredLine[]> {
  const groups = { until: formatDay(wanted.until), days: told.days, of: wanted.of };
  for await (const { feed, format, first, lines, resolved, late } of lineGroups(
    store,
    at,
    groups,
  )) {
    const stored: StoredLine[] = [];
    for (const [index, value] of lines.entries()) {
      const ordinal = first + index;
      const line = openedLine({ feed, format, ordinal }, value);
      if (line.bookingDate > wanted.until) continue;
      if (wanted.withWithdrawn !== true && told.isWithdrawn(line)) continue;
      stored.push({ line, isClosed: resolved.has(ordinal), isLate: late.has(ordinal) });
    }
    yield stored;
  }
}

export async function openLine(
  deps: ReconciliationDeps,
  at: StageRun,
  name: string,
): Promise<BankLine> {
  const isNamed = linesNamed(name);
  let found: BankLine | undefined;
  let count = 0;
  const until = dayOfText('2999-12-31', 'the last day');
  const known = await toldUntil(at, formatDay(until));
  for (const of of ['announces', 'tells'] as const) {
    for await (const group of linesOf(deps, at, known, { until, of })) {
      for (const { line, isClosed } of group) {
        // A group may announce and tell: each of its lines is looked at once.
        if (isClosed || isHint(line) !== (of === 'announces') || !isNamed(line.id)) continue;
        found ??= line;
        count += 1;
      }
    }
  }
  if (found === undefined) throw notFound(`No open bank line ${name}; see grants unmatched`);
  if (count > 1) {
    throw misuse(
      `"${name}" matches ${count} open bank lines; add the number after the #, or more digits`,
    );
  }
  return found;
}
