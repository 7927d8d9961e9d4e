/** Brings one message to its end: committed, set aside, or given back to the broker untouched. */
import {
  type Backoff,
  type Clock,
  ERRORS,
  FilewrightError,
  nextDelayMs,
} from '../../core/index.ts';
import type { BrokerMessage, BrokerTrouble, MessageSink } from './message.ts';

/** What is not larger is a docket event; the sink keeps a larger one for a person instead of reading it. */
const MESSAGE_BYTES_MAX = 1024 * 1024;

/**
 * So often may a commit fail for a reason that lies in the message. One would do for a message that is really bad; three
 * forgive a deadlock or a cut connection that did not come with its own code.
 */
const COMMIT_FAILURES_MAX = 3;

/** In the end long enough to leave a database that is starting in peace, short enough to go on within a tier's time. */
const BACKOFF: Backoff = { steps: { firstMs: 200, msMax: 5_000 }, spread: [1, 1] };
const REASON_CHARS_MAX = 300;

interface SettleDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The consumer is closing: what is not committed goes back to the broker. */
  readonly signal: AbortSignal;
  readonly onTrouble: (trouble: BrokerTrouble) => void;
}

/**
 * `done`: the broker may forget the message. `give_back`: it may not.
 *
 * A failure that passes by itself (the database is away) is waited out with the message in hand, so that the broker's
 * prefetch is the back-pressure. Requeueing instead would spin, and would count as deliveries against a quorum queue's
 * limit, at which RabbitMQ drops the message.
 */
export async function settleMessage(
  message: BrokerMessage,
  sink: MessageSink,
  { clock, signal, onTrouble }: SettleDeps,
): Promise<'done' | 'give_back'> {
  let reason = tooLarge(message);
  let failures = 0;
  for (let round = 0; !signal.aborted; round += 1) {
    try {
      if (reason === undefined) await sink.commit(message);
      else await sink.setAside(message, reason);
      return 'done';
    } catch (error) {
      const text = textOf(error);
      onTrouble({ code: reason === undefined ? 'commit' : 'set_aside', message: text });
      if (!passesByItself(error)) failures += 1;
      if (failures >= COMMIT_FAILURES_MAX || isItsOwnFault(error)) reason ??= text;
    }
    await clock.sleep(waitMs(round), signal);
  }
  return 'give_back';
}

export function waitMs(round: number): number {
  return nextDelayMs(BACKOFF, round + 1);
}

export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, REASON_CHARS_MAX);
}

/** The short code that a library put on its error, for the record. */
export function brokerCodeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  return typeof code === 'string' && code !== '' ? code : 'FAILED';
}

function tooLarge({ bytes }: BrokerMessage): string | undefined {
  if (bytes.length <= MESSAGE_BYTES_MAX) return undefined;
  return `The message has ${bytes.length} bytes; the limit is ${MESSAGE_BYTES_MAX}.`;
}

/** No second look makes it another message. */
function isItsOwnFault(error: unknown): boolean {
  return error instanceof FilewrightError && error.code === 'MESSAGE_UNSENDABLE';
}

function passesByItself(error: unknown): boolean {
  return error instanceof FilewrightError && ERRORS[error.code].exit === 'tryLater';
}
