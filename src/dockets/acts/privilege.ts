/**
 * Who may change who sees what. Whoever could import a people file, or give a key to a name in it, could show themselves
 * every hidden matter; so both belong to the privileged people of the matrix that holds.
 */
import type { PersonActor } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { ruledOut } from '../../core/index.ts';
import { type ActiveRouting, activeRouting } from '../routing/setup.ts';
import { listPeople, type Person } from '../../people/index.ts';
import { viewerFor, viewerNamed } from './sight.ts';

/** Anybody may before the first import, and as long as no privileged person has ever had a key: somebody must begin. */
export async function requirePrivilege(
  app: Installation,
  person: PersonActor,
  act: string,
): Promise<void> {
  const active = await activeRouting(app, app.session);
  if (active !== undefined) await requireIn(active, app, person, act);
}

/** Whether rights and hidden clients may be shown: to privileged people, and to anybody where there are none yet. */
export async function isPrivileged(app: Installation, person: PersonActor): Promise<boolean> {
  const active = await activeRouting(app, app.session);
  if (active === undefined) return true;
  const holders = await holdersOf(active, app);
  return holders.length === 0 || holders.some(({ id }) => id === person.id);
}

/** For keys: only a name of the people file is anybody to the dockets. */
export async function requirePrivilegeOver(
  app: Installation,
  name: string,
  person: PersonActor,
  act: string,
): Promise<void> {
  const active = await activeRouting(app, app.session);
  if (active === undefined) return;
  const { parties } = active.people;
  const isNamed = [...parties.values()].some((party) => party.id === name || party.name === name);
  if (isNamed) await requireIn(active, app, person, act);
}

/** Without the last of them nobody could ever change the rights again. */
export async function requireSuccessor(app: Installation, name: string): Promise<void> {
  const active = await activeRouting(app, app.session);
  if (active === undefined) return;
  const working = (await holdersOf(active, app)).filter(isWorking);
  if (working.length !== 1 || working[0]?.name !== name) return;
  throw ruledOut(
    `${name} is the last privileged person in the routing matrix who has a key; first import a matrix that names another person, and add that person`,
  );
}

/** A key lets in whoever works with the program; this is for who works with the dockets. */
export async function requireKnown(
  app: Installation,
  person: PersonActor,
  act: string,
): Promise<void> {
  const { party, people } = await viewerFor(app, person);
  if (people.parties.has(party.id)) return;
  throw ruledOut(
    `${act} is only for people in the people file, and "${person.name}" is not in it; ask one of them, or import a people file with that name`,
  );
}

async function requireIn(
  active: ActiveRouting,
  app: Installation,
  person: PersonActor,
  act: string,
): Promise<void> {
  // A disabled one counts: otherwise disabling the last of them would open the door.
  const holders = await holdersOf(active, app);
  if (holders.length === 0 || holders.some(({ id }) => id === person.id)) return;
  const names = holders.filter(isWorking).map(({ name }) => name);
  throw ruledOut(
    `${act} is only for privileged people of the routing matrix; ask ${names.join(' or ')}`,
  );
}

/** Privileged people who have, or had, a key. */
async function holdersOf(
  { matrix, people }: ActiveRouting,
  app: Installation,
): Promise<readonly Person[]> {
  return (await listPeople(app.session, app.tenant)).filter((person) =>
    matrix.privileged.includes(viewerNamed(people, person).party.id),
  );
}

function isWorking({ disabledAt }: Person): boolean {
  return disabledAt === undefined;
}
