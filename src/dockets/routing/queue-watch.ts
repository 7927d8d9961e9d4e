/** Looks at queues from time to time: our own, and those of brokers. What is over its threshold is applied to dockets. */
import { ownQueueGauge, type Saturation, type SaturationGauge } from '../brokers/saturation.ts';
import { addMs, instant, type Instant, type TargetId } from '../../core/index.ts';
import { activationOf } from '../rules/routing/activation.ts';
import {
  DEFAULT_THRESHOLDS,
  type Trigger,
  triggersOf,
  type TriggerThresholds,
} from '../rules/routing/triggers.ts';
import type { Tier } from '../rules/routing/tiers.ts';
import { confirmedBy, noteNotTaken } from '../store/manual.ts';
import { databaseNow, noteActivations } from '../store/steps.ts';
import { docketPages } from '../store/dockets.ts';
import { noteReading, ownQueue, queueReadings } from '../store/queues.ts';
import { raiseAlertRow } from '../../ledger/index.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import { stored } from './facts.ts';
import type { RoutingDeps } from './deps.ts';
import { type ActiveRouting, activeRouting } from './setup.ts';

export interface WatchedQueue {
  /** Its name among all that are watched, by whichever process: readings are kept under it. */
  readonly queue: string;
  /** The target that it leads to; none for the queue of an intake. */
  readonly target?: TargetId;
  readonly gauge: SaturationGauge;
}

export const OWN_QUEUE = 'filewright';
/** Routers look every 15 s; when nobody has looked for so long, none was there. */
const PAUSE_MS = 45_000;
/** Between two looks at a queue, and twice the five seconds by which a broker's own counts may be old: at the first look and now. */
const STALL_UNSEEN_MS = 25_000;

export interface QueueWatchOptions {
  /** Those of intakes; they stay as they are. */
  readonly queues?: readonly WatchedQueue[];
  /** Measures the queue of a target; undefined where no broker is set. */
  readonly targetGauge?: (queue: string) => SaturationGauge | undefined;
}

export class QueueWatch {
  readonly #deps: RoutingDeps;
  readonly #options: QueueWatchOptions;
  readonly #own: WatchedQueue;
  /** By target, as the matrix that holds has them: an import must not need a restart. */
  #targets: ReadonlyMap<string, WatchedQueue> = new Map();
  /** Since when a queue could not be seen, by the monotonic clock. */
  readonly #unseen = new Map<string, number>();
  #routing: ActiveRouting | undefined;
  /** Since when routers run without a pause; nothing waits for a router that is not there. */
  #runningSince: Instant | undefined;

  constructor(deps: RoutingDeps, options: QueueWatchOptions = {}) {
    const { session, tenant, clock } = deps;
    this.#deps = deps;
    this.#options = options;
    const gauge = ownQueueGauge(() => ownQueue(session, tenant), clock);
    this.#own = { queue: OWN_QUEUE, gauge };
  }

  /** Returns the triggers that held. */
  async look(): Promise<readonly Trigger[]> {
    const found: Trigger[] = [];
    const queues = [this.#own, ...(await this.watched())];
    await this.#noteRunning();
    // All at once: a broker that hangs is noticed after 20 s, and the other queues must not wait for each of its own.
    const seen = await Promise.all(
      queues.map(async (queue) => ({ queue, seen: await queue.gauge.measure() })),
    );
    for (const one of seen) found.push(...(await this.#lookAt(one.queue, one.seen)));
    return found;
  }

  /** All but our own. */
  async watched(): Promise<readonly WatchedQueue[]> {
    const { session } = this.#deps;
    const routing = await activeRouting(this.#deps, session, this.#routing);
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
    const { session, tenant } = this.#deps;
    const isSeen = seen.kind === 'measured';
    const { backlog } = isSeen ? seen : { backlog: undefined };
    const isOwn = queue === OWN_QUEUE;
    const lagMs = isSeen ? (isOwn ? this.#whileRunning(seen.lagMs) : seen.lagMs) : undefined;
    const running = isOwn ? { runningSince: this.#runningSince } : {};
    const triggers = triggersOf({ kind: 'queue', queue, backlog, lagMs }, this.#thresholds);
    await noteReading(session, tenant, {
      queue,
      target,
      backlog,
      lagMs,
      evidence: isSeen ? { ...seen.evidence, ...running } : { code: seen.code },
      triggers,
    });
    await this.#noteUnseen(queue, seen);
    const [trigger] = triggers;
    if (trigger === undefined) return triggers;
    if (target === undefined) await this.#applyToOverdue(trigger);
    else await this.#applyTo(target, trigger);
    const stall = triggers.find(({ code }) => code === 'QUEUE_LAG');
    const isStalled = isSeen && seen.evidence['lagBasis'] === 'stalled';
    if (target !== undefined && stall !== undefined && isStalled) {
      await this.#takeBack(target, stall, seen.lagMs);
    }
    await this.#tell(queue, trigger);
    return triggers;
  }

  /** What waits at the target for a confirmation goes on; what is still to be sent goes past it at its own step. */
  async #applyTo(target: TargetId, trigger: Trigger): Promise<void> {
    const { session, tenant } = this.#deps;
    for await (const page of docketPages(session, tenant, { phases: ['awaiting'], target })) {
      await this.#note(page, trigger);
    }
  }

  /** What its broker confirmed since it stands still, nobody has: it goes on to the next tier. */
  async #takeBack(target: TargetId, trigger: Trigger, lagMs: number): Promise<void> {
    const { session, tenant } = this.#deps;
    const now = await databaseNow(session);
    // It may have stood still for as long again as two looks lie apart, before it was seen to.
    const since = addMs(now, -lagMs - STALL_UNSEEN_MS);
    const taken = await confirmedBy(session, tenant, { target, since });
    const notes = taken.map(({ id, messageId, tier }) => ({
      docket: id,
      // A check constraint holds the column to the names of tiers.
      activation: stored(activationOf(trigger, { messageId, tier: tier as Tier })),
    }));
    await session.transaction((run) => noteNotTaken(run, tenant, notes));
  }

  /** Kept with our own reading, which every router writes: a restart of one is no pause while another runs. */
  async #noteRunning(): Promise<void> {
    const { session, tenant } = this.#deps;
    const now = await databaseNow(session);
    const readings = await queueReadings(session, tenant);
    const last = readings.find(({ queue }) => queue === OWN_QUEUE);
    const isPause = last === undefined || now - last.at > PAUSE_MS;
    // Written below, by whichever router looked last.
    const { runningSince } = (last?.evidence ?? {}) as { readonly runningSince?: number };
    this.#runningSince = isPause ? now : instant(runningSince ?? now);
  }

  #whileRunning(lagMs: number): number {
    const since = this.#runningSince;
    return since === undefined ? 0 : Math.min(lagMs, Math.max(0, this.#deps.clock.now() - since));
  }

  /** Our own queue is behind: what has waited too long in the primary tier is given to the next. */
  async #applyToOverdue(trigger: Trigger): Promise<void> {
    const { session, tenant } = this.#deps;
    const now: Instant = await databaseNow(session);
    const waited = (since: Instant): number =>
      now - Math.max(since, this.#runningSince ?? Number.NEGATIVE_INFINITY);
    for await (const page of docketPages(session, tenant, { phases: ['queued'] })) {
      const overdue = page.filter(
        ({ nextAt, tier }) =>
          tier === 'PRIMARY' && nextAt !== undefined && waited(nextAt) > this.#thresholds.lagMsMax,
      );
      await this.#note(overdue, trigger);
    }
  }

  async #note(dockets: readonly StoredDocket[], trigger: Trigger): Promise<void> {
    const { session, tenant } = this.#deps;
    const activations = dockets.map(({ id, messageId, tier }) => ({
      docket: id,
      tier,
      // A check constraint holds the column to the names of tiers.
      activation: stored(activationOf(trigger, { messageId, tier: tier as Tier })),
    }));
    await session.transaction((run) => noteActivations(run, tenant, activations));
  }

  /** Not seen is no trigger; but behind a broker that is away events may wait, and somebody must know by then. */
  async #noteUnseen(queue: string, seen: Saturation): Promise<void> {
    const code = seen.kind === 'measured' ? seen.unseen : seen.code;
    if (code === undefined) {
      this.#unseen.delete(queue);
      return;
    }
    const nowMs = this.#deps.clock.monotonicMs();
    const since = this.#unseen.get(queue) ?? nowMs;
    this.#unseen.set(queue, since);
    const { lagMsMax } = this.#thresholds;
    if (nowMs - since <= lagMsMax) return;
    const text =
      seen.kind === 'measured'
        ? `The unacknowledged messages of ${queue} could not be counted for more than ${lagMsMax} ms (${code}). A consumer that takes messages and never acknowledges them would go unnoticed. Check the management API of its broker.`
        : `${queue} could not be measured for more than ${lagMsMax} ms (${code}). Events may be waiting there unnoticed. Check its broker.`;
    await this.#raise('queue_unseen', queue, text);
  }

  async #tell(queue: string, { code, evidence }: Trigger): Promise<void> {
    // Without the measured value: how many wait counts dockets that the reader may not see. It is in the reading.
    const text = `${code}: ${evidence.measure.replaceAll('_', ' ')} ${evidence.threshold}. Run diagnose route for a docket in that queue.`;
    await this.#raise('queue_saturated', queue, text);
  }

  async #raise(
    kind: 'queue_saturated' | 'queue_unseen',
    queue: string,
    text: string,
  ): Promise<void> {
    const { session, tenant, ids } = this.#deps;
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
