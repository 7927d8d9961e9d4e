/**
 * Where the installation is: named by --data-dir, by FILEWRIGHT_DATA, found here or in a folder above, or named in the
 * person's configuration. A command that works in the wrong folder must say so: an installation made on the way would
 * answer that nothing is due.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { FilewrightError, misuse, whyUnreadable } from '../core/index.ts';

const DATA_FOLDER = '.filewright';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Standing {
  /** What --data-dir says. */
  readonly flag: string | undefined;
  readonly environment: Environment;
  readonly here: string;
  readonly home: string;
}

/** Where a new one is made: in the folder that was named, or right here, whatever there is above. */
export function newPlaceOf(standing: Pick<Standing, 'flag' | 'environment'>): string {
  return namedIn(standing) ?? DATA_FOLDER;
}

/** The folder that was named, whether or not there is anything in it; otherwise the nearest one that there is. */
export function likelyPlaceOf(standing: Standing): string | undefined {
  return namedIn(standing) ?? nearest(standing.here) ?? configured(standing);
}

function namedIn({
  flag,
  environment,
}: Pick<Standing, 'flag' | 'environment'>): string | undefined {
  return flag ?? valueOf(environment, 'FILEWRIGHT_DATA');
}

/** The same, and refused where no installation is there. */
export function installationOf(standing: Standing): string {
  const place = likelyPlaceOf(standing);
  if (place === undefined) {
    const above = 'or in any folder above it';
    throw new FilewrightError(
      'NO_INSTALLATION',
      `No ${DATA_FOLDER} was found in ${standing.here} ${above}`,
    );
  }
  if (!isInstallation(place)) {
    throw new FilewrightError('NO_INSTALLATION', `${resolve(place)} holds no installation`);
  }
  return place;
}

/** Either is made first, whichever way it began; a cluster alone is a backup that was put back. */
function isInstallation(folder: string): boolean {
  return existsSync(join(folder, 'postgres')) || existsSync(join(folder, 'root.key'));
}

function nearest(here: string): string | undefined {
  for (let at = resolve(here); ; at = dirname(at)) {
    const folder = join(at, DATA_FOLDER);
    if (isInstallation(folder)) return folder;
    if (dirname(at) === at) return undefined;
  }
}

function configured({ environment, home }: Standing): string | undefined {
  const base = valueOf(environment, 'XDG_CONFIG_HOME') ?? join(home, '.config');
  const file = join(base, 'filewright', 'config.json');
  if (!existsSync(file)) return undefined;
  const { dataDirectory, ...others } = readConfiguration(file);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw misuse(`${file}: "${unknown}" is not known; expected {"dataDirectory": "/a/folder"}`);
  }
  if (dataDirectory === undefined) return undefined;
  if (typeof dataDirectory !== 'string' || !isAbsolute(dataDirectory)) {
    throw misuse(`${file}: dataDirectory: expected the whole path of a folder`);
  }
  return dataDirectory;
}

function readConfiguration(file: string): Readonly<Record<string, unknown>> {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : whyUnreadable(error);
    throw misuse(`${file} cannot be read: ${why}`);
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw misuse(`${file}: expected {"dataDirectory": "/a/folder"}`);
  }
  return { ...found };
}

function valueOf(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === '' ? undefined : value;
}
