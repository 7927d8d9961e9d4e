/**
 * Another matrix or people file: a person proposes the pair, a person of another party approves it by its hash. The first one
 * too, since it says who may read every docket to come.
 */
import { type Actor, allow } from '../../access/index.ts';
import {
  changesBetween,
  FilewrightError,
  type JsonChange,
  type JsonValue,
  parseStrictJson,
  type ProposalTerms,
  termText,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import {
  approveChange,
  type ChangeView,
  openChanges,
  proposeChange,
  refuseChange,
} from '../../people/index.ts';
import {
  activateRouting,
  activeRouting,
  type ActiveRouting,
  keepRouting,
  readRouting,
} from '../routing/setup.ts';
import { findRoutingDocument } from '../store/setup.ts';
import { actorOf, routingDeps } from './deps.ts';
import { isPrivileged, requirePrivilege } from './privilege.ts';
import { documentsOf } from './routing-files.ts';

/** There is one routing of a tenant. */
const SETUP = 'setup';
const KIND = { kind: 'matrix', subject: SETUP } as const;

interface Versions {
  readonly title: string;
  readonly matrix: string;
  readonly people: string;
}

type ProposedRouting =
  | (Versions & { readonly state: 'unchanged'; readonly n: number })
  | (Versions & { readonly state: 'proposed'; readonly sha256: string });

/** Which file is which, its `kind` says; one that is not given is the one that holds now. */
export async function proposeRouting(
  app: Installation,
  actor: Actor,
  files: readonly string[],
  reason?: string,
): Promise<ProposedRouting> {
  allow(actor, 'route.import');
  await requirePrivilege(app, actor, 'Importing a matrix or a people file');
  const active = await activeRouting(app, app.session);
  const read = readRouting(await documentsOf(app, files));
  const { title, version: matrix } = read.matrix;
  const people = read.peopleVersion;
  if (active?.matrix.version === matrix && active.peopleVersion === people) {
    return { state: 'unchanged', n: active.n, title, matrix, people };
  }
  const { sha256 } = await proposeChange(
    app,
    actor,
    {
      ...KIND,
      terms: { matrix, people, based_on: active?.n ?? 0 },
      reason: reason ?? `another routing: ${title}`.slice(0, 500),
      shown: { matrix, people },
    },
    (run) => keepRouting(run, app.tenant, read, actor.id),
  );
  return { state: 'proposed', sha256, title, matrix, people };
}

export interface RoutingProposal extends ChangeView, Versions {
  /** Another setup came into force meanwhile: it can only be refused. */
  readonly isStale: boolean;
  /** By field; what tells of clients and of rights has its values only for privileged people. */
  readonly changes: readonly (JsonChange & { readonly isHidden?: true })[];
}

export async function routingProposals(
  app: Installation,
  actor: Actor,
): Promise<readonly RoutingProposal[]> {
  allow(actor, 'route.proposals');
  const active = await activeRouting(app, app.session);
  const seesAll = await isPrivileged(app, actor);
  return Promise.all(
    (await openChanges(app, 'matrix')).map(async (change) => {
      const [matrix, people] = [termText(change.terms, 'matrix'), termText(change.terms, 'people')];
      const before = await documents(app, active?.matrix.version, active?.peopleVersion);
      const after = await documents(app, matrix, people);
      const { title } = await findRoutingDocument(app.session, app.tenant, 'matrix', matrix);
      const isStale = change.terms['based_on'] !== (active?.n ?? 0);
      const all = changesBetween(before, after);
      const changes = seesAll ? all : all.map(withoutSecrets);
      return { ...change, title, matrix, people, isStale, changes };
    }),
  );
}

async function documents(
  { session, tenant }: Installation,
  matrix: string | undefined,
  people: string | undefined,
): Promise<JsonValue> {
  if (matrix === undefined || people === undefined) return { matrix: {}, people: {} };
  const read = async (kind: 'matrix' | 'people', version: string): Promise<JsonValue> =>
    parseStrictJson((await findRoutingDocument(session, tenant, kind, version)).body);
  return { matrix: await read('matrix', matrix), people: await read('people', people) };
}

/** Where dockets go is shown to whoever approves it; the rest may name clients and matters that they must not know of. */
const SHOWN = /^\/matrix\/(?:title|targets|policy|privileged)|^\/people\/(?:zone|absences)/;

function withoutSecrets(change: JsonChange): JsonChange & { readonly isHidden?: true } {
  return SHOWN.test(change.field) ? change : { field: change.field, isHidden: true };
}

/** From now on every docket that is on its way goes by it: each is decided anew. */
export async function approveRouting(
  app: Installation,
  actor: Actor,
  expectHash: string,
): Promise<Versions & Pick<ActiveRouting, 'n'>> {
  allow(actor, 'route.decide');
  let n = 0;
  const { terms } = await approveChange(app, actor, {
    ...KIND,
    expectHash,
    make: async (run, proposal) => {
      const done = await activateRouting(
        run,
        routingDeps(app),
        pairIn(proposal.terms),
        actorOf(actor),
      );
      if (done === undefined) throw stale();
      n = done.setup.n;
    },
    event: (proposal) => ({
      kind: 'routing_changed',
      subject: SETUP,
      severity: 'warning',
      did: `approved another routing of dockets, matrix ${termText(proposal.terms, 'matrix').slice(0, 12)}, people ${termText(proposal.terms, 'people').slice(0, 12)}`,
    }),
  });
  const { matrix, people } = pairIn(terms);
  const { title } = await findRoutingDocument(app.session, app.tenant, 'matrix', matrix);
  return { n, title, matrix, people };
}

export async function refuseRouting(
  app: Installation,
  actor: Actor,
  reason: string,
): Promise<void> {
  allow(actor, 'route.decide');
  await refuseChange(app, actor, { ...KIND, reason });
}

function pairIn(terms: ProposalTerms): { matrix: string; people: string; basedOn: number } {
  const basedOn = Number(terms['based_on']);
  return { matrix: termText(terms, 'matrix'), people: termText(terms, 'people'), basedOn };
}

function stale(): FilewrightError {
  return new FilewrightError(
    'PROPOSAL_STALE',
    'Another routing came into force after this one was proposed; refuse it, and import the files again',
  );
}
