/**
 * The grants pipeline from award documents and a bank feed to matches, on a real PostgreSQL: every record validated, sealed,
 * stored, matched. Its speed is judged by the clock; what program and database computed stands beside it.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFilewright, type Filewright } from '../src/app.ts';
import { grantsLawFrom } from '../src/grants/rules/law.ts';
import { openPipeline } from '../src/grants/pipeline/open-pipeline.ts';
import { stopEmbedded } from '../src/postgres/embedded/stop.ts';
import { shippedLaw } from '../src/system/law-files.ts';
import { awardChunks, feedChunks, realGrants } from './grants-generated.ts';
import { heap, megabytes, type PartResult, ROWS, ROWS_QUICK, say, speed } from './grants-parts.ts';
import { type PeakMemory, watchMemory } from './memory.ts';

const ACTOR = { kind: 'system', id: 'bench' } as const;
const NOWHERE = { states: [], fiscalYearEnd: '12-31' };
const PERIOD = { account: '000123456789', from: '2026-01-01', to: '2027-01-31' };

export async function grantsOnStore(quick: boolean): Promise<PartResult> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fw-grants-bench-'));
  const filewright = await createFilewright({ dataDirectory });
  try {
    return await run(filewright, quick ? ROWS_QUICK : ROWS);
  } finally {
    await filewright.close();
    await stopEmbedded(dataDirectory, { mode: 'immediate' });
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

interface Measured<Report> {
  readonly report: Report;
  readonly seconds: number;
  readonly peak: PeakMemory;
}

async function measured<Report>(
  name: string,
  work: () => Promise<Report>,
): Promise<Measured<Report>> {
  const memory = watchMemory();
  const began = performance.now();
  const report = await work();
  const seconds = (performance.now() - began) / 1000;
  const peak = memory.stop();
  const { heapBytesMax, rssBytesMax } = peak;
  say(
    `${name}: ${seconds.toFixed(2)} s, heap ${megabytes(heapBytesMax)}, RSS ${megabytes(rssBytesMax)}`,
  );
  return { report, seconds, peak };
}

async function run(filewright: Filewright, rows: number): Promise<PartResult> {
  const grants = await realGrants();
  const pipeline = openPipeline({ ...filewright, law: grantsLawFrom(shippedLaw()) });
  const [backend] = await filewright.session.run({
    name: '',
    text: 'select pg_backend_pid() as pid',
  });
  const pid = Number(backend?.['pid']);
  const cpuBefore = process.cpuUsage();
  const backendBefore = processorSeconds(pid);
  const awards = await measured('awards ingested', () =>
    pipeline.ingestAwards(
      { name: 'awards.csv', format: 'csv', open: () => awardChunks(grants, rows) },
      ACTOR,
    ),
  );
  const feed = await measured('feed ingested', () =>
    pipeline.ingestFeed(
      { name: 'feed.xml', format: 'camt.053', open: () => feedChunks(grants, rows) },
      ACTOR,
    ),
  );
  const matched = await measured('matched', () =>
    pipeline.reconcilePeriod({ to: '2027-12-31' }, ACTOR),
  );
  const seconds = awards.seconds + feed.seconds + matched.seconds;
  const { user, system } = process.cpuUsage(cpuBefore);
  const inDatabase = (processorSeconds(pid) ?? 0) - (backendBefore ?? 0);
  // One in a hundred waits for a person, so that the period stays open; all its outcomes are put in order all the same.
  const closing = await measured('asked to close the year', () =>
    pipeline.closePeriod(PERIOD, NOWHERE, ACTOR),
  );
  const aged = await measured('aged list', () => pipeline.unmatched('2027-12-31'));
  const peaks = [awards, feed, matched, closing, aged].map(({ peak }) => peak);
  const rss = megabytes(Math.max(...peaks.map(({ rssBytesMax }) => rssBytesMax)));
  const times = `${seconds.toFixed(1)} s by the clock; ${((user + system) / 1e6).toFixed(1)} s of the program's processor, ${inDatabase.toFixed(1)} s of the database's`;
  say(
    `${awards.report.accepted} accepted, ${awards.report.refused} refused, ${feed.report.lines} lines, ${JSON.stringify(matched.report.byStatus)}, ${aged.report.length} waiting`,
  );
  say(`${times}; RSS ${rss}`);
  const isWhole = feed.report.lines === rows && closing.report.kind === 'blocked';
  return {
    figures: [
      speed(
        `grants through the store, ${rows} awards and bank lines, by the clock`,
        rows,
        seconds,
        isWhole,
      ),
      heap(`${rows} awards ingested`, awards.peak),
      heap(`a feed of ${rows} lines ingested`, feed.peak),
      heap(`${rows} stored grants matched`, matched.peak),
      heap(`${rows} outcomes put in order to close a year`, closing.peak),
      heap(`the aged list of ${rows} stored grants`, aged.peak),
    ],
    details: [`On the store: ${times}; RSS ${rss}.`],
  };
}

/** Of another process, in clock ticks of a hundredth; undefined where /proc is not there. */
function processorSeconds(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    // Not Linux, or not this machine.
    return undefined;
  }
}
