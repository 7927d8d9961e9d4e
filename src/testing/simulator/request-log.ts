import type { Instant } from '../../core/index.ts';
import type { Endpoint, FaultKind } from './faults.ts';

/** One request as the portal received it, and what it made of it. */
export interface ReceivedRequest {
  readonly number: number;
  readonly at: Instant;
  readonly method: string;
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly key: string;
  /** Of the body; empty where there was none. */
  readonly sha256: string;
  /** The session token that came with it; empty for none. */
  readonly session: string;
  readonly fault: FaultKind | undefined;
  /** The status of the planned answer; 0 for a cut or silence. */
  readonly status: number;
}

/** The last requests, in a ring: the truth about filings is kept elsewhere, so the oldest may go. */
export class RequestLog {
  readonly max: number;
  private readonly ring: ReceivedRequest[] = [];
  private total = 0;

  constructor(max: number) {
    this.max = max;
  }

  add(request: ReceivedRequest): void {
    // Written in place once full: pushing and shifting would move the whole array for each request.
    if (this.max > 0) this.ring[this.total % this.max] = request;
    this.total += 1;
  }

  /** How many have been dropped, so that a test which needs all can say so. */
  get dropped(): number {
    return this.total - this.ring.length;
  }

  /** Oldest first. */
  *entries(): Generator<ReceivedRequest> {
    const start = this.ring.length < this.max ? 0 : this.total % this.max;
    for (let step = 0; step < this.ring.length; step++) {
      const entry = this.ring[(start + step) % this.ring.length];
      if (entry !== undefined) yield entry;
    }
  }
}
