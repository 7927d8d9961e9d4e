/** What `doctor` says of the edges of the machine: under whom everything runs, how the database is reached, what may be reached and read. */
import { userInfo } from 'node:os';
import { docketMail } from '../../dockets/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  describeConnection,
  embeddedStatus,
  isLocalHost,
  userNameOf,
} from '../../postgres/index.ts';
import { ALLOW_PRIVATE, type Environment, readSecretList } from '../../wire/index.ts';
import type { Finding } from './installation-ledger.ts';

/** As whom services run that have no user of their own. */
const SHARED_USERS = ['nobody', 'daemon'];

export async function edgeFindings(app: Filewright, given: Environment): Promise<Finding[]> {
  const environment = { ...given, FILEWRIGHT_DATA: app.dataDirectory };
  return [
    serviceUser(),
    await databaseUser(app, environment),
    await databaseConnection(app),
    privateNetworks(environment),
    await secretList(environment),
    await mailServer(app),
  ];
}

function serviceUser(): Finding {
  const uid = process.geteuid?.();
  const name = nameOfSelf();
  return {
    check: 'service user',
    state: uid === 0 ? 'warning' : 'good',
    found: uid === undefined ? name : `${name} (uid ${uid})`,
    remedy:
      'Run Filewright as a user of its own: commands that secrets are read with then run as that user too, and not as root.',
  };
}

/** A container may run under a number that has no name. */
function nameOfSelf(): string {
  try {
    return userInfo().username;
  } catch {
    return 'a user without a name';
  }
}

async function databaseUser(app: Filewright, environment: Environment): Promise<Finding> {
  const check = 'database user';
  const { login } = await describeConnection(app.session);
  if ((environment['DATABASE_URL'] ?? '') !== '') {
    return { check, state: 'good', found: `login ${login}, on a server of your own`, remedy: '' };
  }
  const status = await embeddedStatus(app.dataDirectory);
  if (status.state === 'absent') {
    return { check, state: 'warning', found: 'no embedded database', remedy: 'Run db start.' };
  }
  const name = (await userNameOf(status.uid)) ?? 'a user without a name';
  return {
    check,
    state: SHARED_USERS.includes(name) ? 'bad' : 'good',
    found: `embedded PostgreSQL as ${name} (uid ${status.uid})`,
    remedy:
      'Other services run as that user too, and could read and change the database. Run db stop; the next command gives it a user of its own.',
  };
}

async function databaseConnection(app: Filewright): Promise<Finding> {
  const check = 'database connection';
  const { tls, server } = await describeConnection(app.session);
  if (server === undefined) return { check, state: 'good', found: 'unix socket', remedy: '' };
  if (tls !== undefined) return { check, state: 'good', found: `${tls} to ${server}`, remedy: '' };
  return {
    check,
    state: isLocalHost(server) ? 'good' : 'warning',
    found: `without TLS to ${server}`,
    remedy:
      'Turn TLS on in the server, and remove sslmode=disable from DATABASE_URL and FILEWRIGHT_DATABASE_PLAINTEXT, unless the way is protected by other means.',
  };
}

/** A letter that nobody can send notifies nobody. */
async function mailServer(app: Filewright): Promise<Finding> {
  const check = 'mail server';
  const { targets, isSet } = await docketMail(app);
  const needs = targets === 0 ? 'no docket needs one' : `${targets} docket targets need one`;
  return {
    check,
    state: isSet || targets === 0 ? 'good' : 'bad',
    found: isSet ? 'set' : `none is set; ${needs}`,
    remedy:
      'Without one no one is notified by mail, of dockets, alerts or the digest. Use mail set, have it approved, and start route run again.',
  };
}

function privateNetworks(environment: Environment): Finding {
  const named = environment[ALLOW_PRIVATE]?.trim() ?? '';
  return {
    check: 'private networks',
    state: 'good',
    found: named === '' ? 'none may be reached' : `${named} (${ALLOW_PRIVATE})`,
    remedy: '',
  };
}

async function secretList(environment: Environment): Promise<Finding> {
  const check = 'list of secrets';
  try {
    const list = await readSecretList(environment);
    const found =
      list === undefined
        ? 'none; references to variables alone are used'
        : `${list.path}: ${list.secrets.length} references, ${list.secrets.filter(({ hosts }) => hosts === undefined).length} for any host`;
    return { check, state: 'good', found, remedy: '' };
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return { check, state: 'bad', found: error.message, remedy: 'Correct the file as it says.' };
  }
}
