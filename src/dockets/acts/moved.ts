/** Which open dockets another law or calendar would move. Seen before it is put into force; nothing is written. */
import { type Actor, allow } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { type MovedDocket, movedDockets } from '../rules/docket/moved.ts';
import type { PatentLaw } from '../rules/matter.ts';
import { openDockets } from '../routing/docket-acts.ts';
import { routingDeps } from './deps.ts';
import { viewerFor } from './sight.ts';

export type MovedEntry = MovedDocket & {
  readonly applicationNumber: string | undefined;
  readonly owner: string | undefined;
};

/** Dates that come earlier first. Only what this person may see. */
export async function movedBy(
  app: Installation,
  person: Actor,
  after: PatentLaw,
): Promise<readonly MovedEntry[]> {
  allow(person, 'docket.moved');
  const deps = routingDeps(app);
  const all = await openDockets(deps, await viewerFor(app, person));
  // A date that is not shown does not move before one's eyes, either.
  const open = all.filter(({ isBlind }) => isBlind !== true);
  const known = new Map(open.map((one) => [one.docket.id, one]));
  const moved = movedDockets(
    open.map(({ docket }) => docket),
    { before: deps.law(), after },
    app.clock.now(),
  );
  return moved.map((one) => ({
    ...one,
    applicationNumber: known.get(one.id)?.docket.applicationNumber,
    owner: known.get(one.id)?.owner,
  }));
}
