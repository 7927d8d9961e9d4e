/** Which matrix and which people hold: imported as documents, checked together, activated together. */
import {
  type Instant,
  type JsonValue,
  notFound,
  parseStrictJson,
  sha256Of,
} from '../../core/index.ts';
import { canonicalDocument } from '../rules/routing/document-version.ts';
import type { People } from '../rules/access/people.ts';
import { readPeople } from '../rules/access/read-people.ts';
import { readMatrix } from '../rules/routing/read-matrix.ts';
import { requireSoundMatrix } from '../rules/routing/check-matrix.ts';
import type { RoutingMatrix } from '../rules/routing/matrix.ts';
import {
  activateSetup,
  activeSetup,
  findRoutingDocument,
  keepRoutingDocument,
  type SetupPair,
  type StoredSetup,
} from '../store/setup.ts';
import type { Session } from '../../postgres/index.ts';
import { wakeOpenDockets } from '../store/steps.ts';
import { factOf } from './facts.ts';
import type { Actor, RoutingDeps } from './deps.ts';

export interface ActiveRouting {
  /** Counts the activations; the largest holds. */
  readonly n: number;
  readonly matrix: RoutingMatrix;
  readonly people: People;
  readonly peopleVersion: string;
  readonly activatedBy: string;
  readonly activatedAt: Instant;
}

type Named = { readonly file: string; readonly text: string };
type Deps = Pick<RoutingDeps, 'session' | 'tenant' | 'ids'>;

interface RoutingTexts {
  readonly matrix: Named;
  readonly people: Named;
}

type ChangedRouting = ActiveRouting & { readonly isNew: boolean };

/** Read and found sound together, as they are kept: in canonical form, of which the version is the hash. */
interface ReadRouting {
  readonly matrix: RoutingMatrix;
  readonly people: People;
  readonly peopleVersion: string;
  readonly bodies: { readonly matrix: string; readonly people: string };
}

export function readRouting(documents: RoutingTexts): ReadRouting {
  const matrix = readMatrix(documents.matrix);
  const people = readPeople(documents.people);
  requireSoundMatrix(matrix, people);
  const bodies = {
    matrix: canonicalDocument(documents.matrix.text),
    people: canonicalDocument(documents.people.text),
  };
  return { matrix, people, peopleVersion: sha256Of(bodies.people), bodies };
}

export async function keepRouting(
  run: Session['run'],
  tenant: string,
  { matrix, people, peopleVersion, bodies }: ReadRouting,
  by: string,
): Promise<void> {
  const { version, title } = matrix;
  await keepRoutingDocument(
    run,
    tenant,
    { kind: 'matrix', version, title, body: bodies.matrix },
    by,
  );
  const parties = `${people.parties.size} parties`;
  const kept = { kind: 'people', version: peopleVersion, title: parties } as const;
  await keepRoutingDocument(run, tenant, { ...kept, body: bodies.people }, by);
}

/**
 * Checks, stores and activates what is made from the setup that holds. When somebody activates another one meanwhile it is
 * made again from that: two absences noted at the same moment are both kept.
 */
export async function changeRouting(
  deps: Deps,
  change: (active: ActiveRouting | undefined) => Promise<RoutingTexts>,
  actor: Actor,
): Promise<ChangedRouting> {
  const { session, tenant } = deps;
  for (;;) {
    const active = await activeRouting(deps, session);
    const read = readRouting(await change(active));
    const { matrix, people, peopleVersion } = read;
    const pair = { matrix: matrix.version, people: peopleVersion, basedOn: active?.n ?? 0 };
    const done = await session.transaction(async (run) => {
      await keepRouting(run, tenant, read, actor.id);
      return activateRouting(run, deps, pair, actor);
    });
    if (done !== undefined) return { ...shown(done.setup), matrix, people, isNew: done.isNew };
  }
}

/** Undefined when another setup holds meanwhile than the pair is based on. */
export async function activateRouting(
  run: Session['run'],
  { tenant, ids }: Deps,
  pair: Omit<SetupPair, 'by'>,
  actor: Actor,
): ReturnType<typeof activateSetup> {
  const { matrix, people } = pair;
  const fact = factOf(ids, 'routing.activated', actor, { matrix, people });
  const done = await activateSetup(run, tenant, { ...pair, by: actor.id }, fact);
  // Who may see what, and who is asked, has changed: every open docket is decided anew.
  if (done?.isNew === true) await wakeOpenDockets(run, tenant);
  return done;
}

/** Undefined before the first import. */
export async function activeRouting(
  { tenant, policy }: Pick<RoutingDeps, 'tenant' | 'policy'>,
  session: Pick<Session, 'run'>,
  known?: ActiveRouting,
): Promise<ActiveRouting | undefined> {
  const setup = await activeSetup(session, tenant);
  if (setup === undefined) return undefined;
  // Documents never change, so what was read for this number stays right.
  if (known?.n === setup.n) return known;
  const { matrix, people } = await readPair(session, tenant, setup);
  const held = policy === undefined ? matrix : { ...matrix, policy: policy(matrix.policy) };
  return { ...shown(setup), matrix: held, people };
}

export async function loadRouting(
  deps: Pick<RoutingDeps, 'tenant' | 'session' | 'policy'>,
): Promise<ActiveRouting> {
  return requireActive(await activeRouting(deps, deps.session));
}

function requireActive(active: ActiveRouting | undefined): ActiveRouting {
  if (active === undefined) {
    throw notFound('No routing matrix is active yet; import one with route import');
  }
  return active;
}

/** Notes an absence as a new version of the people file. An absence of the same person from the same day is replaced. */
export async function setAbsence(
  deps: Deps,
  absence: {
    readonly person: string;
    readonly from: string;
    readonly to: string;
    readonly delegate?: string;
  },
  actor: Actor,
): Promise<ActiveRouting> {
  const { session, tenant } = deps;
  const withIt = async (active: ActiveRouting | undefined): Promise<RoutingTexts> => {
    const { matrix, peopleVersion } = requireActive(active);
    const stored = await findRoutingDocument(session, tenant, 'people', peopleVersion);
    const { body } = await findRoutingDocument(session, tenant, 'matrix', matrix.version);
    // Stored only after `readPeople` has taken it for a people file.
    const document = parseStrictJson(stored.body) as Record<string, JsonValue>;
    const others = ((document['absences'] ?? []) as Record<string, JsonValue>[]).filter(
      (one) => one['person'] !== absence.person || one['from'] !== absence.from,
    );
    const text = `${JSON.stringify({ ...document, absences: [...others, { ...absence }] }, undefined, 2)}\n`;
    return { matrix: { file: 'matrix', text: body }, people: { file: 'people', text } };
  };
  return changeRouting(deps, withIt, actor);
}

async function readPair(
  session: Pick<Session, 'run'>,
  tenant: string,
  pair: { readonly matrix: string; readonly people: string },
): Promise<{ readonly matrix: RoutingMatrix; readonly people: People }> {
  const matrix = await findRoutingDocument(session, tenant, 'matrix', pair.matrix);
  const people = await findRoutingDocument(session, tenant, 'people', pair.people);
  return {
    matrix: readMatrix({ file: `matrix ${pair.matrix}`, text: matrix.body }),
    people: readPeople({ file: `people ${pair.people}`, text: people.body }),
  };
}

function shown({ n, people, activatedBy, activatedAt }: StoredSetup) {
  return { n, peopleVersion: people, activatedBy, activatedAt };
}
