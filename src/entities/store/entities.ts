/** Entities of the register. What is sealed is a body of the ledger; the row names it. */
import {
  entityId,
  type EntityId,
  obligationId,
  type ObligationId,
  type SealedPayload,
  type WrappedKey,
} from '../../core/index.ts';
import { dataKeys } from '../../ledger/index.ts';
import {
  optional,
  type Row,
  type Run,
  SEALED_COLUMNS,
  sealedOf,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import type { EntityFacts } from '../rules/register/entity-record.ts';

export interface StoredEntity extends EntityFacts {
  readonly ver: number;
  readonly recordedAt: number;
  readonly changedAt: number;
  /** Undefined once its key was destroyed and the body removed. */
  readonly sealed: SealedPayload | undefined;
}

export interface EntityWrite extends EntityFacts {
  readonly ver: number;
  /** The sealed body's name, hex. */
  readonly ct: string;
}

const COLUMNS = `e.id, e.jurisdiction, e.registry_number, e.kind, e.origin, e.formation_date::text, e.fiscal_year_end,
  e.rule_id, e.state_record_due, e.ver, e.recorded_at, e.changed_at, ${SEALED_COLUMNS}`;
// A key that was destroyed has no bytes left, so nothing of it opens.
const FROM = `from entity e
left join ledger_blob b on b.ct = e.ct and b.tenant = e.tenant
left join ledger_dek k on k.tenant = e.tenant and k.id = b.key and k.state = 'live'`;

const LOCK = sql('register-lock')`
select lock_name($1, 'register')`;

/** Until the end of the transaction nobody else changes this tenant's register: versions and plans stay true. */
export async function lockRegister(run: Run, tenant: string): Promise<void> {
  await run(LOCK, [tenant]);
}

/** Data keys of the entities for a month, in the transaction that seals with them. */
export function entityKeys(
  run: Run,
  where: { readonly tenant: string; readonly month: string },
  entities: readonly EntityId[],
  make: () => WrappedKey,
): Promise<ReadonlyMap<string, WrappedKey>> {
  return dataKeys({ run }, where, entities, make);
}

// Two look-ups by index: one condition with "or" would walk the whole register for each chunk of an import.
const FIND_MANY = sql('entity-find-many')`
with found as materialized (
  select id from entity where tenant = $1 and id = any ($2::text[])
  union
  select n.id from unnest($3::text[], $4::text[]) w(jurisdiction, registry_number)
  join entity n on n.tenant = $1 and n.jurisdiction = w.jurisdiction and n.registry_number = w.registry_number)
select ${COLUMNS} ${FROM} where e.tenant = $1 and e.id in (select id from found)`;

/** Everything that one of these could be: by its own id, or by the number in the registry. */
export async function findEntities(
  run: Run,
  tenant: string,
  wanted: readonly Pick<EntityFacts, 'id' | 'jurisdiction' | 'registryNumber'>[],
): Promise<StoredEntity[]> {
  const rows = await run(FIND_MANY, [
    tenant,
    wanted.map((one) => one.id),
    wanted.map((one) => one.jurisdiction),
    wanted.map((one) => one.registryNumber),
  ]);
  return rows.map(entityOf);
}

const WRITE = sql('entity-write')`
insert into entity (tenant, id, jurisdiction, registry_number, kind, origin, formation_date, fiscal_year_end, rule_id,
  state_record_due, ct, ver)
select $1, id, jurisdiction, registry_number, kind, origin, formation_date, fiscal_year_end, rule_id, state_record_due,
  decode(ct, 'hex'), ver
from json_to_recordset($2::json) as i(
  id text, jurisdiction text, registry_number text, kind text, origin text, formation_date date, fiscal_year_end text,
  rule_id text, state_record_due jsonb, ct text, ver int)
on conflict (tenant, id) do update set jurisdiction = excluded.jurisdiction,
  registry_number = excluded.registry_number, kind = excluded.kind, origin = excluded.origin,
  formation_date = excluded.formation_date, fiscal_year_end = excluded.fiscal_year_end, rule_id = excluded.rule_id,
  state_record_due = excluded.state_record_due, ct = excluded.ct, ver = excluded.ver, changed_at = now()
where entity.ver = excluded.ver - 1
returning id`;

/** Returns how many rows were written; fewer than given means that a version was not the expected one. */
export async function writeEntities(
  run: Run,
  tenant: string,
  writes: readonly EntityWrite[],
): Promise<number> {
  if (writes.length === 0) return 0;
  const rows = writes.map((one) => ({
    id: one.id,
    jurisdiction: one.jurisdiction,
    registry_number: one.registryNumber,
    kind: one.kind,
    origin: one.origin,
    formation_date: one.formationDate ?? null,
    fiscal_year_end: one.fiscalYearEnd ?? null,
    rule_id: one.ruleId ?? null,
    state_record_due: one.stateRecordDue,
    ct: one.ct,
    ver: one.ver,
  }));
  return (await run(WRITE, [tenant, JSON.stringify(rows)])).length;
}

// The recipients that people added by hand stay: only the address that the record itself gave is exchanged.
const AGENTS_OUT = sql('entity-agents-out')`
update recipient r set removed_at = now(), ver = r.ver + 1
from unnest($2::text[], $3::text[]) i(entity_id, address)
where r.tenant = $1 and r.role = 'registered_agent' and r.entity_id = i.entity_id and r.address = i.address
  and r.removed_at is null`;

const AGENTS_IN = sql('entity-agents-in')`insert into recipient (tenant, role, entity_id, address)
select $1, 'registered_agent', entity_id, address from unnest($2::text[], $3::text[]) i(entity_id, address)
on conflict (tenant, role, entity_id, address) do update set removed_at = null, ver = recipient.ver + 1
where recipient.removed_at is not null`;

interface AgentChange {
  readonly entity: EntityId;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Who is told of an entity's accepted filings, as its record says. */
export async function changeAgents(
  run: Run,
  tenant: string,
  changes: readonly AgentChange[],
): Promise<void> {
  const side = (pick: (change: AgentChange) => string | undefined): [string[], string[]] => {
    const found = changes.filter((change) => pick(change) !== undefined);
    return [found.map((change) => change.entity), found.map((change) => pick(change) ?? '')];
  };
  const [outEntities, outAddresses] = side((change) => change.before);
  const [inEntities, inAddresses] = side((change) => change.after);
  if (outEntities.length > 0) await run(AGENTS_OUT, [tenant, outEntities, outAddresses]);
  if (inEntities.length > 0) await run(AGENTS_IN, [tenant, inEntities, inAddresses]);
}

export interface EntityFilter {
  readonly jurisdiction?: string;
  readonly kind?: string;
  /** A part of the id or of the registry number, whatever its case. */
  readonly q?: string;
  /** Entities behind this id. */
  readonly after?: string;
  readonly limit: number;
}

const LIST = sql('entity-list')`select ${COLUMNS} ${FROM}
where e.tenant = $1 and ($2::text is null or e.jurisdiction = $2) and ($3::text is null or e.kind = $3)
  and ($4::text is null or position(lower($4) in lower(e.id)) > 0 or position(lower($4) in lower(e.registry_number)) > 0)
  and ($5::text is null or e.id > $5)
order by e.id limit $6`;

const COUNT = sql('entity-count')`select count(*)::int as total ${FROM}
where e.tenant = $1 and ($2::text is null or e.jurisdiction = $2) and ($3::text is null or e.kind = $3)
  and ($4::text is null or position(lower($4) in lower(e.id)) > 0 or position(lower($4) in lower(e.registry_number)) > 0)`;

export async function countEntities(
  run: Run,
  tenant: string,
  { jurisdiction, kind, q }: Omit<EntityFilter, 'limit'>,
): Promise<number> {
  const [row] = await run(COUNT, [tenant, jurisdiction ?? null, kind ?? null, q ?? null]);
  return Number(row?.['total']);
}

export async function listEntities(
  run: Run,
  tenant: string,
  filter: EntityFilter,
): Promise<StoredEntity[]> {
  const { jurisdiction, kind, q, after, limit } = filter;
  const values = [tenant, jurisdiction ?? null, kind ?? null, q ?? null, after ?? null, limit];
  return (await run(LIST, values)).map(entityOf);
}

const FILINGS = sql('entity-filings')`
select f.id, e.lane, e.filing_kind, e.period, e.obligation, e.due, f.status, f.receipt
from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
where e.tenant = $1 and e.obligation = any ($2::text[]) and not e.withdrawn order by e.due desc limit $3`;

export interface EntityFiling {
  readonly id: string;
  readonly lane: string;
  readonly filingKind: string;
  readonly period: string;
  readonly obligation: ObligationId;
  readonly due: number;
  readonly status: string;
  readonly receipt: string | undefined;
}

export async function filingsFor(
  run: Run,
  tenant: string,
  obligations: readonly ObligationId[],
  limit: number,
): Promise<EntityFiling[]> {
  return (await run(FILINGS, [tenant, obligations, limit])).map((row) => ({
    id: text(row['id']),
    lane: text(row['lane']),
    filingKind: text(row['filing_kind']),
    period: text(row['period']),
    obligation: obligationId(text(row['obligation'])),
    due: when(row['due']),
    status: text(row['status']),
    receipt: optional(row['receipt'], text),
  }));
}

function entityOf(row: Row): StoredEntity {
  return {
    id: entityId(text(row['id'])),
    jurisdiction: text(row['jurisdiction']),
    registryNumber: text(row['registry_number']),
    // Check constraints hold the two columns to these words.
    kind: text(row['kind']) as EntityFacts['kind'],
    origin: text(row['origin']) as EntityFacts['origin'],
    formationDate: optional(row['formation_date'], text),
    fiscalYearEnd: optional(row['fiscal_year_end'], text),
    ruleId: optional(row['rule_id'], text),
    // Written only by this room, from such a record.
    stateRecordDue: row['state_record_due'] as EntityFacts['stateRecordDue'],
    ver: Number(row['ver']),
    recordedAt: when(row['recorded_at']),
    changedAt: when(row['changed_at']),
    sealed: row['blob'] === null || row['key_id'] === null ? undefined : sealedOf(row),
  };
}
