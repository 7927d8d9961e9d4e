/** A bank's own table as a feed: which column is which is asked once for tables of one kind, and every row is read or none. */
import { extname } from 'node:path';
import { type Actor, allow } from '../../access/index.ts';
import { parseDay } from '../../calendar/index.ts';
import { badInput, misuse, overLimit } from '../../core/index.ts';
import { confirmedColumns, rememberColumns } from '../../entities/index.ts';
import {
  type OpenedSheet,
  openSheet,
  type SheetChoices,
  type SheetReport,
} from '../../intake/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { FeedSource } from '../pipeline/contracts.ts';
import { type BankRow, bankRowOf, type RowFault } from '../rules/feeds/bank-rows.ts';
import { BANK_SHEET } from '../rules/feeds/bank-sheet.ts';
import { bankTableEvents, type TableGiven } from '../rules/feeds/bank-table.ts';
import { looksLike } from '../rules/intake/wrong-file.ts';
import { feedFile } from './sources.ts';
import { headOf, refuseFaults, refuseWrongFile, ROWS_MAX } from './table-files.ts';

export interface BankTable {
  readonly source: FeedSource;
  readonly sheet: SheetReport;
  /** After the import: what a person accepted is asked no more for tables with these names. */
  remember(): Promise<void>;
}

interface BankTableGiven extends Omit<TableGiven, 'from' | 'to'> {
  readonly from?: string;
  readonly to?: string;
}

/** Whether a file is to be read as a table: it is none of the feeds, and its ending or its beginning says so. */
export async function isBankTable(path: string, format: string | undefined): Promise<boolean> {
  if (format !== undefined) return format === 'csv';
  const head = await headOf(path);
  const found = looksLike(head);
  if (found?.kind === 'feed') return false;
  return found !== undefined || TABLES.has(extname(path).toLowerCase());
}

const TABLES: ReadonlySet<string> = new Set(['.csv', '.tsv', '.xlsx']);

/** Throws a question where a person must say how it is read, and with every fault at once where it cannot be. */
export async function openBankTable(
  app: Installation,
  actor: Actor,
  path: string,
  how: { readonly choices: SheetChoices; readonly given: BankTableGiven },
): Promise<BankTable> {
  allow(actor, 'grants.ingest-feed');
  await refuseWrongFile(path, 'the table of a bank');
  const plain = feedFile(path, 'csv');
  const year = new Date(app.clock.now()).getUTCFullYear();
  const confirmed = confirmedColumns(app, 'bank');
  const sheet = await openSheet(path, { sheet: BANK_SHEET, choices: how.choices, confirmed, year });
  try {
    const rows = await bankRows(path, sheet, how.choices);
    const sha256 = await sheet.inputSha256();
    const events = [...bankTableEvents(rows, daysOf(how.given))];
    return {
      source: {
        ...plain,
        events: (expected) => {
          if (expected !== sha256)
            throw badInput(`${path} was changed while it was read; import it again`);
          return events;
        },
      },
      sheet: sheet.report,
      remember: () => rememberColumns(app, 'bank', actor, sheet.report),
    };
  } finally {
    sheet.close();
  }
}

async function bankRows(
  path: string,
  { input, report }: OpenedSheet,
  choices: SheetChoices,
): Promise<readonly BankRow[]> {
  const columns = new Set(report.columns.flatMap(({ ours }) => ours ?? []));
  if (!columns.has('account') && choices.set?.['account'] === undefined) {
    throw misuse(`${path} does not name its account; say which one it is with --account`);
  }
  if (!['amount', 'debit', 'credit'].some((name) => columns.has(name))) {
    throw badInput(
      `${path}: no column is read as amount, debit or credit. Name one with --map "Their Column=amount"`,
    );
  }
  const rows: BankRow[] = [];
  const faults: RowFault[] = [];
  for await (const row of input.rows) {
    const { line } = row;
    if (row.kind === 'fault') {
      faults.push({ line, why: `${row.error.where}: ${row.error.why}` });
      continue;
    }
    for (const { where, why } of row.faults ?? []) faults.push({ line, why: `${where}: ${why}` });
    if ((row.faults ?? []).length > 0) continue;
    const found = bankRowOf(line, row.row);
    if ('why' in found) faults.push(found);
    else rows.push(found);
    if (rows.length > ROWS_MAX) {
      throw overLimit(`${path}: expected at most ${ROWS_MAX} rows; export fewer days at a time`);
    }
  }
  if (faults.length > 0) refuseFaults(path, report.rowWord, faults);
  if (rows.length === 0) throw badInput(`${path} has no rows below its header`);
  return rows;
}

function daysOf({ from, to, ...balances }: BankTableGiven): TableGiven {
  const day = (text: string) => parseDay(text) ?? refuseDay(text);
  return {
    ...balances,
    ...(from !== undefined && { from: day(from) }),
    ...(to !== undefined && { to: day(to) }),
  };
}

function refuseDay(text: string): never {
  throw misuse(`--days: expected days like 2026-03-01, found "${text}"`);
}
