/** Looking at filings. The sealed payload is opened only for a person. */
import { type Actor, allow } from '../../access/index.ts';
import {
  type AttemptRecord,
  type JsonValue,
  type LaneCode,
  parseStrictJson,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import {
  countFilings as countStored,
  type FilingFilter,
  type FilingView,
  findFiling,
  findPayload,
  listFilings as storedFilings,
} from '../store/filings.ts';
import { history } from '../store/delivery-store.ts';
import { noteOpened } from '../../people/index.ts';
import { lanes, profilesByLane, requireLane } from '../../lanes/index.ts';
import { allowOnDesk } from './desk.ts';

/** In the order of their ids. */
export async function listFilings(
  app: Installation,
  actor: Actor,
  filter: FilingFilter,
): Promise<readonly FilingView[]> {
  allow(actor, 'filing.list');
  if (filter.lane !== undefined) requireLane(await lanes(app), filter.lane);
  return storedFilings(app.session, app.tenant, filter);
}

/** How many the filter finds in all. */
export async function countFilings(
  app: Installation,
  actor: Actor,
  filter: Omit<FilingFilter, 'limit'>,
): Promise<number> {
  allow(actor, 'filing.list');
  return countStored(app.session, app.tenant, filter);
}

/** By whose clock a filing of a lane is due: that of the office. UTC where its profile does not say. */
export async function officeZones(
  app: Installation,
  actor: Actor,
): Promise<(lane: LaneCode) => string> {
  allow(actor, 'filing.list');
  const profiles = await profilesByLane(app);
  return (lane) => profiles.get(lane)?.hours?.zone ?? 'UTC';
}

interface FilingDetail {
  readonly filing: FilingView;
  readonly attempts: readonly AttemptRecord[];
}

/** By its id or its idempotency key. */
export async function showFiling(
  app: Installation,
  actor: Actor,
  name: string,
): Promise<FilingDetail> {
  allow(actor, 'filing.show', name);
  const filing = await findFiling(app.session, app.tenant, name);
  return { filing, attempts: await history(app.session, app.tenant, filing.id) };
}

export async function openPayload(
  app: Installation,
  actor: Actor,
  { id }: Pick<FilingView, 'id'>,
): Promise<JsonValue> {
  allow(actor, 'filing.open', id);
  await allowOnDesk(app, actor, 'filing.open', { kind: 'filing', id });
  await noteOpened(app, actor, 'filing.open', id);
  return parseStrictJson(app.vault.open(await findPayload(app.session, app.tenant, id)));
}
