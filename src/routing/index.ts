/**
 * Routing as a running system: the shell around the rules of packs/patent. Dockets in (`intake`), handed over by any
 * number of routers (`startRouter`), seen and acknowledged by people (`desk`), targets brought back (`recovery`).
 */
export { acknowledgementDesk, type SignIn } from './acknowledgement-desk.ts';
export {
  acknowledgeDocket,
  closeDocket,
  type CloseRequest,
  listDockets,
  openDockets,
  showDocket,
  viewerOf,
  viewFallbackLog,
} from './desk.ts';
export { docketReaders } from './docket-readers.ts';
export { docketMessageDesk, importDockets } from './intake.ts';
export type { IncomingDocket } from './incoming-docket.ts';
export { observe, type Observed } from './observe.ts';
export type { Actor, RoutingParts } from './parts.ts';
export {
  approveRecovery,
  listBreakers,
  type RecoveryOptions,
  recoveryStatus,
  runRecovery,
} from './recovery-acts.ts';
export { type RouterOptions, routeUntilIdle, type RunningRouter, startRouter } from './router.ts';
export {
  activateRouting,
  type ActiveRouting,
  activeRouting,
  changeRouting,
  importRouting,
  loadRouting,
  setAbsence,
} from './setup.ts';
export type {
  Acknowledged,
  BreakerView,
  DocketClosed,
  DocketDetail,
  DocketView,
  FallbackEntry,
  RecoveryView,
} from './views.ts';
export { openTransport, type Transport } from './transport.ts';
export type { WatchedQueue } from './queue-watch.ts';
export {
  type ManagementOptions,
  RABBITMQ_MANAGEMENT_URL,
  rabbitManagement,
} from './rabbit-management.ts';
export {
  type DifferenceFilter,
  openDifferences,
  reviewDocketDifferences,
  reviewOpenDifferences,
} from './differences.ts';
