/** The wires of a router, and the page that its letters lead to. */
import type {
  AcknowledgementLinks,
  greetMailServer,
  HandoffDeps,
  Handoffs,
} from '../../people/index.ts';
import type { getOnce } from './get-once.ts';

interface LinkOptions {
  readonly links: AcknowledgementLinks;
  /** Where the acknowledgement page is reached. */
  readonly publicUrl: string;
  readonly validMs?: number;
}

export interface HandoverOptions {
  /** Without the times, which the matrix states. */
  readonly transport: Omit<HandoffDeps, 'clock' | 'timeoutMs' | 'totalMs'>;
  readonly links?: LinkOptions;
  /** In place of the real wires: for dockets, for questions, and for the greeting of a mail server. */
  readonly handoffs?: Handoffs;
  readonly get?: typeof getOnce;
  readonly greet?: typeof greetMailServer;
  /** Looks at what the wires do, and changes nothing of it. */
  readonly watch?: (handoffs: Handoffs) => Handoffs;
}
