/** Which filing a receipt belongs to. The tick gives those of the portals; a person's review does it here. */
import { type FilingId, filingId } from '../../core/index.ts';
import { type Run, sql, text } from '../../postgres/index.ts';

const OWNER = sql('receipt-owner')`
select filing from receipt where tenant = $1 and lane = $2 and number = $3`;

// One that was somebody's by a slip of the pen, and is not any more, is free.
const GIVE = sql('receipt-give')`
insert into receipt (tenant, lane, number, filing) select f.tenant, f.lane, $3, f.id from filing f
where f.tenant = $1 and f.id = $2
on conflict (tenant, lane, number) do update set filing = excluded.filing
where receipt.filing <> excluded.filing and exists (
  select 1 from filing o where o.tenant = receipt.tenant and o.id = receipt.filing and o.status = 'accepted'
    and o.receipt <> receipt.number)`;

const OWNER_BESIDE = sql('receipt-owner-beside')`
select r.filing from receipt r join filing f on f.tenant = r.tenant and f.lane = r.lane
where f.tenant = $1 and f.id = $2 and r.number = $3`;

export async function receiptOwner(
  run: Run,
  tenant: string,
  lane: string,
  number: string,
): Promise<FilingId | undefined> {
  const [row] = await run(OWNER, [tenant, lane, number]);
  return row === undefined ? undefined : filingId(text(row['filing']));
}

/** Gives a filing its receipt, in the caller's transaction, and returns whose it is: this filing's, or that of another. */
export async function giveReceipt(
  run: Run,
  tenant: string,
  filing: FilingId,
  number: string,
): Promise<FilingId> {
  await run(GIVE, [tenant, filing, number]);
  const [row] = await run(OWNER_BESIDE, [tenant, filing, number]);
  return row === undefined ? filing : filingId(text(row['filing']));
}
