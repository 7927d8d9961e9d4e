/**
 * A command that asks a portal, as one more user of the lane: it registers like a worker, takes slots, and writes under
 * its lease. So the ceiling holds over all processes, and a command that dies is noticed as a worker is.
 */
import {
  type Clock,
  type DeliveryStore,
  type Exchange,
  FilewrightError,
  type LaneCode,
  type Processes,
  type Profile,
  type SlotRef,
  type WorkerId,
  type WriteGuard,
} from '../../core/index.ts';
import { effectiveCeiling } from '../rules/lane-rules.ts';
import { mayKeepBusy } from '../rules/busy.ts';
import { Leases, momentOf } from './leases.ts';

/** Beyond the request that is under way: workers look for who waits every few hundred milliseconds. */
const WAIT_MS = 15_000;
/** Whoever sits before a screen has waited enough by then, however long a portal may take. */
const WAIT_MS_MAX = 5 * 60_000;
const LOOK_AGAIN_MS = 200;

export interface LaneReader {
  /** False once an outcome did not show that the portal is done with a request: it may still be at work on it, and this reader has no other slot. */
  readonly mayRead: boolean;
  /** At a path below the lane's base address; one at a time. */
  read(path: string): Promise<Exchange>;
}

interface ReaderPorts {
  readonly clock: Clock;
  readonly store: Pick<
    DeliveryStore,
    | 'registerWorker'
    | 'beat'
    | 'endWorker'
    | 'survey'
    | 'acquireSlots'
    | 'releaseSlots'
    | 'leaseProbe'
  >;
  readonly processes: Pick<Processes, 'host' | 'self'>;
  readonly portal: {
    read(profile: Profile, path: string, guard: WriteGuard): Promise<Exchange>;
  };
  readonly leaseMs: number;
}

type SlotPorts = Omit<ReaderPorts, 'portal'>;

export interface SlotWants {
  readonly count: number;
  readonly whileHeld: boolean;
  /** Called once, when it has to wait: for how long at most. */
  readonly onWait?: (msMax: number) => void;
}

export interface LaneToUse {
  readonly code: LaneCode;
  readonly profile: Profile;
}

/** Slots that a command has for as long as it runs. */
export interface CommandSlots {
  readonly count: number;
  readonly guard: WriteGuard;
  /** Set while the portal may be at work: slots that are not given back rest, from the end of their holder, until it must be done. */
  isBusy: boolean;
}

/** How an act comes to the portal of a lane. */
export interface LaneAccess {
  /** Reads from the portal of a lane, in a slot of that lane. */
  reading<Result>(lane: LaneToUse, work: (reader: LaneReader) => Promise<Result>): Promise<Result>;
  /** The same for a command that does more than read, also while the lane is held. */
  inSlots<Result>(
    lane: LaneToUse,
    wants: Omit<SlotWants, 'whileHeld'>,
    work: (slots: CommandSlots) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * Throws LANE_BUSY when no slot becomes free in time; nothing was sent then. `whileHeld`: a lane that stands still can be
 * looked at too, by whoever finds out why.
 */
export async function withLaneSlots<Result>(
  ports: SlotPorts,
  lane: LaneToUse,
  wants: SlotWants,
  work: (slots: CommandSlots) => Promise<Result>,
): Promise<Result> {
  const { clock, store, processes, leaseMs } = ports;
  const leases = new Leases(clock, leaseMs);
  const askedAt = momentOf(clock);
  const { pid, startedAt } = processes.self;
  const self = { host: processes.host, pid, pidStartedAt: startedAt, wants: lane.code };
  const { id, now } = await store.registerWorker(self);
  leases.begin(id, now, askedAt);
  const over = new AbortController();
  const beating = beat(ports, leases, id, over.signal);
  let taken: readonly SlotRef[] = [];
  let slots: CommandSlots | undefined;
  try {
    taken = await takeSlots(ports, leases, id, lane, wants);
    slots = { count: taken.length, guard: leases.guard(), isBusy: false };
    return await work(slots);
  } finally {
    over.abort();
    await beating;
    leases.lose();
    if (slots?.isBusy === false) await store.releaseSlots(id, taken);
    await store.endWorker(id);
  }
}

/** One slot, for a command that only reads. */
export function withLaneReader<Result>(
  ports: ReaderPorts,
  lane: LaneToUse,
  work: (reader: LaneReader) => Promise<Result>,
): Promise<Result> {
  return withLaneSlots(ports, lane, { count: 1, whileHeld: false }, (slots) =>
    work(new OneSlot(ports.portal, lane, slots)),
  );
}

class OneSlot implements LaneReader {
  readonly #portal: ReaderPorts['portal'];
  readonly #lane: LaneToUse;
  readonly #slots: CommandSlots;

  constructor(portal: ReaderPorts['portal'], lane: LaneToUse, slots: CommandSlots) {
    this.#portal = portal;
    this.#lane = lane;
    this.#slots = slots;
  }

  get mayRead(): boolean {
    return !this.#slots.isBusy;
  }

  async read(path: string): Promise<Exchange> {
    const { code, profile } = this.#lane;
    if (this.#slots.isBusy) {
      throw new FilewrightError(
        'LANE_BUSY',
        `Lane ${code}: its portal may still be processing the previous request`,
      );
    }
    this.#slots.isBusy = true;
    const exchange = await this.#portal.read(profile, path, this.#slots.guard);
    this.#slots.isBusy = mayKeepBusy(exchange, profile);
    return exchange;
  }
}

async function takeSlots(
  { clock, store }: SlotPorts,
  leases: Leases,
  worker: WorkerId,
  { code, profile }: LaneToUse,
  { count, whileHeld, onWait }: SlotWants,
): Promise<readonly SlotRef[]> {
  const waitMs = Math.min(WAIT_MS + profile.longestServiceMs, WAIT_MS_MAX);
  const untilMs = clock.monotonicMs() + waitMs;
  let isTold = false;
  do {
    const { lanes } = await store.survey();
    const state = lanes.find((lane) => lane.code === code);
    const ceiling = state === undefined ? 0 : effectiveCeiling(state, profile, leases.now());
    if (ceiling > 0) {
      const slots = await store.acquireSlots(worker, [{ lane: code, count, ceiling }]);
      if (slots.length > 0) return slots;
    } else if (whileHeld && state?.pause.kind === 'held') {
      const slot = await store.leaseProbe(worker, code);
      if (slot !== undefined) return [slot];
    }
    if (!isTold) onWait?.(waitMs);
    isTold = true;
    await clock.sleep(LOOK_AGAIN_MS);
  } while (clock.monotonicMs() < untilMs);
  throw new FilewrightError(
    'LANE_BUSY',
    `Lane ${code}: expected a free slot within ${Math.round(waitMs / 1000)} seconds; all ${profile.ceiling} are in use or closed for now`,
  );
}

/** Until told to end. Without a heartbeat the lease runs out, and the guard refuses whatever was not written yet. */
async function beat(
  { clock, store, leaseMs }: SlotPorts,
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
