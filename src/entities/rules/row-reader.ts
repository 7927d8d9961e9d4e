/** Reads one row of an entity file: a filing ready to be frozen, or every reason why not. */
import {
  instant,
  type Instant,
  type JsonValue,
  type Profile,
  type RowError,
  type RowReader,
  type RowResult,
} from '../../core/index.ts';
import { controlFault } from './characters.ts';
import { type ColumnName, ENTITY_COLUMNS, type EntityColumn, READ_FIELDS } from './columns.ts';
import { draftOf, type Moments, payloadBytes, payloadOf, type Texts } from './draft.ts';
import { entityGates, type EntityGates } from './gates.ts';
import type { GateChange, LawGates } from './gates-report.ts';
import { cleanText, cleanTexts } from './gates-texts.ts';
import { errorOf, noteOf } from './row-notes.ts';
import { misspelledColumns, misspelledFault } from './misspelled-column.ts';
import { type DayEdge, momentReader } from './moments.ts';
import { filingSheet } from './sheet-columns.ts';
import { checkZone } from './zone-day.ts';

interface EntityRowReaderOptions {
  readonly tenant: string;
  /** The profile of each jurisdiction that has a lane. */
  readonly lanes: ReadonlyMap<string, Profile>;
  /** When given, a due date more than ten years away is refused as a slip of the pen. */
  readonly now?: () => Instant;
  /** When given, due dates and Delaware tax are compared with the law. */
  readonly law?: LawGates;
}

type Row = Readonly<Record<string, JsonValue>>;
type ReadMoment = (text: string, edge: DayEdge) => Instant | undefined;

interface Lane {
  readonly profile: Profile;
  readonly moment: ReadMoment;
  /** The known column that an unknown one is almost. */
  readonly meant: (name: string) => string | undefined;
}

// A mistyped century is the usual slip (2206 for 2026). A past date is not refused: a late filing must reach a
// person, and importing last year's file again must still say "unchanged".
const DUE_DISTANCE_MS_MAX = 10 * 366 * 86_400_000;

// A value in a message is a hint for the eye; the row itself stands beside it in the error file.
const SHOWN_CHARACTERS_MAX = 40;

const MOMENT_IN_UTC = momentReader('UTC');

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
const EDGES = /^[\s\u0000-\u001f\u007f-\u009f]+|[\s\u0000-\u001f\u007f-\u009f]+$/g;

const KNOWN = new Set<string>(ENTITY_COLUMNS.map((column) => column.name));

/** The row reader of the entity pack. Dates without a time are days in the zone of the portal, or UTC. */
export function entityRowReader(options: EntityRowReaderOptions): RowReader {
  const lanes = new Map<string, Lane>();
  for (const [jurisdiction, profile] of options.lanes) {
    const zone = profile.hours?.zone ?? 'UTC';
    checkZone(zone, profile.code);
    const meant = misspelledColumns([...KNOWN, ...READ_FIELDS, ...fieldsNamedBy(profile)]);
    lanes.set(jurisdiction, { profile, moment: momentReader(zone), meant });
  }
  const gates = entityGates(options.law === undefined ? {} : { law: options.law });
  return {
    columns: ENTITY_COLUMNS.map(({ name, needed, meaning }) => ({ name, needed, meaning })),
    sheet: filingSheet({
      jurisdictions: lanes.keys(),
      fields: [...options.lanes.values()].flatMap(fieldsNamedBy),
    }),
    read: (row) => readRow(row, { lanes, gates, options }),
  };
}

interface Reading {
  readonly lanes: ReadonlyMap<string, Lane>;
  readonly gates: EntityGates;
  readonly options: EntityRowReaderOptions;
}

function readRow(row: Row, { lanes, gates, options }: Reading): RowResult {
  const errors: RowError[] = [];
  const edges: GateChange[] = [];
  const texts = readTexts(row, errors, edges);
  const jurisdiction = texts.get('jurisdiction');
  const lane = jurisdiction === undefined ? undefined : lanes.get(jurisdiction);
  if (jurisdiction !== undefined && lane === undefined) {
    errors.push({ where: 'jurisdiction', why: unknownJurisdiction(jurisdiction, lanes) });
  }
  // Without the lane the zone is unknown, but a malformed date is one in every zone.
  const moments = readMoments(texts, lane?.moment ?? MOMENT_IN_UTC, options, errors);
  const fields = fieldsOf(row);
  for (const [name, value] of Object.entries(fields))
    errors.push(...misspelledFault(name, value, lane?.meant(name)));
  const payload = payloadOf(texts, fields);
  if (lane === undefined) {
    // No profile, no gates; but a key that no portal can hold is one everywhere.
    const { refusals } = cleanTexts(payload, { start: false });
    return { ok: false, errors: [...errors, ...refusals.map(errorOf)] };
  }
  const { profile } = lane;
  // What stands in the way of one gate must not hide what the others would say.
  const result =
    moments === undefined || errors.length > 0
      ? gates.runOnPayload(payload, profile)
      : gates.run({ payload, ...moments, cutoff: moments.due }, profile);
  const known = new Set(errors.map((error) => error.where));
  errors.push(...result.refusals.map(errorOf).filter((error) => !known.has(error.where)));
  const bytes = errors.length === 0 ? payloadBytes(result.gated.payload, errors) : undefined;
  if (bytes === undefined) return { ok: false, errors };
  const changed = [...edges, ...result.changes]
    .filter(({ field }) => field !== '/due' && field !== '/not_before')
    .map(({ code, field }) => `${code} ${field}`);
  const { tenant } = options;
  const draft = draftOf({ texts, profile, gated: result.gated, payload: bytes, tenant, changed });
  const notes = [...edges, ...result.changes, ...result.notices].map(noteOf);
  return notes.length === 0 ? { ok: true, draft } : { ok: true, draft, notes };
}

/** The named columns that are present and well formed. An empty optional column is an absent one. */
function readTexts(row: Row, errors: RowError[], edges: GateChange[]): Texts {
  const texts = new Map<ColumnName, string>();
  for (const column of ENTITY_COLUMNS) {
    const found = Object.hasOwn(row, column.name) ? row[column.name] : undefined;
    const value = typeof found === 'string' ? cleanColumn(column, found, edges) : found;
    if (value === undefined || value === null || value === '') {
      if (column.needed) errors.push({ where: column.name, why: 'is empty, but required' });
      continue;
    }
    const why = textFault(column, value);
    if (why !== undefined) errors.push({ where: column.name, why });
    else if (typeof value === 'string') texts.set(column.name, value);
  }
  return texts;
}

function textFault(column: EntityColumn, value: JsonValue): string | undefined {
  if (typeof value !== 'string') return 'must be text in quotes, so that no digit is lost';
  const control = controlFault(value);
  if (control !== undefined) return control;
  if (value.length > column.charactersMax) {
    return `has ${value.length} characters, more than ${column.charactersMax}; check the column`;
  }
  if (column.shape !== undefined && !column.shape.pattern.test(value)) {
    return `expected ${column.shape.expected}, found ${shown(value)}`;
  }
  return undefined;
}

/**
 * "0012345 " and "0012345" must not be two obligations. Only what stands at the ends is taken off: a control character
 * inside a number stays and is refused, since what is left without it may be another entity's number. A name says no
 * such thing, and is left to the gates.
 */
function cleanColumn(column: EntityColumn, text: string, edges: GateChange[]): string {
  const field = `/${column.name}`;
  if (column.name === 'entity_name') return cleanText(text, field, true, edges);
  const inner = text.replaceAll(EDGES, '');
  // Told by the same rules as everything else; a text with more inside is refused further on.
  const at = text.indexOf(inner);
  if (at > 0) cleanText(text.slice(0, at) + inner, field, true, edges);
  if (at + inner.length < text.length) cleanText(text.slice(at), field, true, edges);
  return inner;
}

function fieldsOf(row: Row): Row {
  const fields = Object.entries(row).filter(([name]) => !KNOWN.has(name));
  // fromEntries also keeps a column called __proto__, which an assignment would lose.
  return Object.fromEntries(fields);
}

/** What a profile asks of the payload is known on its lane, and never another column misspelled. */
export function fieldsNamedBy(profile: Profile): readonly string[] {
  const pointers = JSON.stringify(profile).matchAll(/"\/fields\/([^"/\\]+)/g);
  return [...pointers].map(([, step = '']) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * `DE` alone is not accepted for `US-DE`: it is also the code of Germany (as CA is Canada and IN is India), and a
 * guess would change its meaning on the day such a lane is added.
 */
function unknownJurisdiction(found: string, lanes: ReadonlyMap<string, Lane>): string {
  const near = [...lanes.keys()].filter((code) => code.endsWith(`-${found.toUpperCase()}`));
  const same = [...lanes.keys()].filter((code) => code === found.toUpperCase());
  const hint = [...same, ...near].map((code) => `use ${code} if that is meant`).join(', ');
  const remedy = hint === '' ? 'add a profile for it or correct the code' : hint;
  return `expected a jurisdiction that has a lane, found ${shown(found)}; ${remedy}`;
}

function readMoments(
  texts: Texts,
  read: ReadMoment,
  options: EntityRowReaderOptions,
  errors: RowError[],
): Moments | undefined {
  const due = readMoment(texts, 'due', (text) => read(text, 'end'), errors);
  // No lower bound was given: anything at or before the approval means "at once".
  const notBefore = texts.has('not_before')
    ? readMoment(texts, 'not_before', (text) => read(text, 'start'), errors)
    : instant(0);
  if (due === undefined || notBefore === undefined) return undefined;
  if (notBefore >= due) {
    errors.push({ where: 'not_before', why: 'is not before due; one of the two is wrong' });
  }
  const now = options.now?.();
  if (now !== undefined && Math.abs(due - now) > DUE_DISTANCE_MS_MAX) {
    errors.push({ where: 'due', why: 'is more than ten years in the future; check the year' });
  }
  return { due, notBefore };
}

function readMoment(
  texts: Texts,
  where: 'due' | 'not_before',
  read: (text: string) => Instant | undefined,
  errors: RowError[],
): Instant | undefined {
  const text = texts.get(where);
  if (text === undefined) return undefined;
  const moment = read(text);
  if (moment === undefined) {
    const why = `expected a day (2028-03-01) or an instant (2028-03-01T17:00:00Z), found ${shown(text)}`;
    errors.push({ where, why });
  }
  return moment;
}

function shown(value: string): string {
  const cut = value.length > SHOWN_CHARACTERS_MAX;
  return JSON.stringify(cut ? `${value.slice(0, SHOWN_CHARACTERS_MAX)}…` : value);
}
