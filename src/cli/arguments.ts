/** Arguments as people type them: read once, refused in words, so that the database never meets a wrong one. */
import { basename } from 'node:path';
import { readFileSync } from 'node:fs';
import {
  FilewrightError,
  isUuid,
  type JsonValue,
  misuse,
  notFound,
  parseStrictJson,
  whyUnreadable,
} from '../core/index.ts';

const LIMIT_MAX = 10_000;
/** As in the database, which would refuse it in its own words. */
const TENANT = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw misuse(`--limit: expected a number from 1 to ${LIMIT_MAX}, found "${text}"`);
}

/** Undefined stays undefined: the option was not given. */
export function checkUuid(option: string, text: string | undefined): void {
  if (text === undefined || isUuid(text)) return;
  throw misuse(`${option}: expected an id (a UUID), found "${text}"`);
}

export function checkTenant(name: string | undefined): void {
  if (name === undefined || TENANT.test(name)) return;
  throw misuse(
    `--tenant: expected lower-case letters, digits and dashes (at most 40), found "${name}"`,
  );
}

/** `what` is how the message calls it: "profile", "mapping file". */
export function readNamedFile(what: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw notFound(`The ${what} ${path} cannot be read: ${whyUnreadable(error)}`, { cause: error });
  }
}

/** A secret in a file, or on standard input with `-`: never an argument, which every user of the machine can read. */
export function readSecretFile(path: string): string {
  const bytes = path === '-' ? readFileSync(0) : readNamedFile('secret file', path);
  return bytes.toString('utf8').trim();
}

/** Strict JSON from a file that somebody wrote by hand; a fault is told with the file's name. */
export function parseJsonFile(path: string, bytes: Uint8Array): JsonValue {
  return inFile(path, () => parseStrictJson(bytes));
}

/** Puts the file's name before the message of whatever cannot read its content. */
export function inFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    const { code, details } = error;
    throw new FilewrightError(code, `${path}: ${error.message}`, { cause: error, details });
  }
}

/** Beside the file that was given; for a device, as /dev/stdin, in the present folder. In /dev/shm are files. */
export function errorFileFor(path: string): string {
  const isDevice = /^\/(dev(?!\/shm\/)|proc)\//.test(path);
  const beside = isDevice ? basename(path) : path;
  // What is refused of a workbook goes back as a table that every spreadsheet opens.
  const table = beside.replace(/\.(?:xlsx|xlsm)$/i, '.csv');
  return table.replace(/(\.[^./\\]+)?$/, '.errors$1');
}
