/** How the cost of matching grows from 10,000 to 100,000 lines. Seconds are those of the processor, all threads together. */
import { matchEach } from '../src/grants/rules/matching/match.ts';
import { PackedEntries } from '../src/grants/rules/matching/entries/open-entries.ts';
import { matchRow } from './grants-generated.ts';
import { type PartResult, say } from './grants-parts.ts';
import { atMost, median } from './report.ts';

const FEW = 10_000;
const MANY = 100_000;
/** n log n from 10,000 to 100,000. */
const N_LOG_N = (MANY * Math.log(MANY)) / (FEW * Math.log(FEW));
/** No worse than n log n; n² would be 8. */
const GROWTH_MAX = 1;
/** Rows that are made at once, outside what is measured. */
const ROWS_AT_ONCE = 1_000;

/** The larger run against the smaller one, and that against n log n: 1 means exactly n log n. */
export function grantsGrowth(quick: boolean): PartResult {
  // Before the clock runs: a program that is not compiled yet would flatter the ratio.
  for (let round = 0; round < 3; round += 1) secondsOf(FEW);
  const ratios = Array.from({ length: quick ? 1 : 5 }, () => {
    const small = median([1, 2, 3, 4, 5].map(() => secondsOf(FEW)));
    const large = secondsOf(MANY);
    say(
      `matching ${FEW}: ${small.toFixed(3)} s, ${MANY}: ${large.toFixed(3)} s, ${(large / small).toFixed(1)} times (n log n: ${N_LOG_N.toFixed(1)})`,
    );
    return large / small / N_LOG_N;
  });
  const name = `matching cost from ${FEW} to ${MANY} lines, against n log n`;
  return { figures: [atMost(name, median(ratios), GROWTH_MAX, '×')], details: [] };
}

/** From the first line that is added to the last outcome. */
function secondsOf(rows: number): number {
  const entries = new PackedEntries();
  let seconds = 0;
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const some = Array.from({ length: Math.min(ROWS_AT_ONCE, rows - from) }, (_, at) =>
      matchRow(from + at, rows),
    );
    seconds += processorSeconds(() => {
      for (const { expectedPayment, lines } of some) {
        entries.addExpectedPayment(expectedPayment);
        for (const line of lines) entries.addLine(line);
      }
    });
  }
  let outcomes = 0;
  seconds += processorSeconds(() => {
    for (const _ of matchEach(entries)) outcomes += 1;
  });
  if (outcomes < rows) throw new Error('the bench matched nothing');
  return seconds;
}

function processorSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
