/** Obligations of the register, each with where its filing stands: both have the same key. */
import {
  entityId,
  type EntityId,
  type JsonValue,
  obligationId,
  type ObligationId,
} from '../../core/index.ts';
import type { FilingSort } from '../rules/law/filing-sort.ts';
import { optional, type Row, type Run, sql, text, when } from '../../postgres/index.ts';

export type ObligationState = 'open' | 'record_needed' | 'nothing_owed' | 'met' | 'superseded';

export interface ObligationColumns {
  readonly id: ObligationId;
  readonly entity: EntityId;
  readonly jurisdiction: string;
  readonly registryNumber: string;
  readonly sort: FilingSort;
  readonly filingKind: string;
  readonly period: string;
  readonly state: ObligationState;
  readonly asOf: string;
  readonly ruleId: string | undefined;
  readonly ruleVersion: string;
  readonly calendarVersion: string;
  readonly raw: string | undefined;
  readonly notBefore: string | undefined;
  readonly due: string | undefined;
  readonly final: string | undefined;
  readonly penaltyFreeUntil: string | undefined;
  readonly scheduleBy: string | undefined;
  readonly cutoff: string | undefined;
  readonly feeCents: number | undefined;
  readonly confidence: 'high' | 'medium' | 'low';
  readonly answer: Readonly<Record<string, JsonValue>>;
  readonly ver: number;
}

export interface StoredObligation extends ObligationColumns {
  readonly ended: string | undefined;
  readonly computedAt: number;
  readonly filing: { readonly id: string; readonly status: string } | undefined;
}

const COLUMNS = `o.id, o.entity, o.jurisdiction, o.registry_number, o.sort, o.filing_kind, o.period, o.state, o.as_of::text,
  o.rule_id, o.rule_version, o.calendar_version, o.raw::text, o.not_before::text, o.due::text, o.final::text,
  o.penalty_free_until::text, o.schedule_by::text, o.cutoff_text, o.fee_cents, o.confidence, o.answer, o.ended, o.ver,
  o.computed_at, f.id as filing, f.status as filing_status`;
const FROM = `from obligation o
left join envelope e on e.tenant = o.tenant and e.obligation = o.id and not e.withdrawn
left join filing f on f.tenant = e.tenant and f.id = e.id`;

const OF_ENTITIES = sql('obligation-of-entities')`
select ${COLUMNS} ${FROM} where o.tenant = $1 and o.entity = any ($2::text[]) order by o.due, o.id`;

export async function obligationsOf(
  run: Run,
  tenant: string,
  entities: readonly EntityId[],
): Promise<StoredObligation[]> {
  return (await run(OF_ENTITIES, [tenant, entities])).map(obligationOf);
}

const ACCEPTED = sql('obligation-accepted')`
select e.obligation from envelope e join filing f on f.tenant = e.tenant and f.id = e.id
where e.tenant = $1 and e.obligation = any ($2::text[]) and not e.withdrawn and f.status = 'accepted'`;

/** Which of these have an accepted filing, whether the register knows them or not. */
export async function acceptedAmong(
  run: Run,
  tenant: string,
  obligations: readonly ObligationId[],
): Promise<ObligationId[]> {
  if (obligations.length === 0) return [];
  return (await run(ACCEPTED, [tenant, obligations])).map((row) =>
    obligationId(text(row['obligation'])),
  );
}

const ENTITIES_OF_FILINGS = sql('obligation-entities-of-filings')`
select distinct coalesce(o.entity, r.id) as entity from envelope e
left join obligation o on o.tenant = e.tenant and o.id = e.obligation
left join entity r on r.tenant = e.tenant and r.id = e.entity_id
where e.tenant = $1 and e.id = any ($2::uuid[]) and coalesce(o.entity, r.id) is not null order by 1`;

/** The entities of the register that these filings are for. */
export async function entitiesOfFilings(
  run: Run,
  tenant: string,
  filings: readonly string[],
): Promise<EntityId[]> {
  return (await run(ENTITIES_OF_FILINGS, [tenant, filings])).map((row) =>
    entityId(text(row['entity'])),
  );
}

const WRITE = sql('obligation-write')`
insert into obligation (tenant, id, entity, jurisdiction, registry_number, sort, filing_kind, period, state, as_of,
  rule_id, rule_version, calendar_version, raw, not_before, due, final, penalty_free_until, schedule_by, cutoff,
  cutoff_text, fee_cents, confidence, answer, ver)
select $1, id, entity, jurisdiction, registry_number, sort, filing_kind, period, state, as_of, rule_id, rule_version,
  calendar_version, raw, not_before, due, final, penalty_free_until, schedule_by, cutoff::timestamptz, cutoff,
  fee_cents, confidence, answer, ver
from json_to_recordset($2::json) as i(
  id text, entity text, jurisdiction text, registry_number text, sort text, filing_kind text, period text, state text,
  as_of date, rule_id text, rule_version text, calendar_version text, raw date, not_before date, due date, final date,
  penalty_free_until date, schedule_by date, cutoff text, fee_cents bigint, confidence text, answer jsonb, ver int)
on conflict (tenant, id) do update set entity = excluded.entity, state = excluded.state, as_of = excluded.as_of,
  rule_id = excluded.rule_id, rule_version = excluded.rule_version, calendar_version = excluded.calendar_version,
  raw = excluded.raw, not_before = excluded.not_before, due = excluded.due, final = excluded.final,
  penalty_free_until = excluded.penalty_free_until, schedule_by = excluded.schedule_by, cutoff = excluded.cutoff,
  cutoff_text = excluded.cutoff_text, fee_cents = excluded.fee_cents, confidence = excluded.confidence,
  answer = excluded.answer, ended = null, ver = excluded.ver, computed_at = now()
where obligation.ver = excluded.ver - 1
returning id`;

/** Returns how many rows were written; fewer than given means that a version was not the expected one. */
export async function writeObligations(
  run: Run,
  tenant: string,
  writes: readonly ObligationColumns[],
): Promise<number> {
  if (writes.length === 0) return 0;
  const rows = writes.map((one) => ({
    id: one.id,
    entity: one.entity,
    jurisdiction: one.jurisdiction,
    registry_number: one.registryNumber,
    sort: one.sort,
    filing_kind: one.filingKind,
    period: one.period,
    state: one.state,
    as_of: one.asOf,
    rule_id: one.ruleId,
    rule_version: one.ruleVersion,
    calendar_version: one.calendarVersion,
    raw: one.raw,
    not_before: one.notBefore,
    due: one.due,
    final: one.final,
    penalty_free_until: one.penaltyFreeUntil,
    schedule_by: one.scheduleBy,
    cutoff: one.cutoff,
    fee_cents: one.feeCents,
    confidence: one.confidence,
    answer: one.answer,
    ver: one.ver,
  }));
  return (await run(WRITE, [tenant, JSON.stringify(rows)])).length;
}

const END = sql('obligation-end')`
update obligation o set state = i.state, ended = i.why, ver = i.ver, computed_at = now()
from json_to_recordset($2::json) as i(id text, state text, why text, ver int)
where o.tenant = $1 and o.id = i.id and o.ver = i.ver - 1 returning o.id`;

export async function endObligations(
  run: Run,
  tenant: string,
  ends: readonly {
    readonly id: ObligationId;
    readonly state: 'met' | 'superseded';
    readonly why: string | undefined;
    readonly ver: number;
  }[],
): Promise<number> {
  if (ends.length === 0) return 0;
  const rows = ends.map(({ id, state, why, ver }) => ({ id, state, why: why ?? null, ver }));
  return (await run(END, [tenant, JSON.stringify(rows)])).length;
}

interface ObligationFilter {
  readonly states: readonly ObligationState[];
  /** Due before this day; obligations without a date are always among the found. */
  readonly dueBefore?: string;
  /** Empty: all. */
  readonly jurisdictions: readonly string[];
  /** Only those for which no filing exists. */
  readonly unfiled: boolean;
  /** Also those that this calendar has shown, however late they are due. */
  readonly ics?: string;
  readonly after?: { readonly due: string | undefined; readonly id: string };
  readonly limit: number;
}

// Obligations without a date come first: somebody has to look something up.
const LIST = sql('obligation-list')`select ${COLUMNS} ${FROM}
where o.tenant = $1 and o.state = any ($2::text[])
  and ($3::date is null or o.due is null or o.due < $3 or ($6::text is not null and exists (
    select 1 from ics_obligation m where m.tenant = o.tenant and m.calendar = $6 and m.obligation = o.id)))
  and (cardinality($4::text[]) = 0 or o.jurisdiction = any ($4)) and (not $5 or f.id is null)
  and ($8::text is null or (coalesce(o.due, '-infinity'), o.id) > (coalesce($7::date, '-infinity'), $8))
order by coalesce(o.due, '-infinity'), o.id limit $9`;

export async function storedObligations(
  run: Run,
  tenant: string,
  filter: ObligationFilter,
): Promise<StoredObligation[]> {
  const { states, dueBefore, jurisdictions, unfiled, ics, after, limit } = filter;
  const rows = await run(LIST, [
    tenant,
    states,
    dueBefore ?? null,
    jurisdictions,
    unfiled,
    ics ?? null,
    after?.due ?? null,
    after?.id ?? null,
    limit,
  ]);
  return rows.map(obligationOf);
}

function obligationOf(row: Row): StoredObligation {
  const filing = optional(row['filing'], text);
  return {
    id: obligationId(text(row['id'])),
    entity: entityId(text(row['entity'])),
    jurisdiction: text(row['jurisdiction']),
    registryNumber: text(row['registry_number']),
    // Check constraints hold these columns to their words.
    sort: text(row['sort']) as ObligationColumns['sort'],
    filingKind: text(row['filing_kind']),
    period: text(row['period']),
    state: text(row['state']) as ObligationState,
    asOf: text(row['as_of']),
    ruleId: optional(row['rule_id'], text),
    ruleVersion: text(row['rule_version']),
    calendarVersion: text(row['calendar_version']),
    raw: optional(row['raw'], text),
    notBefore: optional(row['not_before'], text),
    due: optional(row['due'], text),
    final: optional(row['final'], text),
    penaltyFreeUntil: optional(row['penalty_free_until'], text),
    scheduleBy: optional(row['schedule_by'], text),
    cutoff: optional(row['cutoff_text'], text),
    feeCents: optional(row['fee_cents'], Number),
    confidence: text(row['confidence']) as ObligationColumns['confidence'],
    // Written only by this room, from a JSON object.
    answer: row['answer'] as ObligationColumns['answer'],
    ended: optional(row['ended'], text),
    ver: Number(row['ver']),
    computedAt: when(row['computed_at']),
    filing: filing === undefined ? undefined : { id: filing, status: text(row['filing_status']) },
  };
}
