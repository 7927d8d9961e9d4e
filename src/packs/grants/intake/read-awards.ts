/** Award documents of every format as records, in pieces of any size. */
import { FilewrightError } from '../../../core/index.ts';
import type { AwardFormat, AwardRecord } from './award-record.ts';
import { CsvAwards } from './records-csv.ts';
import { recordOfLine, recordsOfJson } from './records-json.ts';
import { XmlAwards } from './records-xml.ts';

const JSON_CHARACTERS_MAX = 16 * 1024 * 1024;
const LINE_CHARACTERS_MAX = 1_000_000;

interface Pieces {
  push(piece: string): Iterable<AwardRecord>;
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
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw new FilewrightError('INPUT_MALFORMED', 'UTF-8 was expected, found other bytes', {
        cause,
      });
    }
  };
  for await (const chunk of chunks) yield* reader.push(decode(chunk));
  yield* reader.push(decode());
  yield* reader.finish();
}

function readerOf(format: AwardFormat): Pieces {
  switch (format) {
    case 'json':
      return new JsonAwards();
    case 'ndjson':
      return new NdjsonAwards();
    case 'csv':
      return new CsvAwards();
    case 'xml':
      return new XmlAwards();
  }
}

/** Strict JSON is read whole; larger sets come as NDJSON. */
class JsonAwards implements Pieces {
  #text = '';

  push(piece: string): Iterable<AwardRecord> {
    this.#text += piece;
    if (this.#text.length > JSON_CHARACTERS_MAX) {
      throw new FilewrightError(
        'INPUT_LIMIT',
        `at most ${JSON_CHARACTERS_MAX} characters of JSON were expected; give larger sets as NDJSON`,
      );
    }
    return [];
  }

  finish(): Iterable<AwardRecord> {
    return recordsOfJson(this.#text);
  }
}

class NdjsonAwards implements Pieces {
  #rest = '';
  #line = 0;
  #ordinal = 0;

  *push(piece: string): Iterable<AwardRecord> {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) yield* this.#record(line);
    if (this.#rest.length > LINE_CHARACTERS_MAX) {
      throw new FilewrightError(
        'INPUT_LIMIT',
        `line ${this.#line + 1}: at most ${LINE_CHARACTERS_MAX} characters were expected`,
        { details: { line: this.#line + 1 } },
      );
    }
  }

  *finish(): Iterable<AwardRecord> {
    yield* this.#record(this.#rest);
  }

  *#record(text: string): Iterable<AwardRecord> {
    this.#line += 1;
    if (text.trim() === '') return;
    this.#ordinal += 1;
    yield recordOfLine(text, { ordinal: this.#ordinal, line: this.#line });
  }
}
