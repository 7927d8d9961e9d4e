import type { Instant } from '../../core/index.ts';
import type { GrantsLaw, IsBusinessDay } from '../../packs/grants/index.ts';
import type { StageDesk } from '../../store/index.ts';

export interface ReconciliationParts {
  readonly desk: StageDesk;
  readonly law: GrantsLaw;
  readonly now: () => Instant;
  readonly isBusinessDay: IsBusinessDay;
}
