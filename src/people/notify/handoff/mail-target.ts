/** A handoff by e-mail. A mail server that takes it has not read it: a person must acknowledge. */
import { FilewrightError, type WriteGuard } from '../../../core/index.ts';
import { after } from '../../../wire/index.ts';
import { type MailServer, readMailUrl, sendMail } from '../mail.ts';
import type { SendOutcome } from '../outcome.ts';
import type { HandoffLoad, HandoffOutcome, HandoffTarget } from './handoff.ts';
import type { HandoffDeps } from './deps.ts';

const LATE: SendOutcome = { verdict: 'unknown', code: 'TIMEOUT' };

export async function handOverByMail(
  target: HandoffTarget,
  load: HandoffLoad,
  guard: WriteGuard,
  deps: HandoffDeps,
): Promise<HandoffOutcome> {
  const { clock, mail, timeoutMs, lookup, certificateAuthorities } = deps;
  const startedAt = clock.monotonicMs();
  const end = (
    kind: Exclude<HandoffOutcome['kind'], 'confirmed'>,
    code: string,
  ): HandoffOutcome => ({
    kind,
    evidence: { code, elapsedMs: clock.monotonicMs() - startedAt },
    signs: [],
  });
  if (mail === undefined) return end('failed', 'MAIL_NOT_SET');
  const server = await usableServer(mail.server);
  if (server === undefined) return end('failed', 'CREDENTIAL_UNREADABLE');
  // Before the connection: an SMTP conversation has no one moment at which it is written. A lease that is lost on the
  // way costs a second mail under the same id, never a lost one.
  if (guard.signal.aborted || !guard.mayWrite()) return end('not_made', 'LEASE_LOST');
  const sending = sendMail(
    {
      messageId: `<${safeId(load.letter ?? load.id)}@${mail.host}>`,
      from: mail.from,
      to: target.address,
      subject: load.notice.subject,
      text: `${load.notice.text}\n\nMessage ${load.id}\nDocument SHA-256 ${load.payloadSha256}\n`,
      date: clock.now(),
    },
    server,
    {
      connectMs: timeoutMs,
      answerMs: timeoutMs,
      ...(lookup === undefined ? {} : { lookup }),
      ...(certificateAuthorities === undefined ? {} : { certificateAuthorities }),
    },
  );
  // A server that talks drop by drop goes on in the background to its own bound; it may still take the message.
  const outcome = await inTime(sending, deps.totalMs, guard.signal);
  switch (outcome.verdict) {
    case 'sent':
      return end('sent', outcome.code);
    case 'transient':
      return end('failed', outcome.code);
    case 'unknown':
      return end('unknown', outcome.code);
    case 'permanent':
      // A mailbox that is not there takes no other docket either; a text that is refused says nothing of the mailbox.
      return end(outcome.about === 'recipient' ? 'denied' : 'refused', outcome.code);
    case 'gone':
      return end('denied', outcome.code);
  }
}

function inTime(
  sending: Promise<SendOutcome>,
  limitMs: number,
  signal: AbortSignal,
): Promise<SendOutcome> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(LATE);
    const timer = after(limitMs, stop);
    signal.addEventListener('abort', stop, { once: true });
    // It has told its end by then.
    void sending.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
  });
}

/** Undefined where it cannot be read: a fault of this target, and the next tier may be no mailbox. */
export async function usableServer(
  read: () => Promise<MailServer>,
): Promise<MailServer | undefined> {
  try {
    const server = await read();
    readMailUrl(server.url);
    return server;
  } catch (error) {
    if (error instanceof FilewrightError && error.code === 'CREDENTIAL_UNREADABLE')
      return undefined;
    throw error;
  }
}

/** Our own ids are letters, digits and dashes; a header is built from nothing else. */
function safeId(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9._-]/g, '-').slice(0, 200);
}
