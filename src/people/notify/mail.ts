/** One message to one recipient by SMTP, sent once. Every outcome is a value; nothing is retried here. */
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { FilewrightError, type Instant, plain, plainLines } from '../../core/index.ts';
import { type AllowedPrivate, ConnectionFailure, openConnection } from '../../wire/index.ts';
import { parseMailbox } from './mail-address.ts';
import { type SendOutcome, wireCode } from './outcome.ts';

const CONNECT_MS = 15_000;
/** RFC 5321 § 4.5.3.2 allows ten minutes after the final dot; whoever waits longer than this is asked again. */
const ANSWER_MS = 60_000;
/** All of it, however slowly a server talks: a claim on the notice must outlast it. */
const TOTAL_MS = 90_000;
const SUBMISSION_PORT = 587;
const SMTPS_PORT = 465;
/** RFC 4954 § 6 and RFC 3207 § 4: said in answer to MAIL, and about the session, where log-in or TLS is missing or too weak. */
const ABOUT_LOG_IN: ReadonlySet<number> = new Set([530, 534, 535, 538]);

export interface MailMessage {
  /** Stable for a notice, so that a message that arrives twice is known as one. */
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly date: Instant;
}

export interface MailServer {
  /** `smtp://` takes STARTTLS where it is offered, and insists on it before a password; `smtps://` is TLS from the start. */
  readonly url: string;
  readonly allowPrivateAddresses: AllowedPrivate;
}

interface MailOptions {
  readonly lookup?: LookupFunction;
  readonly certificateAuthorities?: readonly string[];
  readonly connectMs?: number;
  readonly answerMs?: number;
}

interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
}

/** Reads the server's address; its password is in no message. */
export function readMailUrl(text: string): ServerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === 'smtps:';
  if (url === undefined || url.hostname === '' || !(secure || url.protocol === 'smtp:')) {
    throw new FilewrightError(
      'CREDENTIAL_UNREADABLE',
      'Expected the reference to hold a mail server like smtp://user:password@host:587 or smtps://host',
    );
  }
  if (!isDecodable(url.username) || !isDecodable(url.password)) {
    throw new FilewrightError(
      'CREDENTIAL_UNREADABLE',
      'Expected a percent sign in the user name or the password of the mail server to be written as %25',
    );
  }
  const port = url.port === '' ? (secure ? SMTPS_PORT : SUBMISSION_PORT) : Number(url.port);
  const auth =
    url.username === ''
      ? undefined
      : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, secure, auth };
}

/** Where the password of an address goes; undefined where it is none. */
export function mailHost(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false; // The one thing it throws for.
  }
}

export async function sendMail(
  message: MailMessage,
  server: MailServer,
  options: MailOptions = {},
): Promise<SendOutcome> {
  const opened = await openMail(server, options);
  // The setting may be corrected while the notice waits, so not even a refused address is final here.
  if (opened.kind === 'failed') return { verdict: 'transient', code: opened.code };
  const { transport, connection, progress } = opened;
  const from = parseMailbox(message.from);
  const overall = AbortSignal.timeout(TOTAL_MS);
  const cut = (): void => void connection.destroy();
  overall.addEventListener('abort', cut, { once: true });
  try {
    await transport.sendMail({
      from,
      to: { name: '', address: message.to },
      subject: plain(message.subject),
      text: plainLines(message.text),
      messageId: message.messageId,
      date: new Date(message.date),
      // RFC 3834 § 5: nobody's holiday notice answers it.
      headers: { 'Auto-Submitted': 'auto-generated' },
      envelope: { from: from.address, to: [message.to] },
    });
    return { verdict: 'sent', code: 'SMTP_250' };
  } catch (error) {
    return outcomeOf(error, progress.isTextWritten());
  } finally {
    overall.removeEventListener('abort', cut);
    transport.close();
    connection.destroy();
  }
}

/** Connects, says EHLO, takes STARTTLS and logs in as for a letter, and leaves. */
export async function greetMailServer(
  server: MailServer,
  options: MailOptions = {},
): Promise<{ readonly isWell: boolean; readonly code: string }> {
  const opened = await openMail(server, options);
  if (opened.kind === 'failed') return { isWell: false, code: opened.code };
  const { transport, connection } = opened;
  try {
    await transport.verify();
    return { isWell: true, code: 'SMTP_250' };
  } catch (error) {
    return { isWell: false, code: outcomeOf(error, false).code };
  } finally {
    transport.close();
    connection.destroy();
  }
}

async function openMail(server: MailServer, options: MailOptions) {
  const { host, port, secure, auth } = readMailUrl(server.url);
  // Loaded with the first mail: most commands send none, and start sooner without it.
  const { createTransport } = await import('nodemailer');
  const { lookup, certificateAuthorities: ca } = options;
  const answerMs = options.answerMs ?? ANSWER_MS;
  const opened = await openConnection(
    // TLS is the library's, which begins it at once or after STARTTLS.
    { host, port, isTls: false },
    {
      allowPrivateAddresses: server.allowPrivateAddresses,
      connectMsMax: options.connectMs ?? CONNECT_MS,
      tlsHandshakeMsMax: answerMs,
      lookup,
    },
  );
  if (opened instanceof ConnectionFailure) {
    return { kind: 'failed', code: wireCode(opened.failure) } as const;
  }
  const { socket: connection } = opened;
  const progress = watchProgress();
  const transport = createTransport({
    connection,
    host,
    port,
    secure,
    // A password is never said in the clear, whoever on the way takes the offer of STARTTLS out.
    requireTLS: auth !== undefined && !secure,
    ...(auth === undefined ? {} : { auth }),
    greetingTimeout: answerMs,
    socketTimeout: answerMs,
    tls: {
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined ? {} : { ca: [...ca] }),
    },
    logger: progress.logger,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { kind: 'open', transport, connection, progress } as const;
}

/**
 * The library's errors do not tell a line that goes dead before the final dot, which no server takes for a message, from
 * one that goes dead after it. Its log does: it has one entry for a text that was written to its end.
 */
function watchProgress() {
  let isTextWritten = false;
  const silent = (): void => undefined;
  const info = (entry: unknown): void => {
    if (Object(entry).tnx === 'message') isTextWritten = true;
  };
  const logger = { trace: silent, debug: silent, info, warn: silent, error: silent, fatal: silent };
  return { logger, isTextWritten: () => isTextWritten };
}

function outcomeOf(error: unknown, isTextWritten: boolean): SendOutcome {
  // What the library puts on its errors; each field is read with care.
  const { code, responseCode, command } = Object(error) as Record<string, unknown>;
  if (typeof responseCode === 'number' && responseCode >= 400) {
    // Only about this sender, recipient or text is a refusal final. One of the session (log-in, TLS) is for a person
    // to correct at the server or in the setting, while the notice waits.
    const isFinal =
      responseCode >= 500 &&
      !ABOUT_LOG_IN.has(responseCode) &&
      (code === 'EENVELOPE' || code === 'EMESSAGE');
    const smtp = `SMTP_${responseCode}`;
    if (!isFinal) return { verdict: 'transient', code: smtp };
    const about = code === 'EENVELOPE' && command === 'RCPT TO' ? 'recipient' : 'message';
    return { verdict: 'permanent', code: smtp, about };
  }
  // The server may have taken it.
  if (isTextWritten) return { verdict: 'unknown', code: 'CUT_AFTER_DATA' };
  return { verdict: 'transient', code: typeof code === 'string' ? `SMTP_${code}` : 'SMTP_FAILED' };
}
