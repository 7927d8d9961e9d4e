import { hash } from 'node:crypto';
import type { Exchange } from '../../core/index.ts';
import { deliveryMs, type Plan } from './plan.ts';

/** What a client on a perfect network comes to see of a plan, and how long after the arrival. */
export interface ClientView {
  readonly afterMs: number;
  readonly exchange: Exchange;
}

/**
 * Plays the client's side of a plan without sockets, for simulations on a virtual clock. The request has arrived, so
 * every failure is one after the body was written.
 */
export function seenByClient(plan: Plan, timeoutMs: number): ClientView {
  const { answer, delayMs, finishAfterMs } = plan;
  // A silent portal lets go of the connection when it is done with the request.
  const afterMs = answer.kind === 'silence' ? finishAfterMs : delayMs + deliveryMs(answer);
  if (afterMs > timeoutMs) {
    return failure('timeout', timeoutMs, `No complete answer within ${timeoutMs} ms.`);
  }
  if (answer.kind !== 'respond') {
    return failure('cut', afterMs, 'The connection ended before an answer.');
  }
  const cut = answer.delivery.kind === 'truncated' ? answer.delivery.atBytes : undefined;
  const body = cut === undefined ? answer.body : answer.body.subarray(0, cut);
  return {
    afterMs,
    exchange: {
      kind: 'answer',
      status: answer.status,
      headers: { ...answer.headers, 'content-length': String(answer.body.length) },
      body,
      bodyEnd: cut === undefined ? 'whole' : 'cut',
      bodySha256: hash('sha256', body, 'hex'),
      elapsedMs: afterMs,
    },
  };
}

function failure(code: 'timeout' | 'cut', afterMs: number, message: string): ClientView {
  return {
    afterMs,
    exchange: { kind: 'failure', written: true, code, message, elapsedMs: afterMs },
  };
}
