/** Which filing a receipt belongs to. The tick gives those of the portals; a person's review does it here. */
import { type FilingId, filingId, ruledOut } from '../../core/index.ts';
import { type Run, sql, text } from '../../postgres/index.ts';

const OWNER = sql('receipt-owner')`
select filing from receipt where tenant = $1 and lane = $2 and number = $3`;

const IS_SLIP = (receipt: string): string => `exists (
  select 1 from filing o where o.tenant = ${receipt}.tenant and o.id = ${receipt}.filing and o.status = 'accepted'
    and o.receipt <> ${receipt}.number)`;

// One that was somebody's by a slip of the pen, and is not any more, is free.
const GIVE = sql('receipt-give')`
insert into receipt (tenant, lane, number, filing, spelling)
select f.tenant, f.lane, $3, f.id, case when l.by_hand then $4 end
from filing f join lane l on l.tenant = f.tenant and l.code = f.lane where f.tenant = $1 and f.id = $2
on conflict (tenant, lane, number) do update set filing = excluded.filing, spelling = excluded.spelling
where receipt.filing <> excluded.filing and ${IS_SLIP('receipt')}`;

const FREE_SPELLING = sql('receipt-free-spelling')`
update receipt r set spelling = null from filing f where f.tenant = $1 and f.id = $2
  and r.tenant = f.tenant and r.lane = f.lane and r.spelling = $4 and r.number <> $3
  and (r.filing = f.id or ${IS_SLIP('r')})`;

const SPELLED = sql('receipt-spelled')`
select r.filing from filing f join lane l on l.tenant = f.tenant and l.code = f.lane and l.by_hand
join receipt r on r.tenant = f.tenant and r.lane = f.lane and r.spelling = $4 and r.number <> $3 and r.filing <> f.id
where f.tenant = $1 and f.id = $2`;

const HOLDER = sql('receipt-holder')`
select r.filing from filing f join lane l on l.tenant = f.tenant and l.code = f.lane
join receipt r on r.tenant = f.tenant and r.lane = f.lane and r.filing <> f.id
  and (r.number = $3 or (l.by_hand and r.spelling = $4))
where f.tenant = $1 and f.id = $2 and not ${IS_SLIP('r')}`;

const OWNER_BESIDE = sql('receipt-owner-beside')`
select r.filing from receipt r join filing f on f.tenant = r.tenant and f.lane = r.lane
where f.tenant = $1 and f.id = $2 and r.number = $3`;

const BY_FILE = sql('receipt-by-file')`
select filing from confirmation where tenant = $1 and sha256 = decode($3, 'hex') and filing <> $2
union all
select filing from review_act where tenant = $1 and act = 'accepted_as_filed' and evidence_sha256 = decode($3, 'hex')
  and filing <> $2
limit 1`;

/** Another filing that this very file proves, recorded by hand or in a review. */
export async function provenByFile(
  run: Run,
  tenant: string,
  filing: FilingId,
  sha256: string,
): Promise<FilingId | undefined> {
  const [row] = await run(BY_FILE, [tenant, filing, sha256]);
  return row === undefined ? undefined : filingId(text(row['filing']));
}

/** Whether the number is on record on the lane of the filing exactly so. */
export async function isReceiptOnRecord(
  run: Run,
  tenant: string,
  filing: FilingId,
  number: string,
): Promise<boolean> {
  return (await run(OWNER_BESIDE, [tenant, filing, number])).length > 0;
}

export async function receiptOwner(
  run: Run,
  tenant: string,
  lane: string,
  number: string,
): Promise<FilingId | undefined> {
  const [row] = await run(OWNER, [tenant, lane, number]);
  return row === undefined ? undefined : filingId(text(row['filing']));
}

/**
 * Gives a filing its receipt, in the caller's transaction, and returns whose it is: this filing's, or that of another. `spelling`: what
 * all spellings of the number have in common; on a lane of people they are one number.
 */
export async function giveReceipt(
  run: Run,
  tenant: string,
  filing: FilingId,
  { number, spelling }: { readonly number: string; readonly spelling: string },
): Promise<FilingId> {
  await run(FREE_SPELLING, [tenant, filing, number, spelling]);
  const [other] = await run(SPELLED, [tenant, filing, number, spelling]);
  if (other !== undefined) return filingId(text(other['filing']));
  await run(GIVE, [tenant, filing, number, spelling]).catch(givenMeanwhile);
  const [row] = await run(OWNER_BESIDE, [tenant, filing, number]);
  return row === undefined ? filing : filingId(text(row['filing']));
}

/** Another filing whose receipt it is now, in whatever spelling; undefined where it is free, or this one's. */
export async function receiptHolder(
  run: Run,
  tenant: string,
  filing: FilingId,
  { number, spelling }: { readonly number: string; readonly spelling: string },
): Promise<FilingId | undefined> {
  const [row] = await run(HOLDER, [tenant, filing, number, spelling]);
  return row === undefined ? undefined : filingId(text(row['filing']));
}

/** Two people typed one number in two spellings at the same moment. */
function givenMeanwhile(error: unknown): never {
  const { constraint } = Object(error) as { readonly constraint?: string };
  if (constraint !== 'receipt_spelled_once') throw error;
  throw ruledOut(
    'This receipt was recorded for another filing at this moment, in another spelling; check the number',
    { cause: error },
  );
}
