/** Reads NDJSON as a stream: one strict JSON object on each line. */
import { isUtf8 } from 'node:buffer';
import {
  type ColumnMapping,
  CUT_BYTES,
  FilewrightError,
  type InputRow,
  isErrorColumn,
  type JsonValue,
  LINE_BYTES_MAX,
  type LinePart,
  LineSplitter,
  noRows,
  parseStrictJson,
  RECORD_BYTES_MAX,
  WHOLE_ROW,
  withoutLineEnd,
} from '../core/index.ts';

type JsonObject = Readonly<Record<string, JsonValue>>;

/** Gives the rows. Only a file without any row throws (`INPUT_MALFORMED`); every other problem is a row. */
export async function* ndjsonRows(
  source: AsyncIterable<Uint8Array>,
  options: { readonly mapping?: ColumnMapping } = {},
): AsyncGenerator<InputRow> {
  const mapping = options.mapping ?? {};
  const splitter = new LineSplitter(LINE_BYTES_MAX);
  const lines = new LongLines();
  let isEmpty = true;
  for await (const part of partsOf(source, splitter)) {
    const line = lines.join(part);
    if (line === undefined) continue;
    const row = line.isCut ? tooLong(line) : readLine(line, mapping);
    if (row === undefined) continue;
    isEmpty = false;
    yield row;
  }
  if (isEmpty) throw noRows(0);
}

async function* partsOf(
  source: AsyncIterable<Uint8Array>,
  splitter: LineSplitter,
): AsyncGenerator<LinePart> {
  for await (const chunk of source) yield* splitter.push(chunk);
  yield* splitter.end();
}

interface Line {
  readonly line: number;
  readonly raw: Buffer;
  readonly isCut: boolean;
}

/** Keeps the beginning of a line that comes in pieces, and lets the rest pass by. */
class LongLines {
  private beginning: Buffer | undefined;

  join(part: LinePart): Line | undefined {
    const { line } = part;
    if (!part.ends) {
      this.beginning ??= part.bytes.subarray(0, CUT_BYTES);
      return undefined;
    }
    const cut = this.beginning;
    this.beginning = undefined;
    if (cut !== undefined) return { line, raw: cut, isCut: true };
    const raw = withoutLineEnd(part.bytes);
    const isCut = raw.length > RECORD_BYTES_MAX;
    return { line, raw: isCut ? raw.subarray(0, CUT_BYTES) : raw, isCut };
  }
}

function readLine({ line, raw }: Line, mapping: ColumnMapping): InputRow | undefined {
  const fault = (why: string, verbatim: boolean): InputRow => ({
    kind: 'fault',
    line,
    raw,
    error: { where: WHOLE_ROW, why },
    verbatim,
  });
  if (!isUtf8(raw)) return fault('has bytes that are not UTF-8; save the file as UTF-8', false);
  const text = raw.toString('utf8');
  if (text.trim() === '') return undefined;
  let value: JsonValue;
  try {
    value = parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof FilewrightError) || error.code !== 'JSON_MALFORMED') throw error;
    const { column, reason } = error.details;
    return fault(`is not strict JSON at column ${column}: ${reason}`, false);
  }
  if (!isObject(value)) return fault('expected a JSON object on the line', false);
  const clash = Object.keys(value).find(
    (name) => Object.hasOwn(mapping, name) && !Object.values(mapping).includes(name),
  );
  if (clash !== undefined) {
    return fault(`has "${clash}", which the mapping takes from another member`, true);
  }
  return { kind: 'row', line, raw, row: mapMembers(value, mapping) };
}

function mapMembers(value: JsonObject, mapping: ColumnMapping): JsonObject {
  const used = new Set(Object.values(mapping));
  const kept = Object.entries(value).filter(([name]) => !used.has(name) && !isErrorColumn(name));
  const mapped = Object.entries(mapping).flatMap(([ours, theirs]) => {
    const member = Object.hasOwn(value, theirs) ? value[theirs] : undefined;
    return member === undefined ? [] : [[ours, member] as const];
  });
  // fromEntries also keeps a member called __proto__, which an assignment would lose.
  return Object.fromEntries([...kept, ...mapped]);
}

function tooLong({ line, raw }: Line): InputRow {
  const why = `is longer than ${RECORD_BYTES_MAX} bytes; only its beginning is kept here`;
  return { kind: 'fault', line, raw, error: { where: WHOLE_ROW, why }, verbatim: false };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
