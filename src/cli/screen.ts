/** What the reader of our text can show: how wide it is, and whether it has colors. A pipe is as wide as it needs to be. */
import stringWidth from 'string-width';

/** Of a terminal that does not say. */
const COLUMNS = 80;
/** Narrower ones show a line as it is; nothing sensible fits. */
const COLUMNS_MIN = 20;

let isColorRefused = false;

/** Once for each command: `--no-color` and `--json` come before what the environment says. */
export function setColor(isRefused: boolean): void {
  isColorRefused = isRefused;
}

/** COLUMNS where it is exported, else what the terminal says; undefined for a pipe or a file. */
export function columnsOf(stream: NodeJS.WriteStream): number | undefined {
  const asked = Number(process.env['COLUMNS']);
  if (Number.isInteger(asked) && asked > 0) return Math.max(asked, COLUMNS_MIN);
  // Node knows it only of terminals, and of some only later.
  if (!stream.isTTY) return undefined;
  return Math.max(stream.columns || COLUMNS, COLUMNS_MIN);
}

/** https://no-color.org; FORCE_COLOR is for a pipe to something that shows colors. */
export function hasColor(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR: none = '', FORCE_COLOR: force = '', TERM: terminal } = process.env;
  if (isColorRefused || none !== '') return false;
  if (force !== '') return force !== '0' && force !== 'false';
  return isTerminal(stream) && terminal !== undefined;
}

/** One whose cursor can be moved. */
export function isTerminal(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && process.env['TERM'] !== 'dumb';
}

const STYLES = { bold: [1, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

/** The text as it is where the stream has no colors. */
export function styled(
  style: keyof typeof STYLES,
  text: string,
  stream: NodeJS.WriteStream,
): string {
  const [on, off] = STYLES[style];
  return hasColor(stream) ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}

const NARROW = /^[\x20-\x7e]*$/;

/** Columns that a text takes: two for a sign of Chinese, none for an accent. */
export function visibleWidth(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** Never wider than that; what is cut off shows as a dot. */
export function cutTo(text: string, columns: number): string {
  if (visibleWidth(text) <= columns) return text;
  let cut = '';
  let width = 1;
  for (const sign of text) {
    width += visibleWidth(sign);
    if (width > columns) break;
    cut += sign;
  }
  return `${cut}…`;
}
