/** Whether an actor may do an act: a look into the tables of acts and roles, and the rules over them. */
import { type ErrorCode, FilewrightError, type PersonId } from '../core/index.ts';
import { nowActs } from './acting.ts';
import type { Actor, ActorKind, PersonActor } from './actor.ts';
import type { PartyId } from './party.ts';
import { type ActName, type ActorOf, RIGHTS } from './rights.ts';
import type { Role } from './role.ts';
import { ROLES_OF_ACTS } from './roles.ts';

type Permission =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly code: ErrorCode; readonly reason: string };

/** What the act is about: as a person would name it, and what the rules over the table ask of it. */
type Subject =
  | string
  | {
      readonly what: string;
      /** Who proposed what would be approved. */
      readonly proposedBy?: PartyId;
      /** Who would get or lose a role, or be enabled. */
      readonly changes?: PersonId;
      /** On whose desk lies what would be read. */
      readonly desk?: Custody;
    };

/**
 * Where a payload lies. Preparers read what is on their own desk: what they prepared, and what a review assigned to them;
 * approvers what was proposed to them. An auditor reads everything.
 */
export interface Custody {
  readonly people: readonly PersonId[];
  readonly isProposed: boolean;
}

const ALLOWED: Permission = { allowed: true };

export function may(actor: Actor, act: ActName, subject?: Subject): Permission {
  const kinds: readonly ActorKind[] = RIGHTS[act];
  const what = typeof subject === 'object' ? subject.what : subject;
  const about = what === undefined ? act : `${act} (${what})`;
  if (kinds.includes(actor.kind)) {
    return actor.kind === 'person' ? mayPerson(actor, act, about, subject) : ALLOWED;
  }
  // Whoever gave no key may well have one; whoever gave one is told that it is not enough.
  return actor.kind === 'operator' && kinds.includes('person')
    ? {
        allowed: false,
        code: 'NO_CREDENTIAL',
        reason: `${about}: expected a personal key; none was given`,
      }
    : {
        allowed: false,
        code: 'NOT_PERMITTED',
        reason: `${about}: not allowed for ${actor.name}, which is a ${actor.kind}; allowed for ${kinds.join(' or ')}`,
      };
}

function mayPerson(
  actor: PersonActor,
  act: ActName,
  about: string,
  subject: Subject | undefined,
): Permission {
  const roles: readonly Role[] = ROLES_OF_ACTS[act];
  if (!roles.some((role) => actor.roles.includes(role))) {
    const has = actor.roles.length === 0 ? 'no role' : actor.roles.join(', ');
    return {
      allowed: false,
      code: 'NOT_PERMITTED',
      reason: `${about}: needs the role ${roles.join(' or ')}; ${actor.name} has ${has}`,
    };
  }
  if (typeof subject !== 'object') return ALLOWED;
  if (subject.proposedBy === actor.party) {
    return {
      allowed: false,
      code: 'SELF_APPROVAL',
      reason: `${about}: you proposed it, or you and the person who did count as one; a second person must approve it`,
    };
  }
  if (subject.changes === actor.id) {
    return {
      allowed: false,
      code: 'NOT_PERMITTED',
      reason: `${about}: no one changes their own roles; ask another administrator`,
    };
  }
  if (subject.desk !== undefined && !isOnDesk(actor, roles, subject.desk)) {
    // As if it were not there: whether another desk has such a payload is not told either.
    return {
      allowed: false,
      code: 'NOT_FOUND',
      reason: `${about}: nothing on your desk. The person who prepared it, an approver or an auditor can open it; a review that is assigned to you is on your desk`,
    };
  }
  return ALLOWED;
}

/** By the actor of one command or request, which asks for one thing at a time. */
const asked = new WeakMap<Actor, ActName>();

/** What an actor asked for last: what was refused, where a rule further in refuses that knows no act. */
export function lastAsked(actor: Actor): ActName | undefined {
  return asked.get(actor);
}

function isOnDesk(
  { id, roles: own }: PersonActor,
  roles: readonly Role[],
  { people, isProposed }: Custody,
): boolean {
  return roles.some((role) => {
    if (!own.includes(role)) return false;
    if (role === 'preparer') return people.includes(id);
    return role !== 'approver' || isProposed;
  });
}

/** The first line of every act: refuses, or notes who acts and tells the compiler which actors are left. */
export function allow<Name extends ActName>(
  actor: Actor,
  act: Name,
  subject?: Subject,
): asserts actor is ActorOf<Name> {
  asked.set(actor, act);
  const permission = may(actor, act, subject);
  if (permission.allowed) return nowActs(actor);
  throw new FilewrightError(permission.code, permission.reason, { details: { act } });
}
