/**
 * What one person did that the others should see: each kind of it is an alert that names who did what, and that everybody can
 * acknowledge but the party that did it. Where no other party is there it is told all the same, and anybody can.
 */
import type { Actor } from '../access/index.ts';
import type { Ids } from '../core/index.ts';
import type { Severity } from '../ledger/index.ts';
import type { Run } from '../postgres/index.ts';
import { type NotifyDeps, raiseAlertIn } from './alerts.ts';
import { listPeople } from './store/people.ts';

export interface TrustEvent {
  readonly kind:
    | 'person_changed'
    | 'key_changed'
    | 'token_changed'
    | 'role_changed'
    | 'profile_changed'
    | 'webhook_changed'
    | 'recipient_changed'
    | 'mail_server_changed'
    | 'routing_changed'
    | 'receipt_changed'
    | 'quarantine_left';
  /** The person, lane or address. */
  readonly subject: string;
  /** `info` by default: heard of once, and listed until somebody else acknowledges it. */
  readonly severity?: Severity;
  /** What was done, after the name: "gave lane US-DE another profile, which leads to …". */
  readonly did: string;
}

/** In the transaction of what was done. */
export async function raiseTrustAlert(
  run: Run,
  deps: { readonly tenant: string; readonly ids: Ids } & NotifyDeps,
  actor: Actor,
  { kind, subject, did, severity = 'info' }: TrustEvent,
): Promise<void> {
  const { tenant, ids } = deps;
  const isHeard =
    actor.kind === 'person' &&
    (await listPeople({ run }, tenant)).some(
      ({ party, disabledAt }) => party !== actor.party && disabledAt === undefined,
    );
  await raiseAlertIn(
    run,
    { tenant, ids },
    {
      kind,
      subject,
      severity,
      text: `${actor.name} ${did}. If you did not expect this, find out why at once, and see filewright audit log`,
      // Each time anew: what happened twice was done twice.
      dedup: `${kind}/${ids.next()}`,
      ...(isHeard ? { causedBy: actor.id } : {}),
    },
  );
}
