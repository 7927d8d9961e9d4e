/** What is looked at in the ledger of an installation: the key's backup, roles, copies outside, quarantine, the sequencer. */
import { statSync } from 'node:fs';
import type { Actor } from '../../access/index.ts';
import { FilewrightError, instant, misuse, toRfc3339 } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import type { Environment } from '../../wire/index.ts';
import { compareCopies, countSetAside, ledgerWaiting, signedLogs } from '../../ledger/index.ts';
import { rolesState } from '../../postgres/index.ts';
import {
  checkpointsFolder,
  confirmRootKeyBackup,
  readRootKeyBackup,
  rootKeyFile,
  rootKeySource,
} from '../../system/index.ts';
import { inspectQuarantine } from './audit-quarantine.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'good' | 'warning' | 'bad';
  readonly found: string;
  readonly remedy: string;
}

/** A fact whose predecessor never came is held back; after this long nobody is still on the way (ledger format 1, § 7). */
const HELD_BACK_SECONDS_MAX = 60;
/** Media decay and people leave: a backup that nobody has looked at for a year counts as doubtful. */
const BACKUP_AGE_MS_MAX = 365 * 86_400_000;

/** `copy` is a file to be compared with the root key in use, and remembered when it is the same. */
export function rootKeyFindings(
  app: Filewright,
  environment: Environment,
  copy: string | undefined,
): Finding[] {
  const { dataDirectory } = app;
  const source = rootKeySource({ dataDirectory, environment, mayCreate: false });
  if (source.kind === 'command') {
    if (copy !== undefined) {
      throw misuse(
        '--root-key-backup: the root key is held by an external command; back it up there',
      );
    }
    return [good('root key', 'held by the command in FILEWRIGHT_ROOT_KEY')];
  }
  const { key } = source;
  const now = app.clock.now();
  if (copy !== undefined) confirmRootKeyBackup({ dataDirectory, key, copy, now });
  return [
    rootKeyMode(dataDirectory, environment),
    backupFinding(readRootKeyBackup(dataDirectory, key), now),
  ];
}

function rootKeyMode(dataDirectory: string, environment: Environment): Finding {
  if ((environment['FILEWRIGHT_ROOT_KEY'] ?? '') !== '') {
    return good('root key', 'from FILEWRIGHT_ROOT_KEY');
  }
  const file = rootKeyFile(dataDirectory);
  const mode = statSync(file).mode & 0o777;
  if (mode === 0o600) return good('root key', file);
  const found = `${file} has mode ${mode.toString(8)}`;
  return { check: 'root key', state: 'bad', found, remedy: `chmod 600 ${file}` };
}

function backupFinding(backup: ReturnType<typeof readRootKeyBackup>, now: number): Finding {
  const check = 'root key backup';
  const remedy =
    'Keep a copy of the root key on another machine, then run doctor --root-key-backup FILE on it: without the key, sealed data cannot be read.';
  if (backup.state === 'none') {
    return { check, state: 'warning', found: 'no backup is confirmed', remedy };
  }
  const day = moment(backup.confirmedAt).slice(0, 10);
  if (backup.state === 'outdated') {
    const found = `the backup confirmed ${day} is for another root key`;
    return { check, state: 'warning', found, remedy };
  }
  if (now - backup.confirmedAt > BACKUP_AGE_MS_MAX) {
    const found = `last confirmed ${day}, more than a year ago`;
    return { check, state: 'warning', found, remedy };
  }
  return good(check, `confirmed ${day}`);
}

const COPIES_REMEDY =
  'Make the folder writable, or set FILEWRIGHT_CHECKPOINTS; best where the database’s administrator cannot write.';

/** Why the copies cannot be read, if they cannot: then nothing can be signed or compared either. */
export async function unreachableCopies(app: Filewright): Promise<Finding | undefined> {
  try {
    await app.copies.newest(`${app.instance}/${app.tenant}/filing`);
    return undefined;
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    const found = error.message;
    return { check: 'checkpoints outside', state: 'bad', found, remedy: COPIES_REMEDY };
  }
}

/** After the ledger was sequenced: what still waits is held back. */
export async function ledgerFindings(
  app: Filewright,
  actor: Actor,
  environment: Environment,
): Promise<Finding[]> {
  return [
    await rolesFinding(app),
    await heldBackFinding(app),
    await setAsideFinding(app),
    await quarantineFinding(app, actor),
    ...(await copiesFindings(app, actor, environment)),
  ];
}

async function rolesFinding(app: Filewright): Promise<Finding> {
  const { isReady, prefix, reason } = await rolesState(app.session);
  if (isReady) return good('database roles', `${prefix}_*, one for each part of the system`);
  return {
    check: 'database roles',
    state: 'warning',
    found: reason,
    remedy: 'The triggers still guard the ledger; give the login CREATEROLE once for the roles.',
  };
}

async function heldBackFinding(app: Filewright): Promise<Finding> {
  const { rows, oldestSeconds } = await ledgerWaiting(app.session, app.tenant);
  const check = 'ledger order';
  if (rows === 0 || oldestSeconds <= HELD_BACK_SECONDS_MAX) {
    return good(check, 'no fact is waiting');
  }
  return {
    check,
    state: 'bad',
    found: `${rows} facts are waiting, the oldest for ${Math.round(oldestSeconds)} s: an earlier fact about the same subject is missing`,
    remedy: 'Keep the database as it is and report this; the facts are safe but not in the log.',
  };
}

async function setAsideFinding(app: Filewright): Promise<Finding> {
  const { count, last } = await countSetAside(app.session, app.tenant);
  const check = 'ledger facts';
  if (count === 0 || last === undefined) return good(check, 'every fact is in its log');
  return {
    check,
    state: 'warning',
    found: `${count} could not be written and were set aside, the last ${moment(last)}; the log holds their hashes`,
    remedy: 'See audit set-aside, and report it; nothing is lost and the log continues.',
  };
}

async function quarantineFinding(app: Filewright, actor: Actor): Promise<Finding> {
  const state = await inspectQuarantine(app, actor);
  if (state.state === 'never') return good('quarantine', 'never');
  if (state.state === 'out') return good('quarantine', `left ${moment(state.leftAt)}`);
  const logs = state.contradictions.map(
    ({ origin, reason, keptSize, size }) =>
      `${origin} ${reason} (${keptSize} signed, ${size} here)`,
  );
  return {
    check: 'quarantine',
    state: 'bad',
    found: `in quarantine since ${moment(state.enteredAt)} (${state.cause}): ${logs.join('; ')}`,
    remedy: 'See audit quarantine status; nothing is sent or signed until two people release it.',
  };
}

/** Reachable, and not behind: a head that was signed and never copied protects nobody. */
async function copiesFindings(
  app: Filewright,
  actor: Actor,
  environment: Environment,
): Promise<Finding[]> {
  const check = 'checkpoints outside';
  const behind: string[] = [];
  const logs = await signedLogs(app, actor);
  for (const log of logs) {
    const compared = await compareCopies(app.session, log, app.copies);
    // What contradicts is told by the quarantine.
    if (compared.kind === 'agrees' && compared.copiedSize < log.checkpoint.size) {
      behind.push(`${log.origin} (${compared.copiedSize} of ${log.checkpoint.size})`);
    }
  }
  if (behind.length > 0) {
    const found = `not copied yet: ${behind.join(', ')}`;
    return [{ check, state: 'warning', found, remedy: `Run audit checkpoint. ${COPIES_REMEDY}` }];
  }
  const unsigned = logs.reduce((sum, log) => sum + log.unsigned, 0);
  const text = logs.length === 0 ? 'nothing signed yet' : `${logs.length} logs`;
  return [
    good(
      check,
      `${text} in ${checkpointsFolder(app.dataDirectory, environment)}; ${unsigned} entries not signed yet`,
    ),
  ];
}

function good(check: string, found: string): Finding {
  return { check, state: 'good', found, remedy: '' };
}

function moment(epochMs: number | undefined): string {
  return epochMs === undefined ? '' : toRfc3339(instant(epochMs));
}
