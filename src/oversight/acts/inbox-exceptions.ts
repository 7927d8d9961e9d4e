/** Exceptions in the inbox: filings that came back to the desk of one person, and grants that need somebody. */
import { may, type PersonActor } from '../../access/index.ts';
import type { Filewright } from '../../filewright.ts';
import { exceptionsOnDesk } from '../../filings/index.ts';
import type { Run } from '../../postgres/index.ts';
import type { InboxItem } from './inbox-item.ts';

/** Assigned to this person, or prepared by them and assigned to no one. */
export async function deskExceptions(
  run: Run,
  { tenant }: Filewright,
  actor: PersonActor,
  zoneOf: (lane: string) => string,
): Promise<readonly InboxItem[]> {
  if (!may(actor, 'review.show').allowed) return [];
  return (await exceptionsOnDesk(run, tenant, actor.id)).map((one) => ({
    kind: 'exception',
    id: one.filing,
    what: `${one.entityId}, ${one.jurisdiction}, ${one.filingKind} ${one.period}: ${one.reason}`,
    why: one.isAssigned ? 'it was assigned to you' : 'you prepared it',
    due: one.due,
    zone: zoneOf(one.lane),
    day: undefined,
    next: `review show ${one.filing}`,
  }));
}

/** For those who resolve them; what was proposed waits for its second person by itself. */
export async function grantExceptions(
  app: Filewright,
  actor: PersonActor,
): Promise<readonly InboxItem[]> {
  if (!may(actor, 'grants.exception.propose').allowed) return [];
  const { openGrants } = await import('../../grants/index.ts');
  const open = await openGrants(app, actor).exceptions.list({ isOpen: true });
  return open
    .filter(({ state }) => state === 'open')
    .map((one) => ({
      kind: 'grants',
      id: one.id,
      what: `grant exception from ${one.from}: ${one.escalationCode}`,
      why: 'you may resolve it',
      due: undefined,
      zone: 'UTC',
      day: undefined,
      next: `grants exceptions show ${one.id}`,
    }));
}
