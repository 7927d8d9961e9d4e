/** Keeps idle sessions alive where a profile asks for it, so that the next filing need not sign in first. */
import type { Clock, Portal, Profile } from '../../core/index.ts';
import { mayKeepBusy } from '../rules/busy.ts';
import type { Lanes } from './lanes.ts';
import type { Leases, LocalSlot } from './leases.ts';
import type { Unawaited } from './unawaited.ts';

export class SessionKeeper {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #portal: Pick<Portal, 'tend'>;
  readonly #lanes: Lanes;
  readonly #leases: Leases;
  readonly #unawaited: Unawaited;
  readonly #freed: () => void;

  /** `freed` is called when a slot that was used for this is free again. */
  constructor(
    deps: {
      readonly clock: Pick<Clock, 'monotonicMs'>;
      readonly portal: Pick<Portal, 'tend'>;
      readonly lanes: Lanes;
      readonly leases: Leases;
      readonly unawaited: Unawaited;
    },
    freed: () => void,
  ) {
    this.#clock = deps.clock;
    this.#portal = deps.portal;
    this.#lanes = deps.lanes;
    this.#leases = deps.leases;
    this.#unawaited = deps.unawaited;
    this.#freed = freed;
  }

  /** One request for each lane that wants it and has a free slot. */
  tendAll(): void {
    const now = this.#leases.now();
    for (const lane of this.#lanes.codes) {
      const profile = this.#lanes.profile(lane);
      if (profile?.session?.keepAlive === undefined || !this.#leases.isLive()) continue;
      const slot = this.#leases.idleSlot(lane, this.#lanes.ceiling(lane, now));
      // Not awaited: a portal that stalls must hold up its own slot only.
      if (slot !== undefined) this.#unawaited.watch(this.#tend(profile, slot));
    }
  }

  /** A request like any other, so it counts against the ceiling; the portal gives failures as values. */
  async #tend(profile: Profile, slot: LocalSlot): Promise<void> {
    slot.busy = true;
    const exchange = await this.#portal.tend?.(profile, this.#leases.guard());
    if (exchange !== undefined && mayKeepBusy(exchange, profile)) {
      slot.restUntilMs = this.#clock.monotonicMs() + profile.longestServiceMs;
    }
    slot.busy = false;
    this.#freed();
  }
}
