import { existsSync } from 'node:fs';
import type { Command } from '../command.ts';
import type { Day, IcsEntry, IcsState } from '../../calendar/index.ts';
import {
  badCase,
  instant,
  type JsonValue,
  misuse,
  overLimit,
  parseRfc3339,
  parseStrictJson,
  plainLines,
} from '../../core/index.ts';
import { createOutput, tell } from '../output.ts';
import { writeWhole } from '../../system/index.ts';
import { inFile, parseJsonFile, readNamedFile } from '../arguments.ts';
import type { GlobalOptions } from '../context.ts';
import { standardInputLines } from '../input-lines.ts';

/** A calendar of more dates is not one that a person subscribes to; calendar programs give up long before. */
const ENTRIES_MAX = 100_000;

export function addCommands(ics: Command): void {
  ics
    .option('--name <text>', 'name of the calendar', 'Filewright')
    .option(
      '--state <file>',
      'state of the last issue; created if missing, so that changed dates are updated and dropped ones canceled',
    )
    .option('--stamp <instant>', 'time of this issue, RFC 3339 (default: now)')
    .action(async (own: { name: string; state?: string; stamp?: string }, command: Command) => {
      const { json = false } = command.optsWithGlobals<GlobalOptions>();
      const { icsCalendar } = await import('../../calendar/index.ts');
      const stamp = own.stamp === undefined ? instant(Date.now()) : parseRfc3339(own.stamp);
      if (stamp === undefined) throw misuse(`--stamp ${own.stamp} is not an RFC 3339 time`);
      const entries = await readEntries();
      const previous = own.state === undefined ? undefined : await readState(own.state);
      const ics = icsCalendar({
        name: own.name,
        entries,
        stamp,
        ...(previous !== undefined && { previous }),
      });
      // The state first: if the program dies between the two, the next run repeats these very sequences, whereas a
      // calendar without its state would give a later change a sequence that subscribers have already seen.
      if (own.state !== undefined) writeWhole(own.state, `${JSON.stringify(ics.state)}\n`);
      if (json) {
        const data = { calendar: ics.text, counts: ics.counts };
        createOutput(true).result('ics', data, () => '');
        return;
      }
      process.stdout.write(plainLines(ics.text));
      const { active, cancelled } = ics.counts;
      tell(`${entries.length} dates in, ${active} events out, ${cancelled} canceled`);
    });
}

/** All or nothing: a calendar that lacks one deadline looks exactly like one that has them all. */
async function readEntries(): Promise<IcsEntry[]> {
  const { parseDay } = await import('../../calendar/index.ts');
  const entries: IcsEntry[] = [];
  let lineNumber = 0;
  for await (const line of standardInputLines()) {
    lineNumber += 1;
    if (line.trim() === '') continue;
    entries.push(...entriesOf(line, lineNumber, parseDay));
    if (entries.length > ENTRIES_MAX) {
      throw overLimit(`at most ${ENTRIES_MAX} dates make one calendar`);
    }
  }
  return entries;
}

function entriesOf(
  line: string,
  lineNumber: number,
  parseDay: (text: string) => Day | undefined,
): IcsEntry[] {
  const refuse = (reason: string): never => {
    throw badCase(`line ${lineNumber}: ${reason}`, {
      details: { line: lineNumber },
    });
  };
  const value = jsonOf(line, refuse);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse('expected one JSON object');
  }
  const members = new Map(Object.entries(value));
  if (members.has('error')) refuse('this line is an error, not a date; correct its case first');
  const text = (name: string): string | undefined => {
    const found = members.get(name) ?? undefined;
    if (found !== undefined && typeof found !== 'string') return refuse(`${name}: expected a text`);
    return found;
  };
  const day = (name: string): Day | undefined => {
    const found = text(name);
    return found === undefined
      ? undefined
      : (parseDay(found) ?? refuse(`${name}: expected YYYY-MM-DD`));
  };
  const identity = text('id') ?? refuse('id: expected a text');
  const jurisdiction = text('jurisdiction') ?? text('office');
  const common = {
    identity,
    kind: text('kind') ?? text('rule') ?? 'deadline',
    reference: text('reference') ?? identity,
    ...(jurisdiction !== undefined && { jurisdiction }),
    cls: text('cls') === 'ordinary' ? ('ordinary' as const) : ('privileged' as const),
  };
  const due = day('due') ?? refuse('due: expected YYYY-MM-DD');
  const final = day('final');
  return [
    { ...common, date: 'due', day: due },
    ...(final === undefined ? [] : [{ ...common, date: 'final' as const, day: final }]),
  ];
}

function jsonOf(line: string, refuse: (reason: string) => never): JsonValue {
  try {
    return parseStrictJson(line);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

async function readState(file: string): Promise<IcsState | undefined> {
  if (!existsSync(file)) return undefined;
  const { readIcsState } = await import('../../calendar/index.ts');
  const value = parseJsonFile(file, readNamedFile('state of the calendar', file));
  return inFile(file, () => readIcsState(value));
}
