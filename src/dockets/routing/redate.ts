/** After a change of what is said of a docket's dates: what counts from now on, with its entry. */
import type { DocketId } from '../../core/index.ts';
import { recordDocketFacts } from '../store/docket-facts.ts';
import { redateDocket } from '../store/datings.ts';
import type { Run } from '../store/docket-rows.ts';
import type { Actor, RoutingDeps } from './deps.ts';
import { factOf } from './facts.ts';

/** In the transaction of the change. The router hears of it at once, and hands over by the new date. */
export async function redate(
  run: Run,
  { tenant, ids }: Pick<RoutingDeps, 'tenant' | 'ids'>,
  change: { readonly docket: DocketId; readonly why: string; readonly actor: Actor },
): Promise<void> {
  const { docket, why, actor } = change;
  const { ver, datingSha256 } = await redateDocket(run, tenant, docket);
  const fact = factOf(ids, 'docket.dated', actor, { why, dating_sha256: datingSha256 });
  await recordDocketFacts(run, tenant, [
    { boundary: 'filing', kind: 'docket', id: docket, ver, fact },
  ]);
}
