#!/usr/bin/env -S node --single-threaded-gc --heap-growing-percent=70
/**
 * The command line: parse, call, shape the answer. Exit codes are those of core/errors.ts.
 *
 * Garbage is collected on the thread that makes it: worker, database and portals share few cores, and V8's four helper
 * threads cost more there than they save (a sixth of the worker's processor time, measured with 20,000 filings). It is
 * collected when the heap has grown by 70 %: by default V8 lets it double and more, which made 115 MB of 68.
 */
import { CommanderError } from 'commander';
import { EXIT, FilewrightError, misuse } from '../core/index.ts';
import { isEndingNow, listenForSignals } from './ending.ts';
import { print, reportError } from './output.ts';
import { createProgram } from './program.ts';
import { setColor } from './screen.ts';

let isOutputCut = false;

// As Node does it from version 21 on. Without it the PostgreSQL driver asks a `Response` where it runs, and for that
// Node loads its whole HTTP client: 35 ms of every command.
if (!('navigator' in globalThis)) {
  Object.assign(globalThis, { navigator: { userAgent: `Node.js/${process.versions.node}` } });
}

async function main(argv: readonly string[]): Promise<void> {
  forgiveClosedPipes();
  listenForSignals();
  setColor(argv.includes('--no-color') || argv.includes('--json'));
  try {
    const words = argv.slice(2);
    const [first, ...about] = words;
    if (first === 'help' && (await showTrade(about[0]))) return;
    // The parser's own `help` knows one word.
    const asked = first === 'help' ? [...about, '--help'] : words;
    const program = await createProgram(asked);
    await program.parseAsync(asked, { from: 'user' });
  } catch (error) {
    // Connections that are cut by our own end are no error; the process is gone in a moment.
    if (isEndingNow()) return;
    process.exitCode = exitCodeOf(error, argv.includes('--json'));
  }
}

/** `help paralegal`: a trade is no command, and has help of its own. */
async function showTrade(word: string | undefined): Promise<boolean> {
  const { helpOf, isTrade } = await import('./help/show.ts');
  if (!isTrade(word)) return false;
  print(helpOf(word));
  return true;
}

function exitCodeOf(error: unknown, json: boolean): number {
  // The parser has already said what is wrong; asking for help or the version is no mistake.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done;
    return json ? reportError(misuse(error.message), json) : EXIT.usage;
  }
  const full =
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOSPC';
  return reportError(full ? diskFull(error) : error, json);
}

function diskFull(cause: unknown): FilewrightError {
  return new FilewrightError('DISK_FULL', 'There is no space left on the disk', { cause });
}

/** A reader that has seen enough (`| head -1`) must neither end a running batch nor cause a stack trace. */
function forgiveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOSPC') tellOfFullDisk(stream, error);
      else if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** The work goes on to its end; whoever reads the output later must not take it for whole. */
function tellOfFullDisk(stream: NodeJS.WriteStream, error: Error): void {
  // A log that cannot be written is no reason to leave filings where they are.
  if (stream === process.stderr || isOutputCut) return;
  isOutputCut = true;
  process.once('exit', () => {
    process.exitCode = reportError(diskFull(error), false);
  });
}

await main(process.argv);
