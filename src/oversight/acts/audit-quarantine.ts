/** Quarantine by a person's hand: looking, which compares with the copies outside, and letting the tenant go on. */
import { type Actor, allow } from '../../access/index.ts';
import { FilewrightError, ruledOut, userFact } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import {
  leaveQuarantine,
  mayTakePart,
  type Quarantine,
  readQuarantine,
  sequenceAll,
} from '../../ledger/index.ts';

/** Compares every log with its newest copy outside; one that contradicts puts the tenant into quarantine. */
export async function inspectQuarantine(app: Filewright, actor: Actor): Promise<Quarantine> {
  allow(actor, 'audit.quarantine');
  const tenant = { id: app.tenant, instance: app.instance };
  await mayTakePart(app.session, tenant, app.copies, app.random);
  return readQuarantine(app.session, app.tenant);
}

/**
 * Ends the quarantine. Whoever does it says how many open filings will ask their portals before anything is sent, which
 * shows that they have looked.
 */
export async function confirmQuarantine(
  app: Filewright,
  actor: Actor,
  request: { readonly settle: number; readonly askNewDays?: number },
): Promise<{ readonly mustSettle: number; readonly beginAnew: readonly string[] }> {
  allow(actor, 'audit.quarantine.confirm');
  const state = await inspectQuarantine(app, actor);
  if (state.state !== 'in') throw ruledOut(`The tenant ${app.tenant} is not in quarantine`);
  if (state.mustSettle !== request.settle) {
    throw new FilewrightError(
      'COUNT_DIFFERS',
      `${state.mustSettle} open filings must be settled with their portals, and you entered ${request.settle}; see audit quarantine status`,
    );
  }
  const left = await leaveQuarantine(
    app.session,
    { id: app.tenant, instance: app.instance },
    actor.id,
    {
      tenantKey: app.tenantKey,
      random: app.random,
      copies: app.copies,
      ...(request.askNewDays === undefined ? {} : { askNewDays: request.askNewDays }),
      fact: (type) => userFact(app, type, actor, {}),
    },
  );
  await sequenceAll(app);
  return left;
}
