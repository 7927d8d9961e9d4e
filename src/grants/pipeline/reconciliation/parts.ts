import type { Instant } from '../../../core/index.ts';
import type { GrantsLaw } from '../../rules/law.ts';
import type { IsBusinessDay } from '../../rules/matching/business-days.ts';
import type { StageDesk } from '../../store/stage.ts';

export interface ReconciliationParts {
  readonly desk: StageDesk;
  readonly law: GrantsLaw;
  readonly now: () => Instant;
  readonly isBusinessDay: IsBusinessDay;
}
