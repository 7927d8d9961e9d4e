/** Grant years with a hidden truth, through the pipeline on a real database: what was counted, found and asked. */
import { QUESTIONS_MAX, RECALL_MIN, type YearFigures } from '../sim/grants-years/figures.ts';
import { inOwnDatabase } from '../sim/grants-years/own-database.ts';
import { runYear } from '../sim/grants-years/run-year.ts';
import type { PartResult } from './grants-parts.ts';
import { atMost, type Figure } from './report.ts';

const YEARS = 20;
const YEARS_QUICK = 4;

export async function grantYearFigures(
  quick: boolean,
  say: (text: string) => void,
): Promise<PartResult> {
  const count = quick ? YEARS_QUICK : YEARS;
  const years = await inOwnDatabase(async (place) => {
    const played: YearFigures[] = [];
    for (let seed = 1; seed <= count; seed += 1) {
      const year = await runYear(seed, place);
      played.push(year);
      for (const fault of year.faults) say(`  seed ${seed}: ${fault}`);
    }
    return played;
  });
  const of = `${count} grant years with a hidden truth`;
  return {
    figures: [
      atMost(`cents off in the reports, ${of}`, sum(years.map((one) => one.centsOff)), 0, '', 0),
      atLeast(`precision of automatic pairs, lowest of ${of}`, least(years, 'precision'), 1),
      atLeast(`recall of automatic pairs, lowest of ${of}`, least(years, 'recall'), RECALL_MIN),
      atMost(
        `questions for each entry that needs one, ${of}`,
        questionsOf(years),
        QUESTIONS_MAX,
        '×',
      ),
      atMost(`faults of any kind, ${of}`, sum(years.map(({ faults }) => faults.length)), 0, '', 0),
    ],
    details: [
      '| seed | precision | recall | questions | needed | cents off |',
      '|---|---|---|---|---|---|',
      ...years.map(
        ({ seed, precision, recall, questions, needed, centsOff }) =>
          `| ${seed} | ${precision.toFixed(4)} | ${recall.toFixed(4)} | ${questions} | ${needed} | ${centsOff} |`,
      ),
      '',
    ],
  };
}

function questionsOf(years: readonly YearFigures[]): number {
  return Math.max(...years.map(({ questions, needed }) => questions / Math.max(1, needed)));
}

function least(years: readonly YearFigures[], name: 'precision' | 'recall'): number {
  return Math.min(...years.map((year) => year[name]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function atLeast(name: string, value: number, limit: number): Figure {
  return { name, measured: value.toFixed(4), limit: `≥ ${limit}`, met: value >= limit };
}
