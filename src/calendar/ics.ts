/**
 * A list of dates as an .ics calendar (RFC 5545). A date that moves keeps its event and raises its SEQUENCE; one that
 * leaves the list is cancelled, since a vanished event stays in many calendars as if it were still owed.
 *
 * Written here rather than with a library: the ones at hand read the clock, make random identities unless told
 * otherwise, and take dates as moments, so that the day hangs on the zone of the process.
 */
import { badCase, type Instant, sha256Of } from '../core/index.ts';
import { addDays, type Day, formatDay, parseDay } from './day.ts';
import type { IcsEvent, IcsState } from './ics-state.ts';
import { calendarText, dateValue, escapeText, utcValue } from './ics-text.ts';

export interface IcsEntry {
  /** What is owed, for ever the same; it is hashed into the event's identity and never shown. */
  readonly identity: string;
  /** Each date of an obligation is an event of its own. */
  readonly date: 'soft' | 'due' | 'final';
  readonly day: Day;
  readonly kind: string;
  readonly jurisdiction?: string;
  /** A number of the office or the firm; left out where the entry is privileged. */
  readonly reference?: string;
  /** Further words of the title, such as matter and client; left out where the entry is privileged. */
  readonly about?: readonly string[];
  /** Where to look it up, and what to type there; it names nothing of the matter. */
  readonly note?: string;
  /** An address that opens it. */
  readonly link?: string;
  readonly cls: 'ordinary' | 'privileged';
}

export interface IcsCalendar {
  readonly text: string;
  /** To be kept, and given as `previous` to the next calendar of the same name. */
  readonly state: IcsState;
  readonly counts: {
    readonly entries: number;
    /** Always equal to `entries`: no date is lost on the way. */
    readonly active: number;
    readonly cancelled: number;
  };
}

/** Longer words do not fit a calendar's line, and a whole document must not slip in as a reference. */
const WORDS_MAX = 200;

/** DTSTAMP is the given moment for events that are new or changed; the others keep theirs, byte for byte. */
export function icsCalendar(wanted: {
  readonly name: string;
  readonly entries: readonly IcsEntry[];
  readonly previous?: IcsState;
  readonly stamp: Instant;
}): IcsCalendar {
  const before = wanted.previous?.events ?? {};
  const events: Record<string, IcsEvent> = {};
  for (const entry of wanted.entries) {
    const uid = uidOf(entry);
    if (Object.hasOwn(events, uid)) {
      refuse(entry, `its ${entry.date} date appears twice in the list`);
    }
    events[uid] = renewed(before[uid], {
      status: 'active',
      day: formatDay(entry.day),
      summary: summaryOf(entry, uid),
      ...(entry.note === undefined ? {} : { note: words(entry.note, 'note') }),
      ...(entry.link === undefined ? {} : { link: addressIn(entry.link) }),
      cls: entry.cls,
      stamp: wanted.stamp,
    });
  }
  const active = Object.keys(events).length;
  for (const [uid, event] of Object.entries(before)) {
    if (events[uid] !== undefined) continue;
    events[uid] = renewed(event, { ...event, status: 'cancelled', stamp: wanted.stamp });
  }
  const ordered = Object.entries(events).sort(byDayThenUid);
  return {
    text: calendarText([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Filewright//Filewright//EN',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      // The first is RFC 7986, the second what older programs read.
      `NAME:${escapeText(words(wanted.name, 'name'))}`,
      `X-WR-CALNAME:${escapeText(wanted.name)}`,
      ...ordered.flatMap(([uid, event]) => eventLines(uid, event)),
      'END:VCALENDAR',
    ]),
    state: { version: 1, events: Object.fromEntries(ordered) },
    counts: {
      entries: wanted.entries.length,
      active,
      cancelled: ordered.length - active,
    },
  };
}

/** From the identity alone: a date, a text or a class that changes must not make a second event. */
function uidOf(entry: IcsEntry): string {
  if (entry.identity === '') refuse(entry, 'expected an identity, found an empty text');
  const digest = sha256Of(`${entry.date}\0${entry.identity}`);
  return `${digest.slice(0, 40)}@filewright`;
}

// RFC 5545 § 3.8.7.4: the sequence rises with every change that matters, and only then.
function renewed(before: IcsEvent | undefined, now: Omit<IcsEvent, 'sequence'>): IcsEvent {
  if (before === undefined) return { ...now, sequence: 0 };
  const same =
    before.status === now.status &&
    before.day === now.day &&
    before.summary === now.summary &&
    before.note === now.note &&
    before.link === now.link &&
    before.cls === now.cls;
  return same ? before : { ...now, sequence: before.sequence + 1 };
}

const DATE_WORDS = { soft: 'Work target', due: 'Due', final: 'Last day' } as const;

/** Only words that may be read over a shoulder; where an entry is privileged, a token instead of its reference. */
function summaryOf(entry: IcsEntry, uid: string): string {
  const { jurisdiction, reference } = entry;
  const subject = [words(entry.kind, 'kind')];
  if (jurisdiction !== undefined) subject.push(words(jurisdiction, 'jurisdiction'));
  if (entry.cls === 'privileged') subject.push(`#${uid.slice(0, 8)}`);
  else {
    const named = [...(reference === undefined ? [] : [reference]), ...(entry.about ?? [])];
    subject.push(...named.map((one) => words(one, 'reference')));
  }
  return `${DATE_WORDS[entry.date]}: ${subject.join(', ')}`;
}

function words(text: string, field: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for.
  if (text.trim() === '' || text.length > WORDS_MAX || /[\u0000-\u001f\u007f]/.test(text)) {
    throw badCase(`${field}: expected 1 to ${WORDS_MAX} characters without control characters`, {
      details: { field },
    });
  }
  return text;
}

/** In the form in which no character of it ends its line. */
function addressIn(link: string): string {
  if (!URL.canParse(link) || !/^https?:/i.test(link)) {
    throw badCase('link: expected an address of the form https://', { details: { field: 'link' } });
  }
  return new URL(link).href;
}

function eventLines(uid: string, event: IcsEvent): string[] {
  const day = parseDay(event.day);
  if (day === undefined) throw new Error(`event ${uid} has no day`);
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${utcValue(event.stamp)}`,
    `SEQUENCE:${event.sequence}`,
    `DTSTART;VALUE=DATE:${dateValue(day)}`,
    `DTEND;VALUE=DATE:${dateValue(addDays(day, 1))}`,
    `SUMMARY:${escapeText(event.summary)}`,
    ...(event.note === undefined ? [] : [`DESCRIPTION:${escapeText(event.note)}`]),
    // A URI is no text: nothing in it is escaped.
    ...(event.link === undefined ? [] : [`URL:${event.link}`]),
    `STATUS:${event.status === 'active' ? 'CONFIRMED' : 'CANCELLED'}`,
    `CLASS:${event.cls === 'privileged' ? 'CONFIDENTIAL' : 'PUBLIC'}`,
    // A deadline does not make its day busy.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

type Listed = readonly [uid: string, event: IcsEvent];

/** The same list gives the same bytes, whatever order it came in. */
function byDayThenUid([uid, event]: Listed, [otherUid, other]: Listed): number {
  if (event.day !== other.day) return event.day < other.day ? -1 : 1;
  return uid < otherUid ? -1 : 1;
}

function refuse(entry: IcsEntry, reason: string): never {
  throw badCase(`entry ${JSON.stringify(entry.identity)}: ${reason}`, {
    details: { identity: entry.identity, date: entry.date },
  });
}
