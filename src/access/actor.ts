/** Who acts. Everything that is done or asked names one of these; nobody acts without a name. */
import type { PersonId } from '../core/index.ts';
import type { PartyId } from './party.ts';
import type { Role } from './role.ts';

/** Somebody with a personal key. */
export interface PersonActor {
  readonly kind: 'person';
  readonly id: PersonId;
  readonly name: string;
  /** Read with the key, as are the roles. */
  readonly party: PartyId;
  readonly roles: readonly Role[];
}

/** Another system with a key of its own; no such key is issued yet. */
interface ProgramActor {
  readonly kind: 'program';
  readonly id: string;
  readonly name: string;
}

/** Whoever can start the program on this machine, and gave no key. */
export interface OperatorActor {
  readonly kind: 'operator';
  readonly name: string;
}

export type Actor = PersonActor | ProgramActor | OperatorActor;
export type ActorKind = Actor['kind'];

/** `user`: the name under which the operating system knows them. */
export function localOperator(user: string): OperatorActor {
  return { kind: 'operator', name: `local operator: ${user}` };
}
