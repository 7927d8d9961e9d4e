export { noteOpened, openedOnce } from './access-notes.ts';
export {
  eventsAfter,
  countEvents,
  listEvents,
  listWebhooks,
  mailSettings,
  webhookLog,
} from './acts/events-shown.ts';
export * from './acts/events.ts';
export * from './acts/mail.ts';
export { actorOf, keyHash, personOf, requirePerson } from './acts/people.ts';
export { enter, listSignIns, makeLink, revokeSignIn, signIn } from './acts/sign-ins.ts';
export { listProgramTokens, makeToken, revokeProgramToken } from './acts/tokens.ts';
export { noteRefused } from './acts/refused.ts';
export {
  type AlertDeps,
  type DocketReaders,
  type NewAlert,
  raiseAlert,
  raiseAlertIn,
  tellDueAlerts,
  type NotifyDeps,
} from './alerts.ts';
export * from './changes.ts';
export { consumerDuty, type EventConsumer } from './consumers.ts';
export { noticeDuties } from './notice-sender.ts';
export * from './notify/acknowledgement-link.ts';
export { createHandoffs, type Handoffs } from './notify/handoff/deliver.ts';
export type { HandoffLoad, HandoffOutcome, HandoffTarget } from './notify/handoff/handoff.ts';
export { usableServer } from './notify/handoff/mail-target.ts';
export type { HandoffDeps } from './notify/handoff/deps.ts';
export { greetMailServer, mailHost } from './notify/mail.ts';
export {
  isVerbose,
  logTransport,
  openWindow,
  redact,
  redactUrl,
  type TransportRecord,
  type VerboseStore,
  type VerboseWindow,
} from './notify/transport-log.ts';
export type { JobDeps } from './job-deps.ts';
export { raiseTrustAlert, type TrustEvent } from './trust-alerts.ts';
export {
  acknowledgeAlert,
  alertPages,
  type DigestFigures,
  digestFigures,
  everRaised,
  findAlerts,
} from './store/alerts.ts';
export { comparedPeople, comparedProposals } from './store/compared-rows.ts';
export { type DomainEvent, registerConsumer, takeEvents } from './store/events.ts';
export { readIcs, writeIcs } from './store/ics-calendars.ts';
export { type Hold, listHolds, placeHold, releaseHold } from './store/holds.ts';
export { addMailNotice, listNotices, MAIL_TARGET, type NoticeView } from './store/notices.ts';
export { addEnrollment, findEnrollment } from './store/enrollments.ts';
export {
  addKey,
  KEY_DAYS_DEFAULT,
  keyWithId,
  listKeys,
  type NewKey,
  type PersonKey,
  revokeKeys,
} from './store/keys.ts';
export {
  addPerson,
  disablePerson,
  enablePerson,
  foundPerson,
  joinParty,
  listPeople,
  lockPeople,
  type Person,
  personNamed,
  recordOfPerson,
} from './store/people.ts';
export * from './store/proposals.ts';
export { refusedByRule } from './store/refused-by-rule.ts';
export type { SignedIn } from './store/sign-ins.ts';
export { adminParties, giveRoles, takeRoles } from './store/roles.ts';
export { findMail, recipientsOf } from './store/subscriptions.ts';
