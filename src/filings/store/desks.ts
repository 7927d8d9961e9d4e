/** On whose desk a filing lies, or a whole batch. */
import type { Custody } from '../../access/index.ts';
import { personId } from '../../core/index.ts';
import { type Session, sql, text } from '../../postgres/index.ts';

// $2 a filing, or null and $3 a batch. A review that is closed is on nobody's desk any more.
const DESK = sql('desk')`
select b.prepared_by, b.state <> 'open' as is_proposed, array(
  select x.assigned_to::text from exception x
  where x.tenant = b.tenant and x.filing = $2::uuid and x.closed_at is null and x.assigned_to is not null) as assigned
from batch b
where b.tenant = $1 and b.id = coalesce($3::uuid,
  (select e.batch from envelope e where e.tenant = $1 and e.id = $2::uuid))`;

/** What is nowhere is on nobody's desk. */
export async function deskOf(
  session: Pick<Session, 'run'>,
  tenant: string,
  what: { readonly kind: 'filing' | 'batch'; readonly id: string },
): Promise<Custody> {
  const [filing, batch] = what.kind === 'filing' ? [what.id, null] : [null, what.id];
  const [row] = await session.run(DESK, [tenant, filing, batch]);
  if (row === undefined) return { people: [], isProposed: false };
  // An array of texts.
  const people = [text(row['prepared_by']), ...(row['assigned'] as string[])].map(personId);
  return { people, isProposed: row['is_proposed'] === true };
}
