/** The register and what it says is owed, as they are held against the ledger. */
import type { FoundRow } from '../../ledger/index.ts';
import { cursorRows, hex, orNull, type Run, sql, text } from '../../postgres/index.ts';

const ENTITIES = sql('compared-entities')`
select id, jurisdiction, registry_number, kind, origin, ct, ver from entity where tenant = $1`;

const OBLIGATIONS = sql('compared-obligations')`
select id, entity, jurisdiction, filing_kind, period, state, as_of::text, rule_id, rule_version, calendar_version,
  due::text, raw::text, fee_cents, ver
from obligation where tenant = $1`;

export async function* comparedRegister(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, ENTITIES, [tenant])) {
    yield {
      kind: 'entity',
      id: text(row['id']),
      fields: {
        jurisdiction: text(row['jurisdiction']),
        registry_number: text(row['registry_number']),
        kind: text(row['kind']),
        origin: text(row['origin']),
        ct: hex(row['ct']),
        ver: Number(row['ver']),
      },
    };
  }
  for await (const row of cursorRows(run, OBLIGATIONS, [tenant])) {
    yield {
      kind: 'obligation',
      id: text(row['id']),
      fields: {
        entity: text(row['entity']),
        jurisdiction: text(row['jurisdiction']),
        filing_kind: text(row['filing_kind']),
        period: text(row['period']),
        state: text(row['state']),
        as_of: text(row['as_of']),
        rule: orNull(row['rule_id'], text),
        rule_version: text(row['rule_version']),
        calendar_version: text(row['calendar_version']),
        due: orNull(row['due'], text),
        raw: orNull(row['raw'], text),
        fee_cents: orNull(row['fee_cents'], Number),
        ver: Number(row['ver']),
      },
    };
  }
}
