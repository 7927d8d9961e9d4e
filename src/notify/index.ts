export { eventBody, type EventSource, type TellableEvent } from './event-body.ts';
export { guardedDial, SendFailure } from './guarded-dial.ts';
export {
  type MailMessage,
  type MailOptions,
  type MailServer,
  readMailUrl,
  sendMail,
} from './mail.ts';
export { checkMailAddress, isMailAddress, parseMailbox } from './mail-address.ts';
export { ATTEMPTS_MAX, retryMs, type SendOutcome } from './outcome.ts';
export { isReference, readReference } from './reference.ts';
export { sendWebhook, type WebhookMessage, type WebhookOptions } from './webhook.ts';
export { checkWebhookSecret, newWebhookSecret } from './webhook-secret.ts';
export { checkWebhookUrl } from './webhook-url.ts';
