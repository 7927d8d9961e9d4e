/** What a person does with dockets. Rights are asked in routing/desk.ts, for all of it in one place. */
import { type Actor, allow } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import { FilewrightError, type Instant, toRfc3339 } from '../../core/index.ts';
import { finder } from '../../packs/patent/docket/index.ts';
import * as routing from '../../routing/index.ts';
import { sequenceAll } from '../sequence.ts';
import { routingParts } from './parts.ts';
import { viewerFor } from './sight.ts';

export interface ListQuestion {
  readonly closed: boolean;
  readonly owner?: string;
  /** However it is spelled, there and here. */
  readonly client?: string;
  readonly matter?: string;
  readonly limit: number;
}

export interface ListedDockets {
  readonly dockets: readonly routing.DocketView[];
  /** Of those that this person may see; a larger one would tell that something is hidden. */
  readonly total: number;
}

export async function listDockets(
  app: Filewright,
  person: Actor,
  question: ListQuestion,
): Promise<ListedDockets> {
  allow(person, 'docket.list');
  const viewer = await viewerFor(app, person);
  const closed = question.closed ? 'only' : 'no';
  const all = await routing.listDockets(routingParts(app), viewer, { closed });
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
  app: Filewright,
  person: Actor,
  id: string,
): Promise<routing.DocketDetail> {
  allow(person, 'docket.show');
  return routing.showDocket(routingParts(app), await viewerFor(app, person), id);
}

export async function acknowledgeDocket(
  app: Filewright,
  person: Actor,
  id: string,
): Promise<{ readonly isFirst: boolean; readonly at: Instant; readonly by: string }> {
  allow(person, 'docket.ack');
  const viewer = await viewerFor(app, person);
  const done = await routing.acknowledgeDocket(routingParts(app), viewer, id);
  if (done.kind === 'not_given') {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Docket "${id}" was not given to ${viewer.party.name} yet; only who was given it can acknowledge it`,
    );
  }
  if (done.kind === 'closed') {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `Docket "${id}" was closed by ${done.by} at ${toRfc3339(done.at)}; nothing is left to acknowledge`,
    );
  }
  await sequenceAll(app);
  return { isFirst: done.kind === 'acknowledged', at: done.at, by: done.by };
}

export type ClosingGround = routing.CloseRequest;

export async function closeDocket(
  app: Filewright,
  person: Actor,
  id: string,
  ground: ClosingGround,
): Promise<routing.DocketClosed> {
  allow(person, 'docket.close');
  const viewer = await viewerFor(app, person);
  const closed = await routing.closeDocket(routingParts(app), viewer, id, ground);
  await sequenceAll(app);
  return closed;
}
