/** A docket event as a record again, in one spelling: the same event is the same bytes. */
import { formatDay } from '../../../calendar/index.ts';
import { canonicalBytes, type JsonValue } from '../../../core/index.ts';
import type { DocketEvent } from './docket.ts';

export function eventRow(event: DocketEvent): Uint8Array {
  const { stated, labels } = event;
  const fields: Readonly<Record<string, JsonValue | undefined>> = {
    application_number: event.applicationNumber,
    filing_date: formatDay(event.filingDate),
    event_code: event.eventCode,
    event_date: event.eventDate,
    office: event.office,
    filing_country: event.filingCountry,
    rule: event.rule,
    period: event.period,
    inputs: Object.keys(event.inputs).length === 0 ? undefined : event.inputs,
    due_date: stated.due === undefined ? undefined : formatDay(stated.due),
    final_date: stated.final === undefined ? undefined : formatDay(stated.final),
    client: event.client,
    technology_group: event.technologyGroup,
    matter: event.matter,
    classification: listOrNothing(labels.classification),
    privilege: listOrNothing(labels.privilege),
    title: event.title,
  };
  const known = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return canonicalBytes(Object.fromEntries(known), { numbers: 'any' });
}

function listOrNothing(labels: readonly string[]): JsonValue | undefined {
  return labels.length === 0 ? undefined : [...labels];
}
