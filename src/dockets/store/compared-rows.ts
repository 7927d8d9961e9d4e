/** Dockets and their routing as they are held against the ledger. */
import { type Day, formatDay } from '../../calendar/index.ts';
import { FilewrightError, type JsonValue } from '../../core/index.ts';
import { datingHash } from '../rules/docket/dating.ts';
import { documentVersion } from '../rules/routing/document-version.ts';
import { readHash } from '../rules/docket/read-hash.ts';
import { DESTROYED, type FoundRow } from '../../ledger/index.ts';
import { cursorRows, hex, orNull, type Row, type Run, sql, text } from '../../postgres/index.ts';

const DOCKETS = sql('compared-dockets')`
select id, docket, dating, received_by, payload_sha256, payload_ct, phase, tier, state->>'by' as confirmed_by, state->'known'->>'due' as due,
  state->'known'->>'final' as final, closed_by, closing, ver, access_ver
from docket where tenant = $1`;

const HANDOFFS = sql('compared-handoffs')`
select docket, handoff, tier, target, party, dates->'due' as due, dates->'final' as final from docket_handoff where tenant = $1`;

const VERSIONS = sql('compared-docket-versions')`
select docket, n, payload_sha256, payload_ct, read from docket_version where tenant = $1`;

const SECONDS = sql('compared-docket-seconds')`
select docket, by_person, event, decided_for, decided_by, decision_reason from docket_second where tenant = $1`;

const REVEALS = sql('compared-docket-reveals')`
select docket, person, reason from docket_reveal where tenant = $1`;

const SETUPS = sql('compared-setups')`
select s.n, s.activated_by, m.body as matrix, p.body as people from routing_setup s
left join routing_document m on m.tenant = s.tenant and m.kind = 'matrix' and m.version = s.matrix
left join routing_document p on p.tenant = s.tenant and p.kind = 'people' and p.version = s.people
where s.tenant = $1`;

export async function* comparedDockets(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, DOCKETS, [tenant])) yield docketRow(row);
  for await (const row of cursorRows(run, HANDOFFS, [tenant])) {
    const fields = {
      tier: text(row['tier']),
      target: text(row['target']),
      party: text(row['party']),
      due: dayOf(row['due']),
      final: dayOf(row['final']),
    };
    const id = `${text(row['docket'])}/${text(row['handoff'])}`;
    yield { kind: 'handoff', id, fields };
  }
  yield* comparedDatings(run, tenant);
  for await (const row of cursorRows(run, SETUPS, [tenant])) {
    const fields = {
      // Made from the documents themselves: their names alone could stand over others.
      matrix: orNull(row['matrix'], versionIn),
      people: orNull(row['people'], versionIn),
      activated_by: text(row['activated_by']),
    };
    yield { kind: 'routing_setup', id: text(row['n']), fields };
  }
}

/** What is said of the dates of dockets beside the first reading. */
async function* comparedDatings(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, VERSIONS, [tenant])) {
    const isGone = isDestroyed(row['read']);
    const fields = {
      payload_sha256: hex(row['payload_sha256']),
      // JSON by the type of its column, as the next one's.
      read_sha256: isGone ? DESTROYED : readHash(row['read'] as JsonValue),
      payload_ct: hex(row['payload_ct']),
    };
    yield { kind: 'docket_version', id: `${text(row['docket'])}/${text(row['n'])}`, fields };
  }
  for await (const row of cursorRows(run, SECONDS, [tenant])) {
    const fields = {
      by: text(row['by_person']),
      event_sha256: datingHash(row['event'] as JsonValue),
      decided_for: orNull(row['decided_for'], text),
      decided_by: orNull(row['decided_by'], text),
      reason: orNull(row['decision_reason'], text),
    };
    yield { kind: 'docket_second', id: text(row['docket']), fields };
  }
  for await (const row of cursorRows(run, REVEALS, [tenant])) {
    const fields = { reason: text(row['reason']) };
    yield { kind: 'docket_reveal', id: `${text(row['docket'])}/${text(row['person'])}`, fields };
  }
}

function versionIn(body: unknown): string | null {
  try {
    return documentVersion(text(body));
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    // What is no document any more has no version.
    return null;
  }
}

/** The number of a day, or none: nobody could say when it is due. */
function dayOf(value: unknown): string | null {
  // Written from DocketDates alone, where a day is a number.
  return typeof value === 'number' ? formatDay(value as Day) : null;
}

function docketRow(row: Row): FoundRow {
  const isConfirmed = row['phase'] === 'confirmed';
  // Written by closeDocketRow alone, from a Closing; null before.
  const closing = (row['closing'] ?? {}) as Readonly<Record<string, JsonValue>>;
  return {
    kind: 'docket',
    id: text(row['id']),
    fields: {
      payload_sha256: hex(row['payload_sha256']),
      // JSON by the type of its column.
      read_sha256: isDestroyed(row['docket']) ? DESTROYED : readHash(row['docket'] as JsonValue),
      payload_ct: hex(row['payload_ct']),
      received_by: orNull(row['received_by'], text),
      dating_sha256: orNull(row['dating'], (value) => datingHash(value as JsonValue)),
      confirmed: isConfirmed,
      confirmed_by: isConfirmed ? orNull(row['confirmed_by'], text) : null,
      tier: text(row['tier']),
      due: orNull(row['due'], text),
      final: orNull(row['final'], text),
      closed: row['closed_by'] !== null,
      closed_by: orNull(row['closed_by'], text),
      ...closingFields(closing),
      ver: Number(row['ver']),
      access_ver: Number(row['access_ver']),
    },
  };
}

function isDestroyed(docket: unknown): boolean {
  return (Object(docket) as { readonly destroyed?: unknown }).destroyed === true;
}

function closingFields(closing: Readonly<Record<string, JsonValue>>): FoundRow['fields'] {
  const { how = null, receipt = null, inTime = null, destroyed } = closing;
  // What retention has destroyed cannot be compared any more; that its key was shredded is.
  if (destroyed === true) return { how, closing_receipt: DESTROYED, in_time: DESTROYED };
  return { how, closing_receipt: receipt, in_time: inTime };
}
