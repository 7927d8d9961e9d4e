/** Who is told: webhook subscriptions with their sealed secrets, the mail server, and recipients by role. */
import {
  type Instant,
  type LedgerFact,
  notFound,
  type Pause,
  type PersonId,
  ruledOut,
  type SealedPayload,
} from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import {
  type Row,
  type Run,
  sealedOf,
  type Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import { dropWork } from '../../work/index.ts';
import { addWebhookLane, LANE_OF_WEBHOOK, switchWebhookLane } from '../../lanes/index.ts';

export interface Subscription {
  readonly id: string;
  readonly url: string;
  /** Empty: every type. */
  readonly types: readonly string[];
  readonly allowPrivateAddresses: boolean;
  readonly addedAt: Instant;
  /** Until a second person approves it, nothing is sent to it. */
  readonly approved: boolean;
  readonly disabled: { readonly at: Instant; readonly reason: string } | undefined;
}

/** A secret as stored; `id` is the entry that its seal is bound to. */
export interface SealedSecret {
  readonly id: string;
  readonly key: string;
  readonly sealed: Uint8Array;
}

const SELECT = `select s.id, s.url, s.types, s.allow_private, s.added_at, s.approved_at, l.state->'pause' as pause
from subscription s join ${LANE_OF_WEBHOOK} where s.tenant = $1 and s.removed_at is null`;

const ADD = sql('subscription-add')`
insert into subscription (tenant, id, url, types, allow_private, added_by) values ($1, $2, $3, $4, $5, $6)`;

const ADD_SECRET = sql('subscription-secret-add')`
insert into subscription_secret (tenant, subscription, id, key, sealed) values ($1, $2, $3, $4, $5)`;

const LIST = sql('subscription-list')`${SELECT} order by s.added_at, s.id`;

const FIND = sql('subscription-find')`${SELECT} and s.id = $2`;

const SECRETS = sql('subscription-secrets')`
select s.sealed as blob, s.id as blob_entry, k.id as key_id, k.month as key_month, k.wrapped as key_wrapped
from subscription_secret s join ledger_dek k on k.tenant = s.tenant and k.id = s.key
where s.tenant = $1 and s.subscription = $2 and s.expires_at > now() order by s.added_at desc`;

/** Adds what waits for a second person: its lane is held until then. */
export async function addSubscription(
  run: Run,
  tenant: string,
  subscription: Pick<Subscription, 'id' | 'url' | 'types' | 'allowPrivateAddresses'> & {
    readonly addedBy: PersonId;
    readonly secret: SealedSecret;
  },
  fact: LedgerFact,
): Promise<void> {
  const { id, url, types, allowPrivateAddresses, addedBy, secret } = subscription;
  await run(ADD, [tenant, id, url, types, allowPrivateAddresses, addedBy]);
  await run(ADD_SECRET, [tenant, id, secret.id, secret.key, secret.sealed]);
  await addWebhookLane(run, tenant, id);
  await switchWebhookLane(run, tenant, id, HOLDS.BY_PERSON);
  const subject = { kind: 'subscription', id, ver: 1 };
  await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
}

const APPROVE = sql('subscription-approve')`
update subscription set approved_at = now(), ver = ver + 1
where tenant = $1 and id = $2 and removed_at is null and approved_at is null returning ver`;

/** In the transaction of its approval; from now on it hears of events. */
export async function enableApproved(
  run: Run,
  tenant: string,
  id: string,
  fact: LedgerFact,
): Promise<void> {
  const [row] = await run(APPROVE, [tenant, id]);
  if (row === undefined) throw notFound(`There is no webhook ${id} that waits for approval`);
  await switchWebhookLane(run, tenant, id, undefined);
  const subject = { kind: 'subscription', id, ver: Number(row['ver']) };
  await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
}

export async function listSubscriptions(session: Session, tenant: string): Promise<Subscription[]> {
  return (await session.run(LIST, [tenant])).map(subscriptionOf);
}

export async function findSubscription(
  session: Session,
  tenant: string,
  id: string,
): Promise<Subscription | undefined> {
  const [row] = await session.run(FIND, [tenant, id]);
  return row === undefined ? undefined : subscriptionOf(row);
}

/** The newest first; each of them signs. */
export async function subscriptionSecrets(
  session: Session,
  tenant: string,
  id: string,
): Promise<SealedPayload[]> {
  return (await session.run(SECRETS, [tenant, id])).map((row) => sealedOf(row));
}

export type SubscriptionChange =
  | { readonly kind: 'enable' }
  | { readonly kind: 'disable'; readonly reason: keyof typeof HOLDS }
  | { readonly kind: 'remove' }
  /** The former secret signs for `overlapMs` more, so that receivers can change over. */
  | { readonly kind: 'rotate'; readonly secret: SealedSecret; readonly overlapMs: number };

/** Why a webhook is told nothing, in the words of its lane. */
const HOLDS = { GONE: 'breaker', BY_PERSON: 'person' } as const;

// The row stays locked, so that of two changes at once the second sees what the first did.
const LOCK = sql('subscription-lock')`
select ver, approved_at from subscription where tenant = $1 and id = $2 and removed_at is null for update`;

const CHANGE = sql('subscription-change')`
update subscription set ver = $3, removed_at = case when $4 then now() end where tenant = $1 and id = $2`;

const KEEP_ONE_SECRET = sql('subscription-secret-keep-one')`
delete from subscription_secret where tenant = $1 and subscription = $2 and id not in (
  select id from subscription_secret where tenant = $1 and subscription = $2 order by added_at desc limit 1)`;

const EXPIRE_SECRET = sql('subscription-secret-expire')`
update subscription_secret set expires_at = now() + $3 * interval '1 millisecond'
  where tenant = $1 and subscription = $2`;

const FORGET_SECRETS = sql('subscription-secret-forget')`
delete from subscription_secret where tenant = $1 and subscription = $2`;

/** False when there was nothing to change: unknown, removed, or already so. */
export async function changeSubscription(
  session: Session,
  where: { readonly tenant: string; readonly id: string },
  change: SubscriptionChange,
  fact: LedgerFact,
  /** In the same transaction, once it is changed. */
  onChanged?: (run: Run) => Promise<void>,
): Promise<boolean> {
  const { tenant, id } = where;
  return session.transaction(async (run) => {
    const [row] = await run(LOCK, [tenant, id]);
    if (row === undefined) return false;
    switch (change.kind) {
      case 'enable':
        if (row['approved_at'] === null) {
          throw ruledOut(
            `Webhook ${id} waits for approval by another person; see webhook proposals`,
          );
        }
        if (!(await switchWebhookLane(run, tenant, id, undefined))) return false;
        break;
      case 'disable':
        if (!(await switchWebhookLane(run, tenant, id, HOLDS[change.reason]))) return false;
        await dropWork(run, tenant, { kind: 'webhook', target: id, code: change.reason });
        break;
      case 'remove':
        await dropWork(run, tenant, { kind: 'webhook', target: id, code: 'SUBSCRIPTION_REMOVED' });
        await run(FORGET_SECRETS, [tenant, id]);
        break;
      case 'rotate':
        await run(KEEP_ONE_SECRET, [tenant, id]);
        await run(EXPIRE_SECRET, [tenant, id, change.overlapMs]);
        await run(ADD_SECRET, [
          tenant,
          id,
          change.secret.id,
          change.secret.key,
          change.secret.sealed,
        ]);
        break;
    }
    const ver = Number(row['ver']) + 1;
    await run(CHANGE, [tenant, id, ver, change.kind === 'remove']);
    const subject = { kind: 'subscription', id, ver };
    await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
    await onChanged?.(run);
    return true;
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Mail

export interface MailSetting {
  /** A reference: env:NAME or file:/path. */
  readonly smtp: string;
  readonly sender: string;
  readonly allowPrivateAddresses: boolean;
}

const SET_MAIL = sql('mail-set')`
insert into mail_setting (tenant, smtp, sender, allow_private) values ($1, $2, $3, $4)
  on conflict (tenant) do update set smtp = excluded.smtp, sender = excluded.sender,
    allow_private = excluded.allow_private, changed_at = now(), ver = mail_setting.ver + 1
  returning ver`;

const FIND_MAIL = sql('mail-find')`
select smtp, sender, allow_private from mail_setting where tenant = $1`;

/** In the transaction of its approval. */
export async function setMail(
  run: Run,
  tenant: string,
  setting: MailSetting,
  fact: LedgerFact,
): Promise<void> {
  const { smtp, sender, allowPrivateAddresses } = setting;
  const [row] = await run(SET_MAIL, [tenant, smtp, sender, allowPrivateAddresses]);
  const subject = { kind: 'mail_setting', id: tenant, ver: Number(row?.['ver']) };
  await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
}

export async function findMail(session: Session, tenant: string): Promise<MailSetting | undefined> {
  const [row] = await session.run(FIND_MAIL, [tenant]);
  if (row === undefined) return undefined;
  return {
    smtp: text(row['smtp']),
    sender: text(row['sender']),
    allowPrivateAddresses: row['allow_private'] === true,
  };
}

export const RECIPIENT_ROLES = ['registered_agent', 'alert', 'digest'] as const;
type RecipientRole = (typeof RECIPIENT_ROLES)[number];

export interface Recipient {
  readonly role: RecipientRole;
  /** Undefined: for whatever has no recipient of its own. */
  readonly entityId: string | undefined;
  readonly address: string;
}

const CHANGE_RECIPIENT = sql('recipient-add')`
insert into recipient (tenant, role, entity_id, address) values ($1, $2, $3, $4)
  on conflict (tenant, role, entity_id, address) do update set removed_at = null, ver = recipient.ver + 1
  where recipient.removed_at is not null
  returning ver`;

const REMOVE_RECIPIENT = sql('recipient-remove')`
update recipient set removed_at = now(), ver = ver + 1
  where tenant = $1 and role = $2 and entity_id = $3 and address = $4 and removed_at is null returning ver`;

const LIST_RECIPIENTS = sql('recipient-list')`
select role, entity_id, address from recipient where tenant = $1 and removed_at is null
  order by role, entity_id, address`;

// The entity's own, and only where it has none, the tenant's.
const RECIPIENTS = sql('recipient-find')`
select address from recipient r
where tenant = $1 and role = $2 and removed_at is null and entity_id = (
  select max(entity_id) from recipient o
  where o.tenant = $1 and o.role = $2 and o.removed_at is null and o.entity_id in ('', $3))
order by address`;

/** An addition in the transaction of its approval. */
export async function changeRecipient(
  run: Run,
  tenant: string,
  recipient: Recipient,
  change: { readonly kind: 'add' | 'remove'; readonly fact: LedgerFact },
): Promise<void> {
  const { role, entityId = '', address } = recipient;
  const statement = change.kind === 'add' ? CHANGE_RECIPIENT : REMOVE_RECIPIENT;
  const [row] = await run(statement, [tenant, role, entityId, address]);
  if (row === undefined && change.kind === 'add') return;
  if (row === undefined) {
    throw notFound(`${address} is not a recipient with the role ${role}`);
  }
  const id = `${role}/${entityId}/${address}`;
  const subject = { kind: 'recipient', id, ver: Number(row['ver']) };
  await recordFact(run, { tenant, boundary: 'access' }, subject, change.fact);
}

export async function listRecipients(session: Session, tenant: string): Promise<Recipient[]> {
  return (await session.run(LIST_RECIPIENTS, [tenant])).map((row) => ({
    // A check constraint holds the column to these words.
    role: text(row['role']) as RecipientRole,
    entityId: row['entity_id'] === '' ? undefined : text(row['entity_id']),
    address: text(row['address']),
  }));
}

export async function recipientsOf(
  run: Run,
  tenant: string,
  role: RecipientRole,
  entityId = '',
): Promise<string[]> {
  return (await run(RECIPIENTS, [tenant, role, entityId])).map((row) => text(row['address']));
}

function subscriptionOf(row: Row): Subscription {
  // Written by the lane's own statement.
  const pause = row['pause'] as Pause;
  return {
    id: text(row['id']),
    url: text(row['url']),
    // A text array, as the driver reads it.
    types: row['types'] as string[],
    allowPrivateAddresses: row['allow_private'] === true,
    addedAt: when(row['added_at']),
    approved: row['approved_at'] !== null,
    disabled:
      pause.kind === 'held'
        ? { at: pause.since, reason: pause.reason === HOLDS.GONE ? 'GONE' : 'BY_PERSON' }
        : undefined,
  };
}
