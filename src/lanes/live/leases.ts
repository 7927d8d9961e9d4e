/**
 * What this process may do right now: its worker lease, counted down on a monotonic clock, and its slots.
 *
 * The deadline is the moment read *before* the heartbeat statement, plus the lease, less a margin: so it always lies
 * before the moment at which the database lets somebody else take over. It is kept on two clocks, because the monotonic
 * one stands still while a machine is suspended, and the wall clock may be set back; the earlier of the two counts.
 */
import {
  addMs,
  type Clock,
  type Instant,
  instant,
  type LaneCode,
  type SlotRef,
  type WorkerId,
  type WriteGuard,
} from '../../core/index.ts';

/** Covers the time between the check in `onRequestStart` and the bytes leaving this machine. */
const MARGIN_MS = 500;

/** Between two heartbeats the two clocks of a machine drift far less than this apart, unless it was suspended. */
const DISAGREEMENT_MS_MAX = 500;

/** A clock further off than this belongs to a machine whose other times cannot be trusted either. */
const SKEW_MS_MAX = 2_000;

/** One moment on both clocks of this machine. */
interface Moment {
  readonly monotonicMs: number;
  readonly wall: Instant;
}

export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonicMs(), wall: clock.now() };
}

export interface LocalSlot extends SlotRef {
  busy: boolean;
  /** A request whose connection was lost may still occupy the portal: the slot rests until then (monotonic). */
  restUntilMs: number;
  /** Another worker is short of slots: this one takes no new request and is given back when it is idle. */
  isLeaving: boolean;
}

export class Leases {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #slots = new Map<LaneCode, LocalSlot[]>();
  #worker: WorkerId | undefined;
  #deadlineMs = Number.NEGATIVE_INFINITY;
  #wallDeadline: Instant = instant(0);
  #databaseNow: Instant = instant(0);
  #readAtMs = 0;
  #readAtWall: Instant = instant(0);
  #skewMs = 0;
  /** False when this machine stood still between the last question and its answer: how old that answer is, nobody knows. */
  #isTimely = false;
  #lost = new AbortController();

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
  }

  get worker(): WorkerId | undefined {
    return this.#worker;
  }

  /** How far this machine's clock is from the database's. */
  get skewMs(): number {
    return this.#skewMs;
  }

  get isSkewed(): boolean {
    return Math.abs(this.#skewMs) > SKEW_MS_MAX;
  }

  /** The database's time, carried forward by the monotonic clock. */
  now(): Instant {
    const elapsedMs = this.#clock.monotonicMs() - this.#readAtMs;
    return instant(Math.round(this.#databaseNow + elapsedMs));
  }

  /**
   * False from a suspension, or a jump of the wall clock, until the next heartbeat: the clocks disagree about how long
   * ago the last one was, and a moment read from them could be far too early.
   */
  get knowsTime(): boolean {
    return (
      this.#isTimely && this.#clocksAgree({ monotonicMs: this.#readAtMs, wall: this.#readAtWall })
    );
  }

  #clocksAgree(since: Moment): boolean {
    const elapsedMs = this.#clock.monotonicMs() - since.monotonicMs;
    const wallElapsedMs = this.#clock.now() - since.wall;
    return Math.abs(elapsedMs - wallElapsedMs) <= DISAGREEMENT_MS_MAX;
  }

  begin(worker: WorkerId, databaseNow: Instant, askedAt: Moment): void {
    this.#worker = worker;
    this.#lost = new AbortController();
    this.extend(databaseNow, askedAt);
  }

  extend(databaseNow: Instant, askedAt: Moment): void {
    this.#deadlineMs = askedAt.monotonicMs + this.#leaseMs - MARGIN_MS;
    this.#wallDeadline = addMs(askedAt.wall, this.#leaseMs - MARGIN_MS);
    this.#isTimely = this.#clocksAgree(askedAt);
    // An answer of unknown age would make a clock that is off look right, and a right one off.
    if (!this.#isTimely && this.#databaseNow !== 0) return;
    // The database read its clock somewhere between our question and now. A slow answer tells little, so what we
    // believed before stands as far as this one allows; otherwise it would look like a clock that is off.
    const tripMs = this.#clock.monotonicMs() - askedAt.monotonicMs;
    const believed = this.#databaseNow === 0 ? addMs(databaseNow, tripMs / 2) : this.now();
    const latest = addMs(databaseNow, tripMs);
    this.#databaseNow = instant(Math.min(Math.max(believed, databaseNow), latest));
    this.#readAtMs = this.#clock.monotonicMs();
    this.#readAtWall = this.#clock.now();
    this.#skewMs = this.#clock.now() - this.#databaseNow;
  }

  /** The lease is gone: nothing is written any more, and what is in flight is cut off. */
  lose(): void {
    this.#worker = undefined;
    this.#deadlineMs = Number.NEGATIVE_INFINITY;
    this.#slots.clear();
    this.#lost.abort();
  }

  isLive(): boolean {
    if (this.#worker === undefined) return false;
    return this.#clock.monotonicMs() < this.#deadlineMs && this.#clock.now() < this.#wallDeadline;
  }

  /** For one request of one incarnation: a later incarnation of this process does not revive it. */
  guard(): WriteGuard {
    const { signal } = this.#lost;
    return {
      signal,
      mayWrite: () => !signal.aborted && this.isLive() && !this.isSkewed && this.knowsTime,
    };
  }

  addSlots(slots: readonly SlotRef[]): void {
    for (const slot of slots) this.addSlot(slot);
  }

  addSlot({ lane, n, fence }: SlotRef): LocalSlot {
    const list = this.#slots.get(lane) ?? [];
    const restUntilMs = Number.NEGATIVE_INFINITY;
    const slot: LocalSlot = { lane, n, fence, busy: false, restUntilMs, isLeaving: false };
    list.push(slot);
    this.#slots.set(lane, list);
    return slot;
  }

  removeSlots(slots: readonly LocalSlot[]): void {
    for (const slot of slots) {
      const list = this.#slots.get(slot.lane) ?? [];
      this.#slots.set(
        slot.lane,
        list.filter((other) => other !== slot),
      );
    }
  }

  /** Marks slots to be given back, idle ones first: with enough to do none would ever be found idle. */
  askBack(lane: LaneCode, count: number): void {
    const staying = this.slotsOf(lane).filter((slot) => !slot.isLeaving);
    const more = count - (this.slotsOf(lane).length - staying.length);
    const idleFirst = staying.toSorted((a, b) => Number(a.busy) - Number(b.busy));
    for (const slot of idleFirst.slice(0, Math.max(more, 0))) slot.isLeaving = true;
  }

  slotsOf(lane: LaneCode): readonly LocalSlot[] {
    return this.#slots.get(lane) ?? [];
  }

  /** A slot below the present ceiling that is neither busy nor resting. */
  idleSlot(lane: LaneCode, ceiling: number): LocalSlot | undefined {
    const nowMs = this.#clock.monotonicMs();
    return this.slotsOf(lane).find(
      (slot) => slot.n < ceiling && !slot.isLeaving && !slot.busy && slot.restUntilMs <= nowMs,
    );
  }

  idleSlots(lane: LaneCode): readonly LocalSlot[] {
    const nowMs = this.#clock.monotonicMs();
    return this.slotsOf(lane).filter((slot) => !slot.busy && slot.restUntilMs <= nowMs);
  }
}
