/**
 * Text from outside, as it may be shown: in tables, messages, logs, mail, calendars, pages, documents. What steers a terminal,
 * turns the direction of writing or cannot be seen (control and format characters, escape sequences, half a surrogate pair)
 * stands there as U+FFFD: taken out silently, two names would look alike that are not.
 */

const UNSEEN = /[\p{Cc}\p{Cf}\p{Surrogate}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
const UNSEEN_IN_LINES =
  /(?!\r?\n|\t)[\p{Cc}\p{Cf}\p{Surrogate}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
const SHOWN = '\ufffd';

/** On one line: a line break or a tab is a space. */
export function plain(text: string): string {
  return text.replaceAll(UNSEEN, (one) => (SPACES.has(one) ? ' ' : SHOWN));
}

const SPACES: ReadonlySet<string> = new Set(['\t', '\n', '\r']);

/** With its line breaks (LF or CR LF) and tabs. */
export function plainLines(text: string): string {
  return text.replaceAll(UNSEEN_IN_LINES, SHOWN);
}

/** JSON that means the same and has none of these characters: each is spelled as its escape. */
export function plainJson(json: string): string {
  return json.replaceAll(UNSEEN_IN_LINES, (one) =>
    Array.from({ length: one.length }, (_, at) => escaped(one.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
