/**
 * Consumers of events inside the house. Each hears every event of its types once: what it writes through `run` is
 * committed together with the mark that it has heard, so a crash or a second process can neither lose nor repeat it.
 */
import { type Backoff, FilewrightError, isDatabaseAway, nextDelayMs } from '../core/index.ts';
import type { Run } from '../postgres/index.ts';
import { type ClaimedWork, claimWork, type Duty, recordWork } from '../work/index.ts';
import { type DomainEvent, eventsOf } from './store/events.ts';
import { raiseAlert } from './alerts.ts';
import type { JobDeps } from './job-deps.ts';

export interface EventConsumer {
  /** Lower-case words with underscores; it is stored, and never changes its meaning. */
  readonly name: string;
  /** Empty: every type. */
  readonly types: readonly string[];
  /**
   * Handles events in one transaction; several at once, because some work (a forecast) is the same for one and for
   * fifty. Write only through `run`: an effect anywhere else may happen again. Throw to be asked again later.
   */
  consume(events: readonly DomainEvent[], run: Run): Promise<void>;
}

const EVENTS_AT_ONCE = 50;
const ATTEMPTS_MAX = 15;
const BACKOFF: Backoff = { steps: { firstMs: 2_000, msMax: 3_600_000 }, spread: [1, 1] };

export function consumerDuty(deps: JobDeps, consumer: EventConsumer): Duty {
  return { kind: 'consume', target: consumer.name, work: () => consumeGroup(deps, consumer) };
}

async function consumeGroup(deps: JobDeps, consumer: EventConsumer): Promise<number> {
  try {
    return await consumeDue(deps, consumer, EVENTS_AT_ONCE);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
  }
  // One of the group cannot be handled. Alone, each shows whether it is that one, and the others go on.
  let handled = 0;
  for (; handled < EVENTS_AT_ONCE; handled += 1) {
    let current: ClaimedWork | undefined;
    try {
      const count = await consumeDue(deps, consumer, 1, (work) => {
        current = work;
      });
      if (count === 0) break;
    } catch (error) {
      if (current === undefined || isDatabaseAway(error)) throw error;
      await noteFailure(deps, consumer, current, error);
    }
  }
  return handled;
}

/**
 * Events are claimed, handled and recorded in one transaction: an event counts as consumed exactly when what the consumer
 * wrote through `run` is committed. Returns how many; when the consumer throws, nothing has happened.
 */
async function consumeDue(
  { session, tenant }: JobDeps,
  consumer: EventConsumer,
  limit: number,
  begin: (work: ClaimedWork) => void = () => undefined,
): Promise<number> {
  return session.transaction(async (run) => {
    const wish = { tenant, kind: 'consume', target: consumer.name, limit } as const;
    const works = await claimWork(run, wish);
    works.forEach(begin);
    if (works.length === 0) return 0;
    const found = await eventsOf(run, tenant, works.map(eventIn));
    await consumer.consume(
      works.flatMap((work) => found.get(eventIn(work)) ?? []),
      run,
    );
    await recordWork(run, tenant, works, { state: 'done' });
    return works.length;
  });
}

function eventIn({ event }: ClaimedWork): string {
  if (event === undefined) throw new Error('what a consumer hears is an event');
  return event;
}

/** The claim went with the transaction that failed, so it is made again for what is recorded of it. */
async function noteFailure(
  deps: JobDeps,
  consumer: EventConsumer,
  { id, attempt, event }: ClaimedWork,
  error: unknown,
): Promise<void> {
  const { session, tenant, log } = deps;
  const code = error instanceof FilewrightError ? error.code : 'CONSUMER_FAILED';
  const delayMs = attempt >= ATTEMPTS_MAX ? undefined : nextDelayMs(BACKOFF, attempt);
  await session.transaction(async (run) => {
    const wish = { tenant, kind: 'consume', target: consumer.name, limit: 1, only: id } as const;
    const works = await claimWork(run, wish);
    await recordWork(
      run,
      tenant,
      works,
      delayMs === undefined
        ? { state: 'failed', code }
        : { state: 'pending', code, again: delayMs },
    );
  });
  log.write({
    level: delayMs === undefined ? 'error' : 'warn',
    event: delayMs === undefined ? 'consumer.gave_up' : 'consumer.again',
    trace_id: event ?? id,
    status: consumer.name,
    attempt,
    error: code,
  });
  if (delayMs !== undefined) return;
  await raiseAlert(deps, {
    kind: 'consumer_failed',
    subject: `consumer ${consumer.name}`,
    severity: 'critical',
    text: `The consumer ${consumer.name} could not handle event ${event} (${code}) in ${attempt} attempts. The work that follows from it was not done. Do it by hand.`,
    dedup: `consumer_failed/${consumer.name}`,
  });
}
