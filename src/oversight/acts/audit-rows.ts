/** Rows against entries: the log is proven by its signature, and what the database says beside it by the log. */
import {
  differenceText,
  ledgerEntries,
  LOGS_IN_ORDER,
  parseEntry,
  RowComparison,
  type RowDifference,
  rowLine,
  ROWS_PER_FILE,
  rowsFile,
  UNSIGNED_FILE,
  unsignedLine,
  waitingFacts,
} from '../../ledger/index.ts';
import type { Run, Session } from '../../postgres/index.ts';
import type { ExportFolder } from '../../system/index.ts';
import { atOneMoment, comparedRows } from '../store/compared-rows.ts';

/** Enough to see what happened; whoever changed a million rows need not fill the report with them. */
const SHOWN_MAX = 100;

export interface RowsReport {
  readonly ok: boolean;
  readonly rows: number;
  readonly differences: number;
  /** The first of them. */
  readonly shown: readonly (RowDifference & { readonly text: string })[];
}

/** The logs themselves are verified elsewhere; here they are believed. */
export async function compareRows(session: Session, tenant: string): Promise<RowsReport> {
  const comparison = new RowComparison();
  try {
    await atOneMoment(session, async (run) => {
      for (const boundary of LOGS_IN_ORDER) {
        for await (const bytes of ledgerEntries({ run }, tenant, boundary)) {
          await comparison.tell({ ...parseEntry(bytes), boundary });
        }
      }
      for await (const fact of waitingFacts(run, tenant)) await comparison.tell(fact);
      for await (const row of comparedRows(run, tenant)) await comparison.find(row);
    });
    return await reportOf(comparison);
  } finally {
    await comparison.close();
  }
}

async function reportOf(comparison: RowComparison): Promise<RowsReport> {
  const shown: (RowDifference & { text: string })[] = [];
  let differences = 0;
  for await (const difference of comparison.differences()) {
    differences += 1;
    if (shown.length < SHOWN_MAX) {
      shown.push({ ...difference, text: differenceText(difference) });
    }
  }
  return { ok: differences === 0, rows: comparison.rows, differences, shown };
}

/** The rows for somebody outside, with the facts about them that no signed head covers. Gives how many rows. */
export function writeRows(
  session: Session,
  tenant: string,
  signed: ReadonlyMap<string, number>,
  folder: Pick<ExportFolder, 'lines'>,
): Promise<number> {
  return atOneMoment(session, async (run) => {
    await writeUnsigned(folder, unsignedFacts(run, tenant, signed));
    let file = await folder.lines(rowsFile(0));
    let count = 0;
    try {
      for await (const row of comparedRows(run, tenant)) {
        if (count > 0 && count % ROWS_PER_FILE === 0) {
          await file.close();
          file = await folder.lines(rowsFile(count / ROWS_PER_FILE));
        }
        await file.add(rowLine(row));
        count += 1;
      }
    } finally {
      await file.close();
    }
    return count;
  });
}

/** Facts about the rows that no signed head covers: entries after it, and those on their way into a log. */
async function* unsignedFacts(
  run: Run,
  tenant: string,
  signed: ReadonlyMap<string, number>,
): AsyncGenerator<Uint8Array> {
  for (const boundary of LOGS_IN_ORDER) {
    const from = signed.get(boundary) ?? 0;
    for await (const bytes of ledgerEntries({ run }, tenant, boundary, undefined, from)) {
      yield unsignedLine({ ...parseEntry(bytes), boundary });
    }
  }
  for await (const fact of waitingFacts(run, tenant)) yield unsignedLine(fact);
}

/** No file where there is nothing to say. In quarantine nothing is signed, and these may be many. */
async function writeUnsigned(
  folder: Pick<ExportFolder, 'lines'>,
  facts: AsyncIterable<Uint8Array>,
): Promise<void> {
  let file: Awaited<ReturnType<ExportFolder['lines']>> | undefined;
  try {
    for await (const line of facts) {
      file ??= await folder.lines(UNSIGNED_FILE);
      await file.add(line);
    }
  } finally {
    await file?.close();
  }
}
