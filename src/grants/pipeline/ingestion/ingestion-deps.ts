import type { Instant } from '../../../core/index.ts';
import type { GrantsLaw } from '../../rules/law.ts';
import type { StageStore } from '../../store/stage.ts';

/** What the ingestion boundary is made of. */
export interface IngestionDeps {
  readonly store: StageStore;
  readonly law: GrantsLaw;
  readonly now: () => Instant;
}
