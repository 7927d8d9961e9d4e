import { execFile } from 'node:child_process';
import { FilewrightError } from '../core/index.ts';
import {
  commandArguments,
  type Environment,
  isCredentialReference,
  readSecretFile,
  SECRET_BYTES_MAX,
} from './reference.ts';

// A rotated secret is in use after this time at the latest; shorter would run a password manager for every filing.
const CACHE_MS = 60_000;
// A password manager that asks its server takes a second or two; one that waits for a prompt never ends.
const COMMAND_MS_MAX = 10_000;
// RFC 9110 § 5.5, narrowed to ASCII: a line break would let a secret's file add headers of its own.
const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

// A person types it into a form, so it may have any character that a keyboard gives.
const FIELD_VALUE = /^[^\p{Cc}\p{Surrogate}]+$/u;

interface Cached {
  readonly value: string;
  readonly until: number;
}

/**
 * Turns references of a profile (`env:`, `file:`, `command:`) into values. A value is kept in memory for a minute and
 * appears in no message: errors (`CREDENTIAL_UNREADABLE`) name the reference alone.
 */
export class Credentials {
  private readonly environment: Environment;
  private readonly monotonicMs: () => number;
  private readonly commandMsMax: number;
  // Bounded by the references in the profiles of this installation.
  private readonly cache = new Map<string, Cached>();
  private readonly reading = new Map<string, Promise<string>>();

  constructor(options: {
    readonly environment: Environment;
    readonly monotonicMs: () => number;
    readonly commandMsMax?: number;
  }) {
    this.environment = options.environment;
    this.monotonicMs = options.monotonicMs;
    this.commandMsMax = options.commandMsMax ?? COMMAND_MS_MAX;
  }

  /** The value if it is fresh in the cache; synchronous, because it is on the path of every request. */
  cached(reference: string): string | undefined {
    const entry = this.cache.get(reference);
    return entry !== undefined && entry.until > this.monotonicMs() ? entry.value : undefined;
  }

  /** The value of a header; of a form's field where `use` says so. */
  async resolve(reference: string, use: 'header' | 'field' = 'header'): Promise<string> {
    // Apart, so that what goes into a form never reaches a header unseen.
    const name = use === 'header' ? reference : `field ${reference}`;
    const cached = this.cached(name);
    if (cached !== undefined) return cached;
    // Many filings of a lane ask at the same moment: one read serves them all.
    let reading = this.reading.get(name);
    if (reading === undefined) {
      reading = this.read(reference, use).finally(() => this.reading.delete(name));
      this.reading.set(name, reading);
    }
    const value = await reading;
    this.cache.set(name, { value, until: this.monotonicMs() + CACHE_MS });
    return value;
  }

  private async read(reference: string, use: 'header' | 'field'): Promise<string> {
    if (!isCredentialReference(reference)) {
      // What is no reference may be the secret itself.
      throw unreadable('(not shown)', 'it is not a reference of the form env:, file: or command:');
    }
    const raw = await this.readRaw(reference);
    const value = raw.replace(/\r?\n$/, '');
    if (!(use === 'header' ? HEADER_VALUE : FIELD_VALUE).test(value)) {
      throw unreadable(reference, `the value is empty or has characters that no ${use} may hold`);
    }
    return value;
  }

  private async readRaw(reference: string): Promise<string> {
    if (reference.startsWith('env:')) {
      const value = this.environment[reference.slice('env:'.length)];
      if (value === undefined) throw unreadable(reference, 'the variable is not set');
      return value;
    }
    if (reference.startsWith('file:')) {
      const read = await readSecretFile(reference);
      if ('fault' in read) throw unreadable(reference, read.fault);
      return read.text;
    }
    return this.runCommand(reference);
  }

  private async runCommand(reference: string): Promise<string> {
    const [program = '', ...args] = commandArguments(reference) ?? [];
    const options = {
      env: { ...this.environment },
      timeout: this.commandMsMax,
      killSignal: 'SIGKILL',
      maxBuffer: SECRET_BYTES_MAX,
      encoding: 'utf8',
      windowsHide: true,
    } as const;
    return new Promise((resolve, reject) => {
      const child = execFile(program, args, options, (error, stdout) => {
        if (error === null) resolve(stdout);
        // The error itself is dropped: Node puts the command's output into it.
        else reject(unreadable(reference, describeExit(error)));
      });
      // A command that asks for a password reads the end of input instead of waiting for a person.
      child.stdin?.end();
    });
  }
}

function describeExit(error: { code?: unknown; killed?: boolean | undefined }): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'the command printed too much';
  if (error.killed === true) return 'the command took too long';
  if (typeof error.code === 'number') return `the command ended with exit code ${error.code}`;
  return typeof error.code === 'string'
    ? `the command did not start (${error.code})`
    : 'the command was ended by a signal';
}

function unreadable(reference: string, reason: string): FilewrightError {
  return new FilewrightError(
    'CREDENTIAL_UNREADABLE',
    `Expected the credential reference ${reference} to lead to a value, found that ${reason}.`,
    { details: { reference, reason } },
  );
}
