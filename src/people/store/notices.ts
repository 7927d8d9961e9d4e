/**
 * Notices on their way to one receiver each. The table is the queue: a sender
 * claims what is due, with the attempt written before the send, and records the outcome after it. A crash in between
 * leaves a claim that runs out; the notice is then sent again under the same id.
 */
import type { Instant } from '../../core/index.ts';
import { type DomainEvent, eventOf } from './outbox.ts';
import {
  lockedOnce,
  optional,
  type Row,
  type Session,
  type Statement,
  text,
  when,
} from '../../postgres/index.ts';

type Run = Session['run'];

type NoticeOrigin = 'event' | 'alert' | 'digest' | 'agent' | 'test';
type NoticeState = 'pending' | 'sent' | 'failed' | 'dropped';

/** A notice that this process may send now. */
export interface ClaimedNotice {
  readonly id: string;
  readonly origin: NoticeOrigin;
  /** Counts this attempt; it is also the fence for its outcome. */
  readonly attempt: number;
  readonly createdAt: Instant;
  readonly message:
    | { readonly channel: 'webhook'; readonly subscription: string; readonly event: DomainEvent }
    | {
        readonly channel: 'mail';
        readonly recipient: string;
        readonly subject: string;
        readonly body: string;
      };
}

interface NewMailNotice {
  readonly id: string;
  readonly origin: NoticeOrigin;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
  /** The same reason never makes a second notice. */
  readonly dedup: string;
  /** The docket that it is about, if it is about one. */
  readonly docket?: string | undefined;
}

const ADD_MAIL: Statement = {
  name: 'notice-add-mail',
  text: `insert into notice (tenant, id, channel, target, origin, recipient, subject, body, dedup, docket, next_at)
    values ($1, $2, 'mail', 'mail', $3, $4, $5, $6, $7, $8, now()) on conflict on constraint notice_once do nothing`,
};

export async function addMailNotice(
  run: Run,
  tenant: string,
  notice: NewMailNotice,
): Promise<void> {
  const { id, origin, recipient, subject, body, dedup, docket } = notice;
  await run(ADD_MAIL, [tenant, id, origin, recipient, subject, body, dedup, docket ?? null]);
}

const ADD_WEBHOOK: Statement = {
  name: 'notice-add-webhook',
  text: `insert into notice (tenant, id, channel, target, origin, event, subscription, dedup, next_at)
    values ($1, $2, 'webhook', $3::uuid::text, $4, $5, $3, 'webhook/' || $3::uuid || '/' || $5::uuid, now())
    on conflict on constraint notice_once do nothing`,
};

export async function addWebhookNotice(
  run: Run,
  tenant: string,
  notice: {
    readonly id: string;
    readonly origin: NoticeOrigin;
    readonly subscription: string;
    readonly event: string;
  },
): Promise<void> {
  const { id, subscription, origin, event } = notice;
  await run(ADD_WEBHOOK, [tenant, id, subscription, origin, event]);
}

const RESEND: Statement = {
  name: 'notice-resend',
  text: `
update notice n set state = 'pending', attempts = 0, next_at = now(), claimed_until = null, ended_at = null
from subscription s
where n.tenant = $1 and n.event = $2 and n.state <> 'pending' and s.tenant = n.tenant and s.id = n.subscription
  and s.disabled_at is null and s.removed_at is null and ($3::uuid is null or s.id = $3)
returning n.id`,
};

// The numbers of the attempts begin anew with a resend, so the former log makes room for the new one.
const FORGET_ATTEMPTS: Statement = {
  name: 'notice-forget-attempts',
  text: 'delete from notice_attempt where tenant = $1 and notice = any ($2::uuid[])',
};

/** Queues an event's webhooks again, under the same id; returns how many. */
export async function resendEvent(
  session: Session,
  tenant: string,
  event: string,
  subscription: string | undefined,
): Promise<number> {
  return session.transaction(async (run) => {
    const rows = await run(RESEND, [tenant, event, subscription ?? null]);
    await run(FORGET_ATTEMPTS, [tenant, rows.map((row) => text(row['id']))]);
    return rows.length;
  });
}

// $1 tenant, $2 target, $3 how many, $4 how long the claim holds, $5 one notice or null
const CLAIM: Statement = {
  name: 'notice-claim',
  text: `
with ${lockedOnce(
    'due',
    `
  select tenant, id from notice
  where tenant = $1 and target = $2 and state = 'pending' and next_at <= now()
    and (claimed_until is null or claimed_until < now()) and ($5::uuid is null or id = $5)
  order by next_at limit $3`,
  )},
claimed as (
  update notice n set claimed_until = now() + $4 * interval '1 millisecond', attempts = n.attempts + 1
  from due where n.tenant = due.tenant and n.id = due.id
  returning n.*),
begun as (
  insert into notice_attempt (tenant, notice, no) select tenant, id, attempts from claimed)
select c.id as notice, c.channel, c.origin, c.attempts, c.created_at, c.subscription, c.recipient, c.subject, c.body,
  e.id, e.type, e.at, e.filing, e.data
from claimed c left join event e on e.tenant = c.tenant and e.id = c.event
order by c.created_at, c.id`,
};

export async function claimNotices(
  session: Session,
  where: {
    readonly tenant: string;
    readonly target: string;
    readonly limit: number;
    readonly claimMs: number;
    readonly only?: string;
  },
): Promise<ClaimedNotice[]> {
  const { tenant, target, limit, claimMs, only } = where;
  return (await session.run(CLAIM, [tenant, target, limit, claimMs, only ?? null])).map(claimedOf);
}

interface NoticeOutcome {
  readonly verdict: 'sent' | 'transient' | 'unknown' | 'permanent' | 'gone';
  readonly code: string;
  /** Undefined when it has come to its end. */
  readonly retryMs: number | undefined;
}

// A late answer of a former claim is logged but decides nothing, except that a notice once sent is sent.
const RECORD: Statement = {
  name: 'notice-record',
  text: `
with ended as (
  update notice_attempt set ended_at = clock_timestamp(), verdict = $4, code = $5
  where tenant = $1 and notice = $2 and no = $3)
update notice set code = $5, claimed_until = null,
  state = case when $4 = 'sent' then 'sent' when $6::float8 is null then 'failed' else 'pending' end,
  next_at = case when $4 = 'sent' then null else now() + $6::float8 * interval '1 millisecond' end,
  ended_at = case when $4 = 'sent' or $6::float8 is null then now() end
where tenant = $1 and id = $2 and state = 'pending' and (attempts = $3 or $4 = 'sent')
returning state`,
};

/** Returns the state after it; undefined when the outcome came too late to count. */
export async function recordNotice(
  session: Session,
  where: { readonly tenant: string; readonly notice: string; readonly attempt: number },
  outcome: NoticeOutcome,
): Promise<NoticeState | undefined> {
  const { verdict, code, retryMs } = outcome;
  const values = [where.tenant, where.notice, where.attempt, verdict, code, retryMs ?? null];
  const [row] = await session.run(RECORD, values);
  // A check constraint holds the column to these words.
  return optional(row?.['state'], (value) => text(value) as NoticeState);
}

export interface NoticeView {
  readonly id: string;
  readonly channel: string;
  readonly origin: string;
  readonly event: string | undefined;
  readonly type: string | undefined;
  readonly subscription: string | undefined;
  readonly recipient: string | undefined;
  readonly subject: string | undefined;
  readonly docket: string | undefined;
  readonly state: string;
  readonly code: string | undefined;
  readonly createdAt: Instant;
  readonly nextAt: Instant | undefined;
  readonly attempts: readonly {
    readonly no: number;
    readonly startedAt: string;
    readonly endedAt: string | null;
    readonly verdict: string | null;
    readonly code: string | null;
  }[];
}

const LIST: Statement = {
  name: 'notice-list',
  text: `
select n.id, n.channel, n.origin, n.event, e.type, n.subscription, n.recipient, n.subject, n.docket, n.state, n.code,
  n.created_at, n.next_at, (select coalesce(json_agg(json_build_object('no', a.no, 'startedAt', a.started_at, 'endedAt', a.ended_at,
    'verdict', a.verdict, 'code', a.code) order by a.no), '[]') from notice_attempt a
    where a.tenant = n.tenant and a.notice = n.id) as attempts
from notice n left join event e on e.tenant = n.tenant and e.id = n.event
where n.tenant = $1 and ($2::text is null or n.target = $2) and ($3::text is null or n.state = $3)
order by n.created_at desc, n.dedup limit $4 offset $5`,
};

export async function listNotices(
  session: Session,
  tenant: string,
  filter: {
    readonly target?: string;
    readonly state?: string;
    readonly limit: number;
    readonly offset?: number;
  },
): Promise<NoticeView[]> {
  const values = [
    tenant,
    filter.target ?? null,
    filter.state ?? null,
    filter.limit,
    filter.offset ?? 0,
  ];
  return (await session.run(LIST, values)).map((row) => ({
    id: text(row['id']),
    channel: text(row['channel']),
    origin: text(row['origin']),
    event: optional(row['event'], text),
    type: optional(row['type'], text),
    subscription: optional(row['subscription'], text),
    recipient: optional(row['recipient'], text),
    subject: optional(row['subject'], text),
    docket: optional(row['docket'], text),
    state: text(row['state']),
    code: optional(row['code'], text),
    createdAt: when(row['created_at']),
    nextAt: optional(row['next_at'], when),
    // Built by the statement above.
    attempts: row['attempts'] as NoticeView['attempts'],
  }));
}

function claimedOf(row: Row): ClaimedNotice {
  return {
    id: text(row['notice']),
    // A check constraint holds the column to these words.
    origin: text(row['origin']) as NoticeOrigin,
    attempt: Number(row['attempts']),
    createdAt: when(row['created_at']),
    message:
      row['channel'] === 'webhook'
        ? { channel: 'webhook', subscription: text(row['subscription']), event: eventOf(row) }
        : {
            channel: 'mail',
            recipient: text(row['recipient']),
            subject: text(row['subject']),
            body: text(row['body']),
          },
  };
}
