/** Which dates a person is not shown, because they may still give the second docketing. */
import type { DocketId } from '../../core/index.ts';
import type { Viewer } from '../rules/access/visible.ts';
import { datesOfOne } from '../rules/docket/dates.ts';
import { needsSecond, wasSentTo } from '../rules/docket/second.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import { unseconded } from '../store/datings.ts';
import { databaseNow } from '../store/steps.ts';
import type { RoutingDeps } from './deps.ts';
import { activeRouting } from './setup.ts';

type Rows = readonly Pick<StoredDocket, 'id' | 'docket' | 'state' | 'closed'>[];

/** Only where the matrix asks for it. Of a closed docket there is nothing left to docket. */
export async function blindTo(
  deps: RoutingDeps,
  viewer: Viewer,
  rows: Rows,
): Promise<ReadonlySet<DocketId>> {
  const active = await activeRouting(deps, deps.session);
  if (active?.matrix.policy.secondDocketing !== true) return new Set();
  const law = deps.law();
  const now = await databaseNow(deps.session);
  const open = rows.filter(
    ({ docket, state, closed }) =>
      closed === undefined &&
      !wasSentTo(state, viewer) &&
      needsSecond(docket, datesOfOne(docket, law, now), law),
  );
  const ids = open.map(({ id }) => id);
  const waiting = await unseconded(deps.session, deps.tenant, ids, viewer.person);
  return new Set(ids.filter((id) => waiting.has(id)));
}
