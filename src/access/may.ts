/** Whether an actor may do an act: one look into the table of acts, and nothing else. */
import { type ErrorCode, FilewrightError } from '../core/index.ts';
import type { Actor, ActorKind } from './actor.ts';
import { type ActName, type ActorOf, RIGHTS } from './rights.ts';

type Permission =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly code: ErrorCode; readonly reason: string };

/** `subject`: what the act is about, as a person would name it; a role may be for some of them only. */
export function may(actor: Actor, act: ActName, subject?: string): Permission {
  const kinds: readonly ActorKind[] = RIGHTS[act];
  if (kinds.includes(actor.kind)) return { allowed: true };
  const about = subject === undefined ? act : `${act} (${subject})`;
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

/** The first line of every act: refuses, or tells the compiler which actors are left. */
export function allow<Name extends ActName>(
  actor: Actor,
  act: Name,
  subject?: string,
): asserts actor is ActorOf<Name> {
  const permission = may(actor, act, subject);
  if (permission.allowed) return;
  throw new FilewrightError(permission.code, permission.reason, { details: { act } });
}
