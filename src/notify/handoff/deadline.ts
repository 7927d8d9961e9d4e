import type { Clock } from '../../core/index.ts';

export interface Deadline {
  /** Aborts when the time is over, or with the signal it was made from. */
  readonly signal: AbortSignal;
  /** True when the time is over, and not only the parent's signal. */
  readonly isOver: () => boolean;
  cancel(): void;
}

/**
 * Ends something after *more* than `limitMs`, by the same clock that measures it: a timer that fires a little early
 * would report 2,999.8 ms for something that was cut off for taking more than 3,000.
 */
export function startDeadline(
  clock: Pick<Clock, 'monotonicMs' | 'sleep'>,
  limitMs: number,
  parent: AbortSignal,
): Deadline {
  const controller = new AbortController();
  const cancelled = new AbortController();
  const startedAt = clock.monotonicMs();
  let isOver = false;
  const watch = async (): Promise<void> => {
    for (;;) {
      const leftMs = limitMs - (clock.monotonicMs() - startedAt);
      if (cancelled.signal.aborted) return;
      if (leftMs < 0) break;
      await clock.sleep(Math.ceil(leftMs) + 1, cancelled.signal);
    }
    isOver = true;
    controller.abort();
  };
  // It never rejects, and ends with `cancel` at the latest.
  void watch();
  // Not AbortSignal.any: on a parent that lives as long as the process, Node 20 keeps every signal made from it.
  const follow = (): void => controller.abort();
  parent.addEventListener('abort', follow, { once: true });
  if (parent.aborted) follow();
  return {
    signal: controller.signal,
    isOver: () => isOver,
    cancel: () => {
      cancelled.abort();
      parent.removeEventListener('abort', follow);
    },
  };
}
