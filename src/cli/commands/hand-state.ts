/** Who has a filing, and until when, for machines. */
import type { HandState } from '../../filings/index.ts';
import { toRfc3339 } from '../../core/index.ts';

export function stateJson(state: HandState): object {
  switch (state.kind) {
    case 'taken':
      return { state: 'taken', by: state.name, until: toRfc3339(state.until) };
    case 'look':
      return {
        state: 'look',
        why: state.why,
        by: state.name ?? null,
        provesFrom: toRfc3339(state.provesFrom),
      };
    case 'early':
      return { state: 'early', from: toRfc3339(state.from) };
    case 'ended':
    case 'free':
    case 'waiting':
    case 'worker':
      return { state: state.kind };
  }
}
