/** What an .ics calendar must remember between two issues; a plain value, so that any store can keep it. */
import { badCase, type Instant, instant } from '../core/index.ts';
import { parseDay } from './day.ts';

export interface IcsEvent {
  readonly status: 'active' | 'cancelled';
  readonly sequence: number;
  /** When it last changed. */
  readonly stamp: Instant;
  readonly day: string;
  readonly summary: string;
  readonly note?: string;
  readonly link?: string;
  readonly cls: 'ordinary' | 'privileged';
}

export interface IcsState {
  readonly version: 1;
  /** By the identity (UID) of the event. */
  readonly events: Readonly<Record<string, IcsEvent>>;
}

/** Reads a state that was kept as JSON; a broken one is refused, since starting anew would lower sequences. */
export function readIcsState(value: unknown): IcsState {
  const state = members(value, 'the state');
  if (state['version'] !== 1) refuse('version', '1');
  const events = members(state['events'], 'events');
  const read = Object.entries(events).map(([uid, event]) => [uid, eventOf(uid, event)] as const);
  return { version: 1, events: Object.fromEntries(read) };
}

function eventOf(uid: string, value: unknown): IcsEvent {
  const { status, sequence, stamp, day, summary, note, link, cls } = members(value, uid);
  if (status !== 'active' && status !== 'cancelled') refuse(`${uid}.status`, 'active or cancelled');
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 0) {
    refuse(`${uid}.sequence`, 'a whole number');
  }
  if (typeof stamp !== 'number' || !Number.isSafeInteger(stamp)) {
    refuse(`${uid}.stamp`, 'milliseconds since 1970');
  }
  if (typeof day !== 'string' || parseDay(day) === undefined) refuse(`${uid}.day`, 'YYYY-MM-DD');
  if (typeof summary !== 'string') refuse(`${uid}.summary`, 'a text');
  if (note !== undefined && typeof note !== 'string') refuse(`${uid}.note`, 'a text');
  if (link !== undefined && typeof link !== 'string') refuse(`${uid}.link`, 'a text');
  if (cls !== 'ordinary' && cls !== 'privileged') refuse(`${uid}.cls`, 'ordinary or privileged');
  return {
    status,
    sequence,
    stamp: instant(stamp),
    day,
    summary,
    ...(note === undefined ? {} : { note }),
    ...(link === undefined ? {} : { link }),
    cls,
  };
}

function members(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse(place, 'an object');
  }
  // Neither null nor an array: an object whose members are read as unknown.
  return value as Readonly<Record<string, unknown>>;
}

function refuse(place: string, expected: string): never {
  throw badCase(`calendar state, ${place}: expected ${expected}`, {
    details: { place },
  });
}
