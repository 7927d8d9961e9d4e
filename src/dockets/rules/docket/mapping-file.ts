/** Mappings as data: where in an office's own document the fields of a docket event stand. */
import { type LawNode, readLawDocument } from '../../../calendar/index.ts';
import { COLUMN_BY_NAME } from './columns.ts';

/** `timestamp`: the date as written in front of a time of day. `any`: not a date, or already YYYY-MM-DD. */
const DATE_FORMATS = ['any', 'YYYYMMDD', 'timestamp'] as const;

export interface MappedField {
  /** A record has many events; a field stands once in the record or in each event. */
  readonly from: 'record' | 'event';
  /** JSON pointer. A list met on the way stands for its first member. */
  readonly at: string;
  readonly format: (typeof DATE_FORMATS)[number];
}

/** What an office's event code means for the docket. */
interface MappedCode {
  readonly eventCode: string;
  readonly rule: string | undefined;
  readonly title: string | undefined;
}

export interface DocketMapping {
  readonly code: string;
  readonly version: string;
  readonly title: string;
  /** JSON pointer of the list of records; empty: the document is one record. */
  readonly recordsAt: string;
  readonly eventsAt: string;
  readonly constants: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, MappedField>;
  readonly eventCodes: ReadonlyMap<string, MappedCode>;
  /** Codes that are known to start no period: counted, and not docketed. */
  readonly leftOut: ReadonlySet<string>;
  /** Codes that neither table lists. What nobody knows may start a period, so the shipped mappings keep it for a person. */
  readonly unlisted: 'skip' | 'keep';
}

export function readDocketMapping(source: {
  readonly file: string;
  readonly text: string;
}): DocketMapping {
  const root = readLawDocument({ ...source, fault: 'RULE_FILE_INVALID' });
  root.object(
    [
      'kind',
      'version',
      'checked',
      'code',
      'title',
      'records_at',
      'events_at',
      'fields',
      'unlisted',
    ],
    ['notes', 'sources', 'constants', 'event_codes', 'left_out'],
  );
  root.field('kind').oneOf(['docket-mapping']);
  root.field('checked').day();
  const fields = members(root.field('fields'), readField);
  const constants = members(root.optional('constants'), (node) => node.text());
  for (const name of [...fields.keys(), ...constants.keys()]) {
    if (!COLUMN_BY_NAME.has(name)) root.refuse(`"${name}" is not a field of a docket event`);
  }
  for (const { name, needed } of COLUMN_BY_NAME.values()) {
    if (needed && !fields.has(name)) root.field('fields').refuse(`"${name}" is mandatory`);
  }
  return {
    code: root.field('code').text(),
    version: root.field('version').text(),
    title: root.field('title').text(),
    recordsAt: pointer(root.field('records_at')),
    eventsAt: pointer(root.field('events_at')),
    constants,
    fields,
    eventCodes: members(root.optional('event_codes'), (node) => {
      node.object(['event_code'], ['rule', 'title']);
      return {
        eventCode: node.field('event_code').text(),
        rule: node.optional('rule')?.text(),
        title: node.optional('title')?.text(),
      };
    }),
    leftOut: readLeftOut(root),
    unlisted: root.field('unlisted').oneOf(['skip', 'keep']),
  };
}

function readLeftOut(root: LawNode): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const node of root.optional('left_out')?.items() ?? []) {
    const code = node.text();
    if (codes.has(code)) node.refuse(`"${code}" stands in the list twice`);
    if (root.optional('event_codes')?.has(code) === true) {
      node.refuse(`"${code}" is an event of event_codes, so it cannot be left out`);
    }
    codes.add(code);
  }
  return codes;
}

function readField(node: LawNode): MappedField {
  node.object(['from', 'at'], ['format']);
  return {
    from: node.field('from').oneOf(['record', 'event']),
    at: pointer(node.field('at')),
    format: node.optional('format')?.oneOf(DATE_FORMATS) ?? 'any',
  };
}

/** The empty pointer is the whole document, and the only text here that may be empty. */
function pointer(node: LawNode): string {
  if (node.value === '') return '';
  const text = node.text();
  if (!text.startsWith('/')) node.refuse('expected a JSON pointer such as /a/b');
  return text;
}

function members<Value>(
  node: LawNode | undefined,
  read: (node: LawNode) => Value,
): Map<string, Value> {
  if (node === undefined) return new Map();
  return new Map(node.keys().map((name) => [name, read(node.field(name))]));
}
