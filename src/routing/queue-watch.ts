/** Looks at queues from time to time: our own, and those of brokers. What is over its threshold is applied to dockets. */
import type { Saturation, SaturationGauge } from '../brokers/index.ts';
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
import { type ActiveRouting, activeRouting } from './setup.ts';

export interface WatchedQueue {
  /** Its name among all that are watched, by whichever process: readings are kept under it. */
  readonly queue: string;
  /** The target that it leads to; none for the queue of an intake. */
  readonly target?: string;
  readonly gauge: SaturationGauge;
}

export const OWN_QUEUE = 'filewright';

export interface QueueWatchOptions {
  /** Those of intakes; they stay as they are. */
  readonly queues?: readonly WatchedQueue[];
  /** Measures the queue of a target; undefined where no broker is set. */
  readonly targetGauge?: (queue: string) => SaturationGauge | undefined;
}

export class QueueWatch {
  readonly #parts: RoutingParts;
  readonly #options: QueueWatchOptions;
  readonly #own: WatchedQueue;
  /** By target, as the matrix that holds has them: an import must not need a restart. */
  #targets: ReadonlyMap<string, WatchedQueue> = new Map();
  /** Since when a queue could not be seen, by the monotonic clock. */
  readonly #unseen = new Map<string, number>();
  #routing: ActiveRouting | undefined;

  constructor(parts: RoutingParts, options: QueueWatchOptions = {}) {
    const { session, tenant, clock } = parts;
    this.#parts = parts;
    this.#options = options;
    const gauge = ownQueueGauge(() => ownQueue(session, tenant), clock);
    this.#own = { queue: OWN_QUEUE, gauge };
  }

  /** Returns the triggers that held. */
  async look(): Promise<readonly Trigger[]> {
    const found: Trigger[] = [];
    const queues = [this.#own, ...(await this.watched())];
    // All at once: a broker that hangs is noticed after 20 s, and the other queues must not wait for each of its own.
    const seen = await Promise.all(
      queues.map(async (queue) => ({ queue, seen: await queue.gauge.measure() })),
    );
    for (const one of seen) found.push(...(await this.#lookAt(one.queue, one.seen)));
    return found;
  }

  /** All but our own. */
  async watched(): Promise<readonly WatchedQueue[]> {
    const { session } = this.#parts;
    const routing = await activeRouting(this.#parts, session, this.#routing);
    if (routing !== undefined && routing !== this.#routing) await this.#follow(routing);
    this.#routing = routing;
    return [...this.#targets.values(), ...(this.#options.queues ?? [])];
  }

  /** Those of the matrix that holds; the defaults until there is one. */
  get #thresholds(): TriggerThresholds {
    return this.#routing?.matrix.policy.thresholds ?? DEFAULT_THRESHOLDS;
  }

  async close(): Promise<void> {
    const all = [this.#own, ...this.#targets.values(), ...(this.#options.queues ?? [])];
    await Promise.all(all.map(({ gauge }) => gauge.close()));
  }

  /** A gauge goes on where its queue does: what it has seen so far is how lag is known. */
  async #follow({ matrix }: ActiveRouting): Promise<void> {
    const { targetGauge } = this.#options;
    const before = this.#targets;
    const next = new Map<string, WatchedQueue>();
    for (const { id, kind, address } of matrix.targets.values()) {
      const known = before.get(id);
      // Two targets may share a queue, and each must know when it is full.
      const queue = `${address} (${id})`;
      const isKnown = known?.queue === queue;
      const gauge =
        kind !== 'rabbitmq' ? undefined : isKnown ? known.gauge : targetGauge?.(address);
      if (gauge !== undefined) next.set(id, { queue, target: id, gauge });
    }
    this.#targets = next;
    const kept = new Set([...next.values()].map(({ gauge }) => gauge));
    const gone = [...before.values()].filter(({ gauge }) => !kept.has(gauge));
    await Promise.all(gone.map(({ gauge }) => gauge.close()));
  }

  async #lookAt({ queue, target }: WatchedQueue, seen: Saturation): Promise<readonly Trigger[]> {
    const { session, tenant } = this.#parts;
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
    await this.#noteUnseen(queue, isSeen ? undefined : seen.code);
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

  /** Not seen is no trigger; but behind a broker that is away events may wait, and somebody must know by then. */
  async #noteUnseen(queue: string, code: string | undefined): Promise<void> {
    if (code === undefined) {
      this.#unseen.delete(queue);
      return;
    }
    const nowMs = this.#parts.clock.monotonicMs();
    const since = this.#unseen.get(queue) ?? nowMs;
    this.#unseen.set(queue, since);
    const { lagMsMax } = this.#thresholds;
    if (nowMs - since <= lagMsMax) return;
    const text = `${queue} could not be measured for more than ${lagMsMax} ms (${code}). Events may wait there unseen: look at its broker.`;
    await this.#raise('queue_unseen', queue, text);
  }

  async #tell(queue: string, { code, evidence }: Trigger): Promise<void> {
    // Without the measured value: how many wait counts dockets that the reader may not see. It is in the reading.
    const text = `${code}: ${evidence.measure.replaceAll('_', ' ')} ${evidence.threshold}. See diagnose route for a docket that waits there.`;
    await this.#raise('queue_saturated', queue, text);
  }

  async #raise(
    kind: 'queue_saturated' | 'queue_unseen',
    queue: string,
    text: string,
  ): Promise<void> {
    const { session, tenant, ids } = this.#parts;
    await session.transaction((run) =>
      raiseAlertRow(run, tenant, {
        id: ids.next(),
        kind,
        subject: queue,
        severity: 'warning',
        recipient: undefined,
        text,
        dedup: `${kind}/${queue}`.slice(0, 200),
      }),
    );
  }
}
