/**
 * Two years of history: whether what runs all day (claim, tick, append, verify, watch) gets slower with what only grows. The same
 * work is done on a hundredth of the history and on all of it.
 */
import { localOperator } from '../src/access/actor.ts';
import type { Filewright } from '../src/app.ts';
import { warnOfSlack } from '../src/filings/acts/slack-alerts.ts';
import { ledgerEntries, ledgerWaiting } from '../src/ledger/store/ledger-entries.ts';
import { digestFigures } from '../src/people/store/alerts.ts';
import { ensureEmbedded } from '../src/postgres/embedded/ensure.ts';
import { Session } from '../src/postgres/session.ts';
import { PAST, ROWS_OF_FILING, writeHistory } from './history-rows.ts';
import { recorded } from './makespan.ts';
import { atMost, type Figure, median } from './report.ts';
import { benchLanes } from './shape.ts';
import { newStage, nextMessage, prepare, type Stage, startRole } from './stage.ts';

const TENANT = 'history';
const FILINGS = 2_000;
const LOOKS = 5;
const ENTRIES_READ_MAX = 20_000;
const STATEMENT_MS_MAX = 600_000;

interface HistoryRow {
  readonly rows: number;
  readonly loadSeconds: number;
  readonly gigabytes: number;
  /** From the first claim until the last filing is recorded and in the log. */
  readonly runSeconds: number;
  readonly watchMs: number;
  readonly digestMs: number;
  /** For a thousand entries. */
  readonly readMs: number;
}

export async function historyFigures(
  rows: number,
  say: (text: string) => void,
): Promise<{ readonly figures: readonly Figure[]; readonly details: readonly string[] }> {
  const few = await withHistory(Math.round(rows / 100), say);
  const many = await withHistory(rows, say);
  return {
    figures: [
      atMost(
        `${FILINGS} filings over ${rows} rows of history to a hundredth`,
        many.runSeconds / few.runSeconds,
        1.25,
        '×',
      ),
      atMost('reading entries, to a hundredth', many.readMs / few.readMs, 1.5, '×'),
      atMost('a look of the watch over slack', many.watchMs, 2_000, 'ms', 0),
      atMost('the figures of the digest', many.digestMs, 500, 'ms', 0),
    ],
    details: [
      '',
      '## Work over history',
      '',
      '| rows | GB | load s | run s | watch ms | digest ms | 1,000 entries ms |',
      '|---|---|---|---|---|---|---|',
      ...[few, many].map(
        (row) =>
          `| ${row.rows} | ${row.gigabytes.toFixed(2)} | ${row.loadSeconds.toFixed(0)} | ${row.runSeconds.toFixed(2)} | ${row.watchMs.toFixed(0)} | ${row.digestMs.toFixed(1)} | ${row.readMs.toFixed(1)} |`,
      ),
    ],
  };
}

async function withHistory(rows: number, say: (text: string) => void): Promise<HistoryRow> {
  const portal = await startRole('portal', ['1', '0']);
  const stage = newStage();
  try {
    const { app } = await prepare(stage, TENANT, benchLanes(FILINGS), portal.port);
    const { connection } = await ensureEmbedded({ dataDirectory: stage.dataDirectory });
    const admin = new Session({
      target: { ...connection, settings: { 'fw.tenant': PAST } },
      schema: 'filewright',
      name: 'bench',
      statementMsMax: STATEMENT_MS_MAX,
    });
    const startedMs = performance.now();
    await writeHistory(admin, TENANT, Math.round(rows / ROWS_OF_FILING));
    const loadSeconds = (performance.now() - startedMs) / 1000;
    const gigabytes = await databaseGigabytes(admin);
    say(`  ${rows} rows in ${loadSeconds.toFixed(0)} s, ${gigabytes.toFixed(2)} GB`);
    const run = app.session.run.bind(app.session);
    const watchMs = await timed(() => warnOfSlack(app, localOperator('bench')));
    const digestMs = await timed(() => digestFigures(run, TENANT));
    const readMs = median(await repeated(() => readThousandMs(admin)));
    const runSeconds = await workSeconds(stage, app);
    await admin.close();
    await app.close();
    say(`  ${FILINGS} filings in ${runSeconds.toFixed(2)} s, a look in ${watchMs.toFixed(0)} ms`);
    return { rows, loadSeconds, gigabytes, runSeconds, watchMs, digestMs, readMs };
  } finally {
    portal.child.disconnect();
    await stage.close();
  }
}

async function repeated(look: () => Promise<number>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < LOOKS; n += 1) times.push(await look());
  return times;
}

async function timed(look: () => Promise<unknown>): Promise<number> {
  return median(
    await repeated(async () => {
      const startedMs = performance.now();
      await look();
      return performance.now() - startedMs;
    }),
  );
}

async function readThousandMs(session: Session): Promise<number> {
  const startedMs = performance.now();
  let read = 0;
  for await (const _entry of ledgerEntries(session, PAST, 'filing', ENTRIES_READ_MAX)) read += 1;
  return ((performance.now() - startedMs) / read) * 1_000;
}

async function workSeconds(stage: Stage, app: Filewright): Promise<number> {
  const worker = await startRole('worker', [stage.dataDirectory, TENANT, '3']);
  const startedMs = performance.now();
  worker.child.send({ go: true });
  await recorded(app, 20);
  while ((await ledgerWaiting(app.session, TENANT)).rows > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (performance.now() - startedMs) / 1000;
  worker.child.send({ stop: true });
  await nextMessage(worker.child);
  return seconds;
}

async function databaseGigabytes(session: Session): Promise<number> {
  const [row] = await session.run({
    name: '',
    text: 'select pg_database_size(current_database())::float8 as bytes',
  });
  return Number(row?.['bytes']) / 1e9;
}
