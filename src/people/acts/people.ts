/** Who acts. The actor of every act comes from a key, never from a flag. */
import { createHash } from 'node:crypto';
import { type Actor, localOperator, type PersonActor } from '../../access/index.ts';
import { FilewrightError } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { useKey } from '../store/keys.ts';

/** The person behind a key; the reason for refusing does not tell whether the key ever existed. */
export async function personOf(app: Installation, key: string | undefined): Promise<PersonActor> {
  if (key === undefined || key === '') {
    throw new FilewrightError('NO_CREDENTIAL', 'Expected a personal key, found none');
  }
  const person = await useKey(app.session, app.tenant, keyHash(key.trim()));
  if (person === undefined) {
    throw new FilewrightError('BAD_CREDENTIAL', 'The personal key is unknown or has been disabled');
  }
  return { kind: 'person', ...person };
}

/** Who acts: the person behind the key, or else whoever sits at this machine. */
export async function actorOf(
  app: Installation,
  key: string | undefined,
  user: string,
): Promise<Actor> {
  return key === undefined || key === '' ? localOperator(user) : personOf(app, key);
}

/** For what is a person's alone: the first key is all that whoever sits at the machine can make. */
export function requirePerson(actor: Actor): PersonActor {
  if (actor.kind === 'person') return actor;
  throw new FilewrightError('NO_CREDENTIAL', 'Expected a personal key, found none');
}

/** Keys are long and random, so a plain hash is enough. */
export function keyHash(key: string): Uint8Array {
  return createHash('sha256').update(key).digest();
}
