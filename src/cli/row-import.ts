/** What the commands that import rows have in common: options, progress, and how the outcome is said. */
import type { Command } from './command.ts';
import { badInput, columnLetters, misuse } from '../core/index.ts';
import type { ImportCounts, ImportRunReport, SheetReport } from '../intake/index.ts';
import { errorFileFor, parseJsonFile, readNamedFile } from './arguments.ts';
import { stopHere } from './ending.ts';
import type { Output } from './output.ts';

export interface RowImportOptions {
  readonly dryRun?: true;
  readonly map?: readonly string[];
  readonly mapFile?: string;
  readonly errors?: string;
}

/** Where an import has nothing of its own to say: it finds what is there. */
export const RUN_AGAIN = 'Run the same command again to continue: it finds these rows unchanged.';

const PROGRESS_ROWS = 10_000;
const SHOWN_ERRORS_MAX = 10;

export const several = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

export function addRowImportOptions(command: Command): Command {
  return command
    .option(
      '--dry-run',
      'count the rows that would be created, changed, unchanged or refused; write nothing',
    )
    .option('--map <pair>', '"Their Column=our_column"; repeat for several', several)
    .option('--map-file <file>', 'JSON file {"our column": "their header"}')
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

/** `goOn` says how the rest gets in, after a signal. */
export function rowsRead(
  out: Pick<Output, 'say'>,
  isDryRun: boolean,
  goOn: string,
): (counts: ImportCounts) => void {
  let told = 0;
  // From here on a signal ends it between two chunks.
  stopHere('');
  return ({ rows, created, changed }) => {
    stopHere(
      isDryRun
        ? `${rows} rows were read, and nothing was written.`
        : `${rows} rows were read: ${created} created and ${changed} changed are committed. ${goOn}`.trim(),
    );
    if (rows < told + PROGRESS_ROWS) return;
    told = rows;
    out.say(`${rows} rows read`);
  };
}

export function countsLine(report: ImportCounts, isDryRun: boolean): string {
  const { rows, created, changed, unchanged, refused } = report;
  return `${isDryRun ? 'Would create' : 'Created'} ${created}, changed ${changed}, unchanged ${unchanged}, refused ${refused} of ${rows} rows.`;
}

const SHOWN_GROUPS_MAX = 20;

/** Errors by kind, then the first ones by place, and where all of them are. */
export function errorLines(report: ImportRunReport, sheet?: SheetReport): string[] {
  const { errors, groups, errorFile } = report;
  const placed = placeWords(sheet);
  const rowWord = sheet?.rowWord ?? 'line';
  const isMany = groups.some((group) => group.count > 1);
  return [
    ...(isMany ? groups.slice(0, SHOWN_GROUPS_MAX) : []).map(({ count, where, why, lines }) => {
      const first = `${rowWord} ${lines.join(', ')}${count > lines.length ? ', …' : ''}`;
      return `  ${count} × ${placed(where)}: ${why} (${first})`;
    }),
    ...(isMany ? ['By place:'] : []),
    ...errors.slice(0, SHOWN_ERRORS_MAX).map(({ line, where, why, code }) => {
      const coded = code === undefined ? '' : `${code} `;
      return `  ${coded}${rowWord} ${line}: ${placed(where)}: ${why}`;
    }),
    ...(errors.length > SHOWN_ERRORS_MAX
      ? [`  ${errors.length - SHOWN_ERRORS_MAX} more are not shown`]
      : []),
    ...(errorFile === undefined ? [] : [`Rows to correct: ${errorFile}`]),
  ];
}

/** A column of a table by its name and letter; what is ours already keeps its plain name. */
function placeWords(sheet: SheetReport | undefined): (where: string) => string {
  const columns = new Map(sheet?.columns.map(({ theirs, at }) => [theirs, columnLetters(at)]));
  return (where) => {
    const letter = columns.get(where);
    return letter === undefined ? where : `column "${where}" (${letter})`;
  };
}

/** `{ ours: theirs }` of both options; what is said twice must be the same. */
export function mappingOf(own: RowImportOptions): Record<string, string> {
  const mapping = own.mapFile === undefined ? {} : readMapping(own.mapFile);
  for (const pair of own.map ?? []) {
    // Their names may hold the sign, ours never.
    const at = pair.lastIndexOf('=');
    if (at < 1) throw misuse(`--map: expected "Their Column=our_column", found "${pair}"`);
    mapping[pair.slice(at + 1).trim()] = pair.slice(0, at).trim();
  }
  return mapping;
}

function readMapping(path: string): Record<string, string> {
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
