/** From an office's own document to docket events, by a mapping. */
import type { JsonValue } from '../../../core/index.ts';
import { inherit, type Labels } from '../access/labels.ts';
import { NO_GLIMPSE } from './docket.ts';
import { type DriftChange, type Fields, isAbsent, likelyName, sayDrift } from './drift.ts';
import type { DocketMapping, MappedField } from './mapping-file.ts';
import { labelsIn } from './read-labels.ts';
import { type DocketReading, readDocketRow } from './read-row.ts';

export interface DocumentReading {
  readonly readings: readonly DocketReading[];
  /** Event codes that the mapping leaves out, with how often they came. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** More events than any file wrapper has; a longer list is not one. */
const EVENTS_MAX = 20_000;

export function readDocketDocument(document: JsonValue, mapping: DocketMapping): DocumentReading {
  const readings: DocketReading[] = [];
  const skipped = new Map<string, number>();
  const records = listAt(document, mapping.recordsAt);
  if (records === undefined) return { readings: [lostList(mapping.recordsAt, document)], skipped };
  const onAll = labelsIn(document, 'document', new Set(partsAt(document, mapping.recordsAt)));
  for (const record of records) {
    const events = listAt(record, mapping.eventsAt);
    if (events === undefined) {
      readings.push(lostList(mapping.eventsAt, record));
      continue;
    }
    const onRecord = labelsIn(record, 'document', new Set(partsAt(record, mapping.eventsAt)));
    const labels = inherit(onAll, onRecord);
    if (events.length > EVENTS_MAX) readings.push(longList(mapping.eventsAt, events.length));
    for (const event of events.slice(0, EVENTS_MAX)) {
      const code = textOf(valueAt(event, mapping.fields.get('event_code')?.at ?? ''));
      if (code !== undefined && isLeftOut(code, mapping)) {
        skipped.set(code, (skipped.get(code) ?? 0) + 1);
        continue;
      }
      readings.push(readEvent({ record, event }, mapping, labels));
    }
  }
  return { readings: records.length > 1 ? readings.map(asOneOfMany) : readings, skipped };
}

function isLeftOut(code: string, { leftOut, eventCodes, unlisted }: DocketMapping): boolean {
  return leftOut.has(code) || (unlisted === 'skip' && !eventCodes.has(code));
}

/**
 * What could not be read goes on as the whole document. Where that holds the records of others too, who may see this one
 * must not get them with it.
 */
function asOneOfMany(reading: DocketReading): DocketReading {
  return reading.kind === 'event' ? reading : { ...reading, glimpse: NO_GLIMPSE };
}

interface Sources {
  readonly record: JsonValue;
  readonly event: JsonValue;
}

/** What the document says of itself, of the record and of the event: an office's own words are labels, mapped or not. */
function readEvent(sources: Sources, mapping: DocketMapping, outer: Labels): DocketReading {
  const row: Record<string, JsonValue> = {};
  for (const [name, field] of mapping.fields) {
    const value = valueAt(sources[field.from], field.at);
    if (value !== undefined) row[name] = inFormat(value, field);
  }
  for (const [name, value] of mapping.constants) row[name] = value;
  const code = typeof row['event_code'] === 'string' ? row['event_code'] : undefined;
  const meaning = code === undefined ? undefined : mapping.eventCodes.get(code);
  if (meaning !== undefined) {
    row['event_code'] = meaning.eventCode;
    if (meaning.rule !== undefined) row['rule'] = meaning.rule;
    if (meaning.title !== undefined) row['title'] ??= meaning.title;
  }
  const labels = inherit(outer, labelsIn(sources.event, 'document'));
  return readDocketRow(row, {
    othersOf: (name) => neighbours(name, sources, mapping),
    labels,
  });
}

/** The value at a place, as it stands there: a list, or the one object in its stead. */
function partsAt(within: JsonValue, at: string): JsonValue[] {
  const value = at === '' ? undefined : valueAt(within, at, 'whole lists');
  return value === undefined ? [] : [value];
}

/** The fields beside the place where the missing one stood, less those that are mapped themselves. */
function neighbours(name: string, sources: Sources, mapping: DocketMapping): Fields {
  const field = mapping.fields.get(name);
  if (field === undefined) return {};
  const parentAt = field.at.slice(0, field.at.lastIndexOf('/'));
  const parent = valueAt(sources[field.from], parentAt);
  if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) return {};
  const taken = new Set(
    [...mapping.fields.values()].filter((one) => one.from === field.from).map((one) => one.at),
  );
  return Object.fromEntries(
    Object.entries(parent).filter(([key]) => !taken.has(`${parentAt}/${escape(key)}`)),
  );
}

/** A list that is gone is drift of the document itself. */
function lostList(at: string, within: JsonValue): DocketReading {
  const found = valueAt(within, at);
  const base = { field: at === '' ? 'document' : at, mandatory: true };
  const likely = likelyPlace(at, within);
  return documentDrift(
    !isAbsent(found)
      ? { ...base, change: 'retyped', expected: 'a list of objects', found: `a ${typeof found}` }
      : likely === undefined
        ? { ...base, change: 'missing' }
        : { ...base, change: 'renamed', likely },
  );
}

/** What stands behind the last event that is read would be lost without a word. */
function longList(at: string, length: number): DocketReading {
  return documentDrift({
    field: at === '' ? 'document' : at,
    mandatory: true,
    change: 'retyped',
    expected: `a list of at most ${EVENTS_MAX}`,
    found: `one of ${length}`,
  });
}

/** Where the first name on the way that is gone seems to be now. */
function likelyPlace(at: string, within: JsonValue): string | undefined {
  const names = at.split('/').slice(1);
  const gone = names.findIndex((_, index) =>
    isAbsent(
      valueAt(
        within,
        names
          .slice(0, index + 1)
          .map((name) => `/${name}`)
          .join(''),
      ),
    ),
  );
  const before = names
    .slice(0, gone)
    .map((name) => `/${name}`)
    .join('');
  const holder = gone === -1 ? undefined : valueAt(within, before);
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder)) return undefined;
  const lists = Object.entries(holder).filter(([, value]) => typeof value === 'object');
  const name = (names[gone] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
  const column = { name, needed: true, shape: 'text', meaning: '', alsoCalled: [] } as const;
  // By their names alone: what they hold is a list and no text.
  const others = Object.fromEntries(lists.map(([key]) => [key, 'present']));
  const likely = likelyName(column, others);
  return likely === undefined ? undefined : `${before}/${escape(likely)}`;
}

function documentDrift(change: DriftChange): DocketReading {
  return {
    kind: 'drift',
    changes: [change],
    errors: [{ where: change.field, why: sayDrift(change), code: 'SCHEMA_DRIFT' }],
    glimpse: NO_GLIMPSE,
  };
}

/** One object stands for a list of one, as converters from XML write it. Undefined where there is neither. */
function listAt(within: JsonValue, at: string): readonly JsonValue[] | undefined {
  const value = valueAt(within, at, 'whole lists');
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? [value] : undefined;
}

function valueAt(
  within: JsonValue,
  at: string,
  end: 'first' | 'whole lists' = 'first',
): JsonValue | undefined {
  let value: JsonValue | undefined = within;
  for (const token of at === '' ? [] : at.slice(1).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const holder: JsonValue | undefined = Array.isArray(value) ? value[0] : value;
    if (typeof holder !== 'object' || holder === null || Array.isArray(holder)) return undefined;
    // Not a list and not null: a plain object of the strict reader.
    const fields = holder as Fields;
    value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  }
  return end === 'first' && Array.isArray(value) ? value[0] : value;
}

/** Another spelling than the mapping promises is left as it is, and is found to be drift. */
function inFormat(value: JsonValue, field: MappedField): JsonValue {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (field.format === 'YYYYMMDD' && /^\d{8}$/.test(text)) {
    return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
  }
  if (field.format === 'timestamp' && /^\d{4}-\d{2}-\d{2}T/.test(text)) return text.slice(0, 10);
  return text;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function escape(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
