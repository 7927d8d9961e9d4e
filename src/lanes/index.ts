export { knownProfiles } from './acts/known-profiles.ts';
export {
  addPortal,
  changeLane,
  changeTogether,
  lanes,
  type LaneWithProfile,
  listLanes,
  profiledFact,
  profilesByLane,
  requireLane,
} from './acts/lanes.ts';
export { checkInLane } from './acts/portal-check.ts';
export type { ConformanceReport } from './conformance/conformance.ts';
export * from './live/lane-reader.ts';
export { Lanes } from './live/lanes.ts';
export { Leases, type LocalSlot, momentOf } from './live/leases.ts';
export { Neighbours } from './live/neighbours.ts';
export { Prober } from './live/prober.ts';
export { systemProcesses } from './live/processes.ts';
export { SessionKeeper } from './live/session-keeper.ts';
export { Unawaited } from './live/unawaited.ts';
export { createPortal, type LanePortal } from './portals/portal.ts';
export { readProfile } from './profile/read-profile.ts';
export { mayKeepBusy } from './rules/busy.ts';
export * from './rules/destination.ts';
export { classifySend, classifyStatus, pauseAskedBy } from './rules/classify.ts';
export { needPayload, type Own, ownOf } from './rules/echoes.ts';
export { isOpen, minutesOf, nextOpening } from './rules/hours.ts';
export {
  effectiveCeiling,
  inLaneContext,
  type LaneEvent,
  mayBeRivals,
  NEVER,
  opensAt,
  RIVALS,
  slowSince,
  waitsForPerson,
  wordNeeded,
} from './rules/lane-rules.ts';
export {
  checkDueAt,
  isBeforeApproval,
  isDraining,
  recoversAt,
} from './rules/recovery/lane-recovery.ts';
export { type QueueLevel, undrained } from './rules/recovery/drain.ts';
export * from './rules/recovery/next-recovery.ts';
export { classifyRegistry, type RegistryAnswer } from './rules/registry.ts';
export { planSlots } from './rules/share.ts';
export { type Violation, violationsOf } from './rules/violations.ts';
export { comparedLanes } from './store/compared-rows.ts';
export { type LaneCounts, laneCounts } from './store/lane-counts.ts';
export { destinationsOf, replaceProfile, storedLanes, writeLane } from './store/lanes.ts';
export { LEASE_MS, Slots } from './store/slots.ts';
export * from './store/target-lanes.ts';
export { addWebhookLane, LANE_OF_WEBHOOK, switchWebhookLane } from './store/webhook-lanes.ts';
