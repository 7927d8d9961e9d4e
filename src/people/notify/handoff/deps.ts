import type { LookupFunction } from 'node:net';
import type { Clock, WriteGuard } from '../../../core/index.ts';
import type { AllowedPrivate } from '../../../wire/index.ts';
import type { MailServer } from '../mail.ts';
import type { HandoffTarget } from './handoff.ts';

/** What a broker made of a message; `brokers/` has it. */
interface QueueOutcome {
  readonly kind: 'confirmed' | 'refused' | 'not_sent' | 'not_made' | 'unsendable' | 'unknown';
  readonly code: string;
  readonly elapsedMs: number;
}

export interface HandoffDeps {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  /** For each of connection, handshake and answer. */
  readonly timeoutMs: number;
  /** For the handshake, where it is not that of the others. */
  readonly handshakeMs?: number;
  /** For all of it, so that the outcome is told before the routing rules call it unknown. */
  readonly totalMs: number;
  readonly allowPrivateAddresses: (target: HandoffTarget) => AllowedPrivate;
  /** Request headers with secrets, read when they are needed and kept nowhere. */
  readonly credentials?: (target: HandoffTarget) => Promise<Readonly<Record<string, string>>>;
  /** Absent where no mail server is set. */
  readonly mail?: {
    readonly server: () => Promise<MailServer>;
    readonly from: string;
    /** Right of the @ in message ids. */
    readonly host: string;
  };
  /** Absent where no broker is set. */
  readonly publish?: (
    message: {
      readonly queue: string;
      readonly id: string;
      readonly bytes: Uint8Array;
      readonly contentType: string;
    },
    guard: WriteGuard,
  ) => Promise<QueueOutcome>;
  readonly lookup?: LookupFunction;
  /** PEM texts that replace the well-known authorities. */
  readonly certificateAuthorities?: readonly string[];
}
