import type { Change, EntityRecord } from '../../packs/entity/register/index.ts';
import type { StoredObligation } from '../../store/register/index.ts';

/** What one entity's obligations become. */
export interface EntityPlan {
  readonly record: EntityRecord;
  readonly changes: readonly Change[];
  readonly stored: ReadonlyMap<string, StoredObligation>;
}
