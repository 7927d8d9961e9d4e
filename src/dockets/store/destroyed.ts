/** What becomes of dockets when the key of their client is destroyed: what was read of them goes with what was sealed. */
import { docketId, type DocketId } from '../../core/index.ts';
import { sql, text } from '../../postgres/index.ts';
import type { Run } from './docket-rows.ts';

/** So many years after it was closed, as for filings. */
const YEARS = 7;

const RELEVANT = sql('docket-retention-relevant')`
with kept as (
  select b.key, d.closed_at from ledger_blob b join docket d on d.tenant = b.tenant and d.payload_ct = b.ct
  where b.tenant = $1 and b.key = any ($2::text[])
  union all
  -- A further version may name another client, and be sealed under its key.
  select b.key, d.closed_at from ledger_blob b
    join docket_version v on v.tenant = b.tenant and v.payload_ct = b.ct
    join docket d on d.tenant = v.tenant and d.id = v.docket
  where b.tenant = $1 and b.key = any ($2::text[])
)
select key, (max(closed_at) at time zone 'UTC' + interval '${YEARS} years')::date::text as until,
  bool_or(closed_at is null) as needed
from kept group by key`;

/** Of data keys, until when dockets need them. One that is open needs its key whatever the date: it is handed over yet. */
export async function docketRetention(
  run: Run,
  tenant: string,
  keys: readonly string[],
): Promise<Awaited<ReturnType<Run>>> {
  return keys.length === 0 ? [] : run(RELEVANT, [tenant, keys]);
}

const OF_KEYS = sql('docket-of-keys')`
select d.id from docket d join ledger_blob b on b.tenant = d.tenant and b.ct = d.payload_ct
    where d.tenant = $1 and b.key = any ($2::text[])`;

export async function docketsOfKeys(
  run: Run,
  tenant: string,
  keys: readonly string[],
): Promise<readonly DocketId[]> {
  return (await run(OF_KEYS, [tenant, keys])).map((row) => docketId(text(row['id'])));
}

// Nobody can read any more whose it was: only who may see everything, and is denied nothing, sees that there was such a docket.
const DESTROY = sql('docket-destroy')`
update docket set source = 'destroyed',
  docket = jsonb_build_object('id', id, 'messageId', message_id, 'payloadSha256', encode(payload_sha256, 'hex'),
    'eventCode', 'DESTROYED', 'destroyed', true,
    'labels', '{"classification": ["unread"], "privilege": ["unread"]}'::jsonb,
    'unread', '["client", "technology_group"]'::jsonb),
  closing = jsonb_build_object('kind', closing->'kind', 'how', closing->'how', 'destroyed', true)
where tenant = $1 and id = any ($2::text[])`;

const DESTROY_VERSIONS = sql('docket-destroy-versions')`
update docket_version set source = 'destroyed', read = '{"destroyed": true}'
where tenant = $1 and not read ? 'destroyed'
  and not exists (select 1 from ledger_blob b where b.tenant = docket_version.tenant and b.ct = docket_version.payload_ct)`;

/** Call it after the sealed bytes are gone, in the same transaction; the database refuses it before. */
export async function destroyDockets(
  run: Run,
  tenant: string,
  dockets: readonly DocketId[],
): Promise<void> {
  if (dockets.length > 0) await run(DESTROY, [tenant, dockets]);
  await run(DESTROY_VERSIONS, [tenant]);
}
