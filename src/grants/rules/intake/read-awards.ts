/** Award documents of every format as records, in pieces of any size. */
import {
  badInput,
  LINE_BYTES_MAX,
  type LinePart,
  LineSplitter,
  overLimit,
  withoutLineEnd,
} from '../../../core/index.ts';
import { type AwardFormat, type AwardRecord, cutOff } from './award-record.ts';
import { CsvAwards } from './records-csv.ts';
import { recordOfLine, recordsOfJson } from './records-json.ts';
import { XmlAwards } from './records-xml.ts';

const JSON_CHARACTERS_MAX = 16 * 1024 * 1024;

interface Pieces<Piece> {
  push(piece: Piece): Iterable<AwardRecord>;
  finish(): Iterable<AwardRecord>;
}

/**
 * Records one by one, each with what was wrong with it; a document that is broken as a whole throws INPUT_MALFORMED with
 * its line. Nothing of a document may be used before the last record has come: what breaks may break at the end.
 */
export async function* readAwards(
  format: AwardFormat,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<AwardRecord> {
  const reader = readerOf(format);
  for await (const chunk of chunks) yield* reader.push(chunk);
  yield* reader.finish();
}

function readerOf(format: AwardFormat): Pieces<Uint8Array> {
  switch (format) {
    case 'json':
      return new Decoded(new JsonAwards());
    case 'ndjson':
      return new NdjsonAwards();
    case 'csv':
      return new CsvAwards();
    case 'table':
      throw badInput('a table is read with its columns; import it with grants ingest');
    case 'xml':
      return new Decoded(new XmlAwards());
  }
}

/** Strictly UTF-8, also where a character is cut between two pieces. */
class Decoded implements Pieces<Uint8Array> {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #reader: Pieces<string>;

  constructor(reader: Pieces<string>) {
    this.#reader = reader;
  }

  push(chunk: Uint8Array): Iterable<AwardRecord> {
    return this.#reader.push(decoded(() => this.#decoder.decode(chunk, { stream: true })));
  }

  *finish(): Iterable<AwardRecord> {
    yield* this.#reader.push(decoded(() => this.#decoder.decode()));
    yield* this.#reader.finish();
  }
}

function decoded(decode: () => string, line?: number): string {
  try {
    return decode();
  } catch (cause) {
    const place = line === undefined ? '' : `line ${line}: `;
    throw badInput(`${place}expected UTF-8, found other bytes`, {
      cause,
      ...(line === undefined ? {} : { details: { line } }),
    });
  }
}

/** Strict JSON is read whole; larger sets come as NDJSON. */
class JsonAwards implements Pieces<string> {
  #text = '';

  push(piece: string): Iterable<AwardRecord> {
    this.#text += piece;
    if (this.#text.length > JSON_CHARACTERS_MAX) {
      throw overLimit(
        `expected at most ${JSON_CHARACTERS_MAX} characters of JSON; use NDJSON for larger files`,
      );
    }
    return [];
  }

  finish(): Iterable<AwardRecord> {
    // A document that begins like JSON and does not end like it.
    if (/^\s*[[{]/.test(this.#text) && !/[\]}]$/.test(this.#text.slice(-200).trimEnd())) {
      throw cutOff(this.#text.split('\n').length);
    }
    return recordsOfJson(this.#text);
  }
}

class NdjsonAwards implements Pieces<Uint8Array> {
  readonly #lines = new LineSplitter(LINE_BYTES_MAX);
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #ordinal = 0;
  #lastLine = 1;
  #isCut = false;

  *push(chunk: Uint8Array): Iterable<AwardRecord> {
    for (const part of this.#lines.push(chunk)) yield* this.#record(part);
  }

  *finish(): Iterable<AwardRecord> {
    for (const part of this.#lines.end()) yield* this.#record(part);
    if (this.#isCut) throw cutOff(this.#lastLine);
  }

  *#record({ line, bytes, ends }: LinePart): Iterable<AwardRecord> {
    if (!ends || bytes.length > LINE_BYTES_MAX) {
      throw overLimit(`line ${line}: expected at most ${LINE_BYTES_MAX} bytes`, {
        details: { line },
      });
    }
    const text = decoded(() => this.#decoder.decode(withoutLineEnd(bytes)), line);
    if (text.trim() === '') return;
    this.#ordinal += 1;
    this.#lastLine = line;
    // An object that was begun and not ended.
    this.#isCut = text.trimStart().startsWith('{') && !text.trimEnd().endsWith('}');
    yield recordOfLine(text, { ordinal: this.#ordinal, line });
  }
}
