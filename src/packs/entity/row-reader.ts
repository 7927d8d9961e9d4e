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
import { controlFault, freeTextFaults } from './characters.ts';
import { ENTITY_COLUMNS, type ColumnName, type EntityColumn } from './columns.ts';
import { draftOf, payloadOf, type Moments, type Texts } from './draft.ts';
import { momentReader, type DayEdge } from './moments.ts';
import { checkZone } from './zone-day.ts';

export interface EntityRowReaderOptions {
  readonly tenant: string;
  /** The profile of each jurisdiction that has a lane. */
  readonly lanes: ReadonlyMap<string, Profile>;
  /** When given, a due date more than ten years away is refused as a slip of the pen. */
  readonly now?: () => Instant;
}

type Row = Readonly<Record<string, JsonValue>>;
type ReadMoment = (text: string, edge: DayEdge) => Instant | undefined;

interface Lane {
  readonly profile: Profile;
  readonly moment: ReadMoment;
}

// A mistyped century is the usual slip (2206 for 2026). A past date is not refused: a late filing must reach a
// person, and importing last year's file again must still say "unchanged".
const DUE_DISTANCE_MS_MAX = 10 * 366 * 86_400_000;

// A value in a message is a hint for the eye; the row itself stands beside it in the error file.
const SHOWN_CHARACTERS_MAX = 40;

const MOMENT_IN_UTC = momentReader('UTC');

const KNOWN = new Set<string>(ENTITY_COLUMNS.map((column) => column.name));

/** The row reader of the entity pack. Dates without a time are days in the zone of the portal, or UTC. */
export function entityRowReader(options: EntityRowReaderOptions): RowReader {
  const lanes = new Map<string, Lane>();
  for (const [jurisdiction, profile] of options.lanes) {
    const zone = profile.hours?.zone ?? 'UTC';
    checkZone(zone, profile.code);
    lanes.set(jurisdiction, { profile, moment: momentReader(zone) });
  }
  return {
    columns: ENTITY_COLUMNS.map(({ name, needed, meaning }) => ({ name, needed, meaning })),
    read: (row) => readRow(row, lanes, options),
  };
}

function readRow(
  row: Row,
  lanes: ReadonlyMap<string, Lane>,
  options: EntityRowReaderOptions,
): RowResult {
  const errors: RowError[] = [];
  const texts = readTexts(row, errors);
  const fields = readFields(row, errors);
  const jurisdiction = texts.get('jurisdiction');
  const lane = jurisdiction === undefined ? undefined : lanes.get(jurisdiction);
  if (jurisdiction !== undefined && lane === undefined) {
    errors.push({ where: 'jurisdiction', why: unknownJurisdiction(jurisdiction, lanes) });
  }
  // Without the lane the zone is unknown, but a malformed date is one in every zone.
  const moments = readMoments(texts, lane?.moment ?? MOMENT_IN_UTC, options, errors);
  const payload = errors.length === 0 ? payloadOf(texts, fields, errors) : undefined;
  if (lane === undefined || moments === undefined || payload === undefined || errors.length > 0) {
    return { ok: false, errors };
  }
  const { tenant } = options;
  return { ok: true, draft: draftOf({ texts, profile: lane.profile, moments, payload, tenant }) };
}

/** The named columns that are present and well formed. An empty optional column is an absent one. */
function readTexts(row: Row, errors: RowError[]): Texts {
  const texts = new Map<ColumnName, string>();
  for (const column of ENTITY_COLUMNS) {
    const value = Object.hasOwn(row, column.name) ? row[column.name] : undefined;
    if (value === undefined || value === null || value === '') {
      if (column.needed) errors.push({ where: column.name, why: 'is empty, but needed' });
      continue;
    }
    const why = textFault(column, value);
    if (why !== undefined) errors.push({ where: column.name, why });
    else if (typeof value === 'string') texts.set(column.name, value);
  }
  return texts;
}

function textFault(column: EntityColumn, value: JsonValue): string | undefined {
  if (typeof value !== 'string') return 'must be a text in quotes, so that no digit of it is lost';
  const control = controlFault(value);
  if (control !== undefined) return control;
  // Not trimmed: "0012345 " and "0012345" would be two obligations to one reader and one to another.
  if (value.trim() !== value) return 'has white space around it; remove it at its source';
  if (value.length > column.charactersMax) {
    return `has ${value.length} characters, more than ${column.charactersMax}; check the column`;
  }
  if (column.shape !== undefined && !column.shape.pattern.test(value)) {
    return `expected ${column.shape.expected}, found ${shown(value)}`;
  }
  return undefined;
}

function readFields(row: Row, errors: RowError[]): Row {
  const fields = Object.entries(row).filter(([name]) => !KNOWN.has(name));
  for (const [name, value] of fields) errors.push(...freeTextFaults(value, name));
  // fromEntries also keeps a column called __proto__, which an assignment would lose.
  return Object.fromEntries(fields);
}

/**
 * `DE` alone is not accepted for `US-DE`: it is also the code of Germany (as CA is Canada and IN is India), and a
 * guess would change its meaning on the day such a lane is added.
 */
function unknownJurisdiction(found: string, lanes: ReadonlyMap<string, Lane>): string {
  const near = [...lanes.keys()].filter((code) => code.endsWith(`-${found.toUpperCase()}`));
  const same = [...lanes.keys()].filter((code) => code === found.toUpperCase());
  const hint = [...same, ...near].map((code) => `write ${code} if you mean it`).join(', ');
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
    errors.push({ where: 'due', why: 'is more than ten years away; check the year' });
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
