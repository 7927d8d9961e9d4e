export { type Actor, localOperator, type OperatorActor, type PersonActor } from './actor.ts';
export { asActor, asParty, nowKnownAs, whoActs } from './acting.ts';
export { allowThrough, type Entrance, isDelegable, needsFreshSignIn } from './delegated.ts';
export { allow, type Custody, lastAsked, may } from './may.ts';
export { type PartyId, partyOfNew, vouching } from './party.ts';
export { afterRefusal } from './refusals.ts';
export { type ActName, RIGHTS } from './rights.ts';
export { isRole, type Role, ROLES } from './role.ts';
