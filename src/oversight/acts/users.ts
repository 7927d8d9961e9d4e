/** Giving people keys, and taking them. */
import { type Actor, allow } from '../../access/index.ts';
import { misuse, newFact, type PersonId, personId, userFact } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  addPerson,
  disablePerson,
  keyHash,
  listPeople,
  type Person,
  requirePerson,
} from '../../people/index.ts';

const KEY_PREFIX = 'fwk_';

/** Everybody, with disabled people. */
export async function listUsers(app: Filewright, actor: Actor): Promise<readonly Person[]> {
  allow(actor, 'user.list');
  return listPeople(app.session, app.tenant);
}

/** Adds a person and returns the key, which is shown once and stored nowhere. The first person needs nobody. */
export async function addUser(
  app: Filewright,
  actor: Actor,
  name: string,
): Promise<{ readonly id: PersonId; readonly key: string }> {
  allow(actor, 'user.add', name);
  if (name.trim() !== name || name === '' || name.length > 200) {
    throw misuse('Expected a name of 1 to 200 characters without surrounding spaces');
  }
  const isFirst = (await listPeople(app.session, app.tenant)).length === 0;
  const by = isFirst ? undefined : requirePerson(actor);
  if (by !== undefined) {
    // A name of the people file has rights to dockets; loaded here because most commands know nothing of them.
    const { requirePrivilegeOver } = await import('../../dockets/index.ts');
    await requirePrivilegeOver(app, name, by, `Giving ${name} a key`);
  }
  const key = `${KEY_PREFIX}${Buffer.from(app.random.bytes(32)).toString('base64url')}`;
  const id = personId(app.ids.next());
  // The first person is added by nobody.
  const fact =
    by === undefined
      ? newFact(app.ids, 'person.added', { kind: 'system', id: 'first-person' }, { name })
      : userFact(app, 'person.added', by, { name });
  const person = { id, name, keySha256: keyHash(key) };
  await addPerson(app.session, app.tenant, person, fact, { onlyAsFirst: isFirst });
  await app.sequencer.sequence();
  return { id, key };
}

export async function disableUser(app: Filewright, actor: Actor, name: string): Promise<void> {
  allow(actor, 'user.disable');
  const { requirePrivilegeOver, requireSuccessor } = await import('../../dockets/index.ts');
  await requirePrivilegeOver(app, name, actor, `Taking the key of ${name}`);
  await requireSuccessor(app, name);
  await disablePerson(
    app.session,
    app.tenant,
    name,
    userFact(app, 'person.disabled', actor, { name }),
  );
  await app.sequencer.sequence();
}
