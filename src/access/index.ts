/** Who may do what: actors, acts and rights (pure). */
export {
  type Actor,
  type ActorKind,
  localOperator,
  type OperatorActor,
  type PersonActor,
  type ProgramActor,
} from './actor.ts';
export { allow, may, type Permission } from './may.ts';
export { type ActName, type ActorOf, RIGHTS } from './rights.ts';
