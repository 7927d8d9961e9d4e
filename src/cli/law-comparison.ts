/** Two bodies of law side by side, and the open dates under both. */
import { createReadStream } from 'node:fs';
import {
  type CalendarChange,
  compareCalendars,
  type DayChange,
  formatDay,
} from '../calendar/index.ts';
import { badCase, parseStrictJson } from '../core/index.ts';
import { inputLines } from './input-lines.ts';
import {
  byDanger,
  type CaseComparison,
  compareCase,
  compareRules,
  type MovedCase,
  type PatentLaw,
  type RuleChange,
} from '../dockets/index.ts';
import { patentLawAt } from './patent-law.ts';

/** Rules are laid out this far when two calendars are compared. */
const COMPARED_YEARS = { from: 1971, to: 2100 } as const;

/** A person reads a screen of days; machines get them all. */
const DAYS_SHOWN_MAX = 40;

interface LawComparison {
  readonly calendars: readonly CalendarChange[];
  readonly rules: readonly RuleChange[];
  /** Earlier ones first. */
  readonly moved: readonly MovedCase[];
  readonly unanswered: readonly { readonly id: string; readonly message: string }[];
  readonly unchanged: number;
  readonly earlier: number;
}

export async function compareLaws(question: {
  readonly before: string;
  readonly after: string;
  readonly cases: string | undefined;
}): Promise<LawComparison> {
  const laws = { before: patentLawAt(question.before), after: patentLawAt(question.after) };
  const cases = question.cases === undefined ? [] : await compareCases(question.cases, laws);
  const moved = cases.filter((one) => one.kind === 'moved').sort(byDanger);
  const unanswered = cases.filter((one) => one.kind === 'unanswered');
  return {
    calendars: compareCalendars(laws.before.calendars, laws.after.calendars, COMPARED_YEARS),
    rules: compareRules(laws.before.rules, laws.after.rules),
    moved,
    unanswered,
    unchanged: cases.length - moved.length - unanswered.length,
    earlier: moved.filter((one) => one.earlier).length,
  };
}

export function comparisonWire(found: LawComparison): object {
  return {
    calendars: found.calendars.map(calendarWire),
    rules: found.rules,
    moved: found.moved.map(({ kind: _kind, ...one }) => one),
    earlier: found.earlier,
    unanswered: found.unanswered.map(({ id, message }) => ({ id, message })),
    unchanged: found.unchanged,
  };
}

async function compareCases(
  file: string,
  laws: { readonly before: PatentLaw; readonly after: PatentLaw },
): Promise<CaseComparison[]> {
  const found: CaseComparison[] = [];
  let line = 0;
  for await (const text of inputLines(`The case file ${file}`, createReadStream(file))) {
    line += 1;
    if (text.trim() === '') continue;
    const input = caseOf(text, `${file}, line ${line}`);
    const { id } = input;
    found.push(compareCase(typeof id === 'string' ? id : `line ${line}`, input, laws));
  }
  return found;
}

function caseOf(text: string, where: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch (error) {
    throw badCase(`${where}: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badCase(`${where}: expected one JSON object`);
  }
  // Neither null nor an array: a plain object.
  return value as Readonly<Record<string, unknown>>;
}

function calendarWire(change: CalendarChange): object {
  return {
    code: change.code,
    from: change.from ?? null,
    to: change.to ?? null,
    days: change.days.map((day) => ({
      date: formatDay(day.day),
      was: day.was?.standing ?? 'open',
      now: day.now?.standing ?? 'open',
      reason: (day.now ?? day.was)?.reason ?? '',
    })),
  };
}

export function comparisonText(diff: LawComparison): string {
  const lines: string[] = [];
  for (const change of diff.calendars) {
    lines.push(`calendar ${change.code}: ${change.from ?? 'none'} -> ${change.to ?? 'none'}`);
    for (const day of change.days.slice(0, DAYS_SHOWN_MAX)) lines.push(`  ${dayText(day)}`);
    if (change.days.length > DAYS_SHOWN_MAX) {
      lines.push(`  and ${change.days.length - DAYS_SHOWN_MAX} more days (--json lists them)`);
    }
  }
  for (const one of diff.rules) {
    lines.push(`rule ${one.rule}: ${one.change}${one.fields.map((name) => ` ${name}`).join(',')}`);
  }
  if (lines.length === 0) lines.push('The law is the same.');
  for (const one of diff.moved) {
    lines.push(
      `${one.earlier ? 'EARLIER' : 'later  '}  ${one.id}  ${one.rule}  due ${one.due.from} -> ${one.due.to}` +
        (one.final.from === one.final.to
          ? ''
          : `  final ${one.final.from ?? 'none'} -> ${one.final.to ?? 'none'}`),
      ...one.why.map((reason) => `           ${reason}`),
    );
  }
  for (const one of diff.unanswered) lines.push(`NOT COMPUTED  ${one.id}  ${one.message}`);
  const total = diff.moved.length + diff.unanswered.length + diff.unchanged;
  if (total > 0) {
    lines.push(
      `${diff.moved.length} of ${total} dates move, ${diff.earlier} of them to an earlier day; ${diff.unchanged} stay the same, ${diff.unanswered.length} could not be computed.`,
    );
  }
  return lines.join('\n');
}

function dayText(change: DayChange): string {
  const standing = (closed: DayChange['was']): string => closed?.standing ?? 'open';
  const { reason = '' } = change.now ?? change.was ?? {};
  return `${formatDay(change.day)}  ${standing(change.was)} -> ${standing(change.now)}  ${reason}`;
}
