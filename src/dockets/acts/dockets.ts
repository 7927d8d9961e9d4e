/** What a person does with dockets. Rights are asked in routing/docket-acts.ts, for all of it in one place. */
import { type Actor, allow } from '../../access/index.ts';
import { type Installation, sequenceAll } from '../../ledger/index.ts';
import { docketId, type Instant, ruledOut, toRfc3339 } from '../../core/index.ts';
import { finder } from '../rules/docket/search.ts';
import type { DocketClosed, DocketDetail, DocketView } from '../routing/views.ts';
import {
  acknowledgeAs,
  closeAs,
  type CloseRequest,
  docketSeenBy,
  docketsSeenBy,
} from '../routing/docket-acts.ts';
import { noteOpened } from '../../people/index.ts';
import { routingDeps } from './deps.ts';
import { viewerFor } from './sight.ts';

interface ListQuestion {
  readonly closed: boolean;
  readonly owner?: string;
  /** However it is spelled, there and here. */
  readonly client?: string;
  readonly matter?: string;
  readonly limit: number;
}

interface ListedDockets {
  readonly dockets: readonly DocketView[];
  /** Of those that this person may see; a larger one would tell that something is hidden. */
  readonly total: number;
}

export async function listDockets(
  app: Installation,
  person: Actor,
  question: ListQuestion,
): Promise<ListedDockets> {
  allow(person, 'docket.list');
  const viewer = await viewerFor(app, person);
  const closed = question.closed ? 'only' : 'no';
  const all = await docketsSeenBy(routingDeps(app), viewer, { closed });
  const { owner } = question;
  const isWanted = finder(question);
  const fitting = all.filter(
    (one) =>
      (owner === undefined || one.owner === owner) &&
      isWanted({ ...one.docket, matter: one.docket.event?.matter ?? one.docket.matter }),
  );
  return { dockets: fitting.slice(0, question.limit), total: fitting.length };
}

export async function showDocket(
  app: Installation,
  person: Actor,
  id: string,
): Promise<DocketDetail> {
  allow(person, 'docket.show');
  const docket = docketId(id);
  const viewer = await viewerFor(app, person);
  const opening = (): Promise<void> => noteOpened(app, person, 'docket.show', docket);
  return docketSeenBy(routingDeps(app), viewer, docket, opening);
}

export async function acknowledgeDocket(
  app: Installation,
  person: Actor,
  id: string,
): Promise<{ readonly isFirst: boolean; readonly at: Instant; readonly by: string }> {
  allow(person, 'docket.ack');
  const viewer = await viewerFor(app, person);
  const done = await acknowledgeAs(routingDeps(app), viewer, docketId(id));
  if (done.kind === 'not_given') {
    throw ruledOut(
      `Docket "${id}" is not assigned to ${viewer.party.name} yet; only the person it is assigned to can acknowledge it`,
    );
  }
  if (done.kind === 'closed') {
    throw ruledOut(
      `Docket "${id}" was closed by ${done.by} at ${toRfc3339(done.at)}; nothing is left to acknowledge`,
    );
  }
  await sequenceAll(app);
  return { isFirst: done.kind === 'acknowledged', at: done.at, by: done.by };
}

export type ClosingGround = CloseRequest;

export async function closeDocket(
  app: Installation,
  person: Actor,
  id: string,
  ground: ClosingGround,
): Promise<DocketClosed> {
  allow(person, 'docket.close');
  const viewer = await viewerFor(app, person);
  const closed = await closeAs(routingDeps(app), viewer, docketId(id), ground);
  await sequenceAll(app);
  return closed;
}
