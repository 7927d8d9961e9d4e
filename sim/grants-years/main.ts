/**
 * `npm run years -- [--seeds N] [--from N] [--habits a,b] [--all] [--json]`: plays years with a hidden truth and prints a row
 * for each; exits 1 when a figure is off. `--habits` plays years in which banks have only these habits.
 */
import { parseArgs } from 'node:util';
import type { Place } from '../grants/stand.ts';
import type { YearFigures } from './figures.ts';
import { type Habit, HABITS } from './habits.ts';
import { inOwnDatabase } from './own-database.ts';
import { runYear } from './run-year.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    habits: { type: 'string' },
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
/** Of one year; the first of them mostly bring about the others. */
const FAULTS_SHOWN = 8;

await inOwnDatabase(play);

async function play(place: Place): Promise<void> {
  const habits = values.habits === undefined ? undefined : habitsNamed(values.habits);
  const from = Number(values.from);
  const years: YearFigures[] = [];
  for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
    const year = await runYear(seed, place, { ...(habits !== undefined && { habits }) });
    years.push(year);
    if (!values.json) process.stdout.write(rowOf(year, years.length === 1));
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ years })}\n`);
  process.exitCode = years.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

function habitsNamed(text: string): ReadonlySet<Habit> {
  const names = text.split(',').filter((name) => name !== '');
  const known: readonly string[] = HABITS;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Error(`--habits: ${unknown} is none of ${HABITS.join(', ')}`);
  }
  // Each was found among them above.
  return new Set(names as Habit[]);
}

function rowOf(year: YearFigures, isFirst: boolean): string {
  const head = isFirst ? 'seed  precision  recall  questions/needed  cents off\n' : '';
  const row = [
    String(year.seed).padStart(4),
    year.precision.toFixed(4).padStart(10),
    year.recall.toFixed(4).padStart(7),
    `${year.questions}/${year.needed}`.padStart(17),
    String(year.centsOff).padStart(10),
  ].join(' ');
  const shown = values.all ? year.faults : year.faults.slice(0, FAULTS_SHOWN);
  const more = year.faults.length - shown.length;
  const faults = [...shown, ...(more > 0 ? [`and ${more} more (--all)`] : [])];
  return `${head}${row}\n${faults.map((fault) => `      seed ${year.seed}: ${fault}\n`).join('')}`;
}
