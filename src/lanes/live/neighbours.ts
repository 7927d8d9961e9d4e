/** The other workers of this host: one whose lease is over is made sure to be dead before its slots are used again. */
import type {
  Clock,
  DeliveryStore,
  Log,
  Processes,
  Survey,
  WorkerId,
  WorkerView,
} from '../../core/index.ts';

/** Of a lease. More than the third after which a worker that runs beats again, and short against the rest of a slot. */
const SILENCE_SHARE_MAX = 0.5;

export class Neighbours {
  readonly #store: Pick<DeliveryStore, 'endWorker'>;
  readonly #processes: Processes;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #silenceMsMax: number;
  /** Since when we have seen a running neighbour's lease to be over (monotonic). */
  readonly #silentSinceMs = new Map<WorkerId, number>();
  /** Of whom it was said that they could not be ended. */
  readonly #notEnded = new Set<WorkerId>();

  constructor(
    ports: {
      readonly store: Pick<DeliveryStore, 'endWorker'>;
      readonly processes: Processes;
      readonly clock: Clock;
      readonly log: Log;
    },
    leaseMs: number,
  ) {
    this.#store = ports.store;
    this.#processes = ports.processes;
    this.#clock = ports.clock;
    this.#log = ports.log;
    this.#silenceMsMax = leaseMs * SILENCE_SHARE_MAX;
  }

  /** Ends those whose lease is over, or whose process is gone, and says so. */
  async endDead(survey: Survey, me: WorkerId | undefined): Promise<void> {
    const { host, self } = this.#processes;
    for (const other of survey.workers) {
      if (other.host !== host || other.id === me) continue;
      const mine = other.pid === self.pid && other.pidStartedAt === self.startedAt;
      const running = this.#processes.isRunning(other.pid, other.pidStartedAt);
      if (running && (other.alive || mine)) {
        // A former incarnation of this very process: its requests were cut off when the lease was lost.
        if (mine && !other.alive) await this.#store.endWorker(other.id);
        continue;
      }
      if (running && this.#mayComeBack(other, survey)) continue;
      if (running && !(await this.#processes.end(other.pid, other.pidStartedAt))) {
        this.#sayOnce(other.id);
        continue;
      }
      this.#log.write({ level: 'warn', event: 'worker.found_dead' });
      await this.#store.endWorker(other.id);
    }
    const listed = new Set(survey.workers.map(({ id }) => id));
    for (const id of this.#silentSinceMs.keys()) {
      if (!listed.has(id)) this.#silentSinceMs.delete(id);
    }
    for (const id of this.#notEnded) if (!listed.has(id)) this.#notEnded.delete(id);
  }

  /** Its row names a process that is not to be ended: a stranger's, or one that does not go. Its slots rest longer. */
  #sayOnce(id: WorkerId): void {
    if (this.#notEnded.has(id)) return;
    this.#notEnded.add(id);
    this.#log.write({ level: 'warn', event: 'worker.not_ended' });
  }

  /**
   * Whether a process whose lease is over has noticed it, or will with its next heartbeat: after the database was away
   * for longer than a lease, all workers of a host find each other silent, and must not end each other for that.
   */
  #mayComeBack(other: WorkerView, survey: Survey): boolean {
    // Under a new number it has cut off what it had in flight, and ends the old number itself.
    const isBack = survey.workers.some(
      ({ alive, host, pid, pidStartedAt }) =>
        alive && host === other.host && pid === other.pid && pidStartedAt === other.pidStartedAt,
    );
    if (isBack) return true;
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = this.#silentSinceMs.get(other.id) ?? nowMs;
    this.#silentSinceMs.set(other.id, sinceMs);
    return nowMs - sinceMs < this.#silenceMsMax;
  }
}
