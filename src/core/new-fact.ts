/** Facts as acts make them: an id of their own, which is their trace where they begin one. */
import type { FactType } from './facts/catalogue.ts';
import { entryId, type PersonId } from './ids.ts';
import type { ActorRef, Ids, LedgerFact } from './ports.ts';

export function newFact(
  ids: Ids,
  type: FactType,
  actor: ActorRef,
  data: LedgerFact['data'],
): LedgerFact {
  const id = entryId(ids.next());
  return { id, type, actor, trace: id, data };
}

/** What a person did. */
export function userFact(
  { ids }: { readonly ids: Ids },
  type: FactType,
  actor: { readonly id: PersonId },
  data: LedgerFact['data'],
): LedgerFact {
  return newFact(ids, type, { kind: 'user', id: actor.id }, data);
}
