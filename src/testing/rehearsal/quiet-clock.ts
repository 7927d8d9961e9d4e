import { type Clock, type Instant, instant } from '../../core/index.ts';
import type { VirtualTime } from '../virtual-clock.ts';

interface Sleeper {
  readonly dueMs: number;
  targetMs: number;
  cancel: () => void;
  readonly fire: () => void;
}

/**
 * The worker's clock in a rehearsal. A worker looks around many times a second, because in the real world nobody tells
 * it that a filing has become due or a portal has opened. Here it is known when the next such thing happens, so its
 * looks in between are left out: a week takes seconds. Whatever is not such a look sleeps exactly as long as asked.
 */
export class QuietClock implements Clock {
  readonly #time: VirtualTime;
  readonly #looksMs: ReadonlySet<number>;
  readonly #quietUntil: () => number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(options: {
    readonly time: VirtualTime;
    /** The lengths of sleep that are only looks. */
    readonly looksMs: ReadonlySet<number>;
    /** Until when a look would find nothing to do. */
    readonly quietUntil: () => number;
  }) {
    this.#time = options.time;
    this.#looksMs = options.looksMs;
    this.#quietUntil = options.quietUntil;
  }

  now(): Instant {
    return instant(this.#time.now);
  }

  monotonicMs(): number {
    return this.#time.now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.#looksMs.has(ms)) return this.#time.sleep(ms, signal);
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        sleeper.cancel();
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const sleeper: Sleeper = {
        dueMs: this.#time.now + ms,
        targetMs: 0,
        cancel: () => undefined,
        // Also when it has become quiet for longer meanwhile: the moment it was set for may be one to act at.
        fire: end,
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', end, { once: true });
      this.#set(sleeper);
    });
  }

  /** Something happened: whoever sleeps past the next thing to do is set to wake for it. */
  refresh(): void {
    const quietMs = this.#quietUntil();
    for (const sleeper of this.#sleepers) {
      if (Math.max(sleeper.dueMs, quietMs) < sleeper.targetMs) this.#set(sleeper);
    }
  }

  #set(sleeper: Sleeper): void {
    sleeper.cancel();
    sleeper.targetMs = Math.max(sleeper.dueMs, this.#quietUntil(), this.#time.now);
    // Nothing left to wait for: an answer under way, or the end of the rehearsal, wakes the worker.
    if (sleeper.targetMs === Number.POSITIVE_INFINITY) {
      sleeper.cancel = () => undefined;
      return;
    }
    const scheduled = this.#time.schedule(sleeper.targetMs, sleeper.fire);
    sleeper.cancel = () => scheduled.cancel();
  }
}
