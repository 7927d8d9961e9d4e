/** A message as it came from a broker, and the two things that can be done with it. */
import { type Instant, type Sha256Hex, sha256Of } from '../../core/index.ts';

export interface BrokerMessage {
  /** The sender's message id, or a hash of the bytes. The same message has the same one at every delivery. */
  readonly id: string;
  /** Exactly as they were sent. */
  readonly bytes: Uint8Array;
  /** Of the bytes: the same id with other bytes is a conflict, never a repeat. */
  readonly sha256: Sha256Hex;
  readonly contentType: string | undefined;
  /** As the sender stamped it (RabbitMQ, in whole seconds) or as the broker numbered it (Redis). */
  readonly sentAt: Instant | undefined;
  /** The broker has delivered it before, to us or to another consumer. */
  readonly isRepeat: boolean;
  /** Queue or stream, for the record. */
  readonly source: string;
}

/** Where messages end. Both must give one effect for one id however often they are called. */
export interface MessageSink {
  /**
   * Resolves once everything that follows from the message is committed. A message that cannot be understood (schema
   * drift) is committed as such; throwing is for what stands in the way of any commit. It must end, one way or the
   * other: a consumer takes nothing new after a lost connection before what it holds has ended.
   */
  commit(message: BrokerMessage): Promise<void>;
  /** Keeps a message that `commit` failed on again and again, with the reason, so that the queue can go on. */
  setAside(message: BrokerMessage, reason: string): Promise<void>;
  /** Keeps that the broker has lost messages of a source before we had them: nobody else will ever say so. */
  noteLoss(source: string): Promise<void>;
}

/** Something went wrong and is being tried again; nothing is lost by it unless the code says so. */
export interface BrokerTrouble {
  readonly code:
    | 'connection'
    | 'consumer'
    | 'commit'
    | 'set_aside'
    | 'acknowledgement'
    /** The stream was trimmed over entries that nobody had read or acknowledged: they are lost. */
    | 'entry_lost';
  /** Holds no payload and no password. */
  readonly message: string;
}

// Ids of real senders are UUIDs or the like; what is longer or holds other characters is not used as a key.
const MESSAGE_ID = /^[\x21-\x7e]{1,200}$/;

export function messageIdOf(given: string | undefined, bytes: Uint8Array): string {
  return given !== undefined && MESSAGE_ID.test(given) ? given : `sha256:${sha256Of(bytes)}`;
}
