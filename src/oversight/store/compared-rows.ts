/** Every row that entries speak of, in one order: filings by batch, each proposal before its items. */
import { comparedDockets } from '../../dockets/index.ts';
import { comparedRegister } from '../../entities/index.ts';
import { comparedFilings, comparedItems } from '../../filings/index.ts';
import { comparedGrants } from '../../grants/index.ts';
import { comparedLanes } from '../../lanes/index.ts';
import { comparedLedger, type FoundRow } from '../../ledger/index.ts';
import { comparedPeople, comparedProposals } from '../../people/index.ts';
import { type Run, type Session, sql } from '../../postgres/index.ts';

const SNAPSHOT = sql('')`set transaction isolation level repeatable read, read only`;

/** Rows and entries as they were at one moment: between two, a worker may have committed both. */
export function atOneMoment<T>(session: Session, look: (run: Run) => Promise<T>): Promise<T> {
  return session.transaction(async (run) => {
    await run(SNAPSHOT);
    return look(run);
  });
}

export async function* comparedRows(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  yield* comparedFilings(run, tenant);
  yield* comparedProposals(run, tenant, (proposal) => comparedItems(run, tenant, proposal));
  yield* comparedPeople(run, tenant);
  yield* comparedLanes(run, tenant);
  yield* comparedRegister(run, tenant);
  yield* comparedDockets(run, tenant);
  yield* comparedGrants(run, tenant);
  yield* comparedLedger(run, tenant);
}
