/** Dockets and their routing as they are held against the ledger. */
import type { JsonValue } from '../../core/index.ts';
import { DESTROYED, type FoundRow } from '../../ledger/index.ts';
import { cursorRows, hex, orNull, type Row, type Run, sql, text } from '../../postgres/index.ts';

const DOCKETS = sql('compared-dockets')`
select id, payload_sha256, payload_ct, phase, tier, state->>'by' as confirmed_by, closed_by, closing, ver, access_ver
from docket where tenant = $1`;

const HANDOFFS = sql('compared-handoffs')`
select docket, handoff, tier, target, party from docket_handoff where tenant = $1`;

const SETUPS = sql('compared-setups')`
select n, matrix, people, activated_by from routing_setup where tenant = $1`;

export async function* comparedDockets(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, DOCKETS, [tenant])) yield docketRow(row);
  for await (const row of cursorRows(run, HANDOFFS, [tenant])) {
    const fields = {
      tier: text(row['tier']),
      target: text(row['target']),
      party: text(row['party']),
    };
    const id = `${text(row['docket'])}/${text(row['handoff'])}`;
    yield { kind: 'handoff', id, fields };
  }
  for await (const row of cursorRows(run, SETUPS, [tenant])) {
    const fields = {
      matrix: text(row['matrix']),
      people: text(row['people']),
      activated_by: text(row['activated_by']),
    };
    yield { kind: 'routing_setup', id: text(row['n']), fields };
  }
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
      payload_ct: hex(row['payload_ct']),
      confirmed: isConfirmed,
      confirmed_by: isConfirmed ? orNull(row['confirmed_by'], text) : null,
      tier: text(row['tier']),
      closed: row['closed_by'] !== null,
      closed_by: orNull(row['closed_by'], text),
      ...closingFields(closing),
      ver: Number(row['ver']),
      access_ver: Number(row['access_ver']),
    },
  };
}

function closingFields(closing: Readonly<Record<string, JsonValue>>): FoundRow['fields'] {
  const { how = null, receipt = null, inTime = null, destroyed } = closing;
  // What retention has destroyed cannot be compared any more; that its key was shredded is.
  if (destroyed === true) return { how, closing_receipt: DESTROYED, in_time: DESTROYED };
  return { how, closing_receipt: receipt, in_time: inTime };
}
