/**
 * The lanes of webhooks: no profile and no slots, as those of targets. A receiver is told, or it is switched off until a
 * person switches it on again; nothing else brings it back, because nothing may be sent to it just to see.
 */
import type { HoldReason } from '../../core/index.ts';
import { type Run, sql } from '../../postgres/index.ts';
import { freshLane, laneStateJson } from './lane-json.ts';

/** Joins `lane l` to `subscription s`, for statements that ask whether a receiver is told. */
export const LANE_OF_WEBHOOK = `lane l on l.tenant = s.tenant and l.code = 'webhook/' || s.id`;

// What happens to it is told of the subscription, so that its own log stays at its beginning.
const ADD = sql('webhook-lane-add')`
insert into lane (tenant, code, effect, ceiling, state, ver) values ($1, $2, 'notice', 1, $3, 0)`;

export async function addWebhookLane(run: Run, tenant: string, webhook: string): Promise<void> {
  const code = `webhook/${webhook}`;
  await run(ADD, [tenant, code, laneStateJson(freshLane(code, 1))]);
}

// $3 why it is held, or null for one that is told again
const SWITCH = sql('webhook-lane-switch')`
update lane set version = version + 1, changed_at = now(),
  open_from = case when $3 is null then '-infinity'::timestamptz else 'infinity' end,
  state = jsonb_set(state, '{pause}', case when $3 is null then '{"kind":"none"}' else
    jsonb_build_object('kind', 'held', 'since', floor(extract(epoch from now()) * 1000), 'reason', $3) end)
where tenant = $1 and code = 'webhook/' || $2::text and (open_from = 'infinity') = ($3::text is null) returning code`;

/** False where it is so already. */
export async function switchWebhookLane(
  run: Run,
  tenant: string,
  webhook: string,
  hold: Extract<HoldReason, 'breaker' | 'person'> | undefined,
): Promise<boolean> {
  return (await run(SWITCH, [tenant, webhook, hold ?? null])).length > 0;
}
