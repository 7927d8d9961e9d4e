import type { Change } from '../rules/register/reconcile.ts';
import type { EntityRecord } from '../rules/register/entity-record.ts';
import type { StoredObligation } from '../store/obligations.ts';

/** What one entity's obligations become. */
export interface EntityPlan {
  readonly record: EntityRecord;
  readonly changes: readonly Change[];
  readonly stored: ReadonlyMap<string, StoredObligation>;
}
