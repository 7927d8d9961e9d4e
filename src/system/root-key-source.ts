/**
 * Where the root key is: FILEWRIGHT_ROOT_KEY as 64 hex digits, as `file:<path>`, or as `command:<program> <arguments>`;
 * otherwise `root.key` in the data directory.
 *
 * A command stands before a key that never leaves its keeper (a KMS, an HSM). It is started once for each request, reads
 * one line of JSON from its standard input and prints one line of JSON:
 *
 *   {"v":1,"op":"wrap","context":"tenant/t-main-1","key":"<base64 of 32 bytes>"}      →  {"wrapped":"<base64>"}
 *   {"v":1,"op":"unwrap","context":"tenant/t-main-1","wrapped":"<base64>"}            →  {"key":"<base64 of 32 bytes>"}
 *
 * The context must be bound to what is wrapped (as additional data or encryption context): unwrapping with another one
 * must fail. A failure is a non-zero exit; what the command prints then is not repeated anywhere, since it may be secret.
 * Requests are rare: one when a process starts, one more when a tenant is made or a key is rotated.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { FilewrightError } from '../core/index.ts';
import { keyOf, readNextRootKey, readRootKey } from './root-key.ts';

const COMMAND_MS_MAX = 15_000;
/** A wrapped key of 32 bytes; key services add some hundred bytes of their own. */
const ANSWER_BYTES_MAX = 64 * 1024;
const KEY_BYTES = 32;

export type RootKeySource =
  | {
      readonly kind: 'local';
      readonly key: Uint8Array;
      /** The key of a rotation that was interrupted: what does not open with the one opens with the other. */
      readonly next?: Uint8Array;
    }
  | {
      readonly kind: 'command';
      wrap(key: Uint8Array, context: string): Promise<Uint8Array>;
      unwrap(wrapped: Uint8Array, context: string): Promise<Uint8Array>;
    };

export function rootKeySource(options: {
  readonly dataDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly mayCreate: boolean;
}): RootKeySource {
  const given = options.environment['FILEWRIGHT_ROOT_KEY'] ?? '';
  if (given.startsWith('command:')) return commandSource(given.slice('command:'.length), options);
  if (given.startsWith('file:')) {
    return { kind: 'local', key: keyOfFile(given.slice('file:'.length)) };
  }
  const key = readRootKey(options);
  const next = given === '' ? readNextRootKey(options.dataDirectory) : undefined;
  return { kind: 'local', key, ...(next === undefined ? {} : { next }) };
}

function keyOfFile(file: string): Uint8Array {
  if (!existsSync(file)) {
    throw new FilewrightError(
      'ROOT_KEY_MISSING',
      `The file ${file} should hold the root key, and is missing`,
    );
  }
  return keyOf(readFileSync(file, 'utf8').trim(), file);
}

function commandSource(
  command: string,
  options: { readonly environment: Readonly<Record<string, string | undefined>> },
): RootKeySource {
  const [program, ...args] = command.split(' ').filter((word) => word !== '');
  if (program === undefined) {
    throw new FilewrightError('ROOT_KEY_MISSING', 'Expected a program after "command:"');
  }
  const ask = async (request: object, field: 'wrapped' | 'key'): Promise<Uint8Array> => {
    const line = `${JSON.stringify({ v: 1, ...request })}\n`;
    const answer = await runCommand({ program, args, environment: options.environment, line });
    return bytesOf(answer, field, program);
  };
  return {
    kind: 'command',
    wrap: (key, context) => ask({ op: 'wrap', context, key: base64(key) }, 'wrapped'),
    unwrap: async (wrapped, context) => {
      const key = await ask({ op: 'unwrap', context, wrapped: base64(wrapped) }, 'key');
      if (key.length === KEY_BYTES) return key;
      throw failed(program, `it gave a key of ${key.length} bytes instead of ${KEY_BYTES}`);
    },
  };
}

function runCommand(call: {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly line: string;
}): Promise<string> {
  const options = {
    env: { ...call.environment, FILEWRIGHT_ROOT_KEY: undefined },
    timeout: COMMAND_MS_MAX,
    killSignal: 'SIGKILL',
    maxBuffer: ANSWER_BYTES_MAX,
    encoding: 'utf8',
    windowsHide: true,
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(call.program, call.args, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      // The error itself is dropped: Node puts the command's output into it.
      else reject(failed(call.program, describeExit(error)));
    });
    // A command that ends without reading has said so by its exit code.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(call.line);
  });
}

function bytesOf(answer: string, field: 'wrapped' | 'key', program: string): Uint8Array {
  let value: unknown;
  try {
    value = JSON.parse(answer);
  } catch {
    // Its text may be a secret, so the parser's message is not passed on.
    throw failed(program, 'its answer is not JSON');
  }
  const found =
    typeof value === 'object' && value !== null && field in value
      ? // Just checked to be an object with this field.
        (value as Readonly<Record<string, unknown>>)[field]
      : undefined;
  const bytes = typeof found === 'string' ? Buffer.from(found, 'base64') : undefined;
  if (bytes === undefined || bytes.length === 0) {
    throw failed(program, `its answer has no "${field}" in base64`);
  }
  return bytes;
}

function describeExit(error: { code?: unknown; killed?: boolean | undefined }): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'it printed too much';
  if (error.killed === true) return `it took longer than ${COMMAND_MS_MAX / 1000} seconds`;
  if (typeof error.code === 'number') return `it ended with exit code ${error.code}`;
  return typeof error.code === 'string' ? `it did not start (${error.code})` : 'it was killed';
}

function failed(program: string, how: string): FilewrightError {
  return new FilewrightError(
    'ROOT_KEY_MISSING',
    `The command ${program} of FILEWRIGHT_ROOT_KEY could not wrap or unwrap a key: ${how}. Run it manually with the request on its standard input.`,
    { details: { program } },
  );
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
