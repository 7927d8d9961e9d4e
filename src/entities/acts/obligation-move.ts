/** What a recomputation changes, in the words of a list that a person reads before it happens. */
import type { EntityId, ObligationId } from '../../core/index.ts';
import type { Change } from '../rules/register/reconcile.ts';
import type { ObligationColumns } from '../store/obligations.ts';
import type { EntityPlan } from './entity-plan.ts';
import { columnsOf } from './obligation-columns.ts';

interface FieldMove {
  readonly field: (typeof TOLD)[number] | 'state';
  readonly from: string | number | null;
  readonly to: string | number | null;
}

export interface Move {
  readonly kind: 'new' | 'moved' | 'met' | 'superseded' | 'blocked';
  readonly obligation: ObligationId;
  readonly entity: EntityId;
  readonly jurisdiction: string;
  readonly filingKind: string;
  readonly period: string;
  readonly due: string | undefined;
  readonly changes: readonly FieldMove[];
  /** A date that is now earlier than it was: somebody may have planned for the later one. */
  readonly isEarlier: boolean;
  readonly why: string | undefined;
  /** The date must be looked up on the record of the state. */
  readonly isTask: boolean;
  /** Where a filing for it stands; its own dates are frozen and do not move. */
  readonly filing: string | undefined;
}

const DATES = ['due', 'cutoff', 'final', 'penaltyFreeUntil'] as const;
const TOLD = [...DATES, 'notBefore', 'feeCents', 'confidence', 'ruleId'] as const;

/** Undefined where nothing changes that a person would plan by. */
export function moveOf(change: Change, plan: EntityPlan): Move | undefined {
  if (change.kind === 'write') return writtenMove(change, plan);
  const before = plan.stored.get(change.id);
  if (before === undefined) return undefined;
  const next = change.kind === 'blocked' ? change.owed : undefined;
  const to = next?.state === 'open' ? `${next.due} (${next.period})` : 'nothing';
  return {
    kind: change.kind === 'meet' ? 'met' : change.kind === 'blocked' ? 'blocked' : 'superseded',
    ...named(before),
    isTask: false,
    changes: [],
    isEarlier: next?.state === 'open' && before.due !== undefined && next.due < before.due,
    why:
      change.kind === 'supersede'
        ? change.why
        : change.kind === 'blocked'
          ? `Rules and record give ${to} now, but a filing for ${before.due ?? 'it'} is in progress; resolve that first.`
          : undefined,
    filing: before.filing?.status,
  };
}

function writtenMove(
  change: Extract<Change, { kind: 'write' }>,
  plan: EntityPlan,
): Move | undefined {
  const before = plan.stored.get(change.owed.id);
  const after = columnsOf(change.owed, plan.record, change.state, 1);
  const common = {
    ...named(after),
    isTask: after.state === 'record_needed',
    filing: before?.filing?.status,
  };
  const why = change.owed.state === 'open' ? undefined : change.owed.reason;
  if (before === undefined || before.state === 'superseded') {
    return { kind: 'new', ...common, changes: [], isEarlier: false, why };
  }
  const changes = [
    ...TOLD.filter((field) => before[field] !== after[field]).map((field) =>
      fieldMove(field, before, after),
    ),
    ...(before.state === after.state
      ? []
      : [{ field: 'state' as const, from: before.state, to: after.state }]),
  ];
  if (changes.length === 0) return undefined;
  const isEarlier = DATES.some((field) => isBefore(after[field], before[field]));
  return { kind: 'moved', ...common, changes, isEarlier, why };
}

function fieldMove(
  field: (typeof TOLD)[number],
  before: ObligationColumns,
  after: ObligationColumns,
): FieldMove {
  return { field, from: before[field] ?? null, to: after[field] ?? null };
}

/** A date that appears where there was none is earlier than never. Cut-offs differ in zone only with their portal. */
function isBefore(after: string | undefined, before: string | undefined): boolean {
  return after !== undefined && (before === undefined || after < before);
}

function named(
  columns: Pick<
    ObligationColumns,
    'id' | 'entity' | 'jurisdiction' | 'filingKind' | 'period' | 'due'
  >,
) {
  const { id, entity, jurisdiction, filingKind, period, due } = columns;
  return { obligation: id, entity, jurisdiction, filingKind, period, due };
}
