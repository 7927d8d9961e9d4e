/** From a personal key to what its owner may see. */
import { partyId, type DocketId } from '../../core/index.ts';
import { type Actor, nowKnownAs, type PersonActor } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { maySee, type Viewer } from '../rules/access/visible.ts';
import type { People } from '../rules/access/people.ts';
import { seesEverything } from '../rules/access/rights.ts';
import { blindTo } from '../routing/blind.ts';
import { activeRouting, loadRouting } from '../routing/setup.ts';
import { viewerOf } from '../routing/docket-acts.ts';
import { routingDeps } from './deps.ts';
import { findDocket } from '../store/dockets.ts';

/**
 * The person of the people file with the same id or the same name. Two of one name would be a guess, and then nobody is
 * meant: whoever is not in the file sees nothing.
 */
export function viewerNamed(people: People, person: Pick<PersonActor, 'id' | 'name'>): Viewer {
  const persons = [...people.parties.values()].filter(({ kind }) => kind === 'person');
  const byId = persons.find(({ id }) => id === person.name);
  const byName = persons.filter(({ name }) => name === person.name);
  const party = byId ?? (byName.length === 1 ? byName[0] : undefined);
  const viewer = viewerOf(people, party?.id ?? partyId(`user ${person.id}`));
  return { ...viewer, person: person.id };
}

export async function viewerFor(app: Installation, person: PersonActor): Promise<Viewer> {
  const { people } = await loadRouting(app);
  const viewer = viewerNamed(people, person);
  // What they do with dockets is recorded under that name.
  nowKnownAs(viewer.party.id);
  return viewer;
}

/**
 * Whether a person may be told that a docket exists; asked docket by docket, with the people read once. Only a person
 * may be told of any; a command without a key has none.
 */
export class Sight {
  readonly #app: Installation;
  readonly #actor: Actor;
  readonly #known = new Map<string, boolean>();
  readonly #dated = new Map<string, boolean>();
  #viewer: Promise<Viewer | undefined> | undefined;

  constructor(app: Installation, actor: Actor) {
    this.#app = app;
    this.#actor = actor;
  }

  async mayKnow(docket: DocketId): Promise<boolean> {
    const known = this.#known.get(docket);
    if (known !== undefined) return known;
    const viewer = await this.#asViewer();
    const row = await findDocket(this.#app.session, this.#app.tenant, docket);
    // Written by the intake, from a docket.
    const may = viewer !== undefined && row !== undefined && maySee(row.docket, viewer);
    this.#known.set(docket, may);
    return may;
  }

  /** Undefined before the first people file. */
  viewer(): Promise<Viewer | undefined> {
    return this.#asViewer();
  }

  /** The same of its dates: whoever may still give the second docketing reads none of them, nor in the log. */
  async mayKnowDates(docket: DocketId): Promise<boolean> {
    const viewer = await this.#asViewer();
    if (viewer === undefined || !(await this.mayKnow(docket))) return false;
    const known = this.#dated.get(docket);
    if (known !== undefined) return known;
    const row = await findDocket(this.#app.session, this.#app.tenant, docket);
    const blind =
      row === undefined ? undefined : await blindTo(routingDeps(this.#app), viewer, [row]);
    const may = blind !== undefined && !blind.has(docket);
    this.#dated.set(docket, may);
    return may;
  }

  /** Asked where what is hidden cannot be left out: of a log as a whole, or of a sum over all dockets. */
  async seesEverything(): Promise<boolean> {
    const viewer = await this.#asViewer();
    return viewer !== undefined && seesEverything(viewer.party);
  }

  #asViewer(): Promise<Viewer | undefined> {
    this.#viewer ??= this.#load();
    return this.#viewer;
  }

  /** Undefined before the first people file: events may come in earlier. */
  async #load(): Promise<Viewer | undefined> {
    const active = await activeRouting(this.#app, this.#app.session);
    const actor = this.#actor;
    if (active === undefined || actor.kind !== 'person') return undefined;
    return viewerNamed(active.people, actor);
  }
}
