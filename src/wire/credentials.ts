import { execFile } from 'node:child_process';
import { FilewrightError } from '../core/index.ts';
import type { Environment } from './environment.ts';
import {
  commandArguments,
  isCredentialReference,
  readSecretFile,
  SECRET_BYTES_MAX,
} from './reference.ts';
import { readSecretList } from './secret-list.ts';
import { COMMAND_VARIABLES, judgeSecret } from './secret-rules.ts';

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
 * Turns references of a profile (`env:`, `file:`, `command:`) into values, where the operator allows it for that host. A value is kept in memory for a minute and
 * appears in no message: errors (`CREDENTIAL_UNREADABLE`) name the reference alone.
 */
export class Credentials {
  private readonly environment: Environment;
  private readonly monotonicMs: () => number;
  private readonly commandMsMax: number;
  // Bounded by the references and hosts in the profiles of this installation.
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
  cached(reference: string, host: string): string | undefined {
    return this.fresh(cacheName('header', reference, host));
  }

  private fresh(name: string): string | undefined {
    const entry = this.cache.get(name);
    return entry !== undefined && entry.until > this.monotonicMs() ? entry.value : undefined;
  }

  /** The value of a header for `host` (with its port, as in a URL); of a form's field where `use` says so. */
  async resolve(
    reference: string,
    host: string,
    use: 'header' | 'field' = 'header',
  ): Promise<string> {
    const name = cacheName(use, reference, host);
    const cached = this.fresh(name);
    if (cached !== undefined) return cached;
    // Many filings of a lane ask at the same moment: one read serves them all.
    let reading = this.reading.get(name);
    if (reading === undefined) {
      reading = this.read(reference, host, use).finally(() => this.reading.delete(name));
      this.reading.set(name, reading);
    }
    const value = await reading;
    this.cache.set(name, { value, until: this.monotonicMs() + CACHE_MS });
    return value;
  }

  private async read(reference: string, host: string, use: 'header' | 'field'): Promise<string> {
    if (!isCredentialReference(reference)) {
      // What is no reference may be the secret itself.
      throw unreadable('(not shown)', 'it is not a reference of the form env:, file: or command:');
    }
    const verdict = judgeSecret(reference, await readSecretList(this.environment), host);
    if (verdict.kind === 'refused') throw unreadable(reference, verdict.why);
    const raw = await this.readRaw(reference, verdict.variables);
    const value = raw.replace(/\r?\n$/, '');
    if (!(use === 'header' ? HEADER_VALUE : FIELD_VALUE).test(value)) {
      throw unreadable(reference, `the value is empty or has characters that no ${use} may hold`);
    }
    return value;
  }

  private async readRaw(reference: string, variables: readonly string[]): Promise<string> {
    if (reference.startsWith('env:')) {
      const value = this.environment[reference.slice('env:'.length)];
      if (value === undefined) throw unreadable(reference, 'the variable is not set');
      return value;
    }
    if (reference.startsWith('file:')) {
      const read = await readSecretFile(reference, this.environment);
      if ('fault' in read) throw unreadable(reference, read.fault);
      return read.text;
    }
    return this.runCommand(reference, variables);
  }

  private async runCommand(reference: string, variables: readonly string[]): Promise<string> {
    const [program = '', ...args] = commandArguments(reference) ?? [];
    const options = {
      env: this.commandEnvironment(variables),
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

  /** Nothing that the operator has not named for it: the rest holds our own secrets. */
  private commandEnvironment(variables: readonly string[]): Environment {
    const names = [...COMMAND_VARIABLES, ...variables];
    return Object.fromEntries(names.map((name) => [name, this.environment[name]]));
  }
}

/** Apart for each use and host, so that what goes into a form never reaches a header, nor another host, unjudged. */
function cacheName(use: 'header' | 'field', reference: string, host: string): string {
  return `${use} ${host} ${reference}`;
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
