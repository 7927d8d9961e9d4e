/** Looks at queues from time to time: our own, and those of brokers. What is over its threshold is applied to dockets. */
import type { SaturationGauge } from '../brokers/index.ts';
import { ownQueueGauge } from '../brokers/index.ts';
import type { Instant } from '../core/index.ts';
import {
  activationOf,
  DEFAULT_THRESHOLDS,
  type Tier,
  type Trigger,
  type TriggerThresholds,
  triggersOf,
} from '../packs/patent/routing/index.ts';
import {
  databaseNow,
  docketPages,
  noteActivations,
  noteReading,
  ownQueue,
  raiseAlertRow,
  type StoredDocket,
} from '../store/index.ts';
import { stored } from './facts.ts';
import type { RoutingParts } from './parts.ts';

export interface WatchedQueue {
  readonly queue: string;
  /** The target that it leads to; none for the queue of an intake. */
  readonly target?: string;
  readonly gauge: SaturationGauge;
}

export const OWN_QUEUE = 'filewright';

export class QueueWatch {
  readonly #parts: RoutingParts;
  readonly #queues: readonly WatchedQueue[];
  readonly #thresholds: TriggerThresholds;

  constructor(
    parts: RoutingParts,
    queues: readonly WatchedQueue[],
    thresholds: TriggerThresholds = DEFAULT_THRESHOLDS,
  ) {
    const { session, tenant, clock } = parts;
    this.#parts = parts;
    const own = { queue: OWN_QUEUE, gauge: ownQueueGauge(() => ownQueue(session, tenant), clock) };
    this.#queues = [own, ...queues];
    this.#thresholds = thresholds;
  }

  /** Returns the triggers that held. */
  async look(): Promise<readonly Trigger[]> {
    const found: Trigger[] = [];
    for (const queue of this.#queues) found.push(...(await this.#lookAt(queue)));
    return found;
  }

  async close(): Promise<void> {
    await Promise.all(this.#queues.map(({ gauge }) => gauge.close()));
  }

  async #lookAt({ queue, target, gauge }: WatchedQueue): Promise<readonly Trigger[]> {
    const { session, tenant } = this.#parts;
    const seen = await gauge.measure();
    const isSeen = seen.kind === 'measured';
    const { backlog, lagMs } = isSeen ? seen : { backlog: undefined, lagMs: undefined };
    const triggers = triggersOf({ kind: 'queue', queue, backlog, lagMs }, this.#thresholds);
    await noteReading(session, tenant, {
      queue,
      target,
      backlog,
      lagMs,
      evidence: isSeen ? seen.evidence : { code: seen.code },
      triggers: triggers.map((trigger) => stored(trigger)),
    });
    const [trigger] = triggers;
    if (trigger === undefined) return triggers;
    await (target === undefined ? this.#applyToOverdue(trigger) : this.#applyTo(target, trigger));
    await this.#tell(queue, trigger);
    return triggers;
  }

  /** What waits at the target for a confirmation goes on; what is still to be sent goes past it at its own step. */
  async #applyTo(target: string, trigger: Trigger): Promise<void> {
    const { session, tenant } = this.#parts;
    for await (const page of docketPages(session, tenant, { phases: ['awaiting'], target })) {
      await this.#note(page, trigger);
    }
  }

  /** Our own queue is behind: what has waited too long in the primary tier is given to the next. */
  async #applyToOverdue(trigger: Trigger): Promise<void> {
    const { session, tenant } = this.#parts;
    const now: Instant = await databaseNow(session);
    for await (const page of docketPages(session, tenant, { phases: ['queued'] })) {
      const overdue = page.filter(
        ({ nextAt, tier }) =>
          tier === 'PRIMARY' && nextAt !== undefined && now - nextAt > this.#thresholds.lagMsMax,
      );
      await this.#note(overdue, trigger);
    }
  }

  async #note(dockets: readonly StoredDocket[], trigger: Trigger): Promise<void> {
    const { session, tenant } = this.#parts;
    const activations = dockets.map(({ id, messageId, tier }) => ({
      docket: id,
      tier,
      // A check constraint holds the column to the names of tiers.
      activation: stored(activationOf(trigger, { messageId, tier: tier as Tier })),
    }));
    await session.transaction((run) => noteActivations(run, tenant, activations));
  }

  async #tell(queue: string, { code, evidence }: Trigger): Promise<void> {
    const { session, tenant, ids } = this.#parts;
    await session.transaction((run) =>
      raiseAlertRow(run, tenant, {
        id: ids.next(),
        kind: 'queue_saturated',
        subject: queue,
        severity: 'warning',
        recipient: undefined,
        text: `${code}: ${evidence.measure} ${String(evidence.measured)}, threshold ${evidence.threshold}.`,
        dedup: `queue_saturated/${queue}`.slice(0, 200),
      }),
    );
  }
}
