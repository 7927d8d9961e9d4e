import type { StoredDocket } from '../store/docket-rows.ts';
import type { Handover } from './decide.ts';
import type { ActiveRouting } from './setup.ts';

/** What is to be handed over now that its intent is committed. */
export interface PendingHandover extends Handover {
  readonly row: StoredDocket;
  readonly n: number;
  readonly routing: ActiveRouting;
}
