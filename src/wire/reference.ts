/** References to secrets: where they may lead. What they lead to is in no message and in no log. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { FilewrightError } from '../core/index.ts';
import type { Environment } from './environment.ts';
import { outsideOwnFiles, readSecretList } from './secret-list.ts';
import { ANY_HOST, judgeSecret } from './secret-rules.ts';

// A header this long is refused by most servers, so it is surely not the secret that was meant.
export const SECRET_BYTES_MAX = 8 * 1024;

const ENVIRONMENT = /^env:[A-Za-z_][A-Za-z0-9_]*$/;
// oxlint-disable-next-line no-control-regex -- a path with a line break is a mistake or an attack.
const FILE = /^file:(?:\/|[A-Za-z]:[\\/])[^\u0000-\u001f]+$/;

/** `env:NAME` or `file:/absolute/path`. */
export function isReference(text: string): boolean {
  return ENVIRONMENT.test(text) || FILE.test(text);
}

/** These, and in a profile also `command:program arguments`. */
export function isCredentialReference(text: string): boolean {
  return isReference(text) || commandArguments(text) !== undefined;
}

/**
 * The argument list of a `command:` reference: words split at spaces, or a JSON array of texts when an argument has
 * a space in it. There is no shell, so there is no quoting to get wrong.
 */
export function commandArguments(reference: string): readonly string[] | undefined {
  if (!reference.startsWith('command:')) return undefined;
  const rest = reference.slice('command:'.length).trim();
  const words = rest.startsWith('[') ? parseTexts(rest) : rest.split(/\s+/);
  return words?.[0] === undefined || words[0] === '' ? undefined : words;
}

function parseTexts(json: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    if (!Array.isArray(value)) return undefined;
    return value.every((item): item is string => typeof item === 'string') ? value : undefined;
  } catch {
    // Not JSON: the caller reports the field.
    return undefined;
  }
}

/** Where a value will be sent: a host, or none; or said by the value itself, as an address of a mail server does. */
type Destination = string | undefined | ((value: string) => string | undefined);

/** One line, of a reference that the operator allows for this destination. */
export async function readReference(
  reference: string,
  environment: Environment,
  to?: Destination,
): Promise<string> {
  // What is no reference may be the secret itself.
  const shown = isReference(reference) ? reference : '(not shown)';
  const fail = (why: string): FilewrightError =>
    new FilewrightError(
      'CREDENTIAL_UNREADABLE',
      `Expected the reference ${shown} (env: or file:) to lead to one line, found ${why}`,
      { details: { reference: shown } },
    );
  if (!isReference(reference)) throw fail('nothing usable');
  const list = await readSecretList(environment);
  const judge = (host: string | undefined | typeof ANY_HOST): void => {
    const verdict = judgeSecret(reference, list, host);
    if (verdict.kind === 'refused') throw fail(`that ${verdict.why}`);
  };
  // Before it is opened: whether a file is there is no one's business either.
  judge(typeof to === 'function' ? ANY_HOST : to);
  const read = await valueOf(reference, environment);
  if ('fault' in read) throw fail(`that ${read.fault}`);
  const line = read.text.replace(/\r?\n$/, '');
  if (line === '' || line.includes('\n')) throw fail('nothing usable');
  if (typeof to === 'function') judge(to(line));
  return line;
}

async function valueOf(reference: string, environment: Environment): Promise<SecretText> {
  if (reference.startsWith('file:')) return readSecretFile(reference, environment);
  const text = environment[reference.slice('env:'.length)];
  return text === undefined ? { fault: 'the variable is not set' } : { text };
}

type SecretText = { readonly text: string } | { readonly fault: string };

export async function readSecretFile(
  reference: string,
  environment: Environment,
): Promise<SecretText> {
  const place = await outsideOwnFiles(reference.slice('file:'.length), environment);
  if ('fault' in place) return place;
  // Without O_NONBLOCK (absent on Windows) opening a named pipe would wait for a writer for ever. What was judged is opened:
  // a link put in its place meanwhile is not followed.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  let file: FileHandle;
  try {
    file = await open(place.path, flags);
  } catch (error) {
    const { code = 'unknown' } = Object(error) as { code?: string };
    return { fault: `the file cannot be opened (${code})` };
  }
  try {
    const { size } = await file.stat();
    if (size > SECRET_BYTES_MAX) return { fault: 'the file is too large' };
    const buffer = Buffer.alloc(SECRET_BYTES_MAX);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    return { text: buffer.toString('utf8', 0, bytesRead) };
  } catch {
    // Its message may quote what was read.
    return { fault: 'the file cannot be read' };
  } finally {
    await file.close();
  }
}
