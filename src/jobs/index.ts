export {
  ALERT_EVENT,
  type AlertParts,
  type DocketReaders,
  type NewAlert,
  raiseAlert,
  tellDueAlerts,
} from './alerts.ts';
export { warnOnApproval, warnOnArrival } from './arrival-warning.ts';
export type { EventConsumer } from './consumers.ts';
export { queueDigest } from './digest.ts';
export { MAIL_TARGET, sendDue } from './notice-sender.ts';
export type { JobParts } from './parts.ts';
export { COMPLETION_EVENT } from './registered-agent-notice.ts';
export * from './on-demand.ts';
export { slackFigures, type SlackFigures, watchSlack } from './slack-watch.ts';
export { unfiledSoon, unfiledText, watchUnfiled } from './unfiled-watch.ts';
