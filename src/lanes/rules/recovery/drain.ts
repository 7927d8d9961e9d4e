/** Whether queues are back to where they were before the failure: pure. */
export interface QueueLevel {
  readonly queue: string;
  readonly backlog: number | undefined;
  readonly lagMs: number | undefined;
}

/** A queue is never exactly as empty as before; a handful of messages, or this lag, is what passes through at any time. */
const BACKLOG_SLACK = 10;
const LAG_SLACK_MS = 5_000;

/** One line for each queue that is not drained; a queue that cannot be measured now is not. */
export function undrained(
  baseline: readonly QueueLevel[],
  now: readonly QueueLevel[],
): readonly string[] {
  const before = new Map(baseline.map((level) => [level.queue, level]));
  return now.flatMap(({ queue, backlog, lagMs }) => {
    const was = before.get(queue);
    const backlogMax = (was?.backlog ?? 0) + BACKLOG_SLACK;
    const lagMsMax = (was?.lagMs ?? 0) + LAG_SLACK_MS;
    if (backlog === undefined) return [`${queue}: not measured`];
    if (backlog > backlogMax) return [`${queue}: backlog ${backlog}, before ${was?.backlog ?? 0}`];
    if (lagMs !== undefined && lagMs > lagMsMax) {
      return [`${queue}: lag ${lagMs} ms, before ${was?.lagMs ?? 0} ms`];
    }
    return [];
  });
}
