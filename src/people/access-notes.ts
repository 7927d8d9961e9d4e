/** Who looked at what is sealed: an entry of its own for each look, committed before anything is shown. */
import type { Actor, ActName } from '../access/index.ts';
import { type ActorRef, newFact } from '../core/index.ts';
import { type Installation, recordFact } from '../ledger/index.ts';

/** `subject`: the filing, proposal or entity, by its id; never anything of its content. */
export async function noteOpened(
  app: Installation,
  actor: Actor,
  act: ActName,
  subject: string,
): Promise<void> {
  const fact = newFact(app.ids, 'access.opened', actorRef(actor), { act, subject });
  await app.session.transaction((run) =>
    recordFact(
      run,
      { tenant: app.tenant, boundary: 'access' },
      { kind: 'access', id: fact.id, ver: 1 },
      fact,
    ),
  );
}

/** An act that opens many things one after another is one look; it is noted when the first of them is opened. */
export function openedOnce(
  app: Installation,
  actor: Actor,
  act: ActName,
  subject: string,
): () => Promise<void> {
  let noted: Promise<void> | undefined;
  return () => {
    noted ??= noteOpened(app, actor, act, subject);
    return noted;
  };
}

/** Whoever sits at the machine is one to the ledger: their name is the operating system's, and nobody vouches for it. */
export function actorRef(actor: Actor): ActorRef {
  return actor.kind === 'person'
    ? { kind: 'user', id: actor.id }
    : { kind: 'service', id: actor.kind };
}
