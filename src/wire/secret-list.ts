/**
 * The operator's list of secrets: a file outside the database and outside the data directory, which only the operator can
 * change. `FILEWRIGHT_SECRETS` names it; otherwise /etc/filewright/secrets.json, or secrets.json beside the data directory.
 *
 *   {"format": 1, "secrets": [{"reference": "file:/run/secrets/us-ny", "hosts": ["portal.example.gov"]},
 *                             {"reference": "command:pass show us-de", "environment": ["PASSWORD_STORE_DIR"]}]}
 *
 * Read anew whenever a value is, so that a change counts within a minute and without a restart.
 */
import { constants, type Stats } from 'node:fs';
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { FilewrightError } from '../core/index.ts';
import type { Environment } from './environment.ts';
import type { AllowedSecret, SecretList } from './secret-rules.ts';

const SYSTEM_LIST = '/etc/filewright/secrets.json';
const LIST_NAME = 'secrets.json';
const LIST_BYTES_MAX = 1024 * 1024;
const WRITABLE_BY_OTHERS = 0o022;
/** In a folder that everyone may write, everyone can put another file in its place, unless it is sticky. */
const FOLDER_WRITABLE = 0o002;
const STICKY = 0o1000;
/** Where root keeps clusters that a private data directory cannot hold (postgres/embedded/place.ts). */
const CLUSTERS = '/var/lib/filewright';
/** Never files of secrets: what the kernel shows of processes is their environment and their memory. */
const KERNEL = ['/proc', '/sys'];

function dataDirectoryIn(environment: Environment): string {
  return resolve(environment['FILEWRIGHT_DATA'] ?? '.filewright');
}

/** Undefined where the operator has made none. One that cannot be trusted is refused, and nothing with it is read. */
export async function readSecretList(environment: Environment): Promise<SecretList | undefined> {
  const named = environment['FILEWRIGHT_SECRETS'] ?? '';
  if (named !== '') {
    if (!isAbsolute(named)) throw badList(named, 'is not an absolute path');
    const list = await readListAt(named, environment);
    if (list === undefined) throw badList(named, 'is missing');
    return list;
  }
  const beside = join(dirname(dataDirectoryIn(environment)), LIST_NAME);
  return (await readListAt(SYSTEM_LIST, environment)) ?? (await readListAt(beside, environment));
}

async function readListAt(path: string, environment: Environment): Promise<SecretList | undefined> {
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw badList(path, 'cannot be reached');
  }
  if (await isInDataDirectory(real, environment)) {
    throw badList(path, 'lies inside the data directory');
  }
  const file = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => {
    throw badList(path, 'cannot be opened');
  });
  try {
    const found = await file.stat();
    if (!found.isFile()) throw badList(path, 'is not a file');
    checkOwner(path, found);
    checkFolder(path, await stat(dirname(real)));
    if (found.size > LIST_BYTES_MAX) throw badList(path, 'is too large');
    return { path, secrets: parseList(path, await file.readFile('utf8')) };
  } finally {
    await file.close();
  }
}

function checkOwner(path: string, { uid, mode }: Stats): void {
  const self = process.geteuid?.();
  if (self === undefined) return; // Windows has other rights, and shows these bits on every file.
  if (uid !== 0 && uid !== self) throw badList(path, `belongs to uid ${uid}`);
  if ((mode & WRITABLE_BY_OTHERS) !== 0) {
    throw badList(path, 'can be changed by others (run chmod go-w on it)');
  }
}

function checkFolder(path: string, { uid, mode }: Stats): void {
  const self = process.geteuid?.();
  if (self === undefined) return;
  const isOpen = (mode & FOLDER_WRITABLE) !== 0 && (mode & STICKY) === 0;
  if (isOpen || (uid !== 0 && uid !== self)) {
    throw badList(path, 'lies in a folder in which others can replace it');
  }
}

function parseList(path: string, text: string): readonly AllowedSecret[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    // Its message would quote the file.
    throw badList(path, 'is not JSON');
  }
  const { format, secrets, ...more } = Object(document) as Readonly<Record<string, unknown>>;
  if (format !== 1 || !Array.isArray(secrets) || Object.keys(more).length > 0) {
    throw badList(path, 'is not of the form {"format": 1, "secrets": [...]}');
  }
  return secrets.map((entry, index) => parseEntry(path, entry, index));
}

function parseEntry(path: string, entry: unknown, index: number): AllowedSecret {
  const { reference, hosts, environment, ...more } = Object(entry) as Readonly<
    Record<string, unknown>
  >;
  const isGood =
    typeof reference === 'string' &&
    (hosts === undefined || isTexts(hosts)) &&
    (environment === undefined || isTexts(environment)) &&
    Object.keys(more).length === 0;
  if (!isGood) {
    throw badList(
      path,
      `has a wrong entry ${index + 1}: expected {"reference": "...", "hosts": ["..."], "environment": ["..."]}`,
    );
  }
  return {
    reference,
    hosts: hosts === undefined ? undefined : textsOf(hosts),
    variables: environment === undefined ? [] : textsOf(environment),
  };
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The real path of a file that may be read as a secret; throws where it leads into Filewright's own. */
export async function outsideOwnFiles(
  path: string,
  environment: Environment,
): Promise<{ readonly path: string } | { readonly fault: string }> {
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    return { fault: `the file cannot be opened (${codeOf(error)})` };
  }
  if (await isInDataDirectory(real, environment)) {
    return { fault: 'it leads into the data directory, which no reference may' };
  }
  if (KERNEL.some((folder) => isWithin(real, folder))) {
    return { fault: 'it leads to a file of the system, which no reference may' };
  }
  if (await isRootKey(real, environment)) {
    return { fault: 'it leads to the root key, which no reference may' };
  }
  return { path: real };
}

async function isInDataDirectory(real: string, environment: Environment): Promise<boolean> {
  const data = dataDirectoryIn(environment);
  const folders = [data, await realpath(data).catch(() => data), CLUSTERS, await homeOf(data)];
  return folders.some((folder) => folder !== undefined && isWithin(real, folder));
}

/** Where the cluster lies when it is not in the data directory itself. */
async function homeOf(dataDirectory: string): Promise<string | undefined> {
  try {
    const pointer: unknown = JSON.parse(await readFile(join(dataDirectory, 'postgres.at'), 'utf8'));
    const { home } = Object(pointer) as { readonly home?: unknown };
    return typeof home === 'string' ? home : undefined;
  } catch {
    // None, or not readable for this user, who then cannot read the cluster either.
    return undefined;
  }
}

/** By what it is and not by its name: a hard link has another one. */
async function isRootKey(real: string, environment: Environment): Promise<boolean> {
  const given = environment['FILEWRIGHT_ROOT_KEY'] ?? '';
  const data = dataDirectoryIn(environment);
  const places = [join(data, 'root.key'), join(data, 'root.key.next')];
  if (given.startsWith('file:')) places.push(given.slice('file:'.length));
  const found = await stat(real).catch(() => undefined);
  for (const place of places) {
    const key = await stat(place).catch(() => undefined);
    if (key !== undefined && key.dev === found?.dev && key.ino === found.ino) return true;
  }
  return false;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error));
}

function codeOf(error: unknown): string {
  const { code = 'unknown' } = Object(error) as { code?: string };
  return code;
}

function badList(path: string, why: string): FilewrightError {
  return new FilewrightError(
    'CREDENTIAL_UNREADABLE',
    `Expected the operator’s list of secrets ${path} to be a file that only its owner (root, or the user who runs Filewright) can change, outside the data directory, and it ${why}`,
    { details: { path } },
  );
}
