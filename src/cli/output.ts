/** Data on stdout, talk on stderr. One JSON envelope for machines, tables for people. */
import { ERRORS, EXIT, FilewrightError, plainJson, plainLines } from '../core/index.ts';
import { forMachines } from './machine.ts';
import { styled } from './screen.ts';
import { isTableHead } from './table.ts';

export { table } from './table.ts';

export interface Output {
  readonly json: boolean;
  /** The result of a command: `data` for machines, `show` for people. */
  result(command: string, data: object, show: () => string): void;
  /** One line of talk for people; nothing in JSON mode. */
  say(text: string): void;
}

/** Version of the JSON envelope; a change that breaks a reader raises it. */
const ENVELOPE_VERSION = 1;

export function createOutput(json: boolean): Output {
  return {
    json,
    result: (command, data, show) => {
      const text = json
        ? plainJson(
            JSON.stringify({
              filewright: ENVELOPE_VERSION,
              command,
              ok: true,
              data: forMachines(data),
            }),
          )
        : painted(show());
      process.stdout.write(`${text}\n`);
    },
    say: (text) => {
      if (!json) tell(text);
    },
  };
}

/** Text for people on stdout, of commands whose answer is a story. Beside it nothing is written but data and bytes. */
export function print(text: string): void {
  process.stdout.write(`${painted(text)}\n`);
}

/** Talk on stderr. */
export function tell(text: string): void {
  const line = plainLines(text);
  const [, sign = '', rest = ''] = /^(warning:)?([^]*)$/.exec(line) ?? [];
  process.stderr.write(`${sign === '' ? '' : styled('yellow', sign, process.stderr)}${rest}\n`);
}

/** Colors come after all else: what was in the text by itself is shown as what it is. */
function painted(text: string): string {
  return plainLines(text)
    .split('\n')
    .map((line) => (isTableHead(line) ? styled('bold', line, process.stdout) : line))
    .join('\n');
}

/** Writes what went wrong with its remedy, and returns the documented exit code. */
export function reportError(error: unknown, json: boolean): number {
  const known = error instanceof FilewrightError;
  const code = known ? error.code : 'UNEXPECTED';
  const message = withoutLongWords(
    plainLines(error instanceof Error ? error.message : String(error)),
  );
  const remedy = known ? ERRORS[error.code].remedy : 'Report this with the command that caused it.';
  if (json) {
    const envelope = { filewright: ENVELOPE_VERSION, ok: false, error: { code, message, remedy } };
    process.stdout.write(`${plainJson(JSON.stringify(envelope))}\n`);
  } else {
    const name = styled('red', 'filewright:', process.stderr);
    process.stderr.write(`${name} ${message}\n  code:   ${code}\n  remedy: ${remedy}\n`);
    if (!known && error instanceof Error && error.stack !== undefined)
      process.stderr.write(`${plainLines(error.stack)}\n`);
  }
  return known ? error.exitCode : EXIT.failed;
}

/** Messages quote what was found; a quote that fills the screen hides what was expected. */
function withoutLongWords(text: string): string {
  return text.replaceAll(
    /\S{500,}/gu,
    (word) => `${Array.from(word).slice(0, 60).join('')}… (${word.length} characters)`,
  );
}

export function iso(epochMs: number | undefined): string {
  return epochMs === undefined ? '' : new Date(epochMs).toISOString();
}

/** A duration for people: the two largest units. */
export function span(ms: number | undefined): string {
  if (ms === undefined) return '-';
  const seconds = Math.round(Math.abs(ms) / 1000);
  const units: readonly [string, number][] = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ];
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first < 0) return '0 s';
  let rest = seconds;
  const parts: string[] = [];
  for (const [name, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return `${ms < 0 ? '-' : ''}${parts.join(' ')}`;
}
