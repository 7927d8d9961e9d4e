/** People and their keys. The actor of every act comes from a key, never from a flag. */
import { createHash } from 'node:crypto';
import {
  entryId,
  FilewrightError,
  type LedgerFact,
  type PersonId,
  personId,
} from '../core/index.ts';
import type { Filewright } from '../filewright.ts';
import { addPerson, disablePerson, findPerson, listPeople, type Person } from '../store/index.ts';

const KEY_PREFIX = 'fwk_';

/** The person behind a key; the reason for refusing does not tell whether the key ever existed. */
export async function personOf(app: Filewright, key: string | undefined): Promise<Person> {
  if (key === undefined || key === '') {
    throw new FilewrightError('NO_CREDENTIAL', 'A personal key was expected, and none was given');
  }
  const person = await findPerson(app.session, app.tenant, keyHash(key.trim()));
  if (person === undefined || person.disabledAt !== undefined) {
    throw new FilewrightError('BAD_CREDENTIAL', 'The personal key is unknown or has been disabled');
  }
  return person;
}

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

export function userFact(
  app: Filewright,
  type: string,
  actor: Person,
  data: LedgerFact['data'],
): LedgerFact {
  return personFact(app, type, actor.id, data);
}

function personFact(
  app: Filewright,
  type: string,
  actor: PersonId | undefined,
  data: LedgerFact['data'],
): LedgerFact {
  const id = entryId(app.ids.next());
  const by: LedgerFact['actor'] =
    actor === undefined ? { kind: 'system', id: 'first-person' } : { kind: 'user', id: actor };
  return { id, type, actor: by, trace: id, data };
}

function keyHash(key: string): Uint8Array {
  return createHash('sha256').update(key).digest();
}
