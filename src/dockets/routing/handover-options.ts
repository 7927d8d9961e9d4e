/** The wires of a router, and the page that its letters lead to. */
import type { AcknowledgementLinks, HandoffDeps, Handoffs } from '../../people/index.ts';

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
  /** In place of the real wires. */
  readonly handoffs?: Handoffs;
  /** Looks at what the wires do, and changes nothing of it. */
  readonly watch?: (handoffs: Handoffs) => Handoffs;
}
