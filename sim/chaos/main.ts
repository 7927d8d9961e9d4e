/** `npm run chaos`: real processes killed at every line that matters. Exits 1 when a promise was broken. */
import { CRASH_ROWS, ROW_ORDER } from './crash-rows.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { type ChaosReport, runChaos } from './run.ts';
import { setStage } from './stage.ts';
import { orUsage } from '../usage.ts';

const options = orUsage(USAGE, readOptions);
process.exitCode = await main(options);

async function main({ seed, kills, filings, json }: Options): Promise<number> {
  const stage = await setStage(seed);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // The database server would outlive us; the workers are ended with this process.
    process.once(signal, () => void stage.close({ keep: false }).finally(() => process.exit(130)));
  }
  let keep = true;
  try {
    const report = await runChaos(stage, options, (line) => process.stderr.write(`${line}\n`));
    keep = report.violations.length > 0;
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : describe(report));
    return keep ? 1 : 0;
  } finally {
    await stage.close({ keep });
    if (keep) {
      process.stderr.write(
        `The database and the workers' logs are kept in ${stage.dataDirectory}.\n` +
          `The same plan again (moments differ, rows do not): npm run chaos -- --kills ${kills} --seed ${seed} --filings ${filings}\n`,
      );
    }
  }
}

function describe(report: ChaosReport): string {
  const rows = ROW_ORDER.map(
    (row) =>
      `${row.padEnd(4)}${CRASH_ROWS[row].padEnd(50)}${String(report.kills[row]).padStart(5)}`,
  );
  const ends = Object.entries(report.ends).map(([status, count]) => `${count} ${status}`);
  const portals = report.portals.map(
    ({ lane, accepted, inFlightMax, ceiling, repeats, questions, probes }) =>
      `${lane}: ${accepted} accepted, most in flight ${inFlightMax} of ${ceiling}, ${repeats} repeats recognised, asked ${questions} times, probed ${probes} times`,
  );
  return [
    `${'row'.padEnd(4)}${'crash'.padEnd(50)}kills`,
    ...rows,
    '',
    `${report.imported} filings: ${ends.join(', ')}; ${report.attempts} attempts, ${report.ledgerEntries} ledger entries`,
    ...portals,
    `seed ${report.seed}, ${report.missed} kills beside their row, ${Math.round(report.elapsedMs / 1000)} s`,
    ...(report.violations.length === 0
      ? ['Every filing is in one end state, filed at most once, and the ledger verifies.']
      : report.violations.map((violation) => `VIOLATED ${violation}`)),
    '',
  ].join('\n');
}
