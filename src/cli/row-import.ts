/** What the commands that import rows have in common: options, progress, and how the outcome is said. */
import type { Command } from './command.ts';
import { badInput } from '../core/index.ts';
import type { ImportCounts, ImportRunReport } from '../intake/index.ts';
import { errorFileFor, parseJsonFile, readNamedFile } from './arguments.ts';
import type { Output } from './output.ts';

export interface RowImportOptions {
  readonly dryRun?: true;
  readonly map?: string;
  readonly errors?: string;
}

const PROGRESS_ROWS = 10_000;
const SHOWN_ERRORS_MAX = 10;

export function addRowImportOptions(command: Command): Command {
  return command
    .option(
      '--dry-run',
      'count the rows that would be created, changed, unchanged or refused; write nothing',
    )
    .option('--map <file>', 'JSON file {"our column": "their header"}')
    .option(
      '--errors <file>',
      'file for refused rows (default: <file> with .errors before its extension)',
    );
}

/** As the acts want them. */
export function rowImportOf(
  file: string,
  own: RowImportOptions,
): { readonly path: string; readonly dryRun: boolean; readonly errorFile: string } {
  return { path: file, dryRun: own.dryRun === true, errorFile: own.errors ?? errorFileFor(file) };
}

export function rowsRead(out: Pick<Output, 'say'>): (counts: ImportCounts) => void {
  let told = 0;
  return ({ rows }) => {
    if (rows < told + PROGRESS_ROWS) return;
    told = rows;
    out.say(`${rows} rows read`);
  };
}

export function countsLine(report: ImportCounts, isDryRun: boolean): string {
  const { rows, created, changed, unchanged, refused } = report;
  return `${isDryRun ? 'Would create' : 'Created'} ${created}, changed ${changed}, unchanged ${unchanged}, refused ${refused} of ${rows} rows.`;
}

/** The first errors, and where all of them are. */
export function errorLines({ errors, errorFile }: ImportRunReport): string[] {
  return [
    ...errors
      .slice(0, SHOWN_ERRORS_MAX)
      .map(
        ({ line, where, why, code }) =>
          `  ${code === undefined ? '' : `${code} `}line ${line}: ${where}: ${why}`,
      ),
    ...(errorFile === undefined ? [] : [`Rows to correct: ${errorFile}`]),
  ];
}

export function readMapping(path: string): Record<string, string> {
  const value = parseJsonFile(path, readNamedFile('mapping file', path));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badInput(`${path}: expected an object {"our column": "their header"}`);
  }
  const mapping: Record<string, string> = {};
  for (const [ours, theirs] of Object.entries(value)) {
    if (typeof theirs !== 'string') {
      throw badInput(`${path}: expected a header's name for "${ours}"`);
    }
    mapping[ours] = theirs;
  }
  return mapping;
}
