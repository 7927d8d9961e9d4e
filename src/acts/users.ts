/** Giving people keys, and taking them. */
import { FilewrightError, type PersonId, personId } from '../core/index.ts';
import type { Filewright } from '../filewright.ts';
import { addPerson, disablePerson, listPeople, type Person } from '../store/index.ts';
import { keyHash, personFact, personOf } from './people.ts';

const KEY_PREFIX = 'fwk_';

/** Adds a person and returns the key, which is shown once and stored nowhere. The first person needs nobody. */
export async function addUser(
  app: Filewright,
  name: string,
  actorKey: string | undefined,
): Promise<{ readonly id: PersonId; readonly key: string }> {
  if (name.trim() !== name || name === '' || name.length > 200) {
    throw new FilewrightError(
      'USAGE',
      'A name of 1 to 200 characters without surrounding spaces was expected',
    );
  }
  const isFirst = (await listPeople(app.session, app.tenant)).length === 0;
  const actor = isFirst ? undefined : await personOf(app, actorKey);
  if (actor !== undefined) {
    // A name of the people file has rights to dockets; loaded here because most commands know nothing of them.
    const { requirePrivilegeOver } = await import('./dockets/privilege.ts');
    await requirePrivilegeOver(app, name, actor, `Giving ${name} a key`);
  }
  const key = `${KEY_PREFIX}${Buffer.from(app.random.bytes(32)).toString('base64url')}`;
  const id = personId(app.ids.next());
  const fact = personFact(app, 'person.added', actor?.id, { name });
  const person = { id, name, keySha256: keyHash(key) };
  await addPerson(app.session, app.tenant, person, fact, { onlyAsFirst: isFirst });
  await app.sequencer.sequence();
  return { id, key };
}

export async function disableUser(app: Filewright, name: string, actor: Person): Promise<void> {
  const { requirePrivilegeOver, requireSuccessor } = await import('./dockets/privilege.ts');
  await requirePrivilegeOver(app, name, actor, `Taking the key of ${name}`);
  await requireSuccessor(app, name);
  await disablePerson(
    app.session,
    app.tenant,
    name,
    personFact(app, 'person.disabled', actor.id, { name }),
  );
  await app.sequencer.sequence();
}
