/** The portal simulator: portals that misbehave on purpose and know what they truly accepted. */
export {
  type Behaviour,
  type BehaviourChange,
  type BehaviourFile,
  BehaviourFileSchema,
  BehaviourSchema,
  behaviourFor,
  changeBehaviour,
  DEFAULT_BEHAVIOUR,
  readBehaviourChange,
  readBehaviourFile,
  type ScheduledFault,
  type Timings,
} from './behaviour.ts';
export { type ClientView, seenByClient } from './client-view.ts';
export { Dice } from './dice.ts';
export { type DirectReader, openDirectReader } from './direct-reader.ts';
export {
  type Endpoint,
  type Fate,
  FAULT_KINDS,
  type FaultKind,
  FAULTS,
  type HealthFault,
  isFaultKind,
  type StatusFault,
  type SubmitFault,
} from './faults.ts';
export { MemoryPortal, type MemoryPortalOptions } from './memory-portal.ts';
export type { AnswerPlan, Delivery, Plan, PortalRequest } from './plan.ts';
export { PortalModel, type PortalModelOptions, REQUEST_LOG_MAX } from './portal-model.ts';
export {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
  type Twist,
} from './portal-server.ts';
export { BODY_BYTES_MAX } from './request-body.ts';
export type { ReceivedRequest, RequestLog } from './request-log.ts';
export { sampleProfile } from './sample-profile.ts';
export { isSurvivable } from './survivable.ts';
export {
  type Acceptance,
  type AcceptedLine,
  DUPLICATES_LISTED,
  KEYS_MAX,
  type Refusal,
  type Ruling,
  type Submission,
  Truth,
  type TruthSummary,
} from './truth.ts';
export { WRONG_PORTALS, type WrongPortal } from './wrong-portals.ts';
