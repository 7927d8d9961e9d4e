/**
 * Finds out whether a portal whose breaker is open is well again. Probes run beside the pass over the lanes, one for each
 * lane at most: a health page that hangs holds up nobody but its own lane, and is over with the profile's time-out.
 */
import {
  type BreakerState,
  type Clock,
  type DeliveryStore,
  isDatabaseAway,
  type LaneCode,
  type Portal,
  type Profile,
  type Survey,
} from '../../core/index.ts';
import { isHealthy } from '../rules/classify.ts';
import { mayKeepBusy } from '../rules/busy.ts';
import { probeDueAt } from '../rules/lane-rules.ts';
import type { Lanes } from './lanes.ts';
import type { Leases, LocalSlot } from './leases.ts';
import type { Unawaited } from './unawaited.ts';

/** A heartbeat tells the time again; they come every second or two. */
const CLOCK_AGAIN_MS = 50;

interface ProberParts {
  readonly clock: Clock;
  readonly store: Pick<DeliveryStore, 'leaseProbe'>;
  readonly portal: Pick<Portal, 'probe'>;
  readonly lanes: Lanes;
  readonly leases: Leases;
  readonly unawaited: Unawaited;
  readonly stopped: AbortSignal;
}

export class Prober {
  readonly #parts: ProberParts;
  readonly #probing = new Map<LaneCode, Promise<void>>();

  constructor(parts: ProberParts) {
    this.#parts = parts;
  }

  /** Begins the probe of each lane whose breaker is open, once nothing else of ours or anybody's is in flight there. */
  async beginDue(survey: Survey): Promise<void> {
    for (const lane of this.#parts.lanes.codes) {
      if (!this.#probing.has(lane)) await this.#begin(lane, survey);
    }
  }

  /** Resolves when no probe is under way; they are cut off when the lease is given back. */
  async ended(): Promise<void> {
    await Promise.all(this.#probing.values());
  }

  async #begin(lane: LaneCode, survey: Survey): Promise<void> {
    const { store, lanes, leases, unawaited } = this.#parts;
    const state = lanes.state(lane);
    const profile = lanes.profile(lane);
    const { worker } = leases;
    if (state === undefined || profile === undefined || worker === undefined) return;
    const at = probeDueAt(state);
    if (at === undefined || at > leases.now()) return;
    const isUsed = survey.slots.some(
      (slot) => slot.lane === lane && slot.holder !== worker && slot.expiresAt > survey.now,
    );
    if (isUsed || leases.slotsOf(lane).length > 0) return;
    // Awaited, as all taking of slots is: one that the next survey shows and we do not know of would be given back.
    const taken = await store.leaseProbe(worker, lane);
    if (taken === undefined || leases.worker !== worker) return;
    const slot = leases.addSlot(taken);
    slot.busy = true;
    const probing = this.#probe(profile, slot, state.breaker)
      .catch((error: unknown) => {
        // Stopped while the database was away: nobody hears of this probe, and the next one finds out the same.
        if (!this.#parts.stopped.aborted || !isDatabaseAway(error)) throw error;
      })
      .finally(() => this.#probing.delete(lane));
    this.#probing.set(lane, probing);
    unawaited.watch(probing);
  }

  async #probe(profile: Profile, slot: LocalSlot, of: BreakerState): Promise<void> {
    const { clock, portal, lanes, leases } = this.#parts;
    const guard = leases.guard();
    const exchange = await portal.probe(profile, guard);
    if (mayKeepBusy(exchange, profile)) {
      slot.restUntilMs = clock.monotonicMs() + profile.longestServiceMs;
    }
    slot.busy = false;
    // The machine may have been suspended since. Dated by a clock that stood still, a good probe would let the next one
    // follow at once, and two answers of one moment would close the breaker.
    while (!leases.knowsTime && !guard.signal.aborted) await clock.sleep(CLOCK_AGAIN_MS);
    // Somebody else has the lane by now, and will see for himself.
    if (guard.signal.aborted) return;
    const event = { kind: 'probed', good: isHealthy(exchange), of } as const;
    await lanes.apply(slot.lane, event, leases.now());
  }
}
