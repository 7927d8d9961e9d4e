/** Which logs have something to do: facts that wait, or a head that nobody has signed yet. */
import type { LedgerBoundary } from '../../core/index.ts';
import { CHECKPOINT_MS } from './checkpoints.ts';
import { type Session, sql, text } from '../../postgres/index.ts';

const WAITING = sql('ledger-waiting-logs')`
select b as boundary from unnest($2::text[]) b
where exists (select 1 from ledger_intake i where i.tenant = $1 and i.boundary = b)
  or ($3::boolean and exists (
    select 1 from ledger_head h where h.tenant = $1 and h.boundary = b and h.size > h.signed_size
      and h.signed_at <= clock_timestamp() - interval '${CHECKPOINT_MS} milliseconds'
      and not exists (select 1 from quarantine q where q.tenant = $1 and q.state = 'in')))`;

/** Those with facts to take, or a head that is due: an idle pass costs one look. */
export async function waitingLogs(
  session: Pick<Session, 'run'>,
  tenant: string,
  boundaries: readonly LedgerBoundary[],
  { signs }: { readonly signs: boolean },
): Promise<readonly string[]> {
  const rows = await session.run(WAITING, [tenant, boundaries, signs]);
  return rows.map((row) => text(row['boundary']));
}

const UNSIGNED = sql('ledger-unsigned-logs')`
select b as boundary from unnest($2::text[]) b
where exists (select 1 from ledger_intake i where i.tenant = $1 and i.boundary = b)
  or exists (select 1 from ledger_head h where h.tenant = $1 and h.boundary = b and h.size > h.signed_size)`;

/** Those with facts to take, or a head to sign, due or not. */
export async function unsignedLogs(
  session: Pick<Session, 'run'>,
  tenant: string,
  boundaries: readonly LedgerBoundary[],
): Promise<readonly string[]> {
  const rows = await session.run(UNSIGNED, [tenant, boundaries]);
  return rows.map((row) => text(row['boundary']));
}
