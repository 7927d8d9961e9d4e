/** Dockets of three offices, due soon, drawn from a seed; and laws whose calendars change under them. */
import { addDays, type Day, formatDay } from '../../src/calendar/day.ts';
import { addMonths } from '../../src/calendar/arithmetic.ts';
import { dateAtOffice } from '../../src/calendar/office-time.ts';
import type { Instant } from '../../src/core/time.ts';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { sha256Hex } from '../../src/core/ids.ts';
import { type Docket, docketOf } from '../../src/dockets/rules/docket/docket.ts';
import { readDocketRow } from '../../src/dockets/rules/docket/read-row.ts';
import type { PatentLaw } from '../../src/dockets/rules/matter.ts';
import { readPatentRules } from '../../src/dockets/rules/rules-file.ts';
import { shippedLaw } from '../../src/system/law-files.ts';
import { Draw } from '../world/draw.ts';
import { CLASSES, CLIENTS, GROUPS } from './firm-of-seed.ts';
import { plainNumber, type SpelledClient, spelledClient, spelledNumber } from './spellings.ts';

const DOCKETS_MIN = 3;
const DOCKETS_MAX = 7;

/** Days from the start of the world to the due date. */
const SPANS = { soon: [-1, 4], later: [5, 25], far: [46, 70] } as const;

/** Whose docket it is in truth, and what its number is, whatever stands in the record. */
export interface Subject {
  readonly client: SpelledClient;
  readonly number: string;
  /** The id of the same event under the plain spelling of its number. */
  readonly plainId: string;
}

const subjects = new WeakMap<Docket, Subject>();

export function subjectOf(docket: Docket): Subject {
  const subject = subjects.get(docket);
  if (subject === undefined) throw new Error('the docket is not of this world');
  return subject;
}

export function docketsOfSeed(seed: number, start: Instant): Docket[] {
  const draw = new Draw(seed, 'dockets');
  const hands = new Draw(seed, 'spellings');
  return Array.from({ length: draw.int(DOCKETS_MIN, DOCKETS_MAX) }, (_, index) => {
    const office = draw.weighted({ US: 5, EP: 2, JP: 2, none: 1 });
    const row = rowOf(draw, office, start);
    const number = plainNumber(office, index);
    const client = spelledClient(draw.pick(CLIENTS), hands);
    const written = client.written === undefined ? {} : { client: client.written };
    const docketWith = (application_number: string): Docket =>
      madeOf({ ...row, ...written, application_number }, index);
    const docket = docketWith(spelledNumber(number, office, hands));
    subjects.set(docket, { client, number, plainId: docketWith(number).messageId });
    return docket;
  });
}

function madeOf(row: Record<string, JsonValue>, index: number): Docket {
  const reading = readDocketRow(row);
  if (reading.kind !== 'event') throw new Error(`the world drew a bad row: ${reading.kind}`);
  return docketOf(reading.event, {
    tenant: 'sim',
    rules: baseLaw().rules,
    payloadSha256: sha256Hex(index.toString(16).padStart(64, '0')),
  });
}

function rowOf(draw: Draw, office: keyof typeof EVENTS, start: Instant): Record<string, JsonValue> {
  const months = office === 'EP' ? 2 : 3;
  const [soonest, latest] = SPANS[draw.weighted({ soon: 3, later: 4, far: 2 })];
  const due = addDays(dateAtOffice(start, 'UTC'), draw.int(soonest, latest));
  return {
    filing_date: '2024-02-29',
    event_date: formatDay(addMonths(due, -months, 'same-number')),
    period: `P${months}M`,
    ...EVENTS[office],
    technology_group: draw.pick(GROUPS),
    privilege: draw.chance(0.6) ? ['attorney-client'] : [],
    classification: draw.chance(0.2) ? [draw.pick(CLASSES)] : [],
    ...(draw.chance(0.25) ? { due_date: formatDay(addDays(due, draw.int(-3, 3))) } : {}),
  };
}

/** The last has an event that no office knows: its date is unknown unless the source states one. */
const EVENTS = {
  US: { event_code: 'CTNF' },
  EP: { event_code: 'EPO-FORM-2001', rule: 'EP-ROLL' },
  JP: { event_code: 'A131', rule: 'JP-OA-OVERSEAS' },
  none: { event_code: 'UNKNOWN' },
} as const;

let base: PatentLaw | undefined;

export function baseLaw(): PatentLaw {
  const law = shippedLaw();
  base ??= {
    rules: law.compiled('rules/patent.json', readPatentRules),
    calendars: law.calendars,
    relief: [],
  };
  return base;
}

/** Compiling calendars is slow next to the rest, and few different days are ever closed. */
const changed = new Map<Day, PatentLaw>();

/** The United States office closes on one more day. */
export function lawClosedOn(day: Day): PatentLaw {
  const known = changed.get(day);
  if (known !== undefined) return known;
  const text = JSON.stringify({
    kind: 'calendar',
    code: 'uspto',
    title: 'changed',
    version: `sim.${day}`,
    checked: '2026-11-15',
    zone: 'America/New_York',
    extends: 'uspto',
    dates: [{ date: formatDay(day), reason: 'storm', standing: 'verified', source: 'sim' }],
  });
  const law = { ...baseLaw(), calendars: shippedLaw().calendarsWith([{ file: 'sim', text }]) };
  changed.set(day, law);
  return law;
}
