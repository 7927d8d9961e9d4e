/** Tables as people keep them, in every way in which they are saved; and what is read from them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InputRow } from '../../src/core/csv/input-row.ts';
import { filingSheet } from '../../src/entities/rules/sheet-columns.ts';
import {
  type ConfirmedColumns,
  openSheet,
  type SheetChoices,
  type SheetReport,
} from '../../src/intake/sheet/open-sheet.ts';

export const SHEET = filingSheet({ jurisdictions: ['US-NV', 'US-DE'], fields: ['mine_name'] });

export const SAVED_AS = [
  'utf-8',
  'utf-8 with mark',
  'utf-16le',
  'utf-16be',
  'windows-1252',
] as const;
export type SavedAs = (typeof SAVED_AS)[number];

export function saved(text: string, as: SavedAs): Buffer {
  switch (as) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-8 with mark':
      return Buffer.from(`\ufeff${text}`, 'utf8');
    case 'utf-16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf-16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    case 'windows-1252':
      return Buffer.from(text, 'latin1');
  }
}

export class Tables {
  readonly folder = mkdtempSync(join(tmpdir(), 'fw-sheet-'));
  #files = 0;

  file(content: string | Uint8Array, ending = 'csv'): string {
    this.#files += 1;
    const path = join(this.folder, `table-${this.#files}.${ending}`);
    writeFileSync(path, content);
    return path;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  async read(
    content: string | Uint8Array,
    choices: SheetChoices = {},
    confirmed?: ConfirmedColumns,
  ): Promise<ReadTable> {
    const path = this.file(
      content,
      Buffer.from(content).subarray(0, 2).toString() === 'PK' ? 'xlsx' : 'csv',
    );
    const opened = await openSheet(path, {
      sheet: SHEET,
      choices,
      confirmed: async () => confirmed,
      year: 2026,
    });
    try {
      const rows: InputRow[] = [];
      for await (const row of opened.input.rows) rows.push(row);
      return { rows, report: opened.report };
    } finally {
      opened.close();
    }
  }
}

export interface ReadTable {
  readonly rows: readonly InputRow[];
  readonly report: SheetReport;
}

/** One value of each row; of a cell that cannot be read, what is wrong with it. */
export function column({ rows }: ReadTable, name: string): readonly unknown[] {
  return rows.map((row) => {
    if (row.kind === 'fault') return `! ${row.error.why}`;
    const fault = row.faults?.find((one) => one.where === name);
    return fault === undefined ? row.row[name] : `! ${fault.code}`;
  });
}
