/** When the portal's doors are open between the first and the last day of a filing. */
import {
  instant,
  type Instant,
  type OpeningHours,
  pointer,
  type Profile,
} from '../../core/index.ts';
import { isOpen, nextOpening } from '../../lanes/index.ts';
import type { Gated, GateStep } from './gates-report.ts';
import { parseDay, startOfDay } from './zone-day.ts';

// A file names a few hundred days; asking the zone costs tens of microseconds each. Full means odd input: start anew.
const KEPT_MAX = 4_096;
const MINUTE_MS = 60_000;
// As in core/hours.ts: a portal closed for longer is a profile error.
const SEARCH_MINUTES_MAX = 15 * 24 * 60;

interface HoursGate {
  gate(gated: Gated, profile: Profile): GateStep;
}

/** Remembers what it has computed, for one import. */
export function hoursGate(): HoursGate {
  const cutoffs = new Map<string, Instant | undefined>();
  const openings = new Map<string, Instant | undefined>();
  const kept = <Value>(map: Map<string, Value>, key: string, make: () => Value): Value => {
    if (map.size >= KEPT_MAX) map.clear();
    let value = map.get(key);
    if (value === undefined && !map.has(key)) {
      value = make();
      map.set(key, value);
    }
    // Set just above where it was missing.
    return value as Value;
  };
  return {
    gate: (gated, profile) => {
      const { hours, code } = profile;
      // Hours without a span name the zone and nothing else.
      if (hours === undefined || hours.weekly.length === 0) return {};
      const cutoff = kept(cutoffs, `${code} ${gated.due}`, () => lastOpen(gated.due, hours));
      if (cutoff === undefined || cutoff <= gated.notBefore) {
        const why = `${code} is closed for the whole filing window; check due and not_before`;
        return { refusals: [{ code: 'PORTAL_CLOSED', field: '/due', why }] };
      }
      const period = profile.limits?.notBeforePeriod;
      const month = period === undefined ? undefined : pointer(gated.payload, period.periodAt);
      const opens =
        typeof month === 'string' && /^\d{4}-\d{2}$/.test(month)
          ? kept(openings, `${code} ${month}`, () => firstOpen(month, hours))
          : undefined;
      return join(gated, { cutoff, opens, code });
    },
  };
}

function join(
  gated: Gated,
  found: { readonly cutoff: Instant; readonly opens: Instant | undefined; readonly code: string },
): GateStep {
  const { cutoff, opens, code } = found;
  const isEarlier = cutoff < gated.cutoff;
  const changes = isEarlier
    ? [
        {
          code: 'PORTAL_HOURS' as const,
          field: '/due',
          why: `${code} closes before the due time, so the filing must be made by then`,
          before: iso(gated.cutoff),
          after: iso(cutoff),
        },
      ]
    : [];
  if (opens === undefined || opens <= gated.notBefore) {
    return { gated: { cutoff: isEarlier ? cutoff : gated.cutoff }, changes };
  }
  if (opens >= cutoff) {
    const why = `${code} accepts this filing from ${iso(opens)}, which is after its last safe moment`;
    return { changes, refusals: [{ code: 'OUTSIDE_WINDOW', field: '/due', why }] };
  }
  const early = {
    code: 'TOO_EARLY' as const,
    field: '/not_before',
    why: `${code} accepts the filing from the first business day of its month`,
    before: iso(gated.notBefore),
    after: iso(opens),
  };
  return {
    gated: { cutoff: isEarlier ? cutoff : gated.cutoff, notBefore: opens },
    changes: [...changes, early],
  };
}

/** The last moment at or before `due` at which the portal is open; a closing time counts as open until then. */
function lastOpen(due: Instant, hours: OpeningHours): Instant | undefined {
  if (isOpen(hours, due)) return due;
  const start = Math.floor(due / MINUTE_MS) * MINUTE_MS;
  for (let back = 0; back <= SEARCH_MINUTES_MAX; back += 1) {
    const minute = instant(start - back * MINUTE_MS);
    if (isOpen(hours, minute)) return instant(Math.min(minute + MINUTE_MS, due));
  }
  return undefined;
}

function firstOpen(month: string, hours: OpeningHours): Instant | undefined {
  const midnight = parseDay(`${month}-01`);
  return midnight === undefined ? undefined : nextOpening(hours, startOfDay(midnight, hours.zone));
}

function iso(at: Instant): string {
  return at <= 0 ? '' : new Date(at).toISOString();
}
