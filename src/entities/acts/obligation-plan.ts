/** Plans and writes what obligations become: the same plan for a dry run, an import, a recomputation and an acceptance. */
import {
  canonicalText,
  type EntityId,
  entryId,
  type FactType,
  FilewrightError,
  invariant,
  type JsonValue,
  type LedgerFact,
  type ObligationId,
  type RowError,
  snakeCase,
} from '../../core/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { type Change, reconcile } from '../rules/register/reconcile.ts';
import type { EntityRecord } from '../rules/register/entity-record.ts';
import type { Owed, RegisterLaw } from '../rules/register/owed.ts';
import type { Run } from '../../postgres/index.ts';
import {
  acceptedAmong,
  endObligations,
  type ObligationColumns,
  obligationsOf,
  type StoredObligation,
  writeObligations,
} from '../store/obligations.ts';
import { recordSubjectFacts, type SubjectFact } from '../store/subject-facts.ts';
import { columnsOf } from './obligation-columns.ts';
import type { EntityPlan } from './entity-plan.ts';
import { type Move, moveOf } from './obligation-move.ts';

interface PlanQuestion {
  readonly tenant: string;
  readonly law: RegisterLaw;
  readonly today: string;
}

interface Plans {
  readonly plans: readonly EntityPlan[];
  /** Records that the rules cannot use, by entity. */
  readonly faults: ReadonlyMap<EntityId, RowError>;
}

/** Every round finds at least one accepted filing more; a chain of periods is no longer than this. */
const ROUNDS_MAX = 60;

/** Reads only. The caller holds the register's lock where it goes on to write. */
export async function planObligations(
  run: Run,
  records: readonly EntityRecord[],
  question: PlanQuestion,
): Promise<Plans> {
  const { tenant } = question;
  const stored = await obligationsOf(
    run,
    tenant,
    records.map((record) => record.id),
  );
  const accepted = new Set(
    stored.filter((one) => one.filing?.status === 'accepted').map((one) => one.id),
  );
  const asked = new Set(stored.map((one) => one.id));
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const found = planAll(records, stored, accepted, question);
    const fresh = found.plans
      .flatMap(({ changes }) => changes.flatMap(writtenId))
      .filter((id) => !asked.has(id));
    if (fresh.length === 0) return found;
    for (const id of fresh) asked.add(id);
    for (const id of await acceptedAmong(run, tenant, fresh)) accepted.add(id);
  }
  invariant(false, `Expected fewer than ${ROUNDS_MAX} accepted periods in a row.`);
}

function writtenId(change: Change): readonly ObligationId[] {
  return change.kind === 'write' ? [change.owed.id] : [];
}

function planAll(
  records: readonly EntityRecord[],
  stored: readonly StoredObligation[],
  accepted: ReadonlySet<string>,
  { tenant, law, today }: PlanQuestion,
): Plans {
  const byEntity = groupByEntity(stored);
  const faults = new Map<EntityId, RowError>();
  const plans: EntityPlan[] = [];
  for (const record of records) {
    const own = byEntity.get(record.id) ?? [];
    const known = own.map((one) => ({ ...one, filing: one.filing?.status }));
    try {
      const changes = reconcile(record, known, law, { tenant, today, accepted });
      plans.push({ record, changes, stored: new Map(own.map((one) => [one.id, one])) });
    } catch (error) {
      faults.set(record.id, faultOf(error));
    }
  }
  return { plans, faults };
}

function groupByEntity(stored: readonly StoredObligation[]): Map<string, StoredObligation[]> {
  const groups = new Map<string, StoredObligation[]>();
  for (const one of stored) {
    const group = groups.get(one.entity);
    if (group === undefined) groups.set(one.entity, [one]);
    else group.push(one);
  }
  return groups;
}

/** Messages of the rules begin with the field at fault. */
function faultOf(error: unknown): RowError {
  const isCase =
    error instanceof FilewrightError &&
    ['CASE_INVALID', 'JURISDICTION_UNRESOLVED', 'RULE_UNKNOWN'].includes(error.code);
  if (!isCase) throw error;
  const match = /^([a-z_]{1,100})(?:[^:a-z_][^:]*)?: (.+)$/s.exec(error.message);
  return { where: match?.[1] ?? 'row', why: match?.[2] ?? error.message };
}

interface Writer {
  readonly app: Pick<Installation, 'tenant' | 'ids'>;
  readonly actor: LedgerFact['actor'];
  readonly trace: string;
}

/** What the plans mean, as moves; nothing is written. */
export function movesOf(plans: readonly EntityPlan[]): Move[] {
  return plans.flatMap((plan) =>
    plan.changes.flatMap((change) => {
      const move = moveOf(change, plan);
      return move === undefined ? [] : [move];
    }),
  );
}

/** In the caller's transaction, under the register's lock: a version that is not the expected one is a fault of ours. */
export async function applyPlans(
  run: Run,
  plans: readonly EntityPlan[],
  writer: Writer,
): Promise<Move[]> {
  const { tenant } = writer.app;
  const writes: ObligationColumns[] = [];
  const ends: {
    id: ObligationId;
    state: 'met' | 'superseded';
    why: string | undefined;
    ver: number;
  }[] = [];
  const facts: SubjectFact[] = [];
  const moves: Move[] = [];
  const say = (id: string, ver: number, type: FactType, data: LedgerFact['data']): void => {
    const { app, actor, trace } = writer;
    const fact: LedgerFact = { id: entryId(app.ids.next()), type, actor, trace, data };
    facts.push({ kind: 'obligation', id, ver, fact });
  };
  for (const plan of plans) {
    for (const change of plan.changes) {
      const move = moveOf(change, plan);
      if (move !== undefined) moves.push(move);
      if (change.kind === 'blocked') continue;
      if (change.kind === 'write') {
        const before = plan.stored.get(change.owed.id);
        const ver = (before?.ver ?? 0) + 1;
        const after = columnsOf(change.owed, plan.record, change.state, ver);
        if (before !== undefined && isSame(before, after)) continue;
        writes.push(after);
        say(after.id, ver, typeOf(before, move), factData(after, change.owed, move));
      } else {
        const before = plan.stored.get(change.id);
        invariant(before !== undefined, 'Expected an obligation that ends to be stored.');
        const state = change.kind === 'meet' ? 'met' : 'superseded';
        const why = change.kind === 'meet' ? undefined : change.why;
        ends.push({ id: before.id, state, why, ver: before.ver + 1 });
        const data = { entity: before.entity, ...(why === undefined ? {} : { why }) };
        say(before.id, before.ver + 1, `obligation.${state}`, data);
      }
    }
  }
  const ended = await endObligations(run, tenant, ends);
  const written = await writeObligations(run, tenant, writes);
  invariant(
    ended === ends.length && written === writes.length,
    'Expected the versions of obligations to stay while the register is locked.',
    { expected: ends.length + writes.length, found: ended + written },
  );
  await recordSubjectFacts(run, tenant, facts);
  return moves;
}

function typeOf(before: StoredObligation | undefined, move: Move | undefined): FactType {
  if (before === undefined) return 'obligation.computed';
  return move === undefined ? 'obligation.restated' : 'obligation.moved';
}

function factData(
  columns: ObligationColumns,
  owed: Owed,
  move: Move | undefined,
): Readonly<Record<string, JsonValue>> {
  return {
    entity: columns.entity,
    jurisdiction: columns.jurisdiction,
    filing_kind: columns.filingKind,
    period: columns.period,
    state: columns.state,
    as_of: columns.asOf,
    rule: columns.ruleId ?? null,
    rule_version: columns.ruleVersion,
    calendar_version: columns.calendarVersion,
    ...(owed.state === 'open'
      ? {
          due: owed.due,
          raw: owed.raw,
          fee_cents: owed.feeCents ?? null,
          confidence: columns.confidence,
        }
      : {}),
    ...(move === undefined || move.kind === 'new'
      ? {}
      : {
          changed: move.changes.map(({ field, from, to }) => ({
            field: snakeCase(field),
            from,
            to,
          })),
        }),
  };
}

function isSame(before: StoredObligation, after: ObligationColumns): boolean {
  const { ended: _ended, computedAt: _at, filing: _filing, ver: _before, ...stored } = before;
  const { ver: _after, ...next } = after;
  return spelled(stored) === spelled(next);
}

/** Absent fields are left out; a fee in an answer may have a fraction. */
function spelled(columns: Omit<ObligationColumns, 'ver'>): string {
  const given: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(columns)) if (value !== undefined) given[name] = value;
  return canonicalText(given, { numbers: 'any' });
}
