/** What a workbook consists of: its sheets, the formats and texts of its cells, how it counts days. */
import { posix } from 'node:path';
import { badInput } from '../../../core/index.ts';
import type { DayCount } from './cell-text.ts';
import { type NumberShape, readFormats } from './formats.ts';
import { PART_BYTES_MAX, SHEETS_MAX, STRINGS_BYTES_MAX } from './limits.ts';
import { type Attributes, readMarkup } from './markup.ts';
import { damaged, XlsxPackage } from './package.ts';
import { readSharedStrings, SharedStrings } from './strings.ts';

export interface WorkbookSheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** The name of its part. */
  readonly part: string;
}

export interface Workbook {
  readonly package: XlsxPackage;
  readonly sheets: readonly WorkbookSheet[];
  readonly strings: SharedStrings;
  readonly formats: readonly NumberShape[];
  readonly days: DayCount;
  /** What a person should know: macros that are not run, values that another workbook gave. */
  readonly remarks: readonly string[];
}

export async function openWorkbook(path: string): Promise<Workbook> {
  const parts = await XlsxPackage.open(path);
  try {
    return await read(parts);
  } catch (error) {
    parts.close();
    throw damaged(path, error);
  }
}

async function read(parts: XlsxPackage): Promise<Workbook> {
  const root = await relations(parts, '');
  const main = [...root.values()].find((one) => one.kind === 'officeDocument')?.part;
  const name = main ?? 'xl/workbook.xml';
  const { listed, days } = await readWorkbookPart(parts, name);
  const related = await relations(parts, name);
  const sheets = listed.flatMap(({ relation, ...sheet }) => {
    const found = related.get(relation);
    // A chart on a sheet of its own has no cells.
    return found?.kind === 'worksheet' ? [{ ...sheet, part: found.part }] : [];
  });
  if (sheets.length === 0) throw badInput('it has no sheet with cells');
  const partOf = (kind: string): string | undefined =>
    [...related.values()].find((one) => one.kind === kind)?.part;
  const texts = await parts.part(partOf('sharedStrings') ?? '', STRINGS_BYTES_MAX);
  const styles = await parts.part(partOf('styles') ?? '', PART_BYTES_MAX);
  return {
    package: parts,
    sheets,
    strings: texts === undefined ? new SharedStrings() : await readSharedStrings(texts),
    formats: styles === undefined ? [] : await readFormats(styles),
    days,
    remarks: remarksOn(parts.names()),
  };
}

async function readWorkbookPart(
  parts: XlsxPackage,
  name: string,
): Promise<{
  readonly listed: readonly {
    readonly name: string;
    readonly isHidden: boolean;
    readonly relation: string;
  }[];
  readonly days: DayCount;
}> {
  const listed: { name: string; isHidden: boolean; relation: string }[] = [];
  let days: DayCount = '1900';
  await readPart(parts, name, (element, attributes) => {
    if (element === 'workbookPr' && /^(?:1|true)$/.test(attributes['date1904'] ?? ''))
      days = '1904';
    if (element !== 'sheet' || listed.length >= SHEETS_MAX) return;
    listed.push({
      name: attributes['name'] ?? '',
      isHidden: (attributes['state'] ?? 'visible') !== 'visible',
      relation: attribute(attributes, 'id'),
    });
  });
  return { listed, days };
}

interface Relation {
  /** The last step of its type's address. */
  readonly kind: string;
  readonly part: string;
}

/** To which parts a part leads, by id. What lies outside the file is never opened. */
async function relations(parts: XlsxPackage, from: string): Promise<ReadonlyMap<string, Relation>> {
  const folder = posix.dirname(from);
  const found = new Map<string, Relation>();
  const name = posix.join(folder, '_rels', `${posix.basename(from)}.rels`);
  await readPart(parts, name, (element, attributes) => {
    const target = attributes['Target'];
    if (element !== 'Relationship' || target === undefined) return;
    if (attributes['TargetMode'] === 'External') return;
    const part = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
    const kind = (attributes['Type'] ?? '').split('/').at(-1) ?? '';
    found.set(attributes['Id'] ?? '', { kind, part });
  });
  return found;
}

async function readPart(
  parts: XlsxPackage,
  name: string,
  open: (element: string, attributes: Attributes) => void,
): Promise<void> {
  const source = await parts.part(name, PART_BYTES_MAX);
  if (source === undefined) return;
  for await (const _ of readMarkup(source, { open, text: () => {}, close: () => {} }));
}

/** Whatever prefix the file has given to the namespace of relations. */
function attribute(attributes: Attributes, local: string): string {
  const name = Object.keys(attributes).find((one) => one.endsWith(`:${local}`));
  return (name === undefined ? undefined : attributes[name]) ?? '';
}

function remarksOn(names: readonly string[]): readonly string[] {
  const has = (part: RegExp): boolean => names.some((name) => part.test(name));
  return [
    ...(has(/vbaProject\.bin$/i) ? ['The workbook has macros; they are not run.'] : []),
    ...(has(/^xl\/externalLinks\//i)
      ? ['The workbook has links to other workbooks; the values of its last save are read.']
      : []),
  ];
}
