/** Whoever must hear that a lease is lost. */
export interface LeaseHolder {
  onLeaseLost(): void;
}

/**
 * One listener for each signal, however many requests it guards: Node warns of a leak at eleven listeners on a signal,
 * and adding and removing one costs more than all our other work on a request.
 */
export class LeaseWatch {
  // The listener stays as long as the signal, which its owner drops with the lease.
  private readonly holders = new WeakMap<AbortSignal, Set<LeaseHolder>>();

  add(signal: AbortSignal, holder: LeaseHolder): void {
    let holders = this.holders.get(signal);
    if (holders === undefined) {
      const fresh = new Set<LeaseHolder>();
      signal.addEventListener('abort', () => tellAll(fresh), { once: true });
      this.holders.set(signal, fresh);
      holders = fresh;
    }
    holders.add(holder);
  }

  remove(signal: AbortSignal, holder: LeaseHolder): void {
    this.holders.get(signal)?.delete(holder);
  }
}

function tellAll(holders: ReadonlySet<LeaseHolder>): void {
  for (const holder of holders) holder.onLeaseLost();
}
