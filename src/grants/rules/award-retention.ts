/** How long an award's record is kept: seven years by the key's own rule, longer where the award's rule asks for it. */
import { addDays, type Day, formatDay, parseDay, sameNumberDay } from '../../calendar/index.ts';
import type { JsonValue } from '../../core/index.ts';
import type { AwardPayload } from './intake/award-schema.ts';
import type { GrantsLaw } from './law.ts';

/** The final financial report is due 120 days after the end; the years run from its submission (2 CFR 200.344, 200.334). */
const FINAL_REPORT_DAYS = 120;

/** Undefined where the award has no end, or is no federal one. */
export function retainedUntil(payload: AwardPayload, law: GrantsLaw): string | undefined {
  const { period_end: end, assistance_listing: listing, fain, uei } = payload;
  const last = typeof end === 'string' ? parseDay(end) : undefined;
  if (last === undefined || (listing === undefined && fain === undefined && uei === undefined)) {
    return undefined;
  }
  const from: Day = addDays(last, Math.max(FINAL_REPORT_DAYS, termedDays(payload)));
  return formatDay(sameNumberDay(from, law.federal.retention.years * 12));
}

/** Of the award's terms: a report that may come later lets its years begin later. */
function termedDays({ terms }: AwardPayload): number {
  const offsets = isObject(terms) ? terms['offset_days'] : undefined;
  const days = isObject(offsets) ? offsets['sf425.final'] : undefined;
  return typeof days === 'number' ? days : 0;
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
