/**
 * A command that only reads from a portal, as one more user of the lane: it registers like a worker, takes one slot, and
 * writes under its lease. So the ceiling holds over all processes, and a command that dies is noticed as a worker is.
 */
import {
  type Clock,
  type DeliveryStore,
  effectiveCeiling,
  type Exchange,
  FilewrightError,
  type LaneCode,
  type Processes,
  type Profile,
  type SlotRef,
  type WorkerId,
  type WriteGuard,
} from '../core/index.ts';
import { Leases, momentOf } from './leases.ts';

/** Workers look for who is short of slots every few hundred milliseconds; a request that is under way takes seconds. */
const WAIT_MS_MAX = 15_000;
const LOOK_AGAIN_MS = 200;

export interface LaneReader {
  /** False once a request was lost: the portal may still be at work on it, and this reader has no other slot. */
  readonly mayRead: boolean;
  /** At a path below the lane's base address; one at a time. */
  read(path: string): Promise<Exchange>;
}

export interface ReaderPorts {
  readonly clock: Clock;
  readonly store: Pick<
    DeliveryStore,
    'registerWorker' | 'beat' | 'endWorker' | 'survey' | 'acquireSlots' | 'releaseSlots'
  >;
  readonly processes: Pick<Processes, 'host' | 'self'>;
  readonly portal: {
    read(profile: Profile, path: string, guard: WriteGuard): Promise<Exchange>;
  };
  readonly leaseMs: number;
}

/** Throws LANE_BUSY when no slot becomes free in time; nothing was sent then. */
export async function withLaneReader<Result>(
  ports: ReaderPorts,
  lane: { readonly code: LaneCode; readonly profile: Profile },
  work: (reader: LaneReader) => Promise<Result>,
): Promise<Result> {
  const { clock, store, processes, leaseMs } = ports;
  const leases = new Leases(clock, leaseMs);
  const askedAt = momentOf(clock);
  const { pid, startedAt } = processes.self;
  const self = { host: processes.host, pid, pidStartedAt: startedAt };
  const { id, now } = await store.registerWorker(self);
  leases.begin(id, now, askedAt);
  const over = new AbortController();
  const beating = beat(ports, leases, id, over.signal);
  let reader: OneSlot | undefined;
  try {
    const slot = await takeSlot(ports, leases, id, lane);
    reader = new OneSlot(ports, leases, lane.profile, slot);
    return await work(reader);
  } finally {
    over.abort();
    await beating;
    leases.lose();
    // A slot that is not given back rests, from the end of its holder, until the portal must be done with the request.
    if (reader?.mayRead === true) await store.releaseSlots(id, [reader.slot]);
    await store.endWorker(id);
  }
}

class OneSlot implements LaneReader {
  readonly slot: SlotRef;
  readonly #ports: ReaderPorts;
  readonly #leases: Leases;
  readonly #profile: Profile;
  #isBusy = false;

  constructor(ports: ReaderPorts, leases: Leases, profile: Profile, slot: SlotRef) {
    this.slot = slot;
    this.#ports = ports;
    this.#leases = leases;
    this.#profile = profile;
  }

  get mayRead(): boolean {
    return !this.#isBusy;
  }

  async read(path: string): Promise<Exchange> {
    if (this.#isBusy) {
      throw new FilewrightError(
        'LANE_BUSY',
        `Lane ${this.slot.lane}: its portal may still be at work on the request before this one`,
      );
    }
    this.#isBusy = true;
    const exchange = await this.#ports.portal.read(this.#profile, path, this.#leases.guard());
    this.#isBusy = exchange.kind === 'failure' && (exchange.written || exchange.mayBeBusy === true);
    return exchange;
  }
}

async function takeSlot(
  { clock, store }: ReaderPorts,
  leases: Leases,
  worker: WorkerId,
  { code, profile }: { readonly code: LaneCode; readonly profile: Profile },
): Promise<SlotRef> {
  const untilMs = clock.monotonicMs() + WAIT_MS_MAX;
  do {
    const { lanes } = await store.survey();
    const state = lanes.find((lane) => lane.code === code);
    const ceiling = state === undefined ? 0 : effectiveCeiling(state, profile, leases.now());
    if (ceiling > 0) {
      const [slot] = await store.acquireSlots(worker, [{ lane: code, count: 1, ceiling }]);
      if (slot !== undefined) return slot;
    }
    await clock.sleep(LOOK_AGAIN_MS);
  } while (clock.monotonicMs() < untilMs);
  throw new FilewrightError(
    'LANE_BUSY',
    `Lane ${code}: a free slot was expected within ${WAIT_MS_MAX / 1000} seconds, all ${profile.ceiling} are in use`,
  );
}

/** Until told to end. Without a heartbeat the lease runs out, and the guard refuses whatever was not written yet. */
async function beat(
  { clock, store, leaseMs }: ReaderPorts,
  leases: Leases,
  worker: WorkerId,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(leaseMs / 3, over);
    if (over.aborted) return;
    const askedAt = momentOf(clock);
    // A database that is away for a moment is asked again; the lease counts down meanwhile.
    const answer = await store.beat(worker).catch(() => undefined);
    if (answer?.alive === true) leases.extend(answer.now, askedAt);
    else if (answer !== undefined) {
      leases.lose();
      return;
    }
  }
}
