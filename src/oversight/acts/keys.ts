/**
 * Keys and their turning. The root key and a tenant's key are turned by two people: one proposes, another approves exactly
 * that key by the hash of the proposal, and the approval runs it. A signing key signs what anybody can check, so one person
 * turns it. Whatever is interrupted is finished by the same command.
 */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  type LedgerBoundary,
  LEDGER_BOUNDARIES,
  newFact,
  ruledOut,
  userFact,
} from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  type KeyRow,
  keyRows,
  localRootKey,
  logOrigin,
  retireSigningKey,
  rotateRootKey,
  rotateSigningKey,
  rotateTenantKey,
  rootKeyOpens,
  sequenceAll,
} from '../../ledger/index.ts';
import { decideProposal, propose, proposals } from '../../people/index.ts';
import {
  beginRootKeyRotation,
  finishRootKeyRotation,
  rootKeyFingerprint,
  rootKeyInUse,
  rootKeySource,
} from '../../system/index.ts';
import type { Run } from '../../postgres/index.ts';
import type { Environment } from '../../wire/index.ts';

export type TwoPersonLevel = 'root' | 'tenant';

/** Decides the proposal in the transaction of what it allows. */
type Approve = (run: Run) => Promise<void>;

interface KeyProposal {
  readonly level: TwoPersonLevel;
  /** The key that is replaced: a fingerprint of the root key, the id of a tenant key. */
  readonly key: string;
  readonly hash: string;
}

/** Every key with its age; never a key. */
export async function listKeys(
  app: Filewright,
  actor: Actor,
  environment: Environment,
): Promise<readonly KeyRow[]> {
  allow(actor, 'key.list');
  const { dataDirectory } = app;
  const source = rootKeySource({ dataDirectory, environment, mayCreate: false });
  const root: KeyRow = {
    level: 'root',
    id: source.kind === 'local' ? rootKeyFingerprint(source.key).slice(0, 16) : 'command',
    since: source.kind === 'local' ? rootKeyInUse(dataDirectory, environment) : undefined,
    state: source.kind === 'local' && source.next !== undefined ? 'rotation unfinished' : 'in use',
    holds: 'the tenant keys',
  };
  return [root, ...(await keyRows(app.session, app.tenant))];
}

/** What a second person must approve before the key is replaced. */
export async function proposeKeyRotation(
  app: Filewright,
  actor: Actor,
  request: {
    readonly level: TwoPersonLevel;
    readonly reason: string;
    readonly environment: Environment;
  },
): Promise<KeyProposal | { readonly level: TwoPersonLevel; readonly finished: true }> {
  allow(actor, 'key.rotate');
  const { level, environment } = request;
  if (level === 'root' && (await finishInterrupted(app, environment))) {
    return { level, finished: true };
  }
  const key = await subjectOf(app, level, environment);
  const { sha256 } = await app.session.transaction((run) =>
    propose(run, app.tenant, {
      kind: 'key',
      subject: `${level}/${key}`,
      terms: { level, key },
      reason: request.reason,
      by: actor.id,
    }),
  );
  return { level, key, hash: sha256 };
}

/** The decision and the new wrapping are one transaction: an approval that did not run is still open. */
export async function approveKeyRotation(
  app: Filewright,
  actor: Actor,
  request: {
    readonly level: TwoPersonLevel;
    readonly hash: string;
    readonly environment: Environment;
  },
): Promise<{ readonly level: TwoPersonLevel; readonly wrapped: number }> {
  allow(actor, 'key.rotate');
  const { level, environment } = request;
  const key = await subjectOf(app, level, environment);
  const about = {
    kinds: ['key'],
    subject: `${level}/${key}`,
    what: `The rotation of the ${level} key`,
  } as const;
  const decision = { approves: true, by: actor.id, sha256: request.hash } as const;
  const approve: Approve = async (run) => {
    await decideProposal(run, app.tenant, about, decision);
  };
  // Asked before a key is made; the transaction asks again.
  const open = await proposals(
    (...given) => app.session.run(...given),
    app.tenant,
    ['key'],
    about.subject,
  );
  if (!open.some(({ state }) => state === 'open')) {
    throw ruledOut(`${about.what} has not been proposed; run key rotate ${level} first`);
  }
  const wrapped =
    level === 'root'
      ? await turnRootKey(app, actor, environment, approve)
      : await turnTenantKey(app, actor, environment, approve);
  await sequenceAll(app);
  return { level, wrapped };
}

/**
 * The new key is durable before anything is wrapped under it, and takes the place of the old one after everything is. A
 * crash in between leaves both files, and every start tries both.
 */
async function turnRootKey(
  app: Filewright,
  actor: PersonActor,
  environment: Environment,
  approve: Approve,
): Promise<number> {
  const { dataDirectory, random } = app;
  const from = localKey(app, environment);
  const next = beginRootKeyRotation(dataDirectory);
  const wrapped = await rotateRootKey(
    app.session,
    {
      from: localRootKey(from.key, random, next),
      to: localRootKey(next, random),
      tenant: app.tenant,
    },
    (tenant) =>
      tenant === app.tenant
        ? userFact(app, 'key.rotated', actor, {})
        : // The person is one of another tenant, and unknown in this one.
          newFact(app.ids, 'key.rotated', { kind: 'system', id: 'root-key-rotation' }, {}),
    approve,
  );
  finishRootKeyRotation(dataDirectory);
  return wrapped;
}

async function turnTenantKey(
  app: Filewright,
  actor: PersonActor,
  environment: Environment,
  approve: Approve,
): Promise<number> {
  const { dataDirectory, random } = app;
  const source = rootKeySource({ dataDirectory, environment, mayCreate: false });
  const root = source.kind === 'local' ? localRootKey(source.key, random, source.next) : source;
  const fact = userFact(app, 'key.rotated', actor, {});
  const done = await rotateTenantKey(app.session, app.tenant, root, { random, fact, approve });
  return done.dataKeys + done.signingKeys;
}

/** A rotation whose new key wraps everything already only lacks its last step. */
async function finishInterrupted(app: Filewright, environment: Environment): Promise<boolean> {
  const { dataDirectory, random } = app;
  const source = rootKeySource({ dataDirectory, environment, mayCreate: false });
  if (source.kind !== 'local' || source.next === undefined) return false;
  if (!(await rootKeyOpens(app.session, localRootKey(source.next, random)))) return false;
  finishRootKeyRotation(dataDirectory);
  return true;
}

async function subjectOf(
  app: Filewright,
  level: TwoPersonLevel,
  environment: Environment,
): Promise<string> {
  if (level === 'root') return rootKeyFingerprint(localKey(app, environment).key).slice(0, 16);
  const rows = await keyRows(app.session, app.tenant);
  return rows.find((row) => row.level === 'tenant')?.id ?? '';
}

function localKey(app: Filewright, environment: Environment): { readonly key: Uint8Array } {
  const { dataDirectory } = app;
  if ((environment['FILEWRIGHT_ROOT_KEY'] ?? '') !== '') {
    throw ruledOut(
      'The root key is given by FILEWRIGHT_ROOT_KEY, so it is replaced where it is kept, and not by this command; see docs/guide/keys.md',
    );
  }
  const source = rootKeySource({ dataDirectory, environment, mayCreate: false });
  if (source.kind === 'local') return source;
  throw ruledOut('The root key is held by a command');
}

interface TurnedSigningKey {
  readonly log: string;
  readonly state: 'rotated' | 'finished';
  readonly vkey: string;
}

/** For each log: a new key, one checkpoint that both keys sign, then the end of the old one. Begins where it was left. */
export async function rotateSigningKeys(
  app: Filewright,
  actor: Actor,
  only?: LedgerBoundary,
): Promise<readonly TurnedSigningKey[]> {
  allow(actor, 'key.rotate');
  const { tenant, instance, random, session } = app;
  const means = { tenantKey: app.tenantKey, random };
  // A log without a checkpoint has no key, and nothing to turn.
  await app.sequencer.checkpoint();
  const live = (await keyRows(session, tenant)).filter(
    ({ level, state }) => level === 'signing' && state === 'in use',
  );
  const turned: TurnedSigningKey[] = [];
  // The spine last: the heads that the others sign together go into it.
  const order = [...LEDGER_BOUNDARIES.filter((name) => name !== 'spine'), 'spine' as const];
  for (const boundary of order.filter((name) => only === undefined || name === only)) {
    const keys = live.filter(({ log }) => log === boundary);
    if (keys.length === 0) continue;
    const name = { tenant, boundary, origin: logOrigin(instance, tenant, boundary) };
    if (keys.length === 1) {
      await rotateSigningKey(
        session,
        { ...name, instance },
        means,
        userFact(app, 'key.rotated', actor, {}),
      );
    }
    // The entry about the new key is the first that both sign for.
    await app.sequencer.checkpoint();
    await retireSigningKey(session, name, means, userFact(app, 'key.retired', actor, {}));
    const state = keys.length === 1 ? 'rotated' : 'finished';
    turned.push({ log: boundary, state, vkey: await newestKey(app, boundary) });
  }
  await app.sequencer.checkpoint();
  return turned;
}

async function newestKey(app: Filewright, boundary: LedgerBoundary): Promise<string> {
  const rows = await keyRows(app.session, app.tenant);
  return rows.find(({ log, state }) => log === boundary && state === 'in use')?.vkey ?? '';
}
