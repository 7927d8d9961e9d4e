/** Who looked at what is sealed: an entry of its own for each look, committed before anything is shown. */
import type { ActName, PersonActor } from '../access/index.ts';
import { userFact } from '../core/index.ts';
import { type Installation, recordFact } from '../ledger/index.ts';

/** `subject`: the filing, proposal or entity, by its id; never anything of its content. */
export async function noteOpened(
  app: Installation,
  actor: PersonActor,
  act: ActName,
  subject: string,
): Promise<void> {
  const fact = userFact(app, 'access.opened', actor, { act, subject });
  await app.session.transaction((run) =>
    recordFact(
      run,
      { tenant: app.tenant, boundary: 'access' },
      { kind: 'access', id: fact.id, ver: 1 },
      fact,
    ),
  );
}
