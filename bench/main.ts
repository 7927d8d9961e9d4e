/**
 * `npm run bench [-- PART …] [--quick]`: every figure that the product is held to, as a table. A part that ran in full
 * size is kept in bench/results/, and bench/RESULTS.md shows all parts together. Exits 1 when a figure is missed.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { orUsage } from '../sim/usage.ts';
import { packageRoot } from '../src/postgres/package-root.ts';
import { calendarFigures } from './calendar.ts';
import { commandTimes } from './commands.ts';
import { entity } from './entity.ts';
import { fuzzFigures } from './entity-fuzz.ts';
import { entityDetails, entityFigures } from './entity-report.ts';
import { feedFigures } from './feeds.ts';
import { grantYearFigures } from './grant-years.ts';
import { grantsFigures } from './grants.ts';
import { growth } from './growth.ts';
import { handFigures } from './hand.ts';
import { historyFigures } from './history.ts';
import { ledgerFigures } from './ledger.ts';
import { makespan, type MakespanRow } from './makespan.ts';
import { type Part, readOptions, USAGE } from './options.ts';
import { atMost, type Figure, markdown, median, together } from './report.ts';
import { FULL, QUICK, routingFigures } from './routing.ts';
import { sheetFigures } from './sheets.ts';
import { takeover } from './takeover.ts';

const { parts, quick, rows } = orUsage(USAGE, readOptions);
const figures: Figure[] = [];
const details: string[] = [];
const say = (text: string): void => void process.stderr.write(`${text}\n`);

await part('makespan', async () => {
  say('Makespan: 20,000 filings, 5 ms portal, five lanes');
  const runs = quick ? 1 : 5;
  const one = await makespan({
    filings: 20_000,
    latencyMs: 5,
    spreadMs: 0,
    processes: [1],
    runs,
    say,
  });
  figures.push(
    atMost(
      'makespan, one worker process, median ratio to bare undici',
      median(one.map((row) => row.ratio)),
      1.15,
      '×',
      3,
    ),
  );
  figures.push(heldFigure(one));
  const more = quick
    ? []
    : await makespan({
        filings: 20_000,
        latencyMs: 5,
        spreadMs: 0,
        processes: [2, 3],
        runs: 1,
        say,
      });
  details.push('## Makespan, 20,000 filings, 5 ms', '', ...makespanTable([...one, ...more]));
});
await part('latency', async () => {
  say('Makespan: 2,000 filings, 100 ± 20 ms');
  const rows = await makespan({
    filings: 2_000,
    latencyMs: 100,
    spreadMs: 20,
    processes: [1],
    runs: quick ? 1 : 3,
    say,
  });
  figures.push(
    atMost(
      'makespan at 100 ± 20 ms, median ratio to the ideal',
      median(rows.map((row) => row.toIdeal)),
      1.05,
      '×',
      3,
    ),
  );
  details.push('', '## Makespan, 2,000 filings, 100 ± 20 ms', '', ...makespanTable(rows));
});
await part('takeover', async () => {
  say('From kill -9 of a worker to its slots in use again');
  const waits = await takeover(quick ? 2 : 5, say);
  figures.push(
    atMost('kill -9 to slots in use again, slowest', Math.max(...waits) / 1000, 10, 's'),
  );
  details.push(
    '',
    `Takeover: ${waits.length} slots, median ${(median(waits) / 1000).toFixed(2)} s.`,
  );
});
await part('growth', async () => {
  say('Memory against rows');
  const rows = await growth(quick ? [5_000, 20_000] : [50_000, 200_000], say);
  const peak = (pick: (row: (typeof rows)[number]) => number): number =>
    Math.max(...rows.map(pick));
  figures.push(
    atMost(
      'peak V8 heap, importing',
      peak((row) => row.importHeapMb),
      100,
      'MB',
      1,
    ),
  );
  figures.push(
    atMost(
      'peak V8 heap, running',
      peak((row) => row.workerHeapMb),
      100,
      'MB',
      1,
    ),
  );
  const [few, many] = rows;
  if (few !== undefined && many !== undefined) {
    figures.push(
      atMost(
        `heap for ${many.rows} rows to ${few.rows}, importing`,
        many.importHeapMb / few.importHeapMb,
        1.1,
        '×',
      ),
    );
    figures.push(
      atMost(
        `heap for ${many.rows} rows to ${few.rows}, running`,
        many.workerHeapMb / few.workerHeapMb,
        1.1,
        '×',
      ),
    );
  }
  details.push(
    '',
    '## Memory against rows',
    '',
    '| rows | import s | import heap MB | import RSS MB | run s | worker heap MB | worker RSS MB |',
    '|---|---|---|---|---|---|---|',
  );
  for (const row of rows) {
    details.push(
      `| ${row.rows} | ${row.importSeconds.toFixed(1)} | ${row.importHeapMb.toFixed(1)} | ${row.importRssMb.toFixed(0)} | ${row.runSeconds.toFixed(1)} | ${row.workerHeapMb.toFixed(1)} | ${row.workerRssMb.toFixed(0)} |`,
    );
  }
});
await part('simulation', async () => {
  say('Simulation: 2,000 seeds');
  const startedMs = performance.now();
  const file = fileURLToPath(new URL('../sim/main.js', import.meta.url));
  const { status } = spawnSync(
    process.execPath,
    [file, '--world', 'filings', '--seeds', quick ? '100' : '2000'],
    {
      stdio: ['ignore', 2, 2],
    },
  );
  const seconds = (performance.now() - startedMs) / 1000;
  figures.push({
    ...atMost(`${quick ? 100 : 2000} simulation seeds, 0 violations`, seconds, 120, 's', 1),
    met: status === 0 && seconds <= 120,
  });
});
await part('entity', async () => {
  say('Entity: 51 lanes, in peace and in trouble, beside the naive way');
  const results = await entity(quick ? 5_000 : 50_000, say);
  figures.push(...entityFigures(results));
  details.push(...entityDetails(results));
});
await part('fuzz', async () => {
  say('Fuzzed CSV through the import');
  figures.push(...(await fuzzFigures(quick ? 5_000 : 100_000, say)));
});
await part('sheets', async () => {
  const measured = await sheetFigures(quick, say);
  figures.push(...measured.figures);
  details.push(...measured.details);
});
await part('hand', async () => {
  say('Forty people file by hand at once');
  const measured = await handFigures(quick ? 5_000 : 50_000, say);
  figures.push(...measured.figures);
  details.push(...measured.details);
});
await part('feeds', async () => {
  say('Bank feeds as streams');
  figures.push(...(await feedFigures(quick, say)));
});
await part('grants', async () => {
  const measured = await grantsFigures(quick, say);
  figures.push(...measured.figures);
  details.push(...measured.details);
});
await part('grant-years', async () => {
  say('Grant years with a hidden truth');
  const result = await grantYearFigures(quick, say);
  figures.push(...result.figures);
  details.push(...result.details);
});

await part('routing', async () => {
  say('Dockets through four tiers');
  figures.push(...(await routingFigures(quick ? QUICK : FULL, say)));
});
await part('ledger', async () => {
  const sizes = quick ? { append: 20_000, export: 50_000 } : { append: 100_000, export: 1_000_000 };
  const measured = await ledgerFigures(sizes, say);
  figures.push(...measured.figures);
  details.push(...measured.details);
});
await part('history', async () => {
  const count = rows ?? (quick ? 500_000 : 10_000_000);
  say(`Work over ${count} rows of history`);
  const measured = await historyFigures(count, say);
  figures.push(...measured.figures);
  details.push(...measured.details);
});
await part('calendar', async () => {
  say('Patent deadlines on one core');
  figures.push(...calendarFigures());
});
await part('commands', async () => {
  say('What a person waits for');
  const times = commandTimes();
  figures.push(atMost('npm start, from installed to finished', times.startSeconds, 60, 's', 1));
  figures.push(
    atMost(
      'slowest command that only reads',
      Math.max(...times.reads.map((read) => read.seconds)),
      1,
      's',
    ),
  );
  details.push(
    '',
    '## Commands that only read, slowest of five',
    '',
    ...times.reads.map((read) => `- \`${read.command}\`: ${read.seconds.toFixed(2)} s`),
  );
});

process.stdout.write(`${markdown('Results', figures, details, machine())}\n`);
if (figures.some((figure) => !figure.met)) process.exitCode = 1;

/** One part of the bench: it adds its figures, and in full size they are kept in a file of their own. */
async function part(name: Part, measure: () => Promise<void> | void): Promise<void> {
  if (!parts.includes(name)) return;
  const [firstFigure, firstDetail] = [figures.length, details.length];
  await measure();
  if (quick) return;
  const page = markdown(name, figures.slice(firstFigure), details.slice(firstDetail), machine());
  const folder = join(packageRoot(), 'bench', 'results');
  writeFileSync(join(folder, `${name}.md`), page);
  const pages = readdirSync(folder).sort();
  const texts = pages.map((file) => readFileSync(join(folder, file), 'utf8'));
  writeFileSync(join(folder, '..', 'RESULTS.md'), together(texts));
}

function machine(): string {
  const day = new Date().toISOString().slice(0, 10);
  return `This run: ${day}, ${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}.`;
}

function heldFigure(rows: readonly MakespanRow[]): Figure {
  const held = rows.every((row) => row.ceilingsHeld);
  return {
    name: 'every ceiling held, every filing accepted once',
    measured: held ? 'yes' : 'no',
    limit: 'yes',
    met: held,
  };
}

function makespanTable(rows: readonly MakespanRow[]): string[] {
  return [
    '| worker processes | bare undici s | Filewright s | ratio | to ideal | facts waiting at the end | heap MB | RSS MB |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.processes} | ${(row.bareMs / 1000).toFixed(2)} | ${(row.fullMs / 1000).toFixed(2)} | ${row.ratio.toFixed(3)} | ${row.toIdeal.toFixed(3)} | ${row.waiting} | ${row.heapMb.toFixed(1)} | ${row.rssMb.toFixed(0)} |`,
    ),
  ];
}
