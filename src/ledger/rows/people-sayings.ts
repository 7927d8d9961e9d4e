/** People, their keys and their roles: which entry says what of which row. */
import { at, type Fields, given, named, type Saying, type SayingsOf, type Told } from './saying.ts';

export const peopleSayings: Readonly<Record<string, SayingsOf>> = {
  'person.added': (told) => [
    personOf(told, { ...given(told.data, 'name', 'skeleton', 'party'), disabled: false }),
    ...rolesOf(told, { held: true, taken_by: null, given_by: byWhom(told) }),
  ],
  'person.disabled': (told) => [personOf(told, { ...given(told.data, 'name'), disabled: true })],
  'person.enabled': (told) => [personOf(told, { ...given(told.data, 'name'), disabled: false })],
  'person.joined': (told) => [personOf(told, given(told.data, 'party'))],
  'role.given': (told) => rolesOf(told, { held: true, taken_by: null, given_by: byWhom(told) }),
  'role.taken': (told) => rolesOf(told, { held: false, taken_by: told.actor.id }),
  'key.added': (told) => [
    keyOf(told, {
      person: told.subj.id,
      ...given(told.data, 'days'),
      // A key that two parties agreed to is made by its owner from their codes, and issued by neither.
      issued_by: 'proposal' in told.data ? null : byWhom(told),
      proposal: at(told.data, 'proposal'),
      revoked_by: null,
    }),
  ],
  'key.revoked': (told) => [keyOf(told, { revoked_by: told.actor.id })],
  'link.made': ({ subj, data }) => {
    const set = { person: subj.id, ...given(data, 'link_sha256', 'made_by') };
    return [{ kind: 'sign_in_link', id: named(data.link), set }];
  },
  'session.started': ({ subj, data }) => {
    const own = given(data, 'session_sha256', 'way', 'credential', 'hours');
    const set = { ...own, person: subj.id, ended_by: null };
    return [{ kind: 'person_session', id: named(data.session), set }];
  },
  'session.ended': ({ actor, data }) => {
    const set = { ...given(data, 'session_sha256'), ended_by: actor.id };
    return [{ kind: 'person_session', id: named(data.session), set }];
  },
  'token.added': ({ subj, data }) => {
    const own = given(data, 'name', 'token_sha256', 'acts', 'days');
    const set = { ...own, owner: subj.id, revoked_by: null };
    return [{ kind: 'program_token', id: named(data.token), set }];
  },
  'token.revoked': ({ actor, data }) => {
    const set = { ...given(data, 'name', 'token_sha256'), revoked_by: actor.id };
    return [{ kind: 'program_token', id: named(data.token), set }];
  },
  // Two codes make a key; who proposed has the one, who approved the other.
  'person.proposed': ({ subj, data }) => [
    { kind: 'enrollment', id: subj.id, set: codeAs('first_sha256', data), isWeak: true },
  ],
  'person.approved': ({ subj, data }) => {
    if (!('code_sha256' in data)) return [];
    const set = { person: at(data, 'person'), ...codeAs('second_sha256', data) };
    return [{ kind: 'enrollment', id: subj.id, set }];
  },
};

/** Every entry about a person counts it up, also those about keys and roles. */
export function countedPerson({ subj }: Told): readonly Saying[] {
  if (subj.kind !== 'person') return [];
  return [{ kind: 'person', id: subj.id, set: { ver: subj.ver }, isWeak: true }];
}

function personOf({ subj }: Told, set: Fields): Saying {
  return { kind: 'person', id: subj.id, set };
}

function rolesOf({ subj, data }: Told, set: Fields): Saying[] {
  const roles = Array.isArray(data.roles) ? data.roles : [];
  const agreed = set.held === true ? 'proposal' : 'taken_proposal';
  const proposal = at(data, 'proposal');
  return roles.flatMap((role) => {
    const id = `${subj.id}/${named(role)}`;
    // What is given again is not taken: the former taking is that of another row.
    const untaken = set.held === true ? { taken_proposal: null } : {};
    const own = { ...set, ...untaken, [agreed]: proposal };
    const latest: Saying = { kind: 'person_role', id, set: own };
    return [latest, periodOf(`${id}/${named(proposal)}`, set)];
  });
}

/** A role that was given and taken several times has a row for each time; entries name it by what two people agreed to. */
function periodOf(id: string, { held, given_by: giver, taken_by: taker }: Fields): Saying {
  return held === true
    ? { kind: 'role_given', id, set: { given_by: giver ?? null } }
    : { kind: 'role_taken', id, set: { taken_by: taker ?? null } };
}

function keyOf({ data }: Told, set: Fields): Saying {
  const own = given(data, 'name', 'key_sha256');
  return { kind: 'person_key', id: named(data.key), set: { ...own, ...set } };
}

/** At installation it is nobody. */
function byWhom({ actor }: Told): string | null {
  return actor.kind === 'user' ? actor.id : null;
}

function codeAs(name: string, data: Fields): Fields {
  return 'code_sha256' in data ? { [name]: at(data, 'code_sha256') } : {};
}
