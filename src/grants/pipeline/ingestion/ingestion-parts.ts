import type { Instant } from '../../../core/index.ts';
import type { GrantsLaw } from '../../rules/law.ts';
import type { StageDesk } from '../../store/stage.ts';

/** What the ingestion boundary is made of. */
export interface IngestionParts {
  readonly desk: StageDesk;
  readonly law: GrantsLaw;
  readonly now: () => Instant;
}
