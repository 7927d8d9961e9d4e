/** What `doctor` says of the mail that dockets need. */
import type { Installation } from '../../ledger/index.ts';
import { findMail } from '../../people/index.ts';
import { mailTargets } from '../routing/mail-watch.ts';
import { activeRouting } from '../routing/setup.ts';

/** How many targets of the routing are reached by mail, and whether there is a server to reach them. */
export async function docketMail(
  app: Installation,
): Promise<{ readonly targets: number; readonly isSet: boolean }> {
  const active = await activeRouting(app, app.session);
  const targets = active === undefined ? 0 : mailTargets(active).length;
  return { targets, isSet: (await findMail(app.session, app.tenant)) !== undefined };
}
