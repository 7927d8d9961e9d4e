/** Tables for people. On a screen that is too narrow, texts go on below in their column; ids are never broken. */
import { plain } from '../core/index.ts';
import { columnsOf, visibleWidth } from './screen.ts';

const GAP = '  ';

/** First lines of the tables that are about to be written: what is written in bold, where there is bold. */
const heads = new Set<string>();

/** True once for each table. */
export function isTableHead(line: string): boolean {
  return heads.delete(line);
}

/** Columns padded to their widest cell; numbers to the right. Where even that is too wide for the reader: one line for each cell. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  columns = columnsOf(process.stdout),
): string {
  const cells = [head, ...rows].map((row) => head.map((_, at) => plain(String(row[at] ?? ''))));
  const widths = fitting(cells, columns);
  if (widths === undefined) return asRecords(cells, columns ?? 0);
  const isNumber = head.map(
    (_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'),
  );
  const lines = cells.map((row) => linesOf(row, widths, isNumber));
  const [first = ''] = lines[0] ?? [];
  heads.add(first);
  return lines.flat().join('\n');
}

/** Widths with which the table fits, or undefined; natural ones where nothing limits them. */
function fitting(
  cells: readonly (readonly string[])[],
  columns: number | undefined,
): readonly number[] | undefined {
  const [head = []] = cells;
  const widest = (measure: (cell: string) => number): number[] =>
    head.map((_, at) => Math.max(...cells.map((row) => measure(row[at] ?? ''))));
  const widths = widest(visibleWidth);
  if (columns === undefined) return widths;
  const least = widest((cell) => Math.max(...cell.split(' ').map(visibleWidth)));
  const room = columns - GAP.length * (head.length - 1);
  const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
  if (sum(widths) > room && sum(least) > room) return undefined;
  while (sum(widths) > room) {
    // The widest that can give way; one column at a time keeps them alike.
    const give = widths.map((width, at) => (width > (least[at] ?? 0) ? width : 0));
    const at = give.indexOf(Math.max(...give));
    widths[at] = (widths[at] ?? 0) - 1;
  }
  return widths;
}

function linesOf(
  row: readonly string[],
  widths: readonly number[],
  isNumber: readonly boolean[],
): string[] {
  const wrapped = row.map((cell, at) => wrap(cell, widths[at] ?? 0));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    wrapped
      .map((lines, at) => {
        const text = lines[line] ?? '';
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - visibleWidth(text)));
        return isNumber[at] === true ? `${space}${text}` : `${text}${space}`;
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** At spaces; a word that is wider stays whole. */
function wrap(text: string, width: number): string[] {
  if (visibleWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && visibleWidth(line) + 1 + visibleWidth(word) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** `name  value` for each cell that says something, and a blank line between rows. */
function asRecords(cells: readonly (readonly string[])[], columns: number): string {
  const [head = [], ...rows] = cells;
  const label = Math.max(...head.map(visibleWidth));
  const width = Math.max(1, columns - label - GAP.length);
  const none = head.map(() => false);
  return rows
    .map((row) =>
      row
        .flatMap((cell, at) =>
          cell === '' ? [] : linesOf([head[at] ?? '', cell], [label, width], none),
        )
        .join('\n'),
    )
    .join('\n\n');
}
