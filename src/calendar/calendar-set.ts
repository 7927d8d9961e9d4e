/** The calendars of one body of law by their code. Files that a firm adds take the place of shipped ones or lie on top. */
import { FilewrightError } from '../core/index.ts';
import { type CalendarFile, readCalendarFile } from './calendar-file.ts';
import { compileCalendar, type CompiledCalendar } from './compile-calendar.ts';

export type CalendarSet = ReadonlyMap<string, CompiledCalendar>;

export interface NamedText {
  readonly file: string;
  readonly text: string;
}

interface ReadFile {
  readonly file: string;
  readonly content: CalendarFile;
}

/**
 * Files may come in any order. One of `added` replaces the shipped calendar of its code, or lies on top of it when it
 * extends that very code; calendars that extend it see the change too.
 */
export function compileCalendars(
  shipped: readonly NamedText[],
  added: readonly NamedText[] = [],
): CalendarSet {
  const stacks = new Map<string, ReadFile[]>();
  for (const one of readOnce(shipped)) stacks.set(one.content.code, [one]);
  for (const one of readOnce(added)) {
    const { code } = one.content;
    const below = one.content.extends === code ? (stacks.get(code) ?? []) : [];
    stacks.set(code, [...below, one]);
  }
  const set = new Map<string, CompiledCalendar>();
  const open = new Set<string>();

  const compile = (code: string, from: ReadFile): CompiledCalendar => {
    const done = set.get(code);
    if (done !== undefined) return done;
    if (open.has(code)) refuse(from.file, `calendars extend each other in a cycle: ${code}`);
    open.add(code);
    let calendar: CompiledCalendar | undefined;
    for (const one of stacks.get(code) ?? []) {
      const { extends: base } = one.content;
      if (base !== undefined && base !== code) calendar = compile(base, one);
      if (base === code && calendar === undefined) {
        refuse(one.file, `extends "${code}" itself, and no calendar of that code is shipped`);
      }
      calendar = compileCalendar(one.content, calendar);
    }
    if (calendar === undefined) {
      refuse(from.file, `extends "${code}", and no calendar of that code is loaded`);
    }
    set.set(code, calendar);
    return calendar;
  };
  for (const [code, files] of stacks) {
    const [first] = files;
    if (first !== undefined) compile(code, first);
  }
  return set;
}

function readOnce(texts: readonly NamedText[]): ReadFile[] {
  const seen = new Map<string, string>();
  return texts.map(({ file, text }) => {
    const content = readCalendarFile(text, file);
    const other = seen.get(content.code);
    if (other !== undefined) refuse(file, `code "${content.code}" is already that of ${other}`);
    seen.set(content.code, file);
    return { file, content };
  });
}

function refuse(file: string, reason: string): never {
  throw new FilewrightError('CALENDAR_FILE_INVALID', `${file}: ${reason}`);
}
