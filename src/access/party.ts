/**
 * Two people are two people. One human can have any number of keys and names, so the second person is told from the first by
 * their *party*: a person for whom only one party vouched belongs to that party. A founder, named at installation, and
 * somebody for whom two parties vouched, is a party of its own. Whoever gives somebody a key
 * alone can act as them, so that both parties are one from then on; parties join and never part. Pure; `person` in
 * sql/0001_foundation.sql holds to the same.
 */
import type { PersonId } from '../core/index.ts';
import type { Role } from './role.ts';

/** A party is named by the person who stands for it. */
export type PartyId = PersonId;

/** The party of somebody new. `vouchers`: the parties of those who vouched; none at installation. */
export function partyOfNew(person: PersonId, vouchers: readonly PartyId[]): PartyId {
  const [only, ...others] = new Set(vouchers);
  return only === undefined || others.length > 0 ? person : only;
}

interface Voucher {
  readonly party: PartyId;
  readonly roles: readonly Role[];
}

/**
 * Whether an administrator's word is enough, because no other party has one, or another party must approve. Alone nobody
 * gives what they do not have: a second name of theirs would read and decide what they may not.
 */
export function vouching(
  admin: Voucher,
  /** The parties of all administrators who are not disabled. */
  adminParties: readonly PartyId[],
  /** What the person would have. */
  roles: readonly Role[],
):
  | { readonly kind: 'alone' }
  | { readonly kind: 'two_parties' }
  | { readonly kind: 'refused'; readonly missing: readonly Role[] } {
  if (adminParties.some((party) => party !== admin.party)) return { kind: 'two_parties' };
  const missing = roles.filter((role) => !admin.roles.includes(role));
  return missing.length === 0 ? { kind: 'alone' } : { kind: 'refused', missing };
}
