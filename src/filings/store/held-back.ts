/** What the second person leaves out when they approve the rest of a batch: kept where it is, and queued by no approval but a new one. */
import type { PersonActor } from '../../access/index.ts';
import { type BatchId, type FilingId, type Ids, ruledOut, userFact } from '../../core/index.ts';
import { recordFact } from '../../ledger/index.ts';
import { refusedByRule } from '../../people/index.ts';
import { type Run, sql, text } from '../../postgres/index.ts';

const HOLD = sql('held-back-add')`
insert into held_back (tenant, filing, batch, by_person, reason)
select $1, w.filing, $3, $4, $5 from unnest($2::uuid[]) w(filing)
join envelope e on e.tenant = $1 and e.id = w.filing and e.batch = $3 and not e.withdrawn order by w.filing
returning filing`;

export interface HeldBack {
  readonly filings: readonly FilingId[];
  readonly reason: string;
}

/** In the transaction that approves the others, before it does. */
export async function holdBack(
  run: Run,
  { tenant, ids }: { readonly tenant: string; readonly ids: Ids },
  by: PersonActor,
  batch: BatchId,
  { filings, reason }: HeldBack,
): Promise<void> {
  const values = [tenant, filings, batch, by.id, reason];
  const held = await run(HOLD, values).catch(refusedByRule);
  if (held.length !== filings.length) {
    throw ruledOut(
      `--without: expected filings of batch ${batch}, found ${filings.length - held.length} that are not; see batch show ${batch}`,
    );
  }
  for (const row of held) {
    const subject = { kind: 'held_back', id: text(row['filing']), ver: 1 };
    const fact = userFact({ ids }, 'filing.held_back', by, { batch, reason });
    await recordFact(run, { tenant, boundary: 'access' }, subject, fact);
  }
}
