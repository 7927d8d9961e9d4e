/**
 * How a command ends before its time: Ctrl-C, SIGTERM, a reader that has seen enough. The first signal lets a command that can
 * stop in order do so; any other ends at once, and says so. A second signal always ends at once. What was committed stays.
 */
import { EXIT, FilewrightError } from '../core/index.ts';
import { tell } from './output.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type Signal = (typeof SIGNALS)[number];

/** What is left to do at the end may not keep the process: whoever asked it to end soon kills it. */
const CLEANUP_MS_MAX = 20_000;

/** Of one command; a test runs several in one process, one after another. */
interface Ending {
  readonly controller: AbortController;
  received: Signal | undefined;
  /** It listens to the signal, and comes to its end by itself. */
  isOrderly: boolean;
  /** Of what a command that says nothing itself had begun. */
  readonly cleanups: (() => Promise<void>)[];
}

let ending = fresh();

function fresh(): Ending {
  return {
    controller: new AbortController(),
    received: undefined,
    isOrderly: false,
    cleanups: [],
  };
}

/** Once for each command, before it is parsed. */
export function listenForSignals(): void {
  ending = fresh();
  for (const name of SIGNALS) process.on(name, () => onSignal(name));
}

/** Aborts on the first signal, so that a worker drains and a run comes to its end. */
export function stopSignal(): AbortSignal {
  ending.isOrderly = true;
  return ending.controller.signal;
}

/** For work in pieces: throws between two of them, once a signal has come. `done` says what is committed. */
export function stopHere(done: string): void {
  ending.isOrderly = true;
  if (ending.received === undefined) return;
  const code = ending.received === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED';
  throw new FilewrightError(code, `${wordsOf(ending.received)}. ${done}`);
}

/** To be done if a signal has ended the command; at the end of one that ends in order, too. */
export function atSignal(cleanup: () => Promise<void>): void {
  ending.cleanups.push(cleanup);
}

/** Does what is left to do, where a signal has come; otherwise nothing. */
export async function cleanUpAfterSignal(): Promise<void> {
  if (ending.received === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLEANUP_MS_MAX);
  });
  const all = ending.cleanups.splice(0).map((cleanup) => cleanup());
  // A server that cannot be stopped is found by the next command; the process ends all the same.
  await Promise.race([Promise.allSettled(all), limit]);
  clearTimeout(timer);
}

/** True while the process ends at once: what fails now fails because of that, and is no news. */
export function isEndingNow(): boolean {
  return ending.received !== undefined && !ending.isOrderly;
}

function onSignal(name: Signal): void {
  const code = name === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  if (ending.received !== undefined) process.exit(code);
  ending.received = name;
  if (ending.isOrderly) {
    ending.controller.abort();
    return;
  }
  tell(
    `filewright: ${wordsOf(name)}. What was committed before is kept, and nothing was half done; the same command can be run again.`,
  );
  void cleanUpAfterSignal().then(() => process.exit(code)); // It never rejects.
}

function wordsOf(name: Signal): string {
  return name === 'SIGINT' ? 'Stopped by Ctrl-C' : 'Ended by SIGTERM';
}
