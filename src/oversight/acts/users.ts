/** People: who founds an installation, who joins, who leaves, and which roles they have. */
import {
  type Actor,
  allow,
  type PartyId,
  partyOfNew,
  type PersonActor,
  type Role,
  ROLES,
  vouching,
} from '../../access/index.ts';
import {
  FilewrightError,
  type LedgerFact,
  newFact,
  type PersonId,
  personId,
  readPersonName,
  ruledOut,
  userFact,
} from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  addKey,
  addPerson,
  adminParties,
  disablePerson,
  enablePerson,
  foundPerson,
  giveRoles,
  joinParty,
  listPeople,
  lockPeople,
  type Person,
  personNamed,
  raiseTrustAlert,
  recordOfPerson,
  takeRoles,
} from '../../people/index.ts';
import type { Run } from '../../postgres/index.ts';
import { keyFact, makeCode, makeKey } from './user-secrets.ts';
import { proposeAboutPerson, type Waiting } from './user-proposing.ts';

/** The key is shown once and stored nowhere. */
interface Added {
  readonly state: 'added';
  readonly id: PersonId;
  readonly key: string;
  /** Whoever vouched alone: the two count as one person. Undefined for a party of its own. */
  readonly party: string | undefined;
}

interface Done {
  readonly state: 'done';
  readonly party: string | undefined;
}

/** Everybody, with disabled people. */
export async function listUsers(app: Filewright, actor: Actor): Promise<readonly Person[]> {
  allow(actor, 'user.list');
  return listPeople(app.session, app.tenant);
}

/**
 * One of the first two people, made at installation without anybody's key, with all roles: a firm of two must be able to
 * work. Each is a party of its own.
 */
export async function foundUser(
  app: Filewright,
  actor: Actor,
  name: string,
): Promise<{ readonly id: PersonId; readonly key: string }> {
  allow(actor, 'user.found', name);
  const named = readPersonName(name);
  const id = personId(app.ids.next());
  const { key, stored } = makeKey(app);
  const system = { kind: 'system', id: 'installation' } as const;
  const data = { name: named.name, skeleton: named.skeleton, party: id, roles: [...ROLES] };
  await foundPerson(app.session, app.tenant, { id, ...named, roles: ROLES }, stored, {
    person: newFact(app.ids, 'person.added', system, data),
    key: newFact(app.ids, 'key.added', system, keyFact(stored)),
  });
  await app.sequencer.sequence();
  return { id, key };
}

/**
 * Adds a person. Where administrators of two parties are there, another one approves it first; an administrator who is the
 * only one adds people of their own party.
 */
export async function addUser(
  app: Filewright,
  actor: Actor,
  wanted: { readonly name: string; readonly roles: readonly Role[]; readonly reason?: string },
): Promise<Added | Waiting> {
  allow(actor, 'user.add', wanted.name);
  const named = readPersonName(wanted.name);
  const { name } = named;
  const { roles } = wanted;
  await requirePrivilege(app, name, actor, `Giving ${name} a key`);
  const id = personId(app.ids.next());
  const done = await app.session.transaction(async (run): Promise<Added | Waiting> => {
    await lockPeople(run);
    const how = await howToVouch(app, run, actor, roles);
    if (how === 'two_parties') {
      const code = makeCode(app);
      const terms = { act: 'add', name, skeleton: named.skeleton, roles: [...roles] };
      return proposeAboutPerson(app, run, actor, {
        kind: 'person',
        person: { id, name },
        terms: { ...terms, code_sha256: code.sha256 },
        reason: wanted.reason ?? `Add ${name} with the roles ${roles.join(', ')}`,
        code: code.code,
      });
    }
    const party = partyOfNew(id, [actor.party]);
    const fact = userFact(app, 'person.added', actor, { ...named, party, roles: [...roles] });
    await addPerson(run, app.tenant, { id, ...named, party, roles, by: actor.id }, fact);
    const { key, stored } = makeKey(app);
    await addKey(run, app.tenant, { ...stored, person: id, by: actor.id });
    await recordOfPerson(run, app.tenant, id, userFact(app, 'key.added', actor, keyFact(stored)));
    const did = `added ${name} alone, who counts as the same person`;
    await raiseTrustAlert(run, app, actor, { kind: 'person_changed', subject: id, did });
    return { state: 'added', id, key, party };
  });
  await app.sequencer.sequence();
  return done;
}

/** At once, by one administrator: taking a key away cannot wait. The last administrator stays. */
export async function disableUser(app: Filewright, actor: Actor, name: string): Promise<void> {
  allow(actor, 'user.disable');
  const { requirePrivilegeOver, requireSuccessor } = await import('../../dockets/index.ts');
  await requirePrivilegeOver(app, name, actor, `Taking the key of ${name}`);
  await requireSuccessor(app, name);
  const fact = userFact(app, 'person.disabled', actor, { name });
  await disablePerson(app.session, app.tenant, name, fact);
  await app.sequencer.sequence();
}

/** Lets a disabled person act again, with the keys that they had. */
export async function enableUser(
  app: Filewright,
  actor: Actor,
  wanted: { readonly name: string; readonly reason?: string },
): Promise<Done | Waiting> {
  allow(actor, 'user.enable', wanted.name);
  await requirePrivilege(app, wanted.name, actor, `Enabling ${wanted.name}`);
  const done = await app.session.transaction(async (run): Promise<Done | Waiting> => {
    await lockPeople(run);
    const person = await personNamed(run, app.tenant, wanted.name);
    const { id, name, party } = person;
    if (person.disabledAt === undefined) throw ruledOut(`${name} is not disabled`);
    const how = await howToVouch(app, run, actor, person.roles);
    if (how === 'two_parties') {
      return proposeAboutPerson(app, run, actor, {
        kind: 'person',
        person,
        terms: { act: 'enable', name },
        reason: wanted.reason ?? `Enable ${name} again`,
      });
    }
    await countAsOne(app, run, actor, party);
    await enablePerson(run, app.tenant, id, userFact(app, 'person.enabled', actor, { name }));
    const did = `enabled ${name} again, who counts as the same person`;
    await raiseTrustAlert(run, app, actor, { kind: 'person_changed', subject: id, did });
    return { state: 'done', party: actor.party };
  });
  await app.sequencer.sequence();
  return done;
}

/** Gives or takes roles; nobody does it for themselves. */
export async function changeRoles(
  app: Filewright,
  actor: Actor,
  change: {
    readonly name: string;
    readonly act: 'give' | 'take';
    readonly roles: readonly Role[];
    readonly reason?: string;
  },
): Promise<Done | Waiting> {
  allow(actor, 'user.role', change.name);
  const { act, roles } = change;
  const done = await app.session.transaction(async (run): Promise<Done | Waiting> => {
    await lockPeople(run);
    const person = await personNamed(run, app.tenant, change.name);
    const { id, name } = person;
    allow(actor, 'user.role', { what: name, changes: id });
    requireChange(person, act, roles);
    const how = await howToVouch(app, run, actor, act === 'give' ? roles : []);
    if (how === 'two_parties') {
      return proposeAboutPerson(app, run, actor, {
        kind: 'role',
        person,
        terms: { act, name, roles: [...roles] },
        reason: change.reason ?? `Roles of ${name}: ${act} ${roles.join(', ')}`,
      });
    }
    const store = act === 'give' ? giveRoles : takeRoles;
    await store(run, app.tenant, { person: id, roles, by: actor.id });
    await recordOfPerson(run, app.tenant, id, roleFact(app, actor, act, roles));
    const did = roleWords(name, act, roles);
    await raiseTrustAlert(run, app, actor, { kind: 'role_changed', subject: id, did });
    return { state: 'done', party: undefined };
  });
  await app.sequencer.sequence();
  return done;
}

/** A proposal that would change nothing is a misunderstanding, and is better told at once. */
function requireChange(person: Person, act: 'give' | 'take', roles: readonly Role[]): void {
  const off = roles.filter((role) => person.roles.includes(role) === (act === 'give'));
  if (off.length === 0) return;
  const has = act === 'give' ? 'already has' : 'does not have';
  throw ruledOut(`${person.name} ${has} the role ${off.join(', ')}`);
}

export function roleWords(name: string, act: 'give' | 'take', roles: readonly Role[]): string {
  return act === 'give'
    ? `gave ${name} the role ${roles.join(', ')}`
    : `took the role ${roles.join(', ')} from ${name}`;
}

export function roleFact(
  app: Filewright,
  actor: PersonActor,
  act: 'give' | 'take',
  roles: readonly Role[],
  proposal?: string,
): LedgerFact {
  const type = act === 'give' ? 'role.given' : 'role.taken';
  return userFact(app, type, actor, { roles: [...roles], ...(proposal && { proposal }) });
}

/** Whether the actor's word is enough. `roles`: what somebody would have by it. */
export async function howToVouch(
  app: Filewright,
  run: Run,
  actor: PersonActor,
  roles: readonly Role[],
): Promise<'alone' | 'two_parties'> {
  const how = vouching(actor, await adminParties(run, app.tenant), roles);
  if (how.kind !== 'refused') return how.kind;
  throw new FilewrightError(
    'NOT_PERMITTED',
    `You are the only administrator, and alone you can give only roles that you have; you do not have ${how.missing.join(', ')}`,
  );
}

/** Whoever can give somebody a key alone can act as them, so that from now on they count as one. */
export async function countAsOne(
  app: Filewright,
  run: Run,
  actor: PersonActor,
  from: PartyId,
): Promise<void> {
  const into = actor.party;
  await joinParty(run, app.tenant, { from, into }, () =>
    userFact(app, 'person.joined', actor, { party: into }),
  );
}

/** A name of the people file has rights to dockets; loaded here because most commands know nothing of them. */
export async function requirePrivilege(
  app: Filewright,
  name: string,
  actor: PersonActor,
  act: string,
): Promise<void> {
  const { requirePrivilegeOver } = await import('../../dockets/index.ts');
  await requirePrivilegeOver(app, name, actor, act);
}
