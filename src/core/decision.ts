/** What happens to a filing next. */
import type { Step } from './filing.ts';
import type { Instant } from './time.ts';
import type { Receipt } from './verdict.ts';

export type Decision =
  | { readonly kind: 'accept'; readonly receipt: Receipt }
  /** Proven refusal: status rejected, with an exception. */
  | { readonly kind: 'reject'; readonly code: string }
  /**
   * Automation stops here: status fallout, with an exception. `unsettled`: an earlier send may have been accepted, so
   * a replay must ask before it sends.
   */
  | { readonly kind: 'give_up'; readonly code: string; readonly unsettled?: Unsettled }
  | {
      readonly kind: 'wait';
      readonly to: 'pending' | 'submitted';
      readonly step: Step;
      readonly delayMs: number;
      readonly failures: number;
      readonly failingSince: Instant | undefined;
      readonly captchaMarks?: number;
      readonly code: string;
    };

/** When a payload whose fate is not known was, or may have been, written. */
export interface Unsettled {
  readonly firstSentAt: Instant;
  readonly lastSentAt: Instant;
}
