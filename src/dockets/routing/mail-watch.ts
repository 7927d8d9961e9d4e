/** Dockets go to people by mail, and there is no mail server: said before anybody waits for a letter. */
import { raiseAlertRow } from '../../ledger/index.ts';
import { findMail } from '../../people/index.ts';
import type { RoutingDeps } from './deps.ts';
import { activeRouting, type ActiveRouting } from './setup.ts';

/** Whom the routing that holds reaches by mail alone. */
export function mailTargets({ matrix }: Pick<ActiveRouting, 'matrix'>): string[] {
  return [...matrix.targets.values()].flatMap(({ id, kind }) => (kind === 'mail' ? [id] : []));
}

/** One alert for as long as somebody has not acknowledged it, however often it is seen. */
export async function warnOfMail(
  deps: Pick<RoutingDeps, 'session' | 'tenant' | 'ids' | 'policy'>,
  hasMail: boolean,
): Promise<void> {
  const { session, tenant, ids } = deps;
  if (hasMail) return;
  const active = await activeRouting(deps, session);
  if (active === undefined) return;
  const targets = mailTargets(active);
  if (targets.length === 0) return;
  const isSet = (await findMail(session, tenant)) !== undefined;
  const remedy = isSet
    ? 'It was set after this router started: start filewright route run again.'
    : 'Set one with filewright mail set, have it approved, and start filewright route run again.';
  await session.transaction((run) =>
    raiseAlertRow(run, tenant, {
      id: ids.next(),
      kind: 'mail_server_missing',
      subject: 'mail server',
      severity: 'critical',
      recipient: undefined,
      text: `No mail server is in use, and ${targets.length} targets of the routing are reached by mail: no one there is notified of any docket. ${remedy}`,
      dedup: 'mail_server_missing',
    }),
  );
}
