/** How a person says what a table means, and how the command says how it was read. */
import type { Command } from './command.ts';
import { columnLetters, type Delimiter, EXIT, misuse } from '../core/index.ts';
import {
  type Asked,
  type Encoding,
  ENCODINGS,
  type SheetChoices,
  SheetQuestion,
  type SheetReport,
} from '../intake/index.ts';
import { type Output, table } from './output.ts';
import { mappingOf, type RowImportOptions, several } from './row-import.ts';

export interface SheetOptions extends RowImportOptions {
  readonly encoding?: string;
  readonly separator?: string;
  readonly sheet?: string;
  readonly hiddenRows?: string;
  readonly acceptMap?: true;
  readonly dates?: string;
  readonly extra?: readonly string[];
  readonly set?: readonly string[];
}

const SEPARATORS: Readonly<Record<string, Delimiter>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  pipe: '|',
};
const ORDERS = ['month-first', 'day-first'] as const;
const HIDDEN = ['read', 'skip'] as const;

export function addSheetOptions(command: Command): Command {
  return addTableOptions(command)
    .option('--set <value>', '"due=2027-03-01": for every row that has nothing there', several)
    .option('--extra <column>', 'also send this column to the state; repeat for several', several);
}

/** How a table is read, whatever it holds. */
export function addTableOptions(command: Command): Command {
  return command
    .option(
      '--accept-map',
      'read the columns as proposed, and remember it for tables like this one',
    )
    .option('--dates <order>', `order of ambiguous dates: ${ORDERS.join(' or ')}`)
    .option('--sheet <name>', 'sheet of a workbook')
    .option('--hidden-rows <what>', `hidden rows of a sheet: ${HIDDEN.join(' or ')}`)
    .option(
      '--encoding <name>',
      `encoding of a text file: ${ENCODINGS.join(', ')} (default: detected)`,
    )
    .option(
      '--separator <name>',
      `separator of a text file: ${Object.keys(SEPARATORS).join(', ')} (default: detected)`,
    );
}

export function choicesOf(own: SheetOptions): SheetChoices {
  const separator = oneOf('--separator', own.separator, Object.keys(SEPARATORS));
  const encoding: Encoding | undefined = oneOf('--encoding', own.encoding, ENCODINGS);
  const dates = oneOf('--dates', own.dates, ORDERS);
  const hiddenRows = oneOf('--hidden-rows', own.hiddenRows, HIDDEN);
  const delimiter = separator === undefined ? undefined : SEPARATORS[separator];
  return {
    mapping: mappingOf(own),
    acceptMap: own.acceptMap === true,
    ...(own.extra === undefined ? {} : { extra: own.extra }),
    ...(own.set === undefined ? {} : { set: valuesOf(own.set) }),
    ...(own.sheet === undefined ? {} : { sheet: own.sheet }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { separator: delimiter }),
    ...(dates === undefined ? {} : { dates }),
    ...(hiddenRows === undefined ? {} : { hiddenRows }),
  };
}

function valuesOf(pairs: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw misuse(`--set: expected column=value, found "${pair}"`);
    values[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return values;
}

function oneOf<Choice extends string>(
  option: string,
  found: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((one) => one === found);
  if (found === undefined || choice !== undefined) return choice;
  throw misuse(`${option}: expected one of ${choices.join(', ')}, found "${found}"`);
}

interface AskedOf {
  readonly file: string;
  readonly own: SheetOptions;
  /** Options of the command that do not say how a table is read. */
  readonly also?: readonly string[];
  /** False where no column goes anywhere but into the books. */
  readonly sends?: boolean;
}

/** Runs an import; where it cannot go on without a person, says what is asked and how to answer. */
export async function orAsk(
  out: Output,
  command: string,
  how: AskedOf,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SheetQuestion)) throw error;
    const { asked } = error;
    const answers = answersTo(asked).map((more) => lineOf(command, how, more));
    out.result(command, { code: error.code, asked: askedFor(asked), answers }, () =>
      questionWords(error, answers, how.sends !== false).join('\n'),
    );
    process.exitCode = EXIT.usage;
  }
}

/** Each a set of options that answers everything; where there are several, a person chooses. */
function answersTo(asked: Asked): readonly (readonly string[])[] {
  if (asked.sheets !== undefined) return asked.sheets.map((name) => ['--sheet', name]);
  if (asked.hiddenRows !== undefined) return HIDDEN.map((what) => ['--hidden-rows', what]);
  const accept = [
    ...(asked.columns === undefined ? [] : ['--accept-map']),
    ...(asked.missing ?? []).flatMap((name) => ['--set', `${name}=VALUE`]),
  ];
  if (asked.dates === undefined) return [accept];
  return ORDERS.map((order) => [...accept, '--dates', order]);
}

function lineOf(
  command: string,
  { file, own, also = [] }: AskedOf,
  more: readonly string[],
): string {
  const single: readonly (readonly [string, string | undefined])[] = [
    ['--map-file', own.mapFile],
    ['--errors', own.errors],
    ['--encoding', own.encoding],
    ['--separator', own.separator],
    ['--sheet', own.sheet],
    ['--hidden-rows', own.hiddenRows],
    ['--dates', own.dates],
  ];
  const given = [
    ...single.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    ...(own.map ?? []).flatMap((pair) => ['--map', pair]),
    ...(own.extra ?? []).flatMap((name) => ['--extra', name]),
    ...(own.set ?? []).flatMap((pair) => ['--set', pair]),
    ...(own.acceptMap === true && !more.includes('--accept-map') ? ['--accept-map'] : []),
    ...(own.dryRun === true ? ['--dry-run'] : []),
  ];
  const words = ['filewright', ...command.split(' '), file, ...also, ...given, ...more];
  return words.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function askedFor(asked: Asked): object {
  return {
    ...asked,
    ...(asked.columns === undefined ? {} : { columns: columnsOf(asked.columns) }),
  };
}

function columnsOf(columns: SheetReport['columns']): readonly object[] {
  return columns.map(({ theirs, at, ours, by }) => ({
    column: columnLetters(at),
    name: theirs,
    readAs: ours ?? null,
    by,
  }));
}

const REASONS: Readonly<Record<SheetReport['columns'][number]['by'], string>> = {
  exact: '',
  given: 'as you said',
  confirmed: 'as confirmed before',
  known: 'a name that is known',
  similar: 'a similar name: check it',
  extra: 'as you said',
  'left out': 'not read, not sent',
};

function questionWords(error: SheetQuestion, answers: readonly string[], sends: boolean): string[] {
  const { columns, missing, dates } = error.asked;
  return [
    error.message,
    ...(columns === undefined
      ? []
      : [
          '',
          table(
            ['column', 'name', 'read as', ''],
            columns.map(({ theirs, at, ours, by }) => [
              columnLetters(at),
              theirs,
              ours ?? '-',
              REASONS[by],
            ]),
          ),
        ]),
    ...(missing === undefined ? [] : ['', `No column is read as ${missing.join(', ')}.`]),
    ...(dates === undefined
      ? []
      : [
          '',
          dates.isMixed
            ? `Column "${dates.column}" (${dates.letter}) mixes month/day/year and day/month/year. With either answer, the dates that cannot be read so are refused.`
            : `${dates.count} ${dates.count === 1 ? 'date' : 'dates'} in column "${dates.column}" (${dates.letter}) can be month/day/year or day/month/year, for instance ${dates.example}.`,
        ]),
    '',
    answers.length === 1 ? 'To accept:' : 'To go on, one of:',
    ...answers.map((line) => `  ${line}`),
    ...(columns === undefined
      ? []
      : [
          `Another column: --map "Their Column=ours".${sends ? ' Also send one: --extra "Their Column".' : ''}`,
        ]),
  ];
}

const NOTES_SHOWN_MAX = 20;

/** How it was read, for people; undefined for NDJSON, which says for itself. */
export function sheetWords(sheet: SheetReport | undefined, sends = true): string[] {
  if (sheet === undefined) return [];
  const leftOut = sheet.columns.filter(({ by }) => by === 'left out');
  const notes = sheet.notes();
  const { count, first } = sheet.skipped();
  const letters = new Map(
    sheet.columns.map(({ ours, theirs, at }) => [ours, `"${theirs}" (${columnLetters(at)})`]),
  );
  return [
    `Read as ${sheet.form.join(', ')}.`,
    ...sheet.remarks,
    ...(leftOut.length === 0
      ? []
      : [
          `${sends ? 'Not read and not sent' : 'Not read'}: ${leftOut.map(({ theirs, at }) => `"${theirs}" (${columnLetters(at)})`).join(', ')}.${sends ? ' Send one with --extra "NAME".' : ''}`,
        ]),
    ...(count === 0
      ? []
      : [
          `${count} ${count === 1 ? 'row' : 'rows'} left out: ${first.map(({ line, why }) => `${sheet.rowWord} ${line} ${why}`).join(', ')}.`,
        ]),
    ...notes
      .slice(0, NOTES_SHOWN_MAX)
      .map(
        (one) =>
          `  ${one.count} in ${letters.get(one.column) ?? one.column}: ${one.note}, first in ${sheet.rowWord} ${one.line}: ${JSON.stringify(one.before)} is ${JSON.stringify(one.after)}`,
      ),
  ];
}

/** The same for machines. */
export function sheetData(sheet: SheetReport | undefined): object | null {
  if (sheet === undefined) return null;
  const { form, remarks, columns, rowWord } = sheet;
  return {
    form,
    remarks,
    columns: columnsOf(columns),
    rowWord,
    notes: sheet.notes(),
    skipped: sheet.skipped(),
  };
}
