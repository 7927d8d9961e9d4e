/** What every command needs from its options and its environment; opened on demand, closed at the end. */
import { readFileSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { createFilewright } from '../app.ts';
import type { Filewright } from '../filewright.ts';
import { FilewrightError, type Log, misuse, whyUnreadable } from '../core/index.ts';
import { type Actor, localOperator, type OperatorActor } from '../access/index.ts';
import { actorOf, noteRefused } from '../people/index.ts';
import { databaseStatus, leaveDatabase } from '../oversight/index.ts';
import { installationOf, newPlaceOf, likelyPlaceOf, type Standing } from '../system/index.ts';
import type { Environment } from '../wire/index.ts';
import { checkTenant } from './arguments.ts';
import { atSignal, cleanUpAfterSignal } from './ending.ts';
import { createOutput, type Output, tell } from './output.ts';

export interface GlobalOptions {
  readonly dataDir?: string;
  readonly tenant?: string;
  readonly json?: boolean;
  readonly keyFile?: string;
  /** No key is looked at, not even one of the environment. */
  readonly asOperator?: true;
  /** Beside those of the environment, for a command that plays its own portals. */
  readonly variables?: Environment;
  /** Makes the installation and the tenant where they are missing; everything else refuses what is not there. */
  readonly makes?: true;
}

/**
 * For what runs by itself and decides nothing: a worker must not stay away because somebody's key was disabled, nor
 * `doctor` be silent about it.
 */
export function asOperator(options: GlobalOptions): GlobalOptions {
  return { ...options, asOperator: true };
}

/** For a command that makes the installation and the tenant where they are missing. */
export function making(options: GlobalOptions): GlobalOptions {
  return { ...options, makes: true };
}

/** For a command whose portals are its own, on this machine: the operator started them with it. */
export function withOwnPortals(options: GlobalOptions, more: Environment = {}): GlobalOptions {
  return { ...options, variables: { ...more, ...loopbackToo(environment) } };
}

/** As `wire` spells it, which is not loaded for this: most commands speak with nobody. */
const ALLOW_PRIVATE = 'FILEWRIGHT_ALLOW_PRIVATE';

/** Adds this machine to the private networks that the operator allows. */
export function loopbackToo(given: Environment): Environment {
  const named = given[ALLOW_PRIVATE]?.trim() ?? '';
  return { [ALLOW_PRIVATE]: `${named === '' ? '' : `${named},`}127.0.0.0/8,::1/128` };
}

/** What the driver understands; it would take anything else for the name of a host. */
const DATABASE_ADDRESS = /^(postgres(ql)?:\/\/|socket:|\/)/;

export const environment: Environment = process.env;

/** For what makes an installation. */
export function newDirectoryOf(options: GlobalOptions): string {
  return newPlaceOf(standingOf(options));
}

/** For everything else. Of a database elsewhere only files are kept here; whether it is ours, its tenant says. */
export function dataDirectoryOf(options: GlobalOptions): string {
  return hasOwnServer() ? likelyDirectoryOf(options) : installationOf(standingOf(options));
}

/** For what needs no installation: that of one, if there is one. */
export function likelyDirectoryOf(options: GlobalOptions): string {
  const standing = standingOf(options);
  return likelyPlaceOf(standing) ?? newPlaceOf(standing);
}

function standingOf(options: GlobalOptions): Standing {
  return { flag: options.dataDir, environment, here: process.cwd(), home: homedir() };
}

function hasOwnServer(): boolean {
  return (environment['DATABASE_URL'] ?? '') !== '';
}

function actorKey(options: GlobalOptions): string | undefined {
  if (options.keyFile === undefined) return environment['FILEWRIGHT_KEY'];
  try {
    const key = readFileSync(options.keyFile, 'utf8').trim();
    warnOfOpenKey(options.keyFile, options.json === true);
    return key;
  } catch (error) {
    throw new FilewrightError(
      'NO_CREDENTIAL',
      `The key file ${options.keyFile} cannot be read: ${whyUnreadable(error)}`,
      { cause: error },
    );
  }
}

/** Other users of this machine; Windows has other rights, and shows these bits on every file. */
const READABLE_BY_OTHERS = process.platform === 'win32' ? 0 : 0o004;

/** Told and not refused: some systems hand secrets out in files that are read-only for everybody inside. */
function warnOfOpenKey(file: string, json: boolean): void {
  if (json || (statSync(file).mode & READABLE_BY_OTHERS) === 0) return;
  tell(
    `warning: every user of this machine can read ${file} and act with it; run chmod 600 ${file}`,
  );
}

async function openApp(options: GlobalOptions, log?: Log): Promise<Filewright> {
  checkTenant(options.tenant);
  const databaseUrl = environment['DATABASE_URL'];
  if (databaseUrl !== undefined && databaseUrl !== '' && !DATABASE_ADDRESS.test(databaseUrl)) {
    // Not repeated in the message: whatever it is, it may hold a password.
    throw misuse('DATABASE_URL: expected an address like postgres://user@host:5432/database');
  }
  const dataDirectory = options.makes === true ? newDirectoryOf(options) : dataDirectoryOf(options);
  let isServerOurs = false;
  const opening = createFilewright({
    dataDirectory,
    onServerStarted: () => {
      isServerOurs = true;
    },
    environment: { ...environment, ...options.variables },
    say: sayOf(options),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
    mustExist: options.makes !== true,
    ...(log === undefined ? {} : { log }),
  });
  // Left running for the next command, unless a signal ends this one: whoever ends it wants nothing of it to stay.
  atSignal(async () => {
    await opening.catch(() => undefined); // Its failure is reported where it is awaited.
    if (isServerOurs) await leaveDatabase(dataDirectory, operator());
  });
  return opening;
}

/** Two must agree on a private address; the person who says the one here should know of the other. */
export function warnOfPrivate(isAsked: boolean, options: GlobalOptions): void {
  if (!isAsked || (environment[ALLOW_PRIVATE]?.trim() ?? '') !== '') return;
  sayOf(options)(
    `warning: a private address is reached only where ${ALLOW_PRIVATE} names its network, for example 10.20.0.0/16. It is not set here; set it where the worker runs.`,
  );
}

/** What is changed without being asked for is told, beside the answer and not in it. */
export function sayOf(options: GlobalOptions): (text: string) => void {
  return (text) => {
    if (options.json !== true) tell(text);
  };
}

/** Who acts where no installation is open to look a key up in. */
export function operator(): OperatorActor {
  return localOperator(operatingUser());
}

/** A container may run under a number that has no name. */
function operatingUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

export interface Context {
  readonly app: Filewright;
  readonly out: Output;
  readonly options: GlobalOptions;
  /** The person behind the key; without one, whoever sits at this machine. */
  readonly actor: Actor;
}

/** Opens, works, closes; the database server itself goes on running. */
export async function withApp<T>(
  options: GlobalOptions,
  work: (context: Context) => Promise<T>,
  log?: Log,
): Promise<T> {
  return inApp(await openApp(options, log), options, work);
}

async function inApp<T>(
  app: Filewright,
  options: GlobalOptions,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  let actor: Actor | undefined;
  try {
    const out = createOutput(options.json === true);
    const key = options.asOperator === true ? undefined : actorKey(options);
    actor = await actorOf(app, key, operatingUser());
    return await work({ app, out, options, actor });
  } catch (error) {
    await noteRefused(app, actor, error);
    throw error;
  } finally {
    await app.close();
    await cleanUpAfterSignal();
  }
}

/** For commands that need no installation: the app where there is one whose database runs, undefined otherwise. */
export async function withAppIfRunning<T>(
  options: GlobalOptions,
  work: (app: Filewright | undefined, actor: Actor) => Promise<T>,
): Promise<T> {
  const place = likelyPlaceOf(standingOf(options));
  const isRunning =
    hasOwnServer() ||
    (place !== undefined && (await databaseStatus(place, operator())).state === 'running');
  const app = isRunning ? await openIfThere(options) : undefined;
  if (app === undefined) return work(undefined, operator());
  return inApp(app, options, ({ actor }) => work(app, actor));
}

/** A tenant that nobody named need not be there: a demo has one of its own. */
async function openIfThere(options: GlobalOptions): Promise<Filewright | undefined> {
  try {
    return await openApp(options);
  } catch (error) {
    const isUnknown = error instanceof FilewrightError && error.code === 'UNKNOWN_TENANT';
    if (isUnknown && options.tenant === undefined) return undefined;
    throw error;
  }
}

export { stopSignal } from './ending.ts';
