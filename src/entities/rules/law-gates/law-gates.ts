import type { LawGates } from '../gates-report.ts';
import type { DelawareRates } from '../law/delaware-rates.ts';
import type { EntityLaw } from '../law/obligation.ts';
import { obligationGate } from './obligation-gate.ts';
import { taxGate } from './tax-gate.ts';

/** Remember what they have computed; for one import or one correction. */
export function lawGates(law: {
  readonly entity: EntityLaw;
  readonly delaware: DelawareRates;
}): LawGates {
  const report = law.entity.rules.byId.get('US-DE.corporation.domestic')?.fee_usd ?? undefined;
  const reportFeeCents = report === undefined ? undefined : Math.round(report * 100);
  return {
    obligation: obligationGate(law.entity),
    tax: (payload) => taxGate(payload, law.delaware, reportFeeCents),
  };
}
