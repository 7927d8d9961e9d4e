/**
 * What the dates of a docket are computed from beside its first reading: the reading that two people agreed on, and those that
 * are in question. Made by the database from its rows (docket_dating in sql/0007_dockets.sql).
 */
import { canonicalText, type JsonValue, sha256Of } from '../../../core/index.ts';
import type { DateBasis, Docket, DocketEvent, QuestionedReading } from './docket.ts';

export interface Dating {
  /** Agreed on; the first reading counts where there is none. */
  readonly event?: DateBasis;
  /** In question: whichever date is earliest counts meanwhile. */
  readonly also?: readonly QuestionedReading[];
}

export function basisOf(event: DocketEvent): DateBasis {
  const { filingDate, eventCode, eventDate, office, filingCountry, rule, period, inputs, stated } =
    event;
  return { filingDate, eventCode, eventDate, office, filingCountry, rule, period, inputs, stated };
}

/** Whose matter it is, and who may see it, stays as first read: only its dates are another's. */
export function withBasis(docket: Docket, basis: DateBasis): Docket {
  const { event } = docket;
  return event === undefined ? docket : { ...docket, event: { ...identityOf(event), ...basis } };
}

export function withDating(docket: Docket, dating: Dating | undefined): Docket {
  if (dating === undefined) return docket;
  const agreed = dating.event === undefined ? docket : withBasis(docket, dating.event);
  return dating.also === undefined ? agreed : { ...agreed, also: dating.also };
}

/** The fields that a basis does not have; what it leaves out of the others is absent, and not as it was before. */
function identityOf(
  event: DocketEvent,
): Pick<DocketEvent, Exclude<keyof DocketEvent, keyof DateBasis>> {
  const { applicationNumber, client, technologyGroup, matter, title, labels, unread } = event;
  return {
    applicationNumber,
    client,
    technologyGroup,
    matter,
    title,
    labels,
    ...(unread === undefined ? {} : { unread }),
  };
}

/** As the ledger has it. */
export function datingHash(dating: JsonValue): string {
  return sha256Of(canonicalText(dating, { numbers: 'any' }));
}

/** What two readings of one event say differently, by the names that people give in a file. */
export interface ReadingDifference {
  readonly field: string;
  readonly first: string;
  readonly other: string;
}

const FIELDS = [
  ['application_number', (event) => event.applicationNumber],
  ['event_code', (event) => event.eventCode],
  ['event_date', (event) => event.eventDate],
  ['filing_date', (event) => event.filingDate],
  ['office', (event) => event.office],
  ['filing_country', (event) => event.filingCountry],
  ['rule', (event) => event.rule],
  ['period', (event) => event.period],
  ['inputs', (event) => (Object.keys(event.inputs).length === 0 ? undefined : event.inputs)],
  ['due_date', (event) => event.stated.due],
  ['final_date', (event) => event.stated.final],
  ['client', (event) => event.client],
  ['technology_group', (event) => event.technologyGroup],
  ['matter', (event) => event.matter],
  ['title', (event) => event.title],
  ['classification', (event) => event.labels.classification.join(', ') || undefined],
  ['privilege', (event) => event.labels.privilege.join(', ') || undefined],
] as const satisfies readonly (readonly [string, (event: DocketEvent) => unknown])[];

const DAYS: ReadonlySet<string> = new Set(['filing_date', 'due_date', 'final_date']);

export function differencesBetween(
  first: DocketEvent,
  other: DocketEvent,
  sayDay: (day: number) => string,
): ReadingDifference[] {
  return FIELDS.flatMap(([field, of]) => {
    const say = (value: unknown): string => {
      if (value === undefined) return '';
      if (typeof value === 'number' && DAYS.has(field)) return sayDay(value);
      return typeof value === 'string' ? value : JSON.stringify(value);
    };
    const [was, is] = [say(of(first)), say(of(other))];
    return was === is ? [] : [{ field, first: was, other: is }];
  });
}
