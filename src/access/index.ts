export { type Actor, localOperator, type OperatorActor, type PersonActor } from './actor.ts';
export { allow } from './may.ts';
export type { ActName } from './rights.ts';
