/**
 * Commands that answer line by line: NDJSON in, one answer out for each line, in order. A line that cannot be computed
 * gets its own error and the others are still answered, so that a file of thousands needs one run, not one per mistake.
 */
import {
  badCase,
  EXIT,
  FilewrightError,
  parseStrictJson,
  plainJson,
  plainLines,
} from '../core/index.ts';
import { standardInputLines } from './input-lines.ts';
import { tell } from './output.ts';

/** A case is a page of JSON at most; a longer line is not one, and would be held in memory whole. */
const LINE_CHARS_MAX = 1_000_000;
const BYTE_ORDER_MARK = '\uFEFF';

/** Ids are remembered to say where one occurs again; a file of more cases than this is checked up to here. */
const IDS_MAX = 200_000;

/** Answers are written in pieces of about this size: one write per answer costs more than the answer. */
const WRITE_CHARS = 64 * 1024;

interface LineAnswers<Answer> {
  readonly json: boolean;
  /** Throws a FilewrightError where the case cannot be computed. */
  readonly compute: (input: Readonly<Record<string, unknown>>) => Answer | Promise<Answer>;
  /** The answer for a person; machines get the answer itself. */
  readonly show: (id: string, answer: Answer) => string;
}

/** Reads standard input to its end; the exit code is 1 when any line could not be answered. */
export async function answerLines<Answer extends object>(
  answers: LineAnswers<Answer>,
): Promise<void> {
  let pending = '';
  let lineNumber = 0;
  let failed = 0;
  let answered = 0;
  let repeated = 0;
  const seen = new Map<string, number>();
  for await (const given of standardInputLines()) {
    lineNumber += 1;
    // An editor or spreadsheet may mark the beginning of the file; the mark belongs to no case.
    const line = lineNumber === 1 && given.startsWith(BYTE_ORDER_MARK) ? given.slice(1) : given;
    if (line.trim() === '') continue;
    answered += 1;
    const outcome = await answerOf(line, { lineNumber, seen }, answers);
    if (outcome.failed) failed += 1;
    if (outcome.repeats) repeated += 1;
    pending += `${outcome.text}\n`;
    if (pending.length >= WRITE_CHARS) {
      // Nobody reads the rest.
      if (!(await write(pending, answers.json))) return;
      pending = '';
    }
  }
  if (pending !== '') await write(pending, answers.json);
  if (answered === 0) tell('Standard input holds no case: expected one JSON object on each line');
  if (repeated > 0) {
    tell(`${repeated} of ${lineNumber} lines repeat the id of an earlier line; each was answered`);
  }
  if (failed > 0) {
    if (!answers.json) tell(`${failed} of ${lineNumber} lines could not be computed`);
    process.exitCode = EXIT.failed;
  }
}

async function answerOf<Answer extends object>(
  line: string,
  place: { readonly lineNumber: number; readonly seen: Map<string, number> },
  answers: LineAnswers<Answer>,
): Promise<{ readonly text: string; readonly failed: boolean; readonly repeats: boolean }> {
  const { lineNumber } = place;
  let id: unknown = null;
  let before: number | undefined;
  try {
    const input = caseOf(line);
    id = input['id'] ?? null;
    before = lineOfSameId(id, place);
    const answer = await answers.compute(input);
    const text = answers.json
      ? JSON.stringify({ id, ...sameId(before), ...answer })
      : `${answers.show(typeof id === 'string' ? id : `line ${lineNumber}`, answer)}${before === undefined ? '' : `  (line ${lineNumber} has the same id as line ${before})`}`;
    return { text, failed: false, repeats: before !== undefined };
  } catch (error) {
    // Only what a line can cause is answered in its place; a broken program ends the run.
    if (!(error instanceof FilewrightError)) throw error;
    const message = `line ${lineNumber}: ${error.message}`;
    const text = answers.json
      ? JSON.stringify({ id, ...sameId(before), error: { code: error.code, message } })
      : `${typeof id === 'string' ? id : ''}: ${error.code}: ${message}`;
    return { text, failed: true, repeats: before !== undefined };
  }
}

/** The earlier line with this id: two answers under one name cannot be told apart by the person who reads them. */
function lineOfSameId(
  id: unknown,
  { lineNumber, seen }: { readonly lineNumber: number; readonly seen: Map<string, number> },
): number | undefined {
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  const before = seen.get(String(id));
  if (before === undefined && seen.size < IDS_MAX) seen.set(String(id), lineNumber);
  return before;
}

function sameId(before: number | undefined): { readonly same_id_as_line?: number } {
  return before === undefined ? {} : { same_id_as_line: before };
}

function caseOf(line: string): Readonly<Record<string, unknown>> {
  if (line.length > LINE_CHARS_MAX) {
    throw badCase(`expected at most ${LINE_CHARS_MAX} characters, found ${line.length}`);
  }
  let value: unknown;
  try {
    value = parseStrictJson(line);
  } catch (error) {
    throw badCase(
      `expected one JSON object: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badCase('expected one JSON object');
  }
  // An object that is no array, from a parser that makes plain objects only.
  return value as Readonly<Record<string, unknown>>;
}

/** The answers quote their cases, which came from somebody. False when the reader has gone: `| head` has seen enough. */
function write(answered: string, json: boolean): Promise<boolean> {
  const text = json ? plainJson(answered) : plainLines(answered);
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(error === undefined || error === null));
  });
}
