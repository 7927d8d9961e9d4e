/**
 * The grants pipeline from award documents and a bank feed to money handed off, on a real PostgreSQL: every record
 * validated, sealed, stored, matched. Program and database work in turns, so the seconds are those of both processors
 * together; where the system does not tell them, those of the wall.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFilewright, type Filewright } from '../src/app.ts';
import { grantsLawFrom } from '../src/packs/grants/index.ts';
import { openPipeline } from '../src/pipeline/index.ts';
import { stopEmbedded } from '../src/store/index.ts';
import { shippedLaw } from '../src/system/law/index.ts';
import { awardChunks, feedChunks, type RealGrant, realGrants } from './grants-generated.ts';
import { watchMemory } from './memory.ts';
import { atMost, type Figure } from './report.ts';

const ROWS = 56_728;
const PER_SECOND_MIN = 2_000;
const HEAP_MB_MAX = 100;
const ACTOR = { kind: 'system', id: 'bench' } as const;

export async function grantsStoreFigures(
  quick: boolean,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const rows = quick ? 7_091 : ROWS;
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fw-grants-bench-'));
  const filewright = await createFilewright({ dataDirectory });
  try {
    return await run(filewright, await realGrants(), rows, say);
  } finally {
    await filewright.close();
    await stopEmbedded(dataDirectory, { mode: 'immediate' });
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

async function run(
  filewright: Filewright,
  grants: readonly RealGrant[],
  rows: number,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const pipeline = openPipeline({ ...filewright, law: grantsLawFrom(shippedLaw()) });
  const memory = watchMemory();
  const [backend] = await filewright.session.run({
    name: '',
    text: 'select pg_backend_pid() as pid',
  });
  const pid = Number(backend?.['pid']);
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  const backendBefore = processorSeconds(pid);
  const stage = async <Report>(name: string, work: () => Promise<Report>): Promise<Report> => {
    const from = performance.now();
    const report = await work();
    say(`  ${name}: ${((performance.now() - from) / 1000).toFixed(2)} s`);
    return report;
  };
  const awards = await stage('awards ingested', () =>
    pipeline.ingestAwards(
      { name: 'awards.csv', format: 'csv', open: () => awardChunks(grants, rows) },
      ACTOR,
    ),
  );
  const feed = await stage('feed ingested', () =>
    pipeline.ingestFeed(
      { name: 'feed.xml', format: 'camt.053', open: () => feedChunks(grants, rows) },
      ACTOR,
    ),
  );
  const whileIngesting = memory.stop().heapBytesMax;
  const matchingMemory = watchMemory();
  const matched = await stage('matched', () =>
    pipeline.reconcilePeriod({ to: '2027-12-31' }, ACTOR),
  );
  const wall = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const inDatabase = (processorSeconds(pid) ?? 0) - (backendBefore ?? 0);
  const seconds = backendBefore === undefined ? wall : (user + system) / 1e6 + inDatabase;
  const whileMatching = matchingMemory.stop().heapBytesMax;
  say(
    `  ${awards.accepted} accepted, ${awards.refused} refused, ${feed.lines} lines, ${JSON.stringify(matched.byStatus)}`,
  );
  say(
    `  ${wall.toFixed(1)} s by the clock; ${((user + system) / 1e6).toFixed(1)} s of the program, ${inDatabase.toFixed(1)} s of the database`,
  );
  const perSecond = rows / seconds;
  return [
    {
      name: `grants through the store, ${rows} awards and bank lines`,
      measured: `${Math.round(perSecond)} /s`,
      limit: `≥ ${PER_SECOND_MIN} /s`,
      met: perSecond >= PER_SECOND_MIN && feed.lines === rows,
    },
    atMost(`peak V8 heap, ${rows} grants ingested`, whileIngesting / 1e6, HEAP_MB_MAX, 'MB', 1),
    atMost(
      `peak V8 heap, ${rows} stored grants matched at once`,
      whileMatching / 1e6,
      HEAP_MB_MAX,
      'MB',
      1,
    ),
  ];
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
