/**
 * The sequencer in a thread of its own: hashing thousands of entries a second must not delay the answers of the
 * portals. What the thread runs is sequencer-thread-main.ts.
 */
import { randomBytes } from 'node:crypto';
import { type MessagePort, parentPort, Worker } from 'node:worker_threads';
import { FilewrightError } from '../../core/index.ts';
import type { CheckpointCopies } from './checkpoints.ts';
import { GROUP_MAX, PostgresSequencer } from './sequencer.ts';
import { type ConnectionTarget, PLANNER, Session } from '../../postgres/index.ts';

interface ThreadInput {
  readonly target: ConnectionTarget;
  readonly schema: string;
  readonly tenant: string;
  readonly instance: string;
  readonly everyMs: number;
  /** With it the thread signs checkpoints. */
  readonly tenantKey?: Uint8Array;
}

export interface ThreadData extends ThreadInput {
  readonly hasCopies: boolean;
}

/** A call of the thread to the copies, which the main thread holds; answered in order. */
interface CopyCall {
  readonly n: number;
  readonly method: keyof CheckpointCopies;
  readonly args: readonly unknown[];
}

type CopyAnswer =
  | { readonly n: number; readonly value: unknown }
  | { readonly n: number; readonly error: { readonly code: string; readonly message: string } };

export interface SequencerThread {
  /** Sequences what is there, then ends. */
  stop(): Promise<void>;
  /** Settles when the thread has ended; rejects when it could not go on. */
  readonly ended: Promise<void>;
}

/** Beside this file, in the compiler's output as in the bundle. */
const THREAD_FILE = 'sequencer-thread-main.js';
/** Young objects die young here; a small heap keeps the thread from growing before it collects. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

export function startSequencerThread(
  input: ThreadInput,
  copies?: CheckpointCopies,
): SequencerThread {
  const thread = new Worker(new URL(THREAD_FILE, import.meta.url), {
    workerData: { ...input, hasCopies: copies !== undefined } satisfies ThreadData,
    resourceLimits: HEAP_LIMITS,
  });
  // Only the thread's own calls arrive here.
  thread.on('message', (call: CopyCall) => {
    if (copies !== undefined) void answer(copies, call).then((said) => thread.postMessage(said)); // Never rejects.
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

async function answer(copies: CheckpointCopies, call: CopyCall): Promise<CopyAnswer> {
  try {
    // The methods' names and arguments come from the proxy below, which has their types.
    const method = copies[call.method] as (...args: unknown[]) => Promise<unknown>;
    return { n: call.n, value: await method.apply(copies, [...call.args]) };
  } catch (error) {
    const code = error instanceof FilewrightError ? error.code : 'BROKEN_INVARIANT';
    const message = error instanceof Error ? error.message : String(error);
    return { n: call.n, error: { code, message } };
  }
}

/** The copies as the thread sees them: files are the main thread's affair. */
function copiesBy(port: MessagePort): CheckpointCopies {
  const waiting = new Map<number, (said: CopyAnswer) => void>();
  let last = 0;
  port.on('message', (said: CopyAnswer | 'stop') => {
    if (said === 'stop') return;
    waiting.get(said.n)?.(said);
    waiting.delete(said.n);
  });
  const call = (method: CopyCall['method'], ...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, (said) => {
        // The code was one of the catalogue's on the other side.
        if ('error' in said) {
          const code = said.error.code as FilewrightError['code'];
          reject(new FilewrightError(code, said.error.message));
        } else resolve(said.value);
      });
      port.postMessage({ n: last, method, args } satisfies CopyCall);
    });
  return {
    keep: async (origin, size, note) => {
      await call('keep', origin, size, note);
    },
    amend: async (origin, size, note) => {
      await call('amend', origin, size, note);
    },
    // What the other side gave, copied by the message port.
    newest: async (origin) =>
      (await call('newest', origin)) as Awaited<ReturnType<CheckpointCopies['newest']>>,
    setAside: async (origin) => {
      await call('setAside', origin);
    },
  };
}

/** Outages that end by themselves; a missing copy is made up for when the folder can be written again. */
const PASSING: ReadonlySet<string> = new Set([
  'DATABASE_UNREACHABLE',
  'DISK_FULL',
  'DATA_DIRECTORY',
]);

export async function runThread(input: ThreadData): Promise<void> {
  const session = new Session({
    target: input.target,
    schema: input.schema,
    name: 'sequencer',
    settings: PLANNER,
  });
  const { tenant, instance, tenantKey } = input;
  const random = { bytes: (count: number) => randomBytes(count) };
  const sequencer = new PostgresSequencer({
    session,
    tenant,
    instance,
    ...(tenantKey === undefined ? {} : { signing: { tenantKey, random } }),
    ...(input.hasCopies && parentPort !== null ? { copies: copiesBy(parentPort) } : {}),
  });
  let stopping = false;
  let wake = (): void => undefined;
  parentPort?.on('message', (said: unknown) => {
    if (said !== 'stop') return;
    stopping = true;
    wake();
  });
  for (;;) {
    const last = stopping;
    try {
      // Entries are built from committed facts only, so a group that fails is simply built again. A group that is not
      // full waits for the next round: every group costs a commit, however small it is.
      while ((await sequencer.sequence(GROUP_MAX)) >= (last ? 1 : GROUP_MAX));
      if (last) await sequencer.checkpoint();
    } catch (error) {
      if (!(error instanceof FilewrightError && PASSING.has(error.code))) throw error;
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
  // Listening for the main thread would keep this one alive.
  parentPort?.close();
}
