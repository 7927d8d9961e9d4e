export { createHandoffs, type Handoffs } from './deliver.ts';
export type {
  HandoffEvidence,
  HandoffLoad,
  HandoffOutcome,
  HandoffSign,
  HandoffTarget,
} from './handoff.ts';
export { usableServer } from './mail-target.ts';
export type { HandoffParts, QueueOutcome } from './parts.ts';
