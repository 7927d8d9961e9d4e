/** Keys of people: several for each, added and revoked by themselves; a lost one is replaced by two administrators. */
import { type Actor, allow } from '../../access/index.ts';
import { FilewrightError, misuse, newFact, type PersonId, userFact } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  addKey,
  findEnrollment,
  keyWithId,
  listKeys,
  listPeople,
  lockPeople,
  type PersonKey,
  personNamed,
  raiseTrustAlert,
  recordOfPerson,
  revokeKeys,
} from '../../people/index.ts';
import { actForNow } from '../../postgres/index.ts';
import { proposeAboutPerson, type Waiting } from './user-proposing.ts';
import { codeHash, keyFact, makeCode, makeKey } from './user-secrets.ts';
import { countAsOne, howToVouch, requirePrivilege } from './users.ts';

const KEY_DAYS_MAX = 3_650;
const KEY_NAME_CHARACTERS_MAX = 100;
/** Each is one more that can be lost. */
const KEYS_MAX = 20;

interface Issued {
  readonly state: 'issued';
  readonly id: string;
  readonly key: string;
}

/** Another key of one's own: for a second machine, or for the safe. */
export async function addOwnKey(
  app: Filewright,
  actor: Actor,
  wanted: { readonly name: string; readonly days?: number },
): Promise<Issued> {
  allow(actor, 'user.key.add');
  const { key, stored } = makeKey(app, readKey(wanted));
  await app.session.transaction(async (run) => {
    await lockPeople(run);
    const working = (await listKeys(run, app.tenant, actor.id)).filter(
      ({ revokedAt, expiresAt }) => revokedAt === undefined && expiresAt > app.clock.now(),
    );
    if (working.length >= KEYS_MAX) {
      throw misuse(`Expected at most ${KEYS_MAX} keys of one person; revoke one first`);
    }
    await addKey(run, app.tenant, { ...stored, person: actor.id, by: actor.id });
    const fact = userFact(app, 'key.added', actor, keyFact(stored));
    await recordOfPerson(run, app.tenant, actor.id, fact);
    const did = `added a key of their own, "${stored.name}"`;
    await raiseTrustAlert(run, app, actor, { kind: 'key_changed', subject: actor.id, did });
  });
  await app.sequencer.sequence();
  return { state: 'issued', id: stored.id, key };
}

interface ListedKey extends PersonKey {
  readonly personName: string;
}

/** One's own; those of everybody for an administrator. */
export async function listUserKeys(app: Filewright, actor: Actor): Promise<readonly ListedKey[]> {
  allow(actor, 'user.key.list');
  const own = actor.roles.includes('admin') ? undefined : actor.id;
  const names = new Map((await listPeople(app.session, app.tenant)).map((p) => [p.id, p.name]));
  const keys = await listKeys(app.session.run.bind(app.session), app.tenant, own);
  return keys.map((key) => ({ ...key, personName: names.get(key.person) ?? key.person }));
}

/** At once: one's own, or by an administrator anybody's. */
export async function revokeKey(app: Filewright, actor: Actor, id: string): Promise<void> {
  allow(actor, 'user.key.revoke', id);
  await app.session.transaction(async (run) => {
    const key = await keyWithId(run, app.tenant, id);
    if (key.person !== actor.id && !actor.roles.includes('admin')) {
      throw new FilewrightError(
        'NOT_PERMITTED',
        `The key ${id} is not yours; ask an administrator`,
      );
    }
    for (const one of await revokeKeys(run, app.tenant, [id], actor.id)) {
      const data = { key: id, name: one.name, key_sha256: one.sha256 };
      await recordOfPerson(run, app.tenant, key.person, userFact(app, 'key.revoked', actor, data));
    }
  });
  await app.sequencer.sequence();
}

/** A new key for somebody who lost theirs; all former keys end with it. Nobody becomes another person by that. */
export async function replaceKey(
  app: Filewright,
  actor: Actor,
  wanted: { readonly name: string; readonly reason?: string },
): Promise<Issued | Waiting> {
  allow(actor, 'user.key.replace', wanted.name);
  await requirePrivilege(app, wanted.name, actor, `Giving ${wanted.name} a key`);
  const done = await app.session.transaction(async (run): Promise<Issued | Waiting> => {
    await lockPeople(run);
    const person = await personNamed(run, app.tenant, wanted.name);
    const { id, name } = person;
    if (id === actor.id) throw misuse('Your own keys need no one else; use user key add');
    if (person.disabledAt !== undefined) throw misuse(`${name} is disabled; use user enable first`);
    const how = await howToVouch(app, run, actor, person.roles);
    if (how === 'two_parties') {
      const { code, sha256 } = makeCode(app);
      return proposeAboutPerson(app, run, actor, {
        kind: 'person',
        person,
        terms: { act: 'key', name, code_sha256: sha256 },
        reason: wanted.reason ?? `Replace the lost key of ${name}`,
        code,
      });
    }
    await countAsOne(app, run, actor, person.party);
    const old = (await listKeys(run, app.tenant, id)).map((key) => key.id);
    for (const key of await revokeKeys(run, app.tenant, old, actor.id)) {
      const data = { key: key.id, name: key.name, key_sha256: key.sha256 };
      await recordOfPerson(run, app.tenant, id, userFact(app, 'key.revoked', actor, data));
    }
    const { key, stored } = makeKey(app, { name: 'replaced' });
    await addKey(run, app.tenant, { ...stored, person: id, by: actor.id });
    await recordOfPerson(run, app.tenant, id, userFact(app, 'key.added', actor, keyFact(stored)));
    const did = `replaced the keys of ${name} alone, who counts as the same person from now on`;
    await raiseTrustAlert(run, app, actor, { kind: 'key_changed', subject: id, did });
    return { state: 'issued', id: stored.id, key };
  });
  await app.sequencer.sequence();
  return done;
}

/**
 * Makes the key of somebody for whom two parties vouched, from the code that each of them has. Done by that person, who has no
 * key yet.
 */
export async function enrollUser(
  app: Filewright,
  actor: Actor,
  input: { readonly name: string; readonly codes: readonly string[] },
): Promise<{ readonly id: PersonId; readonly key: string }> {
  allow(actor, 'user.enroll', input.name);
  const { key, stored } = makeKey(app);
  const id = await app.session.transaction(async (run) => {
    await lockPeople(run);
    const person = await personNamed(run, app.tenant, input.name);
    const hashes = input.codes.map(codeHash);
    const proposal = await findEnrollment(run, app.tenant, person.id, hashes);
    await addKey(run, app.tenant, { ...stored, person: person.id, by: undefined, proposal });
    // The two codes are the proof of who this is.
    await actForNow(run, person.id);
    const who = { kind: 'user', id: person.id } as const;
    const data = { ...keyFact(stored), proposal };
    await recordOfPerson(run, app.tenant, person.id, newFact(app.ids, 'key.added', who, data));
    const did = 'made the key that two people had agreed to';
    const self = { kind: 'person', ...person } as const;
    await raiseTrustAlert(run, app, self, { kind: 'key_changed', subject: person.id, did });
    return person.id;
  });
  await app.sequencer.sequence();
  return { id, key };
}

function readKey({ name, days }: { readonly name: string; readonly days?: number }) {
  const isPlain = name.trim() === name && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);
  if (!isPlain || name === '' || name.length > KEY_NAME_CHARACTERS_MAX) {
    throw misuse(`--name: expected 1 to ${KEY_NAME_CHARACTERS_MAX} visible characters`);
  }
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= KEY_DAYS_MAX)) {
    throw misuse(`--days: expected a whole number from 1 to ${KEY_DAYS_MAX}`);
  }
  return { name, ...(days !== undefined && { days }) };
}
