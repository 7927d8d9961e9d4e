export { type Actor, localOperator, type OperatorActor, type PersonActor } from './actor.ts';
export { asParty, nowKnownAs, whoActs } from './acting.ts';
export { allow, type Custody } from './may.ts';
export { type PartyId, partyOfNew, vouching } from './party.ts';
export type { ActName } from './rights.ts';
export { isRole, type Role, ROLES } from './role.ts';
