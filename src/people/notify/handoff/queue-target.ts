/** A handoff to a RabbitMQ queue. The broker's confirmation is the receipt. */
import type { WriteGuard } from '../../../core/index.ts';
import type { HandoffLoad, HandoffOutcome, HandoffTarget } from './handoff.ts';
import type { HandoffDeps } from './deps.ts';

export async function handOverByQueue(
  target: HandoffTarget,
  load: HandoffLoad,
  guard: WriteGuard,
  { publish }: HandoffDeps,
): Promise<HandoffOutcome> {
  if (publish === undefined) {
    return { kind: 'failed', evidence: { code: 'BROKER_NOT_SET', elapsedMs: 0 }, signs: [] };
  }
  const { address: queue } = target;
  const { id, payload: bytes, contentType } = load;
  const { kind, code, elapsedMs } = await publish({ queue, id, bytes, contentType }, guard);
  const shown = { evidence: { code, elapsedMs }, signs: [] };
  switch (kind) {
    case 'confirmed':
      return { kind, receipt: `rabbitmq ${queue} ${id}`.slice(0, 200), ...shown };
    case 'unknown':
    case 'unsendable':
    case 'not_made':
      return { kind, ...shown };
    // Unroutable is a fault of the target, not of the message: the next tier may well take it.
    case 'refused':
    case 'not_sent':
      return { kind: 'failed', ...shown };
  }
}
