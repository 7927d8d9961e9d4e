/**
 * Notices to one receiver each: work that leaves the house. Claimed with the try written before the send, recorded after
 * it; whatever becomes of a notice, its row and its tries stay.
 */
import { docketId, type DocketId, type Instant } from '../../core/index.ts';
import { optional, type Run, type Session, sql, text, when } from '../../postgres/index.ts';
import { addWork, claimWork, type ClaimedWork, recordWork } from '../../work/index.ts';
import { type DomainEvent, eventsOf } from './events.ts';
import { LANE_OF_WEBHOOK } from '../../lanes/index.ts';

type NoticeOrigin = 'event' | 'alert' | 'digest' | 'agent' | 'test';
/** Mails have one target, whoever they are to: the server takes them one after the other. */
export const MAIL_TARGET = 'mail';

/** One receiver of notices. */
export type NoticeTarget =
  | { readonly kind: 'webhook'; readonly target: string }
  | { readonly kind: 'mail'; readonly target: typeof MAIL_TARGET };

/** A notice that this process may send now. */
export interface ClaimedNotice extends Pick<ClaimedWork, 'id' | 'attempt' | 'createdAt'> {
  readonly origin: NoticeOrigin;
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
  readonly docket?: DocketId | undefined;
}

export async function addMailNotice(
  run: Run,
  tenant: string,
  notice: NewMailNotice,
): Promise<void> {
  const { id, origin, recipient, subject, body, dedup, docket } = notice;
  await addWork(run, tenant, {
    id,
    kind: 'mail',
    target: MAIL_TARGET,
    body: { origin, recipient, subject, text: body },
    dedup,
    docket,
  });
}

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
  const dedup = `webhook/${subscription}/${event}`;
  const to = { kind: 'webhook', target: subscription } as const;
  await addWork(run, tenant, { id, ...to, body: { origin }, event, dedup });
}

// What was sent before stays on record, so it is new work under the same event, which is what the receiver knows it by.
const RESEND = sql('notice-resend')`
insert into work (tenant, id, kind, target, body, event, dedup)
select $1, gen_random_uuid(), 'webhook', w.target, (array_agg(w.body))[1], $2::uuid,
  'webhook/' || w.target || '/' || $2::uuid || '/' || count(*)
from work w join subscription s on s.tenant = w.tenant and s.id::text = w.target
  join ${LANE_OF_WEBHOOK} and l.open_from <= now()
where w.tenant = $1 and w.event = $2::uuid and w.kind = 'webhook' and s.removed_at is null
  and ($3::uuid is null or s.id = $3)
group by w.target having bool_and(w.state <> 'pending')
on conflict do nothing returning id`;

/** Queues an event's webhooks again, under the same id; returns how many. */
export async function resendEvent(
  session: Session,
  tenant: string,
  event: string,
  subscription: string | undefined,
): Promise<number> {
  return (await session.run(RESEND, [tenant, event, subscription ?? null])).length;
}

export async function claimNotices(
  session: Session,
  where: NoticeTarget & {
    readonly tenant: string;
    readonly limit: number;
    readonly claimMs: number;
    readonly only?: string | undefined;
  },
): Promise<ClaimedNotice[]> {
  const run = session.run.bind(session);
  const works = await claimWork(run, where);
  const events = await eventsOf(
    run,
    where.tenant,
    works.flatMap(({ event }) => (event === undefined ? [] : [event])),
  );
  return works.map((work) => noticeOf(work, events));
}

interface NoticeOutcome {
  readonly verdict: 'sent' | 'transient' | 'unknown' | 'permanent' | 'gone';
  readonly code: string;
  /** Undefined when it has come to its end. */
  readonly retryMs: number | undefined;
}

/** Returns what has become of it; undefined when the outcome came too late to count. */
export async function recordNotice(
  session: Session,
  tenant: string,
  notice: Pick<ClaimedNotice, 'id' | 'attempt'>,
  { verdict, code, retryMs }: NoticeOutcome,
): Promise<'sent' | 'again' | 'failed' | undefined> {
  const end = verdict === 'sent' ? 'done' : 'failed';
  const next =
    verdict === 'sent' || retryMs === undefined
      ? ({ state: end } as const)
      : ({ state: 'pending', again: retryMs } as const);
  const run = session.run.bind(session);
  const counted = await recordWork(run, tenant, [notice], { ...next, verdict, code });
  if (counted === 0) return undefined;
  return verdict === 'sent' ? 'sent' : next.state === 'pending' ? 'again' : 'failed';
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
  readonly docket: DocketId | undefined;
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

const LIST = sql('notice-list')`
select w.id, w.kind, w.body->>'origin' as origin, w.event, e.type, case w.kind when 'webhook' then w.target end as subscription,
  w.body->>'recipient' as recipient, w.body->>'subject' as subject, w.docket,
  case w.state when 'done' then 'sent' else w.state end as state, w.code, w.created_at, w.next_at,
  (select coalesce(json_agg(json_build_object('no', t.n, 'startedAt', t.started_at, 'endedAt', t.ended_at,
    'verdict', t.verdict, 'code', t.code) order by t.n), '[]') from work_try t
    where t.tenant = w.tenant and t.work = w.id) as attempts
from work w left join event e on e.tenant = w.tenant and e.id = w.event
where w.tenant = $1 and w.kind in ('webhook', 'mail') and ($2::text is null or w.target = $2)
order by w.created_at desc, w.dedup limit $3 offset $4`;

export async function listNotices(
  session: Session,
  tenant: string,
  filter: {
    readonly target?: string;
    readonly limit: number;
    readonly offset?: number;
  },
): Promise<NoticeView[]> {
  const values = [tenant, filter.target ?? null, filter.limit, filter.offset ?? 0];
  return (await session.run(LIST, values)).map((row) => ({
    id: text(row['id']),
    channel: text(row['kind']),
    origin: text(row['origin']),
    event: optional(row['event'], text),
    type: optional(row['type'], text),
    subscription: optional(row['subscription'], text),
    recipient: optional(row['recipient'], text),
    subject: optional(row['subject'], text),
    docket: optional(row['docket'], (id) => docketId(text(id))),
    state: text(row['state']),
    code: optional(row['code'], text),
    createdAt: when(row['created_at']),
    nextAt: optional(row['next_at'], when),
    // Built by the statement above.
    attempts: row['attempts'] as NoticeView['attempts'],
  }));
}

function noticeOf(work: ClaimedWork, events: ReadonlyMap<string, DomainEvent>): ClaimedNotice {
  const { id, attempt, createdAt, target, body } = work;
  const event = work.event === undefined ? undefined : events.get(work.event);
  return {
    id,
    attempt,
    createdAt,
    // Written above and with the event's notices, in these words.
    origin: body['origin'] as NoticeOrigin,
    message:
      event === undefined
        ? {
            channel: 'mail',
            recipient: text(body['recipient']),
            subject: text(body['subject']),
            body: text(body['text']),
          }
        : { channel: 'webhook', subscription: target, event },
  };
}
