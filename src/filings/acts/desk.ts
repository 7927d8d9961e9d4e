/** Payloads are opened for those on whose desk they lie. */
import { type ActName, allow, type PersonActor } from '../../access/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { deskOf } from '../store/desks.ts';

/** Asked after the role, and before anything sealed is opened or noted. */
export async function allowOnDesk(
  { session, tenant }: Installation,
  actor: PersonActor,
  act: Extract<
    ActName,
    | 'batch.correct'
    | 'batch.review'
    | 'batch.terms'
    | 'diagnose.payload'
    | 'filing.defend'
    | 'filing.open'
    | 'review.proposal'
    | 'review.show'
  >,
  what: { readonly kind: 'filing' | 'batch'; readonly id: string },
): Promise<void> {
  allow(actor, act, { what: what.id, desk: await deskOf(session, tenant, what) });
}
