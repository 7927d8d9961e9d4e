/** Awards in a table that people keep, in dollars; it goes in whole or not at all, like any document. */
import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { type Actor, allow } from '../../access/index.ts';
import { badInput, StrictCsv } from '../../core/index.ts';
import { confirmedColumns, rememberColumns } from '../../entities/index.ts';
import {
  type OpenedSheet,
  openSheet,
  type SheetChoices,
  type SheetReport,
} from '../../intake/index.ts';
import type { Installation } from '../../ledger/index.ts';
import type { AwardSource } from '../pipeline/contracts.ts';
import type { AwardRecord } from '../rules/intake/award-record.ts';
import { isAwardField, kindOfField } from '../rules/intake/award-schema.ts';
import { AWARD_SHEET, awardRecordOf } from '../rules/intake/award-sheet.ts';
import { headOf, refuseFaults, refuseWrongFile, ROWS_MAX } from './table-files.ts';
import { awardFile } from './sources.ts';

export interface AwardTable {
  readonly source: AwardSource;
  readonly sheet: SheetReport;
  remember(): Promise<void>;
}

/** What is no table of people is a document of ours, which says itself what is wrong with it. */
export async function isAwardTable(path: string, format: string | undefined): Promise<boolean> {
  if (format !== undefined) return format === 'table';
  const ending = extname(path).toLowerCase();
  // What has no known ending is told so, whether it is there or not.
  if (!TABLES.has(ending)) awardFile(path);
  await refuseWrongFile(path, 'awards', { mayBeXml: ending === '.xml' });
  if (ending === '.xlsx' || ending === '.tsv') return true;
  const head = await headOf(path);
  if (head[0] === 0x50 && head[1] === 0x4b) return true;
  return ending === '.csv' && !(await isOurOwn(path));
}

const TABLES: ReadonlySet<string> = new Set(['.csv', '.tsv', '.xlsx']);
const WHOLE = /^-?\d*$/;

/**
 * Our own form: the names of the fields, and whole cents. One amount with a point, a comma or a sign of dollars makes a
 * column one of dollars: read as cents, the others would be a hundredth of what they are.
 */
async function isOurOwn(path: string): Promise<boolean> {
  const rows = new StrictCsv();
  let header: readonly string[] | undefined;
  try {
    for await (const chunk of createReadStream(path)) {
      // A stream without an encoding gives bytes.
      for (const { cells } of rows.push(chunk as Uint8Array)) {
        if (header === undefined) {
          header = cells.map((name) => name.trim());
          if (!header.every(isAwardField)) return false;
          continue;
        }
        for (const [index, name] of header.entries()) {
          if (kindOfField(name) === 'cents' && !WHOLE.test(cells[index] ?? '')) return false;
        }
      }
    }
    for (const _ of rows.finish()) if (header === undefined) return false;
  } catch {
    // It is broken: whoever reads it next says where.
    return header !== undefined;
  }
  return true;
}

export async function openAwardTable(
  app: Installation,
  actor: Actor,
  path: string,
  choices: SheetChoices,
): Promise<AwardTable> {
  allow(actor, 'grants.ingest');
  const plain = awardFile(path, 'table');
  const year = new Date(app.clock.now()).getUTCFullYear();
  const confirmed = confirmedColumns(app, 'awards');
  const sheet = await openSheet(path, { sheet: AWARD_SHEET, choices, confirmed, year });
  try {
    const records = await recordsOf(path, sheet);
    const sha256 = await sheet.inputSha256();
    return {
      source: {
        ...plain,
        records: (expected) => {
          if (expected !== sha256)
            throw badInput(`${path} was changed while it was read; import it again`);
          return records;
        },
      },
      sheet: sheet.report,
      remember: () => rememberColumns(app, 'awards', actor, sheet.report),
    };
  } finally {
    sheet.close();
  }
}

async function recordsOf(
  path: string,
  { input, report }: OpenedSheet,
): Promise<readonly AwardRecord[]> {
  const records: AwardRecord[] = [];
  const faults: { line: number; why: string }[] = [];
  for await (const row of input.rows) {
    const { line } = row;
    if (row.kind === 'fault') {
      faults.push({ line, why: `${row.error.where}: ${row.error.why}` });
      continue;
    }
    for (const { where, why } of row.faults ?? []) faults.push({ line, why: `${where}: ${why}` });
    for (const name of ['grantor_id', 'award_amount', 'fiscal_year']) {
      const cell = row.row[name];
      if (cell === undefined || cell === '') faults.push({ line, why: `${name} is empty` });
    }
    const written = Buffer.from(row.raw).toString('utf8');
    const place = { ordinal: records.length + 1, line, written };
    records.push(awardRecordOf(row.row, place));
    if (records.length > ROWS_MAX) throw badInput(`${path}: expected at most ${ROWS_MAX} rows`);
  }
  if (faults.length > 0) refuseFaults(path, report.rowWord, faults);
  if (records.length === 0) throw badInput(`${path} has no rows below its header`);
  return records;
}
