import type { Clock } from '../../src/core/ports.ts';
import { type Instant, instant } from '../../src/core/time.ts';
import type { VirtualTime } from '../../src/testing/virtual-clock.ts';

/**
 * One operating-system process. It can be stopped (whatever is due to it waits until it wakes), its machine can be
 * suspended (its monotonic clock then stands still as well), it can be killed, and its wall clock can be wrong.
 */
export class SimProcess implements Clock {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: string;
  /** Wall clock less true time, and since when it has been so. */
  skewMs = 0;
  skewSince: number;
  isDead = false;
  readonly #time: VirtualTime;
  readonly #onSleep: (process: SimProcess) => number;
  #frozen = false;
  #backlog: (() => void)[] = [];
  #suspendedMs = 0;

  constructor(options: {
    readonly name: string;
    readonly host: string;
    readonly pid: number;
    readonly time: VirtualTime;
    /** Told of each sleep; gives by how much longer than asked it lasts. */
    readonly onSleep: (process: SimProcess) => number;
  }) {
    this.name = options.name;
    this.host = options.host;
    this.pid = options.pid;
    this.#time = options.time;
    this.#onSleep = options.onSleep;
    this.startedAt = `start-${options.pid}`;
    this.skewSince = options.time.now;
  }

  get isFrozen(): boolean {
    return this.#frozen;
  }

  now(): Instant {
    return instant(this.#time.now + this.skewMs);
  }

  monotonicMs(): number {
    return this.#time.now - this.#suspendedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    // A dead process goes no further.
    if (this.isDead) return new Promise(() => undefined);
    if (signal?.aborted === true) return Promise.resolve();
    const extraMs = this.#onSleep(this);
    return new Promise((resolve) => {
      const onAbort = (): void => {
        timer.cancel();
        resolve();
      };
      const timer = this.after(ms + extraMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Runs in this process after `ms`: later if it is stopped then, never if it is dead. */
  after(ms: number, act: () => void): { cancel(): void } {
    let cancelled = false;
    const scheduled = this.#time.schedule(this.#time.now + Math.max(ms, 0), () =>
      this.deliver(() => {
        if (!cancelled) act();
      }),
    );
    return {
      cancel: () => {
        cancelled = true;
        scheduled.cancel();
      },
    };
  }

  deliver(act: () => void): void {
    if (this.isDead) return;
    if (this.#frozen) this.#backlog.push(act);
    else act();
  }

  freeze(): void {
    this.#frozen = true;
  }

  /** `suspendedMs`: for how long its machine stood still, clock and all. */
  wake(suspendedMs: number): void {
    if (!this.#frozen || this.isDead) return;
    this.#frozen = false;
    this.#suspendedMs += suspendedMs;
    const backlog = this.#backlog;
    this.#backlog = [];
    // One event each, so that their order is another choice of the seed.
    for (const act of backlog) this.after(0, act);
  }

  kill(): void {
    this.isDead = true;
    this.#backlog = [];
  }

  setSkew(ms: number): void {
    this.skewMs = ms;
    this.skewSince = this.#time.now;
  }
}
