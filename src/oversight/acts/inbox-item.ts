/** One line of what waits for a person. */
import type { Instant } from '../../core/index.ts';

export interface InboxItem {
  readonly kind:
    | 'approval'
    | 'proposal'
    | 'batch'
    | 'question'
    | 'exception'
    | 'by_hand'
    | 'docket'
    | 'grants'
    | 'alert';
  /** Of what it is about: a batch, a filing, a docket, an alert. */
  readonly id: string;
  /** What waits, in a few words. */
  readonly what: string;
  /** Why this person. */
  readonly why: string;
  /** When it is due at its office; undefined where it has no day of its own. */
  readonly due: Instant | undefined;
  readonly zone: string;
  /** A calendar day where that is all that is known. */
  readonly day: string | undefined;
  /** The command that comes next. */
  readonly next: string;
}
