/** A docket event as it was read, and the docket that is routed for it. */
import type { Day } from '../../../calendar/index.ts';
import {
  docketId,
  type DocketId,
  type JsonValue,
  obligationKey,
  type Sha256Hex,
} from '../../../core/index.ts';
import { type Labels, UNREAD_LABEL } from '../access/labels.ts';
import type { UnreadPart } from '../access/rights.ts';
import { numberKey, numberOf, officeNamed } from '../identity/numbers.ts';
import { eventOf } from '../event-codes.ts';
import type { PatentRules } from '../rules-file.ts';

export interface DocketEvent {
  readonly applicationNumber: string;
  readonly filingDate: Day;
  readonly eventCode: string;
  /** As written: a day, or an instant for receipts. */
  readonly eventDate: string | undefined;
  readonly office: string | undefined;
  readonly filingCountry: string | undefined;
  readonly rule: string | undefined;
  readonly period: string | undefined;
  readonly inputs: Readonly<Record<string, JsonValue>>;
  readonly stated: StatedDates;
  readonly client: string | undefined;
  readonly technologyGroup: string | undefined;
  readonly matter: string | undefined;
  readonly title: string | undefined;
  readonly labels: Labels;
  readonly unread?: readonly UnreadPart[];
}

/** Of an event, what a date is computed from. Nothing of it says whose matter it is. */
export type DateBasis = Omit<
  DocketEvent,
  'applicationNumber' | 'client' | 'technologyGroup' | 'matter' | 'title' | 'labels' | 'unread'
>;

export interface QuestionedReading {
  /** For people: "version 2", "proposal 1", "second docketing". */
  readonly why: string;
  readonly event: DateBasis;
}

/** Dates that the source claims. They are compared with the law's, and the earlier wins. */
interface StatedDates {
  readonly due: Day | undefined;
  readonly final: Day | undefined;
}

/** What is routed. A record that could not be read is routed too: somebody must look at it. */
export interface Docket {
  readonly id: DocketId;
  readonly messageId: string;
  readonly payloadSha256: Sha256Hex;
  readonly applicationNumber: string | undefined;
  readonly client: string | undefined;
  readonly technologyGroup: string | undefined;
  /** By what the event says, by the law's tables or by the number itself. */
  readonly office?: string | undefined;
  /** The firm's own reference. */
  readonly matter?: string | undefined;
  readonly eventCode: string;
  readonly labels: Labels;
  readonly unread?: readonly UnreadPart[];
  /** Undefined for a record that could not be read. */
  readonly event: DocketEvent | undefined;
  /** Readings of the same event that are in question: the earliest date counts. */
  readonly also?: readonly QuestionedReading[];
}

/** The event code under which a matrix may route records that could not be read. */
const DRIFT_EVENT = 'SCHEMA_DRIFT';

/** The office, by what the event says or by the law's tables; never assumed. */
export function officeCodeOf(
  event: Pick<DocketEvent, 'office' | 'filingCountry' | 'eventCode'>,
  rules: PatentRules,
): string | undefined {
  if (event.office !== undefined) return event.office;
  if (event.filingCountry !== undefined) return rules.filingCountries.get(event.filingCountry);
  return eventOf(event.eventCode, rules.eventCodes)?.office;
}

export function docketOf(
  event: DocketEvent,
  at: {
    readonly tenant: string;
    readonly rules: PatentRules;
    readonly payloadSha256: Sha256Hex;
    /** Defaults to the message id: one docket for one event. */
    readonly id?: DocketId;
  },
): Docket {
  const messageId = identityOf(event, at);
  return {
    id: at.id ?? docketId(messageId),
    messageId,
    payloadSha256: at.payloadSha256,
    applicationNumber: event.applicationNumber,
    client: event.client,
    technologyGroup: event.technologyGroup,
    office: officeOf(event, at.rules),
    matter: event.matter,
    eventCode: event.eventCode,
    labels: event.labels,
    ...(event.unread === undefined ? {} : { unread: event.unread }),
    event,
  };
}

/**
 * From what the law says is one event, so that it is one docket whichever broker or file it came by, and however its
 * number was written there.
 */
function identityOf(
  event: DocketEvent,
  at: { readonly tenant: string; readonly rules: PatentRules },
): string {
  const office = officeOf(event, at.rules);
  return obligationKey({
    pack: 'patent',
    tenant: at.tenant,
    office: office ?? '',
    applicationNumber: numberKey(event.applicationNumber, office),
    eventCode: event.eventCode,
    eventDate: event.eventDate ?? '',
  });
}

/** For identity and walls alone; the law asks for an office by its code. */
function officeOf(event: DocketEvent, rules: PatentRules): string | undefined {
  const stated = officeCodeOf(event, rules);
  return officeNamed(stated ?? numberOf(event.applicationNumber).office);
}

/** A record that could not be read is known by its bytes. */
export function driftDocket(
  glimpse: Glimpse,
  at: { readonly tenant: string; readonly payloadSha256: Sha256Hex; readonly id?: DocketId },
): Docket {
  const messageId = obligationKey({
    pack: 'patent',
    tenant: at.tenant,
    office: '',
    applicationNumber: at.payloadSha256,
    eventCode: DRIFT_EVENT,
    eventDate: '',
  });
  return {
    id: at.id ?? docketId(messageId),
    messageId,
    payloadSha256: at.payloadSha256,
    ...glimpse,
    eventCode: DRIFT_EVENT,
    event: undefined,
  };
}

/** What could be made out of a record that could not be read; enough to find who may look at it. */
export interface Glimpse {
  readonly applicationNumber: string | undefined;
  readonly client: string | undefined;
  readonly technologyGroup: string | undefined;
  readonly office?: string | undefined;
  readonly matter?: string | undefined;
  readonly labels: Labels;
  readonly unread?: readonly UnreadPart[];
}

/** Nothing could be made out: only who may see everything, and is denied nothing, may look at it. */
export const NO_GLIMPSE: Glimpse = {
  applicationNumber: undefined,
  client: undefined,
  technologyGroup: undefined,
  labels: { classification: [UNREAD_LABEL], privilege: [UNREAD_LABEL] },
  unread: ['client', 'technology_group'],
};
