import type { Instant } from '../../../core/index.ts';
import type { GrantsLaw } from '../../rules/law.ts';
import type { IsBusinessDay } from '../../rules/matching/business-days.ts';
import type { StageStore } from '../../store/stage.ts';

export interface ReconciliationDeps {
  readonly store: StageStore;
  readonly law: GrantsLaw;
  readonly now: () => Instant;
  readonly isBusinessDay: IsBusinessDay;
}
