/** What people said of lines that are withdrawn now: it holds for the same entry where a statement that stands tells it. */
import { type Day, formatDay } from '../../../calendar/index.ts';
import type { BankLine } from '../../rules/matching/bank-line.ts';
import { entryKey, sameEntries } from '../../rules/matching/deliveries/same-entry.ts';
import { statementKey } from '../../rules/matching/statement-chain.ts';
import { sealedLines } from '../../store/feeds.ts';
import type { LineResolution } from '../../store/matches.ts';
import type { StageRun } from '../../store/stage.ts';
import { withdrawnStatements } from '../../store/statements.ts';
import { linesOf } from './fold-lines.ts';
import { lineId, openedLine } from './line-codec.ts';
import type { ReconciliationDeps } from './deps.ts';
import { type Told, toldUntil } from './tellings.ts';

/** By the id of a line that stands: withdrawn lines of the same entry, of which somebody spoke. */
type WithdrawnWords = ReadonlyMap<string, readonly string[]>;

const NONE: WithdrawnWords = new Map();

interface Alike {
  /** By statement. */
  readonly withdrawn: Map<string, BankLine[]>;
  readonly standing: Map<string, BankLine[]>;
}

export async function withdrawnWords(
  deps: ReconciliationDeps,
  at: StageRun,
  until: Day,
  said: readonly LineResolution[],
): Promise<WithdrawnWords> {
  const feeds = new Set((await withdrawnStatements(at)).map(({ feed }) => feed));
  const places = said.filter(({ feed }) => feeds.has(feed));
  // Nearly always: the lines are not read once more.
  if (places.length === 0) return NONE;
  const told = await toldUntil(at, formatDay(until));
  const spokenOf = new Set<string>();
  const alike = new Map<string, Alike>();
  const texts = await sealedLines(deps.store, at, places);
  for (const { feed, ordinal } of places) {
    const fields = texts.get(lineId(feed, ordinal));
    if (fields === undefined) continue;
    const line = openedLine({ feed, ordinal, format: '' }, fields);
    if (!told.isWithdrawn(line)) continue;
    spokenOf.add(line.id);
    alike.set(entryKey(line), { withdrawn: new Map(), standing: new Map() });
  }
  await collect(deps, at, { told, until }, alike);
  return wordsOf(alike, spokenOf);
}

/** Every line that looks like one of those, in its statement. */
async function collect(
  deps: ReconciliationDeps,
  at: StageRun,
  { told, until }: { readonly told: Told; readonly until: Day },
  alike: ReadonlyMap<string, Alike>,
): Promise<void> {
  const seen = new Set<string>();
  for (const of of ['announces', 'tells'] as const) {
    const wanted = { until, of, withWithdrawn: true };
    for await (const group of linesOf(deps, at, told, wanted)) {
      for (const { line } of group) {
        const found = alike.get(entryKey(line));
        // A group may announce and tell.
        if (found === undefined || seen.has(line.id)) continue;
        seen.add(line.id);
        const side = told.isWithdrawn(line) ? found.withdrawn : found.standing;
        const statement = statementKey(line.source.feed, line.statement ?? 1);
        const lines = side.get(statement);
        if (lines === undefined) side.set(statement, [line]);
        else lines.push(line);
      }
    }
  }
}

function wordsOf(alike: ReadonlyMap<string, Alike>, spokenOf: ReadonlySet<string>): WithdrawnWords {
  const words = new Map<string, string[]>();
  for (const { withdrawn, standing } of alike.values()) {
    for (const before of withdrawn.values()) {
      for (const now of standing.values()) {
        for (const [gone, id] of sameEntries(before, now)) {
          if (spokenOf.has(gone)) words.set(id, [...(words.get(id) ?? []), gone]);
        }
      }
    }
  }
  return words;
}
