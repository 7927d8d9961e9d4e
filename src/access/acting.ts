/**
 * Who acts at this moment, for the connection that writes it down: the database compares what a row or a fact says of who
 * did something with what its session was told (`fw.person`, `fw.party`). It follows the calls of an act, as a parameter
 * would that every function handed on; `allow` sets it, so no act can forget it, and one connection serves many people in
 * turn. Handing sessions of a person about was rejected: an act that took the wrong one would not be noticed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from './actor.ts';

/** Empty where there is none: a program or the operator is nobody who could decide. */
interface Acting {
  readonly person: string;
  /** The same human being by the name of the people file, under which dockets know them. */
  readonly party: string;
}

const NOBODY: Acting = { person: '', party: '' };

const acting = new AsyncLocalStorage<{ -readonly [Name in keyof Acting]: Acting[Name] }>();

/** From here on, in all that is called and awaited, until the next act. */
export function nowActs(actor: Actor): void {
  acting.enterWith({ person: actor.kind === 'person' ? actor.id : '', party: '' });
}

/** Dockets have found the actor in the people file; said of whoever acts, so that the caller's later calls know it too. */
export function nowKnownAs(party: string): void {
  const now = acting.getStore();
  if (now !== undefined) now.party = party;
}

/** The work as an actor who was not allowed anything: what is written of the refusal is in their name. */
export function asActor<T>(actor: Actor, work: () => T): T {
  return acting.run({ person: actor.kind === 'person' ? actor.id : '', party: '' }, work);
}

/** The work as somebody who was sent a link and has no key, and who is forgotten afterwards. */
export function asParty<T>(party: string, work: () => T): T {
  return acting.run({ person: '', party }, work);
}

export function whoActs(): Acting {
  return acting.getStore() ?? NOBODY;
}
