import { readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/fixtures/longest-first.ts';
import { makeRunFolder } from './test/fixtures/run-folder.ts';

const SHARED_MEMORY = '/dev/shm';
const ROOM_BYTES_MIN = 4 * 1024 ** 3;

// What tests write is thrown away a moment later; on a disk, test/pipeline took 120 s of processor time instead of 67.
if (hasRoomInMemory()) process.env['TMPDIR'] ??= makeRunFolder(SHARED_MEMORY);

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const options = mounts.find((line) => line.split(' ')[1] === SHARED_MEMORY)?.split(' ')[3];
    // Some tests start programs from there, which containers often forbid.
    const mayRun = options !== undefined && !options.split(',').includes('noexec');
    return mayRun && Math.min(bavail * bsize, freemem()) >= ROOM_BYTES_MIN;
  } catch {
    // Not Linux.
    return false;
  }
}

/** They change what belongs to the whole process (time zone, environment, listeners), measure its heap, or go by the clock. */
const ALONE = [
  'src/intake/heap.test.ts',
  'src/lanes/portals/exchange-run.test.ts',
  'src/postgres/embedded/*.test.ts',
  'test/delivery/*.test.ts',
  'test/feeds/large.test.ts',
  'test/jobs/runner.test.ts',
  'test/law/patent-properties.test.ts',
];

/** They need no database and start no command that does. */
const PURE = [
  'src/**/*.test.ts',
  'sim/*.test.ts',
  'sim/hand/*.test.ts',
  'sim/routing/*.test.ts',
  'sim/routing/router/*.test.ts',
  'test/brokers/*.test.ts',
  'test/feeds/*.test.ts',
  'test/grants/*.test.ts',
  'test/handoff/*.test.ts',
  'test/law/*.test.ts',
  'test/ledger/*.test.ts',
  'test/notify/*.test.ts',
  'test/portals/*.test.ts',
  'test/routing/*.test.ts',
  'test/verify-py/*.test.ts',
  'test/run-folder.test.ts',
  'test/tidy.test.ts',
  'test/tools.test.ts',
  'test/walks.test.ts',
];

const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts', 'sim/**/*.test.ts'];

/** Makes one migrated cluster that the servers of tests are copied from. */
const CLUSTER = 'test/fixtures/prepare-cluster.ts';

/** Only what hangs takes this long, also on a machine that is busy with something else. */
const HUNG_MS = 240_000;

const EACH = {
  pool: 'forks',
  testTimeout: HUNG_MS,
  hookTimeout: HUNG_MS,
  setupFiles: ['test/fixtures/strict-facts.ts'],
};

// Loading some three hundred modules anew for each file took longer than most files' tests: files share a process unless
// they are named above. The orders keep the files of a project together, so that few processes serve them all.
export default defineConfig({
  test: {
    // The machine this is sized for has two cores, and many files mostly wait for clocks and sockets.
    // Not in EACH, so that --maxWorkers is heard.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...EACH,
          name: 'served',
          include: ALL,
          exclude: [...PURE, ...ALONE],
          globalSetup: CLUSTER,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...EACH,
          name: 'pure',
          include: PURE,
          exclude: ALONE,
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...EACH,
          name: 'alone',
          include: ALONE,
          globalSetup: CLUSTER,
          // They wait for leases and pauses rather than for a processor.
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
