/** This process's view of the lanes, and the one way to change a lane: compare-and-set with the facts beside it. */
import {
  type Clock,
  type DeliveryStore,
  type Ids,
  type Instant,
  isDatabaseAway,
  type LaneCode,
  type LaneState,
  type Profile,
  sameJson,
  type Survey,
  type WorkerId,
} from '../../core/index.ts';
import { effectiveCeiling, laneAfter, type LaneEvent } from '../rules/lane-rules.ts';
import { isOpen } from '../rules/hours.ts';
import { laneFacts } from '../rules/lane-facts.ts';

/** Losing the race so often means that the lane changes faster than we can read it; the next answer tries again. */
const RACES_MAX = 8;
const RETRY_MS = 100;

export class Lanes {
  readonly #store: Pick<DeliveryStore, 'survey' | 'changeLane'>;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #profiles: ReadonlyMap<LaneCode, Profile>;
  readonly #stopped: AbortSignal;
  readonly #states = new Map<LaneCode, LaneState>();
  readonly #open = new Map<LaneCode, boolean>();
  readonly #shared = new Set<LaneCode>();
  /** What the lane will be once the changes that wait for one under way are committed too. */
  readonly #coming = new Map<LaneCode, LaneState>();
  /** The end of the change under way, by lane. */
  readonly #changing = new Map<LaneCode, Promise<LaneState | undefined>>();

  constructor(options: {
    readonly store: Pick<DeliveryStore, 'survey' | 'changeLane'>;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly profiles: ReadonlyMap<LaneCode, Profile>;
    readonly stopped: AbortSignal;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#ids = options.ids;
    this.#profiles = options.profiles;
    this.#stopped = options.stopped;
  }

  refresh(lanes: readonly LaneState[], now: Instant): void {
    for (const lane of lanes) {
      const known = this.#states.get(lane.code);
      // Our own change is not in the row until it is committed, and must not be forgotten meanwhile.
      const isNews = known === undefined || known.version < lane.version;
      if (isNews || (known.version === lane.version && !this.#changing.has(lane.code))) {
        this.#states.set(lane.code, lane);
      }
      this.#open.set(lane.code, isOpen(this.#profiles.get(lane.code)?.hours, now));
    }
  }

  /** Notes the lanes on which another worker is at work, too. */
  noteSharing({ slots, workers, now }: Survey, own: WorkerId | undefined): void {
    const alive = new Set(workers.filter((worker) => worker.alive).map(({ id }) => id));
    this.#shared.clear();
    for (const { lane, holder, expiresAt } of slots) {
      const isOthers = holder !== undefined && holder !== own && alive.has(holder);
      if (isOthers && expiresAt > now) this.#shared.add(lane);
    }
  }

  isShared(lane: LaneCode): boolean {
    return this.#shared.has(lane);
  }

  get codes(): readonly LaneCode[] {
    return [...this.#states.keys()];
  }

  /** With every answer that this process has heard, committed or not. */
  state(lane: LaneCode): LaneState | undefined {
    return this.#coming.get(lane) ?? this.#states.get(lane);
  }

  profile(lane: LaneCode): Profile | undefined {
    return this.#profiles.get(lane);
  }

  /** What may be in flight on the lane now: nothing while it is paused, closed or unknown to us. */
  ceiling(lane: LaneCode, now: Instant): number {
    const state = this.state(lane);
    const profile = this.#profiles.get(lane);
    if (state === undefined || profile === undefined || this.#open.get(lane) !== true) return 0;
    return effectiveCeiling(state, profile, now);
  }

  /**
   * Applies an event. A healthy lane's answer changes nothing and costs nothing. A change is seen by this process at
   * once and by the others when it is committed. One at a time for each lane: a change computed from another that is
   * not committed would leave that one's facts unsaid. What waits for its turn counts here at once all the same, or
   * the next filing would go out to a portal that has just told us to stop.
   */
  async apply(lane: LaneCode, event: LaneEvent, now: Instant): Promise<LaneState | undefined> {
    const before = this.#changing.get(lane);
    if (before !== undefined) this.#expect(lane, event, now);
    const change =
      before === undefined
        ? this.#change(lane, event, now)
        : before.then(() => this.#change(lane, event, now));
    this.#changing.set(lane, change);
    try {
      return await change;
    } finally {
      if (this.#changing.get(lane) === change) {
        this.#changing.delete(lane);
        this.#coming.delete(lane);
      }
    }
  }

  #expect(lane: LaneCode, event: LaneEvent, now: Instant): void {
    const state = this.state(lane);
    const profile = this.#profiles.get(lane);
    if (state === undefined || profile === undefined) return;
    this.#coming.set(lane, laneAfter(state, event, profile, now));
  }

  async #change(lane: LaneCode, event: LaneEvent, now: Instant): Promise<LaneState | undefined> {
    for (let races = 0; races < RACES_MAX; races += 1) {
      const before = this.#states.get(lane);
      const profile = this.#profiles.get(lane);
      if (before === undefined || profile === undefined) return undefined;
      const after = laneAfter(before, event, profile, now);
      if (after === before) return before;
      this.#states.set(lane, after);
      const stored = await this.#commit(before, after, now);
      this.#states.set(lane, stored);
      if (sameJson(stored, { ...after, version: before.version + 1 })) return stored;
    }
    return this.#states.get(lane);
  }

  /**
   * The row as it stands once the database has said yes or no. While it is away we wait: the outcome that brought this
   * event cannot be committed either, and a pause that is dropped would be a portal ignored.
   */
  async #commit(before: LaneState, after: LaneState, now: Instant): Promise<LaneState> {
    const facts = laneFacts(before, after, this.#ids, now);
    for (;;) {
      try {
        if (await this.#store.changeLane(before, after, facts)) {
          return { ...after, version: before.version + 1 };
        }
        // Somebody else was faster, or an earlier try of ours did commit and only its answer was lost.
        const { lanes } = await this.#store.survey();
        return lanes.find((lane) => lane.code === before.code) ?? before;
      } catch (error) {
        if (!isDatabaseAway(error) || this.#stopped.aborted) throw error;
        await this.#clock.sleep(RETRY_MS);
      }
    }
  }
}
