/** Finds out whether a portal whose breaker is open is well again. */
import {
  type DeliveryStore,
  isHealthy,
  type LaneCode,
  type Portal,
  probeDueAt,
  type Survey,
} from '../core/index.ts';
import type { Lanes } from './lanes.ts';
import type { Leases } from './leases.ts';

export class Prober {
  readonly #store: Pick<DeliveryStore, 'leaseProbe'>;
  readonly #portal: Pick<Portal, 'probe'>;
  readonly #lanes: Lanes;
  readonly #leases: Leases;
  readonly #leaseMs: number;

  constructor(
    parts: {
      readonly store: Pick<DeliveryStore, 'leaseProbe'>;
      readonly portal: Pick<Portal, 'probe'>;
      readonly lanes: Lanes;
      readonly leases: Leases;
    },
    leaseMs: number,
  ) {
    this.#store = parts.store;
    this.#portal = parts.portal;
    this.#lanes = parts.lanes;
    this.#leases = parts.leases;
    this.#leaseMs = leaseMs;
  }

  /** The one probe of a lane whose breaker is open, once nothing else of ours or anybody's is in flight there. */
  async probe(lane: LaneCode, survey: Survey): Promise<void> {
    const state = this.#lanes.state(lane);
    const profile = this.#lanes.profile(lane);
    const { worker } = this.#leases;
    if (state === undefined || profile === undefined || worker === undefined) return;
    const at = probeDueAt(state);
    const now = this.#leases.now();
    if (at === undefined || at > now) return;
    if (survey.slots.some((slot) => slot.lane === lane && slot.expiresAt > survey.now)) return;
    // Until the portal must be done with it, even if we write late and are not there any more to hear the answer.
    const leaseMs = this.#leaseMs + profile.timeoutMs + profile.longestServiceMs;
    if (!(await this.#store.leaseProbe(worker, lane, leaseMs))) return;
    const exchange = await this.#portal.probe(profile, this.#leases.guard());
    const event = { kind: 'probed', good: isHealthy(exchange) } as const;
    await this.#lanes.apply(lane, event, this.#leases.now());
  }
}
