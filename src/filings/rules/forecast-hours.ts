/** When a portal opens and closes next, found by jumping from one clock time of its hours to the next. Pure. */
import { isOpen, minutesOf } from '../../lanes/index.ts';
import { type Instant, instant, type OpeningHours, zoneFormats } from '../../core/index.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
/** As for opening hours elsewhere: a portal closed for longer is a mistake in its profile. */
const SEARCH_DAYS_MAX = 15;

/** Open from the first moment to just before the second; `until` is infinite where it never closes. */
interface OpenSpan {
  readonly from: Instant;
  readonly until: Instant;
}

const ALWAYS: OpenSpan = {
  from: instant(Number.NEGATIVE_INFINITY),
  until: instant(Number.POSITIVE_INFINITY),
};

/** Gives the open spans of one portal; remembers the last ones, because a forecast asks for each filing. */
export class OpenSpans {
  readonly #hours: OpeningHours | undefined;
  readonly #boundaries: readonly number[];
  /** `since`: from when on it is the answer, the closed time before it included. */
  readonly #known: (OpenSpan & { readonly since: Instant })[] = [];

  constructor(hours: OpeningHours | undefined) {
    this.#hours = hours;
    const clocks = (hours?.weekly ?? []).flatMap(({ from, to }) => [
      minutesOf(from),
      minutesOf(to),
    ]);
    this.#boundaries = [...new Set([...clocks, DAY_MINUTES])].sort((a, b) => a - b);
  }

  /** The span that holds `at`, or the next one; undefined when there is none within the bound. */
  at(at: Instant): OpenSpan | undefined {
    const hours = this.#hours;
    if (hours === undefined) return ALWAYS;
    const known = this.#known.findLast((span) => span.until > at && span.since <= at);
    if (known !== undefined) return { from: known.from, until: known.until };
    const from = isOpen(hours, at) ? at : this.#change(hours, at, false);
    if (from === undefined) return undefined;
    const until = this.#change(hours, from, true) ?? ALWAYS.until;
    this.#known.push({ from, until, since: at });
    return { from, until };
  }

  /** The first minute after `at` in which the portal is no longer as it was. */
  #change(hours: OpeningHours, at: Instant, wasOpen: boolean): Instant | undefined {
    const end = at + SEARCH_DAYS_MAX * DAY_MINUTES * MINUTE_MS;
    let minute = Math.floor(at / MINUTE_MS) * MINUTE_MS;
    while (minute < end) {
      minute = this.#nextBoundary(hours.zone, minute);
      if (isOpen(hours, instant(minute)) !== wasOpen) return instant(minute);
    }
    return undefined;
  }

  /** Where clocks are set between here and the next boundary, the way there is walked minute by minute. */
  #nextBoundary(zone: string, minute: number): number {
    const here = clockOf(zone, minute);
    const next = this.#boundaries.find((boundary) => boundary > here) ?? DAY_MINUTES;
    const candidate = minute + (next - here) * MINUTE_MS;
    const isSteady = clockOf(zone, candidate) === next % DAY_MINUTES;
    return isSteady ? candidate : minute + MINUTE_MS;
  }
}

const SHAPE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const formatOf = zoneFormats('en-GB', SHAPE);

/** Minutes since midnight on the zone's clock. */
function clockOf(zone: string, atMs: number): number {
  return minutesOf(formatOf(zone).format(atMs));
}
