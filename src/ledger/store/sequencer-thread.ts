/**
 * The sequencer in a thread of its own: hashing thousands of entries a second must not delay the answers of the
 * portals. What the thread runs is sequencer-thread-main.ts.
 */
import { randomBytes } from 'node:crypto';
import { type MessagePort, parentPort, Worker } from 'node:worker_threads';
import { FilewrightError, invariant } from '../../core/index.ts';
import type { CheckpointCopies } from './checkpoints.ts';
import { GROUP_MAX, PostgresSequencer } from './sequencer.ts';
import { type KnownKeys, TenantKey } from '../tenant-key.ts';
import { watchKeys } from './watch-keys.ts';
import { type ConnectionTarget, PLANNER, Session } from '../../postgres/index.ts';

interface ThreadInput {
  readonly target: ConnectionTarget;
  readonly schema: string;
  readonly tenant: string;
  readonly instance: string;
  readonly everyMs: number;
  /** With it the thread signs checkpoints. */
  readonly tenantKey?: TenantKey;
}

export interface ThreadData extends Omit<ThreadInput, 'tenantKey'> {
  /** As it is when the thread starts; when it was turned, the thread asks. */
  readonly tenantKey?: Uint8Array;
  readonly hasCopies: boolean;
}

/** A call of the thread to what the main thread holds, the copies and the tenant's key; answered in order. */
interface MainCall {
  readonly n: number;
  readonly method: keyof CheckpointCopies | 'tenantKey';
  readonly args: readonly unknown[];
}

type MainAnswer =
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
  const { tenantKey, target, ...rest } = input;
  // A function does not pass into a thread; it watches its rows by itself.
  const { watch: _, ...plainTarget } = target;
  const thread = new Worker(new URL(THREAD_FILE, import.meta.url), {
    workerData: {
      ...rest,
      target: plainTarget,
      hasCopies: copies !== undefined,
      ...(tenantKey === undefined ? {} : { tenantKey: tenantKey.current }),
    } satisfies ThreadData,
    resourceLimits: HEAP_LIMITS,
  });
  // Only the thread's own calls arrive here.
  thread.on('message', (call: MainCall) => {
    void answer({ copies, tenantKey }, call).then((said) => thread.postMessage(said)); // Never rejects.
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

async function answer(
  held: {
    readonly copies: CheckpointCopies | undefined;
    readonly tenantKey: TenantKey | undefined;
  },
  call: MainCall,
): Promise<MainAnswer> {
  const { copies, tenantKey } = held;
  try {
    if (call.method === 'tenantKey') {
      await tenantKey?.refresh();
      return { n: call.n, value: tenantKey?.known() };
    }
    invariant(copies !== undefined, 'A thread without copies calls none');
    // The methods' names and arguments come from the proxy below, which has their types.
    const method = copies[call.method] as (...args: unknown[]) => Promise<unknown>;
    return { n: call.n, value: await method.apply(copies, [...call.args]) };
  } catch (error) {
    const code = error instanceof FilewrightError ? error.code : 'BROKEN_INVARIANT';
    const message = error instanceof Error ? error.message : String(error);
    return { n: call.n, error: { code, message } };
  }
}

type Call = (method: MainCall['method'], ...args: readonly unknown[]) => Promise<unknown>;

function callsBy(port: MessagePort): Call {
  const waiting = new Map<number, (said: MainAnswer) => void>();
  let last = 0;
  port.on('message', (said: MainAnswer | 'stop') => {
    if (said === 'stop') return;
    waiting.get(said.n)?.(said);
    waiting.delete(said.n);
  });
  return (method, ...args) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, (said) => {
        // The code was one of the catalogue's on the other side.
        if ('error' in said) {
          const code = said.error.code as FilewrightError['code'];
          reject(new FilewrightError(code, said.error.message));
        } else resolve(said.value);
      });
      port.postMessage({ n: last, method, args } satisfies MainCall);
    });
}

/** The copies as the thread sees them: files are the main thread's affair. */
function copiesBy(call: Call): CheckpointCopies {
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

/** The root key is the main thread's affair too: after a turn it is asked for the tenant's key. */
function keyBy(key: Uint8Array, call: Call | undefined): TenantKey {
  if (call === undefined) return new TenantKey(key);
  // What the other side gave, copied by the message port.
  return new TenantKey(key, {
    look: async () => (await call('tenantKey')) as KnownKeys,
    clock: { monotonicMs: () => performance.now() },
  });
}

/** Outages that end by themselves; a missing copy is made up for when the folder can be written again. */
const PASSING: ReadonlySet<string> = new Set([
  'DATABASE_UNREACHABLE',
  'DISK_FULL',
  'DATA_DIRECTORY',
]);

export async function runThread(input: ThreadData): Promise<void> {
  const call = parentPort === null ? undefined : callsBy(parentPort);
  const tenantKey = input.tenantKey === undefined ? undefined : keyBy(input.tenantKey, call);
  const session = new Session({
    target: {
      ...input.target,
      ...(tenantKey === undefined ? {} : { watch: watchKeys(tenantKey) }),
    },
    schema: input.schema,
    name: 'sequencer',
    settings: PLANNER,
  });
  const { tenant, instance } = input;
  const random = { bytes: (count: number) => randomBytes(count) };
  const sequencer = new PostgresSequencer({
    session,
    tenant,
    instance,
    ...(tenantKey === undefined ? {} : { signing: { tenantKey, random } }),
    ...(input.hasCopies && call !== undefined ? { copies: copiesBy(call) } : {}),
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
