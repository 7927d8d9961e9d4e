/** Which first filing an entity owes, and when: runs from its formation, or for foreign entities from the registration. */
import {
  addDays,
  civilOf,
  clampedDay,
  type Day,
  formatDay,
  type OfficeCalendar,
  parseDay,
  sameNumberDay,
  type Step,
} from '../../../calendar/index.ts';
import { invariant } from '../../../core/index.ts';
import type { EntityKind, FilingRule } from './filing-rule.ts';
import type { InitialFiling, Within } from './initial-filing.ts';
import type { EntityRules } from './read-entity-rules.ts';

interface Founder {
  readonly jurisdiction: string;
  readonly kind: EntityKind;
  readonly otherwise: EntityKind | undefined;
  readonly origin: 'domestic' | 'foreign' | 'unqualified';
}

export function initialOf(
  rules: Pick<EntityRules, 'initialFilings'>,
  { jurisdiction, kind, otherwise, origin }: Founder,
  sort: InitialFiling['sort'],
): InitialFiling | undefined {
  const found = (as: EntityKind | undefined): InitialFiling | undefined =>
    rules.initialFilings.find(
      (one) =>
        one.jurisdiction === jurisdiction &&
        one.sort === sort &&
        one.origins.includes(origin) &&
        as !== undefined &&
        one.entity_kinds.includes(as),
    );
  return found(kind) ?? found(otherwise);
}

/** The first filing in the form of a rule, so that everything that is said of a date is said in one place. */
export function ruleOfInitial(
  initial: InitialFiling,
  kind: EntityKind,
  periodic: FilingRule | undefined,
): FilingRule {
  const { verified, confidence } = initial.by_kind?.[kind] ?? initial;
  return {
    id: periodic?.id ?? initial.id,
    jurisdiction: initial.jurisdiction,
    entity_kind: kind,
    origin: initial.origins.includes('domestic') ? 'domestic' : 'foreign',
    required: true,
    filing_name: initial.filing_name,
    filed_with: initial.filed_with,
    cadence: { every_years: 0, parity: null },
    due_rule: { type: 'unknown' },
    first_due: null,
    window_opens: null,
    fee_usd: initial.fee_by_kind?.[kind] ?? initial.fee_usd,
    fee_note: null,
    fee_as_of: null,
    late: null,
    citation: initial.citation,
    citation_basis: initial.citation_basis,
    weekend_roll: {
      rule: 'unknown',
      note: periodic?.weekend_roll.rule === 'unknown' ? periodic.weekend_roll.note : null,
    },
    sources: initial.sources,
    verified,
    confidence,
    notes: initial.notes,
    official_url: periodic?.official_url ?? initial.filed_with,
    ...(periodic?.delinquency_notice === undefined
      ? {}
      : { delinquency_notice: periodic.delinquency_notice }),
  };
}

interface InitialDate {
  readonly step: Step;
  /** The earlier reading of a period whose counting was not read. */
  readonly conservative?: Day;
  readonly opens?: Day;
  readonly startBy?: Day;
}

/** Undefined where no time was read. The day of formation is not counted; nothing moves for a weekend. */
export function initialDate(
  initial: InitialFiling,
  formed: Day,
  businessDays: OfficeCalendar,
): InitialDate | undefined {
  const late = afterDay(initial, formed);
  const step = late?.step ?? withinStep(initial, withinOf(initial, formed), formed, businessDays);
  if (step === undefined) return undefined;
  const { conservative_days_before: spare, start_before_days: before } = initial;
  return {
    step,
    ...(late === undefined ? {} : { opens: late.opens }),
    ...(spare === undefined ? {} : { conservative: addDays(step.day, -spare) }),
    ...(before === undefined ? {} : { startBy: addDays(step.day, -before) }),
  };
}

// O.C.G.A. 14-3-1622(d): articles delivered after October 1 are registered between January 1 and April 1 of the next year.
function afterDay(
  initial: InitialFiling,
  formed: Day,
): { readonly step: Step; readonly opens: Day } | undefined {
  const rule = initial.formed_after;
  const { year } = civilOf(formed);
  if (rule === undefined || formed <= onMonthDay(year, rule.after)) return undefined;
  const day = onMonthDay(year + 1, rule.due);
  const text = `${initial.filing_name}: delivered after ${rule.after} of a year, it is due on ${formatDay(day)}.`;
  return {
    step: { text, ...cited(initial), act: { kind: 'set' }, day },
    opens: onMonthDay(year + 1, rule.opens),
  };
}

function withinOf(initial: InitialFiling, formed: Day): Within {
  const before = initial.formed_before;
  if (before === undefined) return initial.within;
  const limit = parseDay(before.day);
  invariant(limit !== undefined, 'Expected a day that exists in an initial filing.');
  return formed < limit ? before.within : initial.within;
}

function withinStep(
  initial: InitialFiling,
  within: Within,
  formed: Day,
  businessDays: OfficeCalendar,
): Step | undefined {
  const told = (time: string): string =>
    `${initial.filing_name}: due ${time} of the ${initial.runs_from}; that day is not counted.`;
  if ('not_read' in within) return undefined;
  if ('at_filing' in within) {
    const text = `${initial.filing_name}: filed together with the formation or registration paper.`;
    return { text, ...cited(initial), act: { kind: 'set' }, day: formed };
  }
  if ('business_days' in within) {
    let day = formed;
    for (let left = within.business_days; left > 0; left -= 1) {
      day = addDays(day, 1);
      // Only verified closings give more time.
      while (businessDays.closedOn(day)?.standing === 'verified') day = addDays(day, 1);
    }
    const text = told(`within ${counted(within.business_days, 'business day')}`);
    return { text, ...cited(initial), act: { kind: 'set' }, day };
  }
  if ('months' in within) {
    const { months, days } = within;
    const end = sameNumberDay(formed, months);
    if (days === undefined) {
      const act = { kind: 'add-months', months, arithmetic: 'same-number' } as const;
      return { text: told(`within ${counted(months, 'month')}`), ...cited(initial), act, day: end };
    }
    const text = told(`within ${counted(months, 'month')} and ${counted(days, 'day')}`);
    return { text, ...cited(initial), act: { kind: 'set' }, day: addDays(end, days) };
  }
  const act = { kind: 'add-days', days: within.days } as const;
  const text = told(`within ${counted(within.days, 'day')}`);
  return { text, ...cited(initial), act, day: addDays(formed, within.days) };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function onMonthDay(year: number, monthDay: string): Day {
  const [month = 1, day = 1] = monthDay.split('-').map(Number);
  return clampedDay(year, month, day);
}

function cited({ citation }: InitialFiling): { readonly citation?: string } {
  return citation === null ? {} : { citation };
}
