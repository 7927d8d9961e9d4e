/** References to secrets: where they may lead. What they lead to is in no message and in no log. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { FilewrightError } from '../core/index.ts';

/** Environment variables as a value: no room reads `process.env` by itself. */
export type Environment = Readonly<Record<string, string | undefined>>;

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

export async function readReference(reference: string, environment: Environment): Promise<string> {
  const line = (await valueOf(reference, environment))?.replace(/\r?\n$/, '') ?? '';
  if (line !== '' && !line.includes('\n')) return line;
  // What is no reference may be the secret itself.
  const shown = isReference(reference) ? reference : '(not shown)';
  throw new FilewrightError(
    'CREDENTIAL_UNREADABLE',
    `Expected the reference ${shown} (env: or file:) to lead to one line, found nothing usable`,
    { details: { reference: shown } },
  );
}

async function valueOf(reference: string, environment: Environment): Promise<string | undefined> {
  if (ENVIRONMENT.test(reference)) return environment[reference.slice('env:'.length)];
  if (!FILE.test(reference)) return undefined;
  const read = await readSecretFile(reference);
  return 'text' in read ? read.text : undefined;
}

export async function readSecretFile(
  reference: string,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  // Without O_NONBLOCK (absent on Windows) opening a named pipe would wait for a writer for ever.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
  let file: FileHandle;
  try {
    file = await open(reference.slice('file:'.length), flags);
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
