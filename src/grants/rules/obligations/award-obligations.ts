/** What the awards of an organisation bring with them, in the shape of the obligation list and of calendar feeds. */
import {
  type Confidence,
  type Day,
  type IcsEntry,
  formatDay,
  parseDay,
} from '../../../calendar/index.ts';
import { type JsonValue, obligationKey, sha256Of } from '../../../core/index.ts';
import type { Award, AwardObligation, UndatedObligation } from '../award.ts';
import { awardCalendar } from '../award-calendar.ts';
import type { Crossing } from '../crossings.ts';
import type { GrantsLaw } from '../law.ts';
import type { Reason } from '../reasoning.ts';

/** The columns that a list of obligations has, whatever pack they come from. */
export interface GrantObligation {
  readonly id: string;
  /** The award or the organisation that owes it. */
  readonly entity: string;
  readonly jurisdiction: string;
  readonly filingKind: string;
  /** The last day of the period that it is for. */
  readonly period: string;
  /**
   * `record_needed`: something is owed and only the regulator can say when. `superseded`: its award stands no more.
   * `met`: a person has filed it.
   */
  readonly state: 'open' | 'record_needed' | 'superseded' | 'met';
  /** Before any roll to an open day. */
  readonly raw: string | undefined;
  readonly due: string | undefined;
  readonly confidence: Confidence;
  readonly ruleVersion: string;
  readonly calendarVersion: string;
  /** Why, what to confirm first, and on which condition it is owed at all. */
  readonly answer: Readonly<Record<string, JsonValue>>;
}

/** Nothing that has no period is for a period. */
const NO_PERIOD = 'undated';

/**
 * All obligations of all awards, each once: a return and an audit are owed by the organisation, however many awards it
 * holds. The earliest date comes first, what has no date at the end.
 */
export function grantObligations(
  tenant: string,
  awards: readonly Award[],
  law: GrantsLaw,
): readonly GrantObligation[] {
  const dated = new Map<string, AwardObligation>();
  const undated = new Map<string, UndatedObligation>();
  for (const award of awards) {
    const calendar = awardCalendar(award, law);
    for (const one of calendar.obligations) {
      const known = dated.get(one.key);
      dated.set(one.key, known === undefined ? one : earlierOf(known, one));
    }
    for (const one of calendar.undated) undated.set(one.key, one);
  }
  return [
    ...[...dated.values()]
      .sort((one, other) => one.due - other.due || (one.key < other.key ? -1 : 1))
      .map((one) => rowOf(tenant, one)),
    ...[...undated.values()]
      .sort((one, other) => (one.key < other.key ? -1 : 1))
      .map((one) => undatedRowOf(tenant, one, law)),
  ];
}

/**
 * Registrations that follow from thresholds, for an organisation that is not registered there yet: with the law's date
 * where it has one, otherwise as something that only the state can date.
 */
export function registrationObligations(
  tenant: string,
  owner: { readonly organization: string; readonly fiscalYearEnd: Day },
  crossings: readonly Crossing[],
): readonly GrantObligation[] {
  const period = formatDay(owner.fiscalYearEnd);
  return crossings
    .filter(({ kind }) => kind === 'charity.registration')
    .map(({ kind, jurisdiction, obligation, due, evaluation }) => ({
      id: idOf(tenant, ['organization', owner.organization, jurisdiction, kind, period].join('/')),
      entity: owner.organization,
      jurisdiction,
      filingKind: kind,
      period,
      state: due === undefined ? 'record_needed' : 'open',
      raw: due,
      due,
      confidence: evaluation.confidence,
      ruleVersion: evaluation.ruleVersion,
      calendarVersion: evaluation.calendarVersion ?? '',
      answer: {
        reason: obligation,
        steps: evaluation.reasons.map(stepOf),
        tasks: evaluation.tasks,
      },
    }));
}

/** An award that was amended or cancelled, as its dates were. */
export interface WithdrawnAward {
  readonly award: Award;
  /** Under which two people agreed to it. */
  readonly exception: string;
  /** The key of the record in its place; undefined where it was cancelled. */
  readonly by: string | undefined;
}

/** What is owed no more: each once, with why, and with what is owed in its place where that has only another date. */
export function withdrawnObligations(
  tenant: string,
  gone: readonly WithdrawnAward[],
  owed: readonly GrantObligation[],
  law: GrantsLaw,
): readonly GrantObligation[] {
  const still = new Set(owed.map(({ id }) => id));
  const found = new Map<string, GrantObligation>();
  for (const { award, exception, by } of gone) {
    for (const one of grantObligations(tenant, [award], law)) {
      if (still.has(one.id) || found.has(one.id)) continue;
      const instead = owed.filter(
        (other) => other.filingKind === one.filingKind && other.entity === one.entity,
      );
      const reason =
        by === undefined
          ? `award ${award.awardId} was canceled, under exception ${exception}`
          : `award ${award.awardId} was amended, under exception ${exception}; it is replaced by ${by}`;
      found.set(one.id, {
        ...one,
        state: 'superseded',
        answer: { ...one.answer, reason, instead: instead.map(({ id }) => id) },
      });
    }
  }
  return inOrderOfDates([...found.values()]);
}

/** A duty that depended on a threshold is owed once the threshold of its year is crossed. */
export function withoutMetConditions(
  obligations: readonly GrantObligation[],
  crossings: readonly Pick<Crossing, 'kind'>[],
  year: { readonly end: Day },
): readonly GrantObligation[] {
  if (!crossings.some(({ kind }) => kind === 'singleAudit')) return obligations;
  const end = formatDay(year.end);
  return obligations.map((one) => {
    if (!isAudit(one) || one.period !== end) return one;
    const { condition: _met, ...answer } = one.answer;
    return { ...one, answer };
  });
}

function isAudit({ filingKind, answer }: GrantObligation): boolean {
  return filingKind === 'singleAudit' && answer['condition'] !== undefined;
}

/** As the list has them: the earliest date first, what has no date at the end. */
export function inOrderOfDates(
  obligations: readonly GrantObligation[],
): readonly GrantObligation[] {
  const orderOf = ({ due, id }: GrantObligation): string => `${due ?? '9999-99-99'} ${id}`;
  return obligations.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

/** Two awards that disagree about the organisation (its form, its extension): the earlier date is the safe one. */
function earlierOf(one: AwardObligation, other: AwardObligation): AwardObligation {
  if (one.due === other.due) return one;
  const [first, second] = one.due < other.due ? [one, other] : [other, one];
  const task = `Look into why the awards give two dates for ${first.kind}: ${formatDay(first.due)} and ${formatDay(second.due)}`;
  return { ...first, tasks: [...first.tasks, task], confidence: 'low' };
}

function rowOf(tenant: string, one: AwardObligation): GrantObligation {
  return {
    id: idOf(tenant, one.key),
    entity: one.reference,
    jurisdiction: one.jurisdiction,
    filingKind: one.kind,
    period: formatDay(one.periodEnd),
    state: 'open',
    raw: formatDay(beforeRoll(one)),
    due: formatDay(one.due),
    confidence: one.confidence,
    ruleVersion: one.ruleVersion,
    calendarVersion: one.calendarVersion ?? '',
    answer: {
      steps: one.reasons.map(stepOf),
      ...(one.tasks.length > 0 && { tasks: one.tasks }),
      ...(one.condition !== undefined && { condition: one.condition }),
    },
  };
}

function stepOf(reason: Reason): JsonValue {
  return {
    text: reason.text,
    ...(reason.citation !== undefined && { citation: reason.citation }),
    ...('day' in reason && { date: formatDay(reason.day) }),
  };
}

function beforeRoll(one: AwardObligation): Day {
  const steps = one.reasons.flatMap((reason) => ('day' in reason ? [reason] : []));
  const roll = steps.findIndex(({ act }) => act.kind === 'roll');
  return (roll > 0 ? steps[roll - 1]?.day : undefined) ?? one.due;
}

function undatedRowOf(tenant: string, one: UndatedObligation, law: GrantsLaw): GrantObligation {
  const [, organization = ''] = one.key.split('/');
  return {
    id: idOf(tenant, one.key),
    entity: organization,
    jurisdiction: one.jurisdiction,
    filingKind: one.kind,
    period: NO_PERIOD,
    state: 'record_needed',
    raw: undefined,
    due: undefined,
    confidence: 'low',
    ruleVersion: law.charity.version,
    calendarVersion: '',
    answer: { reason: one.reason },
  };
}

/** From subject, kind and period, never from the date: an obligation whose date moves stays the same one. */
function idOf(tenant: string, key: string): string {
  const contentSha256 = sha256Of(Buffer.from(key, 'utf8'));
  const sourceDocument = `award-calendar:${key}`;
  return obligationKey({ pack: 'grants', tenant, sourceDocument, lineOrdinal: 0, contentSha256 });
}

/** For `icsCalendar`; what has no date is in no calendar, and stays in the list. */
export function icsEntriesOf(obligations: readonly GrantObligation[]): readonly IcsEntry[] {
  return obligations.flatMap((one): readonly IcsEntry[] => {
    const day = one.due === undefined ? undefined : parseDay(one.due);
    if (day === undefined) return [];
    return [
      {
        identity: one.id,
        date: 'due',
        day,
        kind: one.filingKind,
        jurisdiction: one.jurisdiction,
        reference: one.entity,
        cls: 'ordinary',
      },
    ];
  });
}
