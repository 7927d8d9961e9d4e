/** Outcomes as they are stored: in groups, and without what is sealed elsewhere. */
import type { MatchOutcome, MatchReason } from '../../rules/matching/outcome.ts';
import { partsOf } from '../../rules/matching/parts.ts';
import type { MatchRow } from '../../store/matches.ts';
import { lineOfId } from './line-codec.ts';
import type { ReconciliationDeps } from './deps.ts';

/** Outcomes in one statement. */
const GROUP = 500;

export function* inGroups<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let group: Item[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < GROUP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

export function matchRow(
  parts: ReconciliationDeps,
  outcome: MatchOutcome,
  ordinal: number,
): MatchRow {
  const { rule, status, bank, ledger, of } = outcome;
  const lines = bank.map(lineOfId);
  // A return is an entry of its own: it names its payment in its parts, and repeats nothing.
  const isReturn = status === 'matched';
  return {
    id: parts.store.ids.next(),
    ordinal,
    rule,
    status,
    repeats: isReturn ? undefined : of,
    reason: keptReason(outcome),
    lines,
    parts: partsOf(outcome).map(({ bank: line, ledger: award, cents, feeCents, goodsCents }) => ({
      award: ledger[award] ?? '',
      line: lines[line] ?? { feed: '', ordinal: 0 },
      cents,
      feeCents: feeCents ?? 0,
      goodsCents: goodsCents ?? 0,
      takesBack: isReturn ? of : undefined,
    })),
  };
}

/** Without the reference, which is sealed with its line and its award and must go when their keys do. */
function keptReason({ reason }: MatchOutcome): Omit<MatchReason, 'reference'> {
  const { reference: _sealed, ...kept } = reason;
  return kept;
}
