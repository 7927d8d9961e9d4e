/** Whose mailboxes may hear of a docket. An address is somebody's only where a target of the matrix says so. */
import type { DocketId } from '../../core/index.ts';
import { maySee } from '../rules/access/visible.ts';
import type { Target } from '../rules/routing/matrix.ts';
import { findDocket } from '../store/dockets.ts';
import type { Session } from '../../postgres/index.ts';
import { viewerOf } from './docket-acts.ts';
import { activeRouting } from './setup.ts';

/** Of `addresses`, those of people who may see the docket; where there is none, the mailboxes of privileged people. */
export async function docketReaders(
  session: Pick<Session, 'run'>,
  tenant: string,
  { docket, addresses }: { readonly docket: DocketId; readonly addresses: readonly string[] },
): Promise<readonly string[]> {
  const row = await findDocket(session, tenant, docket);
  const routing = await activeRouting({ tenant }, session);
  if (row === undefined || routing === undefined) return [];
  const { matrix, people } = routing;
  const matter = row.docket;
  const readable = [...matrix.targets.values()].filter(
    ({ kind, party }) => kind === 'mail' && maySee(matter, viewerOf(people, party)),
  );
  const told = addresses.filter((address) => readable.some((target) => isAt(target, address)));
  if (told.length > 0) return told;
  return readable
    .filter(({ party }) => matrix.privileged.includes(party))
    .map(({ address }) => address);
}

/** Mail servers tell capital letters apart in theory only. */
function isAt({ address }: Target, other: string): boolean {
  return address.toLowerCase() === other.toLowerCase();
}
