export {
  addressIn,
  type Environment,
  RABBITMQ_URL,
  REDIS_URL,
  trustIn,
} from './acts/broker-address.ts';
export { consumeDockets } from './acts/consume.ts';
export {
  acknowledgeDocket,
  closeDocket,
  type ClosingGround,
  listDockets,
  showDocket,
} from './acts/dockets.ts';
export {
  approveDating,
  type DatingChange,
  type DatingProposal,
  datingProposals,
  proposeDating,
  refuseDating,
} from './acts/dating.ts';
export { diagnoseRoute, type RouteDiagnosis } from './acts/diagnose-route.ts';
export { giveDocket, type HandedOver } from './acts/give.ts';
export { docketSight, firstShown } from './acts/docket-sight.ts';
export { type DocketImportReport, importDocketFile } from './acts/import-file.ts';
export { linksOf } from './acts/links.ts';
export { docketMail } from './acts/mail-finding.ts';
export { ownDockets } from './acts/own-dockets.ts';
export { movedBy, type MovedEntry } from './acts/moved.ts';
export { shippedPatentLaw } from './acts/deps.ts';
export { requirePrivilegeOver, requireSuccessor } from './acts/privilege.ts';
export { recoveryFacts } from './acts/recovery-shown.ts';
export {
  approveRecovery,
  type DifferenceQuestion,
  listRecoveryDifferences,
  recoveryStatus,
  type RecoveryStatus,
  reviewDifferences,
  reviewFiltered,
  runRecovery,
} from './acts/recovery.ts';
export { reportCsv } from './acts/report-csv.ts';
export { issueDocketIcs } from './acts/report-ics.ts';
export { reportPdf } from './acts/report-pdf.ts';
export { docketReport } from './acts/report.ts';
export {
  approveRouting,
  proposeRouting,
  refuseRouting,
  type RoutingProposal,
  routingProposals,
} from './acts/routing-changes.ts';
export { checkRoutingFiles, noteAbsence, type RoutingCheck } from './acts/routing-files.ts';
export { type RoutingView, viewRouting } from './acts/routing-view.ts';
export {
  decideSecond,
  giveSecond,
  revealDate,
  type SecondAnswer,
} from './acts/second.ts';
export { acknowledgementPages, serveAcknowledgements } from './acts/serve.ts';
export { VerboseFiles, watched } from './acts/verbose.ts';
export { rabbitGauge } from './brokers/rabbit-saturation.ts';
export { redisGauge } from './brokers/redis-saturation.ts';
export type { SaturationGauge } from './brokers/saturation.ts';
export type { QueueCounter } from './brokers/standstill.ts';
export { docketReaders } from './routing/docket-readers.ts';
export type { WatchedQueue } from './routing/queue-watch.ts';
export { rabbitManagement, RABBITMQ_MANAGEMENT_URL } from './routing/rabbit-management.ts';
export { type RouterOptions, type RunningRouter, startRouter } from './routing/router.ts';
export type { DateTrail } from './routing/trail.ts';
export { openTransport } from './routing/transport.ts';
export type { DocketDetail, DocketView } from './routing/views.ts';
export { cutoffOf, deadlineAnswer, explanation } from './rules/answer.ts';
export { INPUT_NAMES, readPatentCase } from './rules/case.ts';
export { computeDeadline } from './rules/compute.ts';
export { type DocketDates } from './rules/docket/dates.ts';
export { mayHold } from './rules/docket/kept-under.ts';
export { groupsOf, type ReportRow } from './rules/docket/report.ts';
export {
  byDanger,
  type CaseComparison,
  compareCase,
  compareRules,
  type MovedCase,
  type RuleChange,
} from './rules/law-diff.ts';
export type { PatentLaw } from './rules/matter.ts';
export { readPatentRules } from './rules/rules-file.ts';
export { comparedDockets } from './store/compared-rows.ts';
export { destroyDockets, docketRetention, docketsOfKeys } from './store/destroyed.ts';
export { DIFFERENCE_KINDS, type DifferenceKind } from './store/differences.ts';
export { hasDockets } from './store/setup.ts';
