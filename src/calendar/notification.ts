/** When a document counts as delivered. The date on the document selects the regime, whatever the date of the deadline. */
import { addDays, type Day } from './day.ts';

export interface NotificationRegime {
  /** First document date of the regime; it ends where the next one begins. */
  readonly documentsFrom: Day;
  /** Deemed delivered this many days after the date of the document. */
  readonly deemedAfterDays: number;
  /** Set where a later delivery lengthens the period by what exceeds this many days. */
  readonly safeguardAfterDays: number | undefined;
  /** Whether a real delivery later than the deemed one counts where there is no safeguard. */
  readonly laterDeliveryCounts: boolean;
  /** Only for documents that are served in that way; undefined for all. */
  readonly served: 'electronic' | 'post' | undefined;
  readonly citation: string;
}

/** The regime of the document; undefined when none is known for so early a date. `regimes` rise by date. */
export function regimeOf(
  documentDay: Day,
  regimes: readonly NotificationRegime[],
  served: NotificationRegime['served'],
): NotificationRegime | undefined {
  return regimes.findLast(
    (regime) =>
      documentDay >= regime.documentsFrom &&
      (regime.served === undefined || regime.served === served),
  );
}

// Rules 126(2), 127(2) EPC: delivered on the day the fiction says; before 1 November 2023 also on a later real delivery.
export function deemedDelivery(
  documentDay: Day,
  regime: NotificationRegime,
  deliveredDay: Day | undefined,
): Day {
  const deemed = addDays(documentDay, regime.deemedAfterDays);
  const realCounts = regime.laterDeliveryCounts && deliveredDay !== undefined;
  return realCounts && deliveredDay > deemed ? deliveredDay : deemed;
}

// Rule 126(2) EPC from 1 November 2023; PCT Rule 80.6: later by the days in excess of seven.
export function daysBeyondSafeguard(
  documentDay: Day,
  deliveredDay: Day,
  safeguardDays: number,
): number {
  return Math.max(0, deliveredDay - documentDay - safeguardDays);
}
