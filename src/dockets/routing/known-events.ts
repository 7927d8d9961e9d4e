/** Which events are known already, under whatever spelling they came. */
import type { Docket } from '../rules/docket/docket.ts';
import { isRespelled, meaningOf } from '../rules/docket/meaning.ts';
import type { DocketAdmission } from '../store/docket-rows.ts';
import { findDocket } from '../store/dockets.ts';
import type { Session } from '../../postgres/index.ts';
import type { RoutingDeps } from './deps.ts';

/** The same event in the same words, with its number or a name in another spelling. */
export async function isKnownRespelled(
  run: Session['run'],
  { tenant }: RoutingDeps,
  { docket }: { readonly docket: Docket },
  known: DocketAdmission,
): Promise<boolean> {
  const row = await findDocket({ run }, tenant, known.docket);
  return row !== undefined && isRespelled(meaningOf(row.read), meaningOf(docket));
}
