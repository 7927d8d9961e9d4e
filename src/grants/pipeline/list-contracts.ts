/** Bank lines and awards as people look through them, page by page. */
import type { AwardState, LineState } from '../rules/list-states.ts';

export type { AwardState, LineState };

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

interface PageWanted {
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: string;
  /** Part of a payer, a text, a reference or an id, in any case. */
  readonly text?: string;
}

export interface LinesWanted extends PageWanted {
  readonly account?: string;
  readonly from?: string;
  readonly to?: string;
  readonly state?: LineState;
}

export interface LineView {
  readonly id: string;
  readonly account: string;
  readonly bookedOn: string;
  /** Below zero where it went out. */
  readonly cents: number;
  readonly currency: string;
  readonly payer: string | undefined;
  readonly text: string | undefined;
  readonly references: readonly string[];
  readonly bankNumber: string | undefined;
  readonly state: LineState;
  readonly isClosed: boolean;
  readonly rule: string | undefined;
  readonly awards: readonly string[];
  readonly why: string;
}

export interface AwardsWanted extends PageWanted {
  readonly asOf: string;
  readonly state?: AwardState;
}

export interface AwardView {
  readonly key: string;
  readonly awardId: string | undefined;
  readonly grantor: string;
  readonly payer: string;
  readonly reference: string | undefined;
  readonly fiscalYear: number;
  readonly expectedOn: string | undefined;
  readonly currency: string;
  /** Money alone; goods and services never come to a bank. */
  readonly cents: number;
  readonly noncashCents: number;
  /** In closed periods. */
  readonly closedCents: number;
  /** Matched in periods that are still open. */
  readonly matchedCents: number;
  readonly openCents: number;
  readonly state: AwardState;
  /** The award that came in its place. */
  readonly replacedBy: string | undefined;
}
