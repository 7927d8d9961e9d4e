/** What a reconciliation found, worked through by people: one docket, or all that a filter names and they may see. */
import type { DocketId, TargetId } from '../../core/index.ts';
import { maySee, type Viewer } from '../rules/access/visible.ts';
import { finder } from '../rules/docket/search.ts';
import {
  type DifferenceKind,
  listDifferences,
  reviewDifferences,
  type StoredDifference,
} from '../store/differences.ts';
import { findDocket, recordDocketFact } from '../store/dockets.ts';
import { factOf } from './facts.ts';
import type { RoutingDeps } from './deps.ts';

export interface DifferenceFilter {
  readonly docket?: DocketId;
  /** The target whose recovery found it. */
  readonly target?: TargetId;
  readonly kind?: DifferenceKind;
  /** In any spelling, as a search takes it. */
  readonly client?: string;
}

/** Open ones that the viewer may see, the most urgent first. */
export async function openDifferences(
  deps: Pick<RoutingDeps, 'session' | 'tenant'>,
  viewer: Viewer,
  filter: DifferenceFilter = {},
): Promise<StoredDifference[]> {
  const { session, tenant } = deps;
  const { client, ...stored } = filter;
  const isMeant = finder(client === undefined ? {} : { client });
  const visible: StoredDifference[] = [];
  const known = new Map<string, boolean>();
  for (const difference of await listDifferences(session, tenant, stored)) {
    const { docket: id } = difference;
    if (!known.has(id)) {
      const row = await findDocket(session, tenant, id);
      const docket = row === undefined ? undefined : row.docket;
      known.set(id, docket !== undefined && isMeant(docket) && maySee(docket, viewer));
    }
    if (known.get(id) === true) visible.push(difference);
  }
  return visible;
}

/** A person has looked at them. Each docket has its own entry; returns how many differences were open until now. */
export async function reviewOpenDifferences(
  deps: Pick<RoutingDeps, 'session' | 'tenant' | 'ids'>,
  viewer: Viewer,
  filter: DifferenceFilter,
): Promise<{ readonly reviewed: number; readonly dockets: number }> {
  const { session, tenant, ids } = deps;
  const by = viewer.party.id;
  const { kind, target } = filter;
  const only = {
    ...(kind === undefined ? {} : { kind }),
    ...(target === undefined ? {} : { target }),
  };
  const found = await openDifferences(deps, viewer, filter);
  let reviewed = 0;
  let dockets = 0;
  for (const docket of new Set(found.map((one) => one.docket))) {
    const count = await session.transaction(async (run) => {
      const differences = await reviewDifferences(run, tenant, docket, by, only);
      if (differences === 0) return 0;
      const fact = factOf(ids, 'docket.reviewed', { kind: 'user', id: by }, { differences });
      await recordDocketFact(run, tenant, docket, fact);
      return differences;
    });
    reviewed += count;
    if (count > 0) dockets += 1;
  }
  return { reviewed, dockets };
}

export async function reviewDocketDifferences(
  deps: Pick<RoutingDeps, 'session' | 'tenant' | 'ids'>,
  viewer: Viewer,
  docket: DocketId,
): Promise<number> {
  return (await reviewOpenDifferences(deps, viewer, { docket })).reviewed;
}
