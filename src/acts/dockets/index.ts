/** Apart from the room's main door: it loads law, brokers, the web server and PDF, which most commands never need. */
export { consumeDockets, type DocketSource } from './consume.ts';
export {
  acknowledgeDocket,
  closeDocket,
  type ClosingGround,
  type ListedDockets,
  listDockets,
  type ListQuestion,
  showDocket,
} from './desk.ts';
export { diagnoseRoute, type RouteDiagnosis } from './diagnose-route.ts';
export { type DocketImport, type DocketImportReport, importDocketFile } from './import-file.ts';
export { movedBy, type MovedEntry } from './moved.ts';
export {
  approveRecovery,
  type DifferenceQuestion,
  listRecoveryDifferences,
  recoveryStatus,
  type RecoveryStatus,
  reviewDifferences,
  reviewFiltered,
  runRecovery,
} from './recovery.ts';
export { type DocketReport, docketReport, type ReportQuestion } from './report.ts';
export { reportCsv } from './report-csv.ts';
export { issueDocketFeed, type IssuedDocketFeed } from './report-feed.ts';
export { reportPdf } from './report-pdf.ts';
export {
  PRIVATE_TARGETS,
  runRouter,
  type RouterSettings,
  startDocketRouter,
} from './router.ts';
export {
  checkRoutingFiles,
  importRoutingFiles,
  noteAbsence,
  type RoutingCheck,
} from './routing-files.ts';
export { type RoutingView, viewRouting } from './routing-view.ts';
export { serveAcknowledgements } from './serve.ts';
export type { DocketDetail, DocketView } from '../../routing/index.ts';
export { requirePrivilegeOver, requireSuccessor } from './privilege.ts';
