import type { Command } from '../command.ts';
import type { Actor } from '../../access/index.ts';
import { openWorker, startJobs } from '../../oversight/index.ts';
import type { Filewright, RunningDeps } from '../../filewright.ts';
import { misuse } from '../../core/index.ts';
import { jsonLog } from '../../system/index.ts';
import { ANY_PRIVATE, askOnce, type OnceEnd, UNGUARDED } from '../../wire/index.ts';
import { asOperator, stopSignal, withApp } from '../context.ts';

/** A monitor that hears nothing for a few of these knows that the worker is dead, which the dead cannot say. */
const HEARTBEAT_MS = 60_000;
/** A monitor that does not answer by then is away. */
const HEARTBEAT_MS_MAX = 10_000;
const HEARTBEAT_EVERY_MS_MAX = 86_400_000;
/** How soon the monitor hears of a worker that is well again. */
const LOOK_AGAIN_MS = 1_000;

interface WorkerOptions {
  readonly heartbeatUrl?: string;
  readonly heartbeatEvery: string;
  readonly ahead: string;
}

export function addCommands(worker: Command): void {
  worker
    .option('--heartbeat-url <url>', 'ping this address while the worker is healthy')
    .option('--heartbeat-every <seconds>', 'how often', String(HEARTBEAT_MS / 1000))
    .option('--ahead <n>', 'filings claimed ahead per slot', '3')
    .action(async (own: WorkerOptions, command: Command) => {
      const signal = stopSignal();
      const beat = readHeartbeat(own);
      await withApp(
        asOperator(command.optsWithGlobals()),
        async ({ app, actor }) => {
          const ahead = Number(own.ahead);
          if (!Number.isInteger(ahead) || ahead < 0 || ahead > 10) {
            throw misuse(`--ahead: expected a number from 0 to 10, found "${own.ahead}"`);
          }
          const parts = await openWorker(app, actor, { ahead });
          try {
            await runBesideJobs(app, actor, parts.worker, { signal, beat });
          } finally {
            // Also when it never began: its thread would keep a process alive that nobody starts again.
            await parts.close();
          }
        },
        jsonLog(),
      );
    });
}

async function runBesideJobs(
  app: Filewright,
  actor: Actor,
  worker: RunningDeps['worker'],
  { signal, beat }: { readonly signal: AbortSignal; readonly beat: Heartbeat | undefined },
): Promise<void> {
  const jobs = await startJobs(app, actor);
  const running = worker.run();
  app.log.write({ level: 'info', event: 'worker.started' });
  const stop = (): void => void worker.stop(); // `running` reports its end.
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const isWell = (): boolean => worker.isWell;
  const beating = heartbeat(beat, isWell, signal, app.log.write.bind(app.log));
  try {
    await running;
    app.log.write({ level: 'info', event: 'worker.stopped' });
  } finally {
    await jobs.stop();
    await beating;
  }
}

interface Heartbeat {
  readonly url: string;
  readonly everyMs: number;
}

/** Read before anything starts: a worker whose monitor never hears it must not run unnoticed. */
function readHeartbeat(own: WorkerOptions): Heartbeat | undefined {
  if (own.heartbeatUrl === undefined) return undefined;
  if (!/^https?:\/\//.test(own.heartbeatUrl) || !URL.canParse(own.heartbeatUrl)) {
    throw misuse('--heartbeat-url: expected an http or https address');
  }
  const { username, password } = new URL(own.heartbeatUrl);
  if (username !== '' || password !== '') {
    throw misuse(
      '--heartbeat-url: expected an address without user name and password; every user of this machine can read the arguments of a process',
    );
  }
  const everyMs = Number(own.heartbeatEvery) * 1000;
  if (!(everyMs >= 1000 && everyMs <= HEARTBEAT_EVERY_MS_MAX)) {
    throw misuse(
      `--heartbeat-every: expected seconds from 1 to ${HEARTBEAT_EVERY_MS_MAX / 1000}, found "${own.heartbeatEvery}"`,
    );
  }
  return { url: own.heartbeatUrl, everyMs };
}

/** Only while the worker is well: one that is cut off from its database sends nothing, and its monitor must hear that. */
async function heartbeat(
  beat: Heartbeat | undefined,
  isWell: () => boolean,
  signal: AbortSignal,
  write: (record: { level: 'warn'; event: string; error: string }) => void,
): Promise<void> {
  if (beat === undefined) return;
  const { systemClock } = await import('../../system/index.ts');
  let isWithheld = false;
  // It begins without a lease, which is no news.
  await systemClock.sleep(LOOK_AGAIN_MS, signal);
  while (!signal.aborted) {
    if (!isWell()) {
      if (!isWithheld) {
        write({ level: 'warn', event: 'worker.heartbeat_withheld', error: 'WORKER_NOT_WELL' });
      }
      isWithheld = true;
      await systemClock.sleep(LOOK_AGAIN_MS, signal);
      continue;
    }
    isWithheld = false;
    const answer = await ping(beat.url);
    // A monitor that is away must not stop the filings; it will raise the alarm by itself.
    if (answer.kind === 'failure')
      write({ level: 'warn', event: 'worker.heartbeat_failed', error: 'UNREACHABLE' });
    else if (answer.status < 200 || answer.status > 299)
      write({ level: 'warn', event: 'worker.heartbeat_refused', error: `HTTP_${answer.status}` });
    await systemClock.sleep(beat.everyMs, signal);
  }
}

function ping(url: string): Promise<OnceEnd> {
  return askOnce(
    // Whoever starts the worker typed the address; a monitor may well stand in the same house.
    { method: 'GET', url: new URL(url), headers: {}, allowPrivateAddresses: ANY_PRIVATE },
    { wholeMs: HEARTBEAT_MS_MAX, keptBytesMax: 0, readBytesMax: 0 },
    {},
    UNGUARDED,
  );
}
