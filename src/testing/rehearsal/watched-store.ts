import type { DeliveryStore, Instant, OutcomeRecord } from '../../core/index.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { QueueWatch } from './queue-watch.ts';

/** How one filing ended. */
export interface RehearsedEnd {
  readonly id: string;
  readonly to: 'accepted' | 'rejected' | 'fallout';
  readonly code: string;
  readonly at: Instant;
}

/** The store, with every change of the queue noted on the way. */
export function watched(
  store: MemoryStore,
  on: {
    readonly watch: QueueWatch;
    readonly now: () => Instant;
    readonly onEnd: (end: RehearsedEnd) => void;
    readonly onChange: () => void;
  },
): DeliveryStore {
  const note = (outcome: OutcomeRecord): void => {
    const { filing, next, to, code } = outcome;
    if (next !== undefined) on.watch.add(filing, on.now() + next.delayMs);
    else if (to === 'accepted' || to === 'rejected' || to === 'fallout') {
      on.onEnd({ id: filing, to, code, at: on.now() });
    }
  };
  return {
    registerWorker: (worker) => store.registerWorker(worker),
    beat: (worker) => store.beat(worker),
    endWorker: (worker) => store.endWorker(worker),
    survey: () => store.survey(),
    acquireSlots: (worker, wants) => store.acquireSlots(worker, wants),
    releaseSlots: (worker, slots) => store.releaseSlots(worker, slots),
    tick: async (input) => {
      const answer = await store.tick(input);
      const held = new Set(answer.disputed.map(({ filing }) => filing));
      for (const outcome of input.outcomes) if (!held.has(outcome.filing)) note(outcome);
      for (const { filing } of answer.claims) on.watch.remove(filing.id);
      on.onChange();
      return answer;
    },
    adopt: (worker, known) => store.adopt(worker, known),
    takeOrphans: (worker, limit) => store.takeOrphans(worker, limit),
    takeLate: async (worker, limit) => {
      const claims = await store.takeLate(worker, limit);
      for (const { filing } of claims) on.watch.remove(filing.id);
      return claims;
    },
    changeLane: async (expected, next, facts) => {
      const changed = await store.changeLane(expected, next, facts);
      on.onChange();
      return changed;
    },
    leaseProbe: (worker, lane) => store.leaseProbe(worker, lane),
    openQuestions: (lane, since) => store.openQuestions(lane, since),
    history: (filing) => store.history(filing),
    receiptOwner: (lane, number) => store.receiptOwner(lane, number),
    reportFault: () => store.reportFault(),
    dataKey: (subject, month, make) => store.dataKey(subject, month, make),
  };
}
