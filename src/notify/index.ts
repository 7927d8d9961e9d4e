export {
  ACKNOWLEDGEMENT_PATH,
  type AcknowledgementLinks,
  acknowledgementLinks,
  type AcknowledgementTicket,
  newReference,
} from './acknowledgement-link.ts';
export { eventBody, type EventSource, type TellableEvent } from './event-body.ts';
export * from './handoff/index.ts';
export {
  greetMailServer,
  type MailMessage,
  type MailOptions,
  type MailServer,
  readMailUrl,
  sendMail,
} from './mail.ts';
export { checkMailAddress, isMailAddress, parseMailbox } from './mail-address.ts';
export { ATTEMPTS_MAX, retryMs, type SendOutcome } from './outcome.ts';
export {
  isVerbose,
  logTransport,
  openWindow,
  redact,
  redactUrl,
  type TransportRecord,
  VERBOSE_MS_DEFAULT,
  VERBOSE_MS_MAX,
  type VerboseStore,
  type VerboseWindow,
} from './transport-log.ts';
export { sendWebhook, type WebhookMessage, type WebhookOptions } from './webhook.ts';
export { checkWebhookSecret, newWebhookSecret } from './webhook-secret.ts';
export { checkWebhookUrl } from './webhook-url.ts';
