/** One door for both formats: rows, how their errors are written, and how a place in them is called. */
import {
  type ColumnMapping,
  type Delimiter,
  type InputRow,
  openCsv,
  type RowReader,
  WHOLE_ROW,
} from '../core/index.ts';
import { csvErrorFormat, type ErrorFormat, ndjsonErrorFormat } from './error-format.ts';
import { ndjsonRows } from './ndjson.ts';

export type InputFormat =
  | { readonly kind: 'csv'; readonly delimiter?: Delimiter }
  | { readonly kind: 'ndjson' };

export interface Input {
  readonly rows: AsyncIterable<InputRow>;
  readonly errorFormat: ErrorFormat;
  /** The header of a table with its line end; NDJSON has none. */
  readonly header: Uint8Array | undefined;
  /** Their header for our column (CSV), or a JSON pointer to their member (NDJSON). */
  placeOf(ours: string): string;
}

export async function openInput(
  source: AsyncIterable<Uint8Array>,
  options: {
    readonly format: InputFormat;
    readonly mapping: ColumnMapping;
    readonly columns: RowReader['columns'];
  },
): Promise<Input> {
  const { format, mapping } = options;
  const theirs = (ours: string): string =>
    (Object.hasOwn(mapping, ours) ? mapping[ours] : undefined) ?? ours;
  if (format.kind === 'ndjson') {
    return {
      rows: ndjsonRows(source, { mapping }),
      errorFormat: ndjsonErrorFormat,
      header: undefined,
      placeOf: (ours) => pointerOf(ours, theirs),
    };
  }
  const needed = options.columns.filter((column) => column.needed).map((column) => column.name);
  const { header, rows } = await openCsv(source, { ...format, mapping, needed });
  return { rows, errorFormat: csvErrorFormat(header), header: header.raw, placeOf: theirs };
}

/** A pack names a column, or a pointer into it where the value has parts; its first step is our name of the column. */
function pointerOf(ours: string, theirs: (name: string) => string): string {
  if (ours === WHOLE_ROW) return ours;
  if (!ours.startsWith('/')) return `/${escapeStep(theirs(ours))}`;
  const [first = '', ...rest] = ours.slice(1).split('/');
  const name = theirs(first.replaceAll('~1', '/').replaceAll('~0', '~'));
  return `/${[escapeStep(name), ...rest].join('/')}`;
}

function escapeStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
