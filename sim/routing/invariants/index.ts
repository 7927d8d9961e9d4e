import type { Evidence, Violation } from '../evidence.ts';
import { access, singleEffect } from './access.ts';
import { breakerRules } from './breakers.ts';
import { clocks } from './clocks.ts';
import { escalationOrder } from './order.ts';
import { people } from './people.ts';
import { told } from './told.ts';

export function violationsOf(evidence: Evidence): Violation[] {
  const check =
    evidence.checkFault === undefined
      ? []
      : [{ invariant: 'matrix_check', text: evidence.checkFault }];
  return [
    ...check,
    ...escalationOrder(evidence),
    ...access(evidence),
    ...singleEffect(evidence),
    ...breakerRules(evidence),
    ...clocks(evidence),
    ...told(evidence),
    ...people(evidence),
  ];
}
