/** A table of text, in whatever encoding and with whatever separator it was saved. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  badInput,
  type CsvHeader,
  type Delimiter,
  findDelimiter,
  headOfCsv,
  type InputRow,
  openCsv,
  type Sha256Hex,
  sha256Hex,
} from '../../core/index.ts';
import {
  asUtf8,
  type Encoding,
  ENCODING_NAMES,
  type EncodingFound,
  findEncoding,
} from './encoding.ts';
import type { Table, TableReading } from './table.ts';

const SEPARATOR_NAMES: Readonly<Record<Delimiter, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
};

// Sixty rows of a kilobyte each; a table with wider ones is told apart by fewer.
const HEAD_BYTES = 64 * 1024;

export async function openCsvTable(
  path: string,
  choice: { readonly encoding?: Encoding; readonly separator?: Delimiter },
): Promise<Table> {
  const found = await findEncoding(createReadStream(path));
  const encoding = choice.encoding ?? found.encoding;
  const { head, isWhole } = await readHead(path, encoding);
  const delimiter = choice.separator ?? findDelimiter(head, isWhole);
  return new CsvTable(path, {
    found,
    encoding,
    delimiter,
    head: headOfCsv(head, delimiter, isWhole),
  });
}

class CsvTable implements Table {
  readonly form: readonly string[];
  readonly remarks: readonly string[] = [];
  readonly head: Table['head'];
  readonly days = '1900';
  readonly rowWord = 'line';
  readonly #path: string;
  readonly #found: EncodingFound;
  readonly #encoding: Encoding;
  readonly #delimiter: Delimiter;
  #read: Sha256Hex | undefined;

  constructor(
    path: string,
    by: {
      readonly found: EncodingFound;
      readonly encoding: Encoding;
      readonly delimiter: Delimiter;
      readonly head: Table['head'];
    },
  ) {
    this.#path = path;
    this.#found = by.found;
    this.#encoding = by.encoding;
    this.#delimiter = by.delimiter;
    this.head = by.head;
    const mark = by.found.hasByteOrderMark ? ' with a byte order mark' : '';
    this.form = [
      `${ENCODING_NAMES[by.encoding]}${mark}`,
      `separated by ${SEPARATOR_NAMES[by.delimiter]}`,
    ];
  }

  async open(
    reading: TableReading,
  ): Promise<{ readonly header: CsvHeader; readonly rows: AsyncIterable<InputRow> }> {
    const digest = createHash('sha256');
    const bytes = this.#hashed(digest);
    const { header, rows } = await openCsv(asUtf8(bytes, this.#encoding), {
      ...reading,
      delimiter: this.#delimiter,
    });
    // Rows that go back are UTF-8 whatever they came in; the mark tells a spreadsheet so.
    const hasByteOrderMark = header.hasByteOrderMark || this.#encoding !== 'utf-8';
    return { header: { ...header, hasByteOrderMark }, rows };
  }

  async inputSha256(): Promise<Sha256Hex> {
    const { sha256 } = this.#found;
    if (this.#read !== undefined && this.#read !== sha256) throw changedMeanwhile(this.#path);
    return sha256;
  }

  close(): void {}

  async *#hashed(digest: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
    for await (const chunk of createReadStream(this.#path)) {
      // A stream without an encoding gives bytes.
      const bytes = chunk as Uint8Array;
      digest.update(bytes);
      yield bytes;
    }
    this.#read = sha256Hex(digest.digest('hex'));
  }
}

export function changedMeanwhile(path: string): Error {
  return badInput(
    `${path} was changed while it was read. Import it again; rows that are already there are found unchanged.`,
  );
}

async function readHead(
  path: string,
  encoding: Encoding,
): Promise<{ readonly head: Buffer; readonly isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of asUtf8(createReadStream(path), encoding)) {
    parts.push(part);
    size += part.length;
    if (size > HEAD_BYTES) return { head: Buffer.concat(parts), isWhole: false };
  }
  return { head: Buffer.concat(parts), isWhole: true };
}
