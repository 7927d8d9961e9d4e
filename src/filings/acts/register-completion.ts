/** After an acceptance: the obligation is met, the next one is computed, and so the calendar has another date. */
import { badCase, entryId } from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { COMPLETION_EVENT } from '../watch/registered-agent-notice.ts';
import type { EventConsumer } from '../../people/index.ts';
import {
  applyPlans,
  entitiesOfFilings,
  findEntities,
  lockRegister,
  type Move,
  openRecord,
  planObligations,
  type RegisterLaw,
  registerLaw,
  today,
} from '../../entities/index.ts';
import type { Run } from '../../postgres/index.ts';

type Deps = Pick<Installation, 'tenant' | 'ids' | 'clock' | 'vault'>;

/** What a completion event says, as far as it is needed. */
interface Completed {
  readonly id: string;
  readonly filing: string | undefined;
}

/**
 * Writes through `run`, in the transaction of whoever consumes the event. Twice equals once: what is met stays met, and
 * the next obligation has the same identity again. A filing of an entity that is not in the register changes nothing.
 */
export async function onFilingComplete(
  parts: Deps,
  events: readonly Completed[],
  run: Run,
  options: { readonly law?: RegisterLaw; readonly asOf?: string } = {},
): Promise<readonly Move[]> {
  const { tenant } = parts;
  const filings = events.flatMap(({ filing }) => (filing === undefined ? [] : [filing]));
  if (filings.length === 0) return [];
  await lockRegister(run, tenant);
  const ids = await entitiesOfFilings(run, tenant, filings);
  if (ids.length === 0) return [];
  const wanted = ids.map((id) => ({ id, jurisdiction: '', registryNumber: '' }));
  const records = (await findEntities(run, tenant, wanted)).flatMap((stored) => {
    // Without its sealed part no fee can be computed; the next recomputation names the entity.
    const record = openRecord(parts.vault, stored);
    return record === undefined ? [] : [record];
  });
  const { law = registerLaw(), asOf = today(parts) } = options;
  const planned = await planObligations(run, records, { tenant, law, today: asOf });
  // Thrown, so that the consumer is asked again and a person is told in the end: nothing was written.
  for (const [entity, { where, why }] of planned.faults) {
    throw badCase(`${where}: ${why}`, { details: { entity } });
  }
  const trace = entryId(events[0]?.id ?? parts.ids.next());
  const actor = { kind: 'service', id: 'register' } as const;
  return applyPlans(run, planned.plans, { app: parts, actor, trace });
}

/** To be given to the job runner. */
export function nextObligation(parts: Deps): EventConsumer {
  return {
    name: 'next_obligation',
    types: [COMPLETION_EVENT],
    consume: async (events, run) => {
      await onFilingComplete(parts, events, run);
    },
  };
}
