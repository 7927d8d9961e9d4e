/** Bank lines as people look through them: what the bank wrote, and where each stands. */
import { misuse } from '../../../core/index.ts';
import { type BankLine, signedCents } from '../../rules/matching/bank-line.ts';
import type { MatchOutcome } from '../../rules/matching/outcome.ts';
import { payerOfLine } from '../../rules/matching/workbench.ts';
import { sealedLines } from '../../store/feeds.ts';
import { type ListedLine, listedLines, lineCursor } from '../../store/line-list.ts';
import { BY_PERSON } from '../../store/matches.ts';
import type { StageRun } from '../../store/stage.ts';
import type { LinesWanted, LineState, LineView, Page } from '../contracts.ts';
import { dayOfText } from './day-of-text.ts';
import type { ReconciliationDeps } from './deps.ts';
import { lineId, openedLine } from './line-codec.ts';
import { LAST_DAY, openItems, outcomesOf } from './open-items.ts';
import { toldUntil } from './tellings.ts';

/** Rows that are read and opened together. */
const ROWS_AT_ONCE = 500;

export async function listLines(
  deps: ReconciliationDeps,
  wanted: LinesWanted,
): Promise<Page<LineView>> {
  for (const [name, day] of [
    ['--from', wanted.from],
    ['--to', wanted.to],
  ] as const) {
    if (day !== undefined) dayOfText(day, name);
  }
  return deps.store.transaction(async (at) => {
    const open = new Map<string, MatchOutcome>();
    const items = await openItems(deps, at, LAST_DAY);
    for (const { outcome } of outcomesOf(deps, items)) {
      for (const id of outcome.bank) open.set(id, outcome);
    }
    const told = await toldUntil(at, '2999-12-31');
    const found: LineView[] = [];
    for (let after = await startOf(at, wanted.after); ; ) {
      const rows = await listedLines(at, { ...wanted, after, limit: ROWS_AT_ONCE });
      const texts = await sealedLines(deps.store, at, rows);
      for (const row of rows) {
        const fields = texts.get(lineId(row.feed, row.ordinal));
        if (fields === undefined) continue;
        const line = openedLine(row, fields);
        const view = viewOf(line, row, { outcome: open.get(line.id), told });
        if (!isWanted(view, wanted)) continue;
        // One more than is shown: only then there is a next page.
        if (found.length === wanted.limit) return { items: found, next: found.at(-1)?.id };
        found.push(view);
      }
      const last = rows.at(-1);
      if (rows.length < ROWS_AT_ONCE || last === undefined)
        return { items: found, next: undefined };
      after = last;
    }
  });
}

async function startOf(at: StageRun, id: string | undefined) {
  if (id === undefined) return undefined;
  const found = await lineCursor(at, id);
  if (found === undefined) {
    throw misuse(`--after: expected the id of a bank line, found "${id}"; see grants lines`);
  }
  return found;
}

function viewOf(
  line: BankLine,
  row: ListedLine,
  known: {
    readonly outcome: MatchOutcome | undefined;
    readonly told: { readonly isWithdrawn: (line: BankLine) => boolean };
  },
): LineView {
  const outcome = row.closed ?? known.outcome;
  const isWithdrawn = row.closed === undefined && known.told.isWithdrawn(line);
  return {
    id: line.id,
    account: line.account,
    bookedOn: row.bookedOn,
    cents: signedCents(line),
    currency: line.currency,
    payer: payerOfLine(line),
    text: line.description,
    references: line.references,
    bankNumber: line.nativeId,
    state: isWithdrawn ? 'withdrawn' : stateOf(outcome),
    isClosed: row.closed !== undefined,
    rule: isWithdrawn ? undefined : outcome?.rule,
    awards: isWithdrawn ? [] : (outcome?.ledger ?? []),
    why: isWithdrawn ? 'Its statement is withdrawn.' : (outcome?.reason.text ?? ''),
  };
}

type Standing = Pick<MatchOutcome, 'status'> & { readonly rule: string };

function stateOf(outcome: Standing | undefined): LineState {
  // A second delivery of what is open: the entry itself is listed under another id.
  if (outcome === undefined) return 'repeated';
  switch (outcome.status) {
    case 'matched':
      return 'matched';
    case 'netted':
      return 'returned';
    case 'ignored':
      if (outcome.rule === BY_PERSON) return 'none';
      return outcome.rule === 'P0-duplicate-delivery' ? 'repeated' : 'announced';
    case 'review':
    case 'manual':
    case 'open':
      return 'open';
  }
}

function isWanted(view: LineView, { state, text }: LinesWanted): boolean {
  if (state !== undefined && view.state !== state) return false;
  if (text === undefined) return true;
  const { payer = '', text: words = '', bankNumber = '', references, id, awards } = view;
  return [payer, words, bankNumber, id, ...references, ...awards].some((one) =>
    one.toLowerCase().includes(text.toLowerCase()),
  );
}
