/**
 * The law as shipped: JSON files beside the program, read when first asked for. Pure rooms get their content as
 * values; whatever a person adds with an option is read here too, so that both go the same way.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type CalendarSet,
  compileCalendars,
  type CompiledCalendar,
  type NamedText,
} from '../calendar/index.ts';
import {
  FilewrightError,
  type JsonValue,
  notFound,
  parseStrictJson,
  whyUnreadable,
} from '../core/index.ts';

const LAW = 'law';

/** The folder that holds law/, from the sources as well as from the build. */
function lawFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, LAW, 'calendars'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the folder law was not found above the program');
    folder = parent;
  }
  return join(folder, LAW);
}

/** `name` is relative to law/: `rules/entity.json`. */
export function readLawFile(name: string): string {
  return readText(join(lawFolder(), name));
}

export interface ShippedLaw {
  /** All calendars by code. */
  readonly calendars: CalendarSet;
  /** The same with files of a firm added, which replace a calendar or lie on top of it. */
  calendarsWith(added: readonly NamedText[]): CalendarSet;
  /** Throws for a code that no file has: a missing calendar must never mean "always open". */
  calendar(code: string): CompiledCalendar;
  /** The parsed content of a file, by its name relative to law/. */
  json(name: string): JsonValue;
  /** What `make` builds from the text of a file, built once: rules are compiled by the pack they belong to. */
  compiled<Value>(name: string, make: (text: NamedText) => Value): Value;
}

let shipped: ShippedLaw | undefined;

/** One per process; each part is read and compiled when it is first asked for. */
export function shippedLaw(): ShippedLaw {
  shipped ??= createLaw(lawFolder());
  return shipped;
}

/** The law in some other folder of the same layout, for comparing two of them. */
export function lawIn(folder: string): ShippedLaw {
  return createLaw(folder);
}

function createLaw(folder: string): ShippedLaw {
  let calendars: CalendarSet | undefined;
  const parsed = new Map<string, JsonValue>();
  const built = new Map<string, { readonly make: unknown; readonly value: unknown }>();
  const law: ShippedLaw = {
    get calendars() {
      calendars ??= compileCalendars(calendarTexts(join(folder, 'calendars')));
      return calendars;
    },
    calendarsWith: (added) => compileCalendars(calendarTexts(join(folder, 'calendars')), added),
    calendar: (code) => {
      const found = law.calendars.get(code);
      if (found === undefined) {
        throw new FilewrightError('RULE_UNKNOWN', `No calendar "${code}" is loaded`);
      }
      return found;
    },
    json: (name) => {
      let value = parsed.get(name);
      if (value === undefined) {
        value = parseStrictJson(readText(join(folder, name)));
        parsed.set(name, value);
      }
      return value;
    },
    compiled: <Value>(name: string, make: (text: NamedText) => Value): Value => {
      const before = built.get(name);
      // The same maker built it, so it is that maker's value.
      if (before?.make === make) return before.value as Value;
      const value = make({ file: `${LAW}/${name}`, text: readText(join(folder, name)) });
      built.set(name, { make, value });
      return value;
    },
  };
  return law;
}

/** Every calendar of a folder, or the one file that the path names. */
function calendarTexts(path: string): NamedText[] {
  if (existsSync(path) && statSync(path).isDirectory()) {
    return readdirSync(path)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => ({ file: name, text: readText(join(path, name)) }));
  }
  return [{ file: basename(path), text: readText(path) }];
}

/** A law file that somebody names; a fault in reaching it is theirs to correct. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = whyUnreadable(error);
    throw notFound(`The law file ${path} cannot be read: ${why}`, {
      cause: error,
    });
  }
}
