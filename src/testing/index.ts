export { MemoryStore, type StoreCall } from './memory-store.ts';
export { MemoryDatabase, type MemoryDatabaseOptions } from './memory/database.ts';
export type { NewLane } from './memory/lanes.ts';
export type { MemoryBoundary } from './memory/ledger.ts';
export type {
  AttemptRow,
  BatchRow,
  ExceptionRow,
  FilingRow,
  LaneRow,
  OutboxRow,
  OutcomeRow,
  SlotRow,
  WorkerRow,
} from './memory/rows.ts';
export type { RehearsedFiling } from './rehearsal/admit.ts';
export { QuietClock } from './rehearsal/quiet-clock.ts';
export {
  type LaneRehearsal,
  type LaneRehearsed,
  type RehearsalPorts,
  type RehearsalSettings,
  type RehearsedWorker,
  rehearseLane,
} from './rehearsal/rehearse-lane.ts';
export type { Outage } from './rehearsal/stage.ts';
export type { RehearsedEnd } from './rehearsal/watched-store.ts';
export {
  type Behaviour,
  type BehaviourChange,
  type BehaviourFile,
  BehaviourFileSchema,
  behaviourFor,
  BehaviourSchema,
  changeBehaviour,
  DEFAULT_BEHAVIOUR,
  readBehaviourChange,
  readBehaviourFile,
  type ScheduledFault,
  type Timings,
} from './simulator/behaviour.ts';
export { type ClientView, seenByClient } from './simulator/client-view.ts';
export { Dice } from './simulator/dice.ts';
export { type DirectReader, openDirectReader } from './simulator/direct-reader.ts';
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
} from './simulator/faults.ts';
export { MemoryPortal, type MemoryPortalOptions } from './simulator/memory-portal.ts';
export type { AnswerPlan, Delivery, Plan, PortalRequest } from './simulator/plan.ts';
export { PortalModel, type PortalModelOptions, REQUEST_LOG_MAX } from './simulator/portal-model.ts';
export {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
  type Twist,
} from './simulator/portal-server.ts';
export { BODY_BYTES_MAX } from './simulator/request-body.ts';
export { type ReceivedRequest, RequestLog } from './simulator/request-log.ts';
export { sampleProfile } from './simulator/sample-profile.ts';
export { isSurvivable } from './simulator/survivable.ts';
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
} from './simulator/truth.ts';
export { WRONG_PORTALS, type WrongPortal } from './simulator/wrong-portals.ts';
export { type DocketSystem, startDocketSystem } from './stand-ins/docket-system.ts';
export { playGrantor, StoryClock } from './stand-ins/grantor.ts';
export { type MailHouse, startMailHouse } from './stand-ins/mail-house.ts';
export { lookAt, pressButton } from './stand-ins/visitor.ts';
export {
  type RunEnd,
  type Scheduled,
  SeededIds,
  SeededRandom,
  VirtualClock,
  VirtualTime,
} from './virtual-clock.ts';
