/** What people say of bank lines, and take back, until the period of a line is closed. */
import { notFound } from '../../../core/index.ts';
import type { BankLine } from '../../rules/matching/bank-line.ts';
import {
  addResolution,
  lockMatching,
  resolutions,
  type SaidOfLine,
  undoResolution,
} from '../../store/matches.ts';
import type { StageRun } from '../../store/stage.ts';
import type { ResolvedByPerson, ResolvedLine, UndoneByPerson, UndoneLine } from '../contracts.ts';
import { checkResolution } from './check-resolution.ts';
import type { ReconciliationDeps } from './deps.ts';
import { foldLines, openLine } from './fold-lines.ts';
import { lineId, lineOfId } from './line-codec.ts';
import { LAST_DAY } from './open-items.ts';
import { withdrawnWords } from './withdrawn-words.ts';

/** Takes effect with the next matching; until its period is closed, a later word replaces it. */
export async function resolve(
  deps: ReconciliationDeps,
  decision: ResolvedByPerson,
): Promise<ResolvedLine> {
  return deps.store.transaction(async (at) => {
    await lockMatching(at);
    const { reason, by, feeCents = 0, rest } = decision;
    const asked = { ...decision, cents: decision.cents, feeCents, rest };
    const { line, awards, cents } = await checkResolution(deps, at, asked);
    const { feed, ordinal } = lineOfId(line);
    const said = { feed, ordinal, awards, reason, by, feeCents, cents, rest };
    const n = await addResolution(at, said);
    await deps.store.record(at, {
      type: 'line.resolved',
      actor: { kind: 'user', id: by },
      subject: { kind: 'grant_line', id: line, ver: n },
      data: {
        awards: [...awards],
        reason,
        ...(cents !== undefined && { cents: [...cents] }),
        ...(feeCents > 0 && { fee_cents: feeCents }),
        ...(rest !== undefined && { rest: rest.state, rest_cents: rest.cents }),
      },
    });
    return { line, expectedPayments: awards };
  });
}

/**
 * One person may: what was said took effect nowhere yet, and saying it took one person. The database refuses it for a line
 * of a closed period.
 */
export async function undo(
  deps: ReconciliationDeps,
  { line: name, reason, by }: UndoneByPerson,
): Promise<UndoneLine> {
  return deps.store.transaction(async (at) => {
    await lockMatching(at);
    const line = await openLine(deps, at, name);
    const last = await lastWord(deps, at, line);
    if (last === undefined) {
      throw notFound(`Line ${line.id}: no decision of a person to undo; see grants unmatched`);
    }
    const n = await undoResolution(at, last, { reason, by });
    await deps.store.record(at, {
      type: 'line.undone',
      actor: { kind: 'user', id: by },
      subject: { kind: 'grant_line', id: lineId(last.feed, last.ordinal), ver: n },
      data: { undoes: last.n, reason },
    });
    return { line: line.id, undone: { awards: last.awards, reason: last.reason } };
  });
}

/** The last that was said of an entry: of any delivery of it, or of one that is withdrawn since. */
async function lastWord(
  deps: ReconciliationDeps,
  at: StageRun,
  line: BankLine,
): Promise<SaidOfLine | undefined> {
  const said = await resolutions(at);
  if (said.length === 0) return undefined;
  const ids = new Set([line.id]);
  await foldLines(deps, at, LAST_DAY, (_entry, deliveries) => {
    if (deliveries.includes(line.id)) for (const id of deliveries) ids.add(id);
  });
  const withdrawn = await withdrawnWords(deps, at, LAST_DAY, said);
  const gone = [...ids].flatMap((id) => withdrawn.get(id) ?? []);
  for (const id of gone) ids.add(id);
  // As they were said, the earliest first.
  return said.filter(({ feed, ordinal }) => ids.has(lineId(feed, ordinal))).at(-1);
}
