import type { Endpoint, FaultKind } from './faults.ts';

/** One request as it reached the portal, whole. Header names in lower case. */
export interface PortalRequest {
  readonly method: string;
  /** Below the portal's base address, with the query: `/status?key=abc`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/**
 * What the portal will do with one request. It is decided on arrival and nothing the client does later changes it: an
 * acceptance that lies in the future is already in the hidden truth, with its moment.
 */
export interface Plan {
  /** The portal's number of this request, to be handed to `finish`. */
  readonly request: number;
  readonly endpoint: Endpoint;
  /** What `FAULTS` calls the misbehaviour; undefined when the portal is honest. */
  readonly fault: FaultKind | undefined;
  /** From the arrival to the moment in which the filing is taken; undefined when it is not taken by this request. */
  readonly acceptsAfterMs: number | undefined;
  /** From the arrival to the first byte of the answer (or to the cut). */
  readonly delayMs: number;
  readonly answer: AnswerPlan;
  /** From the arrival to the moment in which the portal is done, whether or not anybody still listens. */
  readonly finishAfterMs: number;
}

export type AnswerPlan =
  | {
      readonly kind: 'respond';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      readonly delivery: Delivery;
    }
  /** The connection ends before a byte of an answer. */
  | { readonly kind: 'cut' }
  /** Nothing comes, for as long as the portal holds the request. */
  | { readonly kind: 'silence' };

export type Delivery =
  | { readonly kind: 'whole' }
  /** The body trickles. */
  | { readonly kind: 'drip'; readonly chunkBytes: number; readonly everyMs: number }
  /** The length of the whole body is declared, and the connection ends after so many bytes of it (0: after the headers). */
  | { readonly kind: 'truncated'; readonly atBytes: number }
  /** The same answer a second time on the same connection, as a broken proxy does; at once, or some time later. */
  | { readonly kind: 'twice'; readonly againAfterMs?: number };

export const WHOLE: Delivery = { kind: 'whole' };

/** How long a dripping answer takes after its first byte. */
export function deliveryMs(answer: AnswerPlan): number {
  if (answer.kind !== 'respond' || answer.delivery.kind !== 'drip') return 0;
  const { chunkBytes, everyMs } = answer.delivery;
  return Math.max(0, Math.ceil(answer.body.length / chunkBytes) - 1) * everyMs;
}
