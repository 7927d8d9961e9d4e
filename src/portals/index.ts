export {
  CHECK_REASONS,
  checkPortal,
  type CheckSlots,
  type CheckReason,
  type CheckResult,
  type ConformanceReport,
} from './conformance/index.ts';
export type { SessionCollision } from './collision-watch.ts';
export type { PortalOptions } from './exchanger.ts';
export type { OpenedForm } from './html-form.ts';
export { createPortal, type LanePortal } from './portal.ts';
export { PROFILE_DEFAULTS, profileJsonSchema } from './profile-schema.ts';
export { readProfile } from './read-profile.ts';
