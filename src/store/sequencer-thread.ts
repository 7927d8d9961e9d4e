/**
 * The sequencer in a thread of its own: hashing thousands of entries a second must not delay the answers of the
 * portals. Started by `startSequencerThread`; this file is also what the thread runs.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { FilewrightError } from '../core/index.ts';
import { GROUP_MAX, PostgresSequencer } from './sequencer.ts';
import { type ConnectionTarget, Session } from './session.ts';
import { PLANNER } from './tick.ts';

interface ThreadInput {
  readonly target: ConnectionTarget;
  readonly schema: string;
  readonly tenant: string;
  readonly instance: string;
  readonly everyMs: number;
}

export interface SequencerThread {
  /** Sequences what is there, then ends. */
  stop(): Promise<void>;
  /** Settles when the thread has ended; rejects when it could not go on. */
  readonly ended: Promise<void>;
}

/** Young objects die young here; a small heap keeps the thread from growing before it collects. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

export function startSequencerThread(input: ThreadInput): SequencerThread {
  const thread = new Worker(new URL(import.meta.url), {
    workerData: input,
    resourceLimits: HEAP_LIMITS,
  });
  const ended = new Promise<void>((resolve, reject) => {
    thread.once('error', reject);
    thread.once('exit', () => resolve());
  });
  return {
    ended,
    stop: async () => {
      thread.postMessage('stop');
      await ended;
    },
  };
}

async function runThread(input: ThreadInput): Promise<void> {
  const session = new Session({
    target: input.target,
    schema: input.schema,
    name: 'sequencer',
    settings: PLANNER,
  });
  const sequencer = new PostgresSequencer({ ...input, session });
  let stopping = false;
  let wake = (): void => undefined;
  parentPort?.once('message', () => {
    stopping = true;
    wake();
  });
  for (;;) {
    const last = stopping;
    try {
      // Entries are built from committed facts only, so a group that fails is simply built again. A group that is not
      // full waits for the next round: every group costs a commit, however small it is.
      while ((await sequencer.sequence(GROUP_MAX)) >= (last ? 1 : GROUP_MAX));
    } catch (error) {
      const passing =
        error instanceof FilewrightError &&
        (error.code === 'DATABASE_UNREACHABLE' || error.code === 'DISK_FULL');
      if (!passing) throw error;
    }
    if (last) break;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, input.everyMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  await session.close();
}

// The thread's own start; importing this file in the main thread does nothing.
if (!isMainThread && parentPort !== null) await runThread(workerData as ThreadInput);
