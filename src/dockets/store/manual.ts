/** Dockets that wait for people, and those that a queue took and nobody reads: how both are found again. */
import {
  docketId,
  type DocketId,
  type Instant,
  type JsonValue,
  type TargetId,
} from '../../core/index.ts';
import { type Session, sql, text } from '../../postgres/index.ts';
import type { Run, StoredDocket } from './docket-rows.ts';

/** In one statement; the rest has its turn a second later. */
const WOKEN_MAX = 500;

// Asked again outside: whoever had the row may have closed it, and what is closed must not be due for ever.
const WAKE = sql('docket-manual-wake')`
update docket set next_at = now() where tenant = $1 and phase = 'manual' and closed_at is null and id = any (array(
  select id from docket where tenant = $1 and phase = 'manual' and closed_at is null and next_at > now()
    and state->'waitsFor' ?| $2::text[] order by id limit ${WOKEN_MAX}))`;

/** Targets that nothing is held against any more: dockets that wait for one of them hear the clock. */
export async function wakeManualDockets(
  session: Pick<Session, 'run'>,
  tenant: string,
  targets: readonly string[],
): Promise<void> {
  if (targets.length > 0) await session.run(WAKE, [tenant, targets]);
}

const LET_WAVES_END = sql('docket-notices-collect')`
update work w set next_at = now() + $3::float8 * interval '1 millisecond' from docket_handoff h
where w.tenant = $1 and w.kind = 'handoff' and w.target = 'all' and w.state = 'pending' and w.next_at <= now()
  and h.tenant = w.tenant and h.docket = w.docket and h.n = (w.body->>'n')::int
  and h.target = any ($2::text[]) and h.attempt = 0 and h.ended_at is null and h.started_at > now() - $4::float8 * interval '1 millisecond'
  and exists (select 1 from docket_handoff w where w.tenant = $1 and w.tier = 'MANUAL' and w.target = h.target
    and w.started_at > now() - $3::float8 * interval '1 millisecond')`;

/** First notices to mailboxes wait until no more come for `quietMs`, and `wholeMs` at most: then they are one letter. */
export async function collectManualNotices(
  session: Pick<Session, 'run'>,
  tenant: string,
  mailboxes: readonly string[],
  window: { readonly quietMs: number; readonly wholeMs: number },
): Promise<void> {
  if (mailboxes.length === 0) return;
  await session.run(LET_WAVES_END, [tenant, mailboxes, window.quietMs, window.wholeMs]);
}

const CONFIRMED_BY = sql('docket-confirmed-by')`
select d.id, d.message_id, d.tier from docket d
where d.tenant = $1 and d.phase = 'confirmed' and d.closed_at is null and d.activation is null and d.state->>'by' = $2
  and d.id = any (array(
    select h.docket from docket_handoff h where h.tenant = $1 and h.started_at >= to_timestamp($3::float8 / 1000)
      and h.target = $2 and h.outcome = 'confirmed'))
order by d.id limit ${WOKEN_MAX}`;

/** Dockets that a target alone confirmed since then, by taking them. */
export async function confirmedBy(
  session: Pick<Session, 'run'>,
  tenant: string,
  at: { readonly target: TargetId; readonly since: Instant },
): Promise<readonly Pick<StoredDocket, 'id' | 'messageId' | 'tier'>[]> {
  const rows = await session.run(CONFIRMED_BY, [tenant, at.target, at.since]);
  return rows.map((row) => ({
    id: docketId(text(row['id'])),
    messageId: text(row['message_id']),
    tier: text(row['tier']),
  }));
}

const NOT_TAKEN = sql('docket-not-taken')`
update docket d set activation = a.activation, next_at = now()
from json_to_recordset($2::json) as a(docket text, activation jsonb)
where d.tenant = $1 and d.id = a.docket and d.phase = 'confirmed' and d.closed_at is null and d.activation is null`;

/** A queue confirmed them and nobody takes them from it; each hears so at its next step. */
export async function noteNotTaken(
  run: Run,
  tenant: string,
  notes: readonly { readonly docket: DocketId; readonly activation: JsonValue }[],
): Promise<void> {
  if (notes.length > 0) await run(NOT_TAKEN, [tenant, JSON.stringify(notes)]);
}
