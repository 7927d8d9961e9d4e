/** From an ingested award document to the award whose dates can be computed; nothing that is missing is assumed. */
import { type Day, parseDay } from '../../../calendar/index.ts';
import { badCase, type JsonValue } from '../../../core/index.ts';
import type { Award, AwardTerms, CharityRegistration, ReportingFrequency } from '../award.ts';
import type { Form } from '../form990-law.ts';
import type { AcceptedAward } from '../intake/ingest.ts';
import type { SubawardTerms } from '../subawards.ts';

/** What an award document does not say about the organisation that holds it. */
export interface AwardHolder {
  readonly return990?: { readonly form: Form; readonly extended: boolean };
  readonly charityStates?: readonly CharityRegistration[];
}

const NEEDED = [
  'award_id',
  'organization',
  'period_start',
  'period_end',
  'fiscal_year_end',
  'reporting_frequency',
  'guidance_version',
] as const;

/** Fields without which no calendar can be made; empty when it can. */
export function missingForCalendar({ payload }: Pick<AcceptedAward, 'payload'>): readonly string[] {
  return NEEDED.filter((name) => payload[name] === undefined);
}

/** Throws CASE_INVALID with every field that is missing. */
export function awardOf(accepted: Pick<AcceptedAward, 'payload'>, holder: AwardHolder = {}): Award {
  const missing = missingForCalendar(accepted);
  if (missing.length > 0) {
    throw badCase(
      `award ${textOf(accepted.payload['award_id'])}: a calendar needs ${missing.join(', ')}`,
      { details: { missing: missing.join(', ') } },
    );
  }
  const { payload } = accepted;
  const [month = 0, day = 0] = textOf(payload['fiscal_year_end']).split('-').map(Number);
  const { performance_frequency: performance } = payload;
  const terms = termsOf(payload['terms']);
  return {
    awardId: textOf(payload['award_id']),
    organization: textOf(payload['organization']),
    role: payload['role'] === 'subrecipient' ? 'subrecipient' : 'recipient',
    periodStart: dayOf(payload['period_start']),
    periodEnd: dayOf(payload['period_end']),
    // The schema has let only these words in.
    reportingFrequency: textOf(payload['reporting_frequency']) as ReportingFrequency,
    ...(performance !== undefined && {
      performanceFrequency: textOf(performance) as ReportingFrequency,
    }),
    guidanceVersion: textOf(payload['guidance_version']),
    fiscalYearEnd: { month, day },
    ...(terms !== undefined && { terms }),
    ...holder,
  };
}

function termsOf(terms: JsonValue | undefined): AwardTerms | undefined {
  if (!isObject(terms)) return undefined;
  const { offset_days: offsets, reporting_periods: periods, roll_forward: roll } = terms;
  return {
    // The schema has let in only known reports with whole days.
    ...(isObject(offsets) && { offsetDays: offsets }),
    ...((periods === 'calendar' || periods === 'from-start') && { reportingPeriods: periods }),
    ...(typeof roll === 'boolean' && { rollForward: roll }),
  };
}

export function subawardTermsOf({ payload }: Pick<AcceptedAward, 'payload'>): SubawardTerms {
  const terms = payload['terms'];
  const cents = (name: string): bigint | undefined => {
    const value = isObject(terms) ? terms[name] : undefined;
    return typeof value === 'number' ? BigInt(value) : undefined;
  };
  const total = cents('subaward_total_max');
  const recipient = cents('subaward_recipient_max');
  const approval = cents('subaward_approval_above');
  return {
    ...(total !== undefined && { totalCentsMax: total }),
    ...(recipient !== undefined && { perRecipientCentsMax: recipient }),
    ...(approval !== undefined && { approvalAboveCents: approval }),
  };
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function dayOf(value: JsonValue | undefined): Day {
  const day = parseDay(textOf(value));
  if (day === undefined) throw badCase('expected a valid date');
  return day;
}
