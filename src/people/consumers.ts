/**
 * Consumers of events inside the house. Each hears every event of its types once: what it writes through `run` is
 * committed together with the mark that it has heard, so a crash or a second process can neither lose nor repeat it.
 */
import { type Backoff, FilewrightError, isDatabaseAway, nextDelayMs } from '../core/index.ts';
import { consumeDue, type DomainEvent, recordConsumptionFailure } from './store/outbox.ts';
import type { Session } from '../postgres/index.ts';
import { raiseAlert } from './alerts.ts';
import type { JobParts } from './parts.ts';

export interface EventConsumer {
  /** Lower-case words with underscores; it is stored, and never changes its meaning. */
  readonly name: string;
  /** Empty: every type. */
  readonly types: readonly string[];
  /**
   * Handles events in one transaction; several at once, because some work (a forecast) is the same for one and for
   * fifty. Write only through `run`: an effect anywhere else may happen again. Throw to be asked again later.
   */
  consume(events: readonly DomainEvent[], run: Session['run']): Promise<void>;
}

const EVENTS_AT_ONCE = 50;
/** Then others have their turn. */
const TURN_MS = 20_000;
const ATTEMPTS_MAX = 15;
const BACKOFF: Backoff = { steps: { firstMs: 2_000, msMax: 3_600_000 }, spread: [1, 1] };

export async function consumeAll(
  parts: JobParts,
  consumer: EventConsumer,
  signal?: AbortSignal,
): Promise<number> {
  const { clock } = parts;
  const startedMs = clock.monotonicMs();
  const mayGoOn = (): boolean =>
    signal?.aborted !== true && clock.monotonicMs() - startedMs < TURN_MS;
  let consumed = 0;
  while (mayGoOn()) {
    const count = await consumeGroup(parts, consumer);
    if (count === 0) break;
    consumed += count;
  }
  return consumed;
}

async function consumeGroup(parts: JobParts, consumer: EventConsumer): Promise<number> {
  const { session, tenant } = parts;
  const where = { tenant, consumer: consumer.name };
  try {
    return await consumeDue(session, { ...where, limit: EVENTS_AT_ONCE }, (due, run) =>
      consumer.consume(
        due.map(({ event }) => event),
        run,
      ),
    );
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
  }
  // One of the group cannot be handled. Alone, each shows whether it is that one, and the others go on.
  let handled = 0;
  for (; handled < EVENTS_AT_ONCE; handled += 1) {
    let current: { readonly event: DomainEvent; readonly attempts: number } | undefined;
    try {
      const count = await consumeDue(session, { ...where, limit: 1 }, async ([due], run) => {
        current = due;
        if (due !== undefined) await consumer.consume([due.event], run);
      });
      if (count === 0) break;
    } catch (error) {
      if (current === undefined || isDatabaseAway(error)) throw error;
      await noteFailure(parts, consumer, current, error);
    }
  }
  return handled;
}

async function noteFailure(
  parts: JobParts,
  consumer: EventConsumer,
  due: { readonly event: DomainEvent; readonly attempts: number },
  error: unknown,
): Promise<void> {
  const { session, tenant, log } = parts;
  const attempt = due.attempts + 1;
  const code = error instanceof FilewrightError ? error.code : 'CONSUMER_FAILED';
  const delayMs = attempt >= ATTEMPTS_MAX ? undefined : nextDelayMs(BACKOFF, attempt);
  const where = { tenant, consumer: consumer.name, event: due.event.id };
  await recordConsumptionFailure(session, where, { code, delayMs });
  log.write({
    level: delayMs === undefined ? 'error' : 'warn',
    event: delayMs === undefined ? 'consumer.gave_up' : 'consumer.again',
    trace_id: due.event.id,
    status: consumer.name,
    attempt,
    error: code,
  });
  if (delayMs !== undefined) return;
  await raiseAlert(parts, {
    kind: 'consumer_failed',
    subject: `consumer ${consumer.name}`,
    severity: 'critical',
    text: `The consumer ${consumer.name} could not handle event ${due.event.id} (${code}) in ${attempt} attempts. What follows from the event has not been done; do it by hand.`,
    dedup: `consumer_failed/${consumer.name}`,
  });
}
