/**
 * One worker: five loops around the delivery loop.
 *
 *   beat      keeps the lease; when it is lost, everything in flight is cut off and a new incarnation begins
 *   manage    surveys lanes, slots and workers; takes and gives back slots; settles what the dead left; probes
 *   tick      commits outcomes and claims as fast as there is something to commit
 *   sequence  turns committed facts into ledger entries
 *   profiles  notices lanes that were added and profiles that were changed
 *
 * Each loop survives a database that goes away: it tries again, and the lease decides what may still be sent.
 */
import { setMaxListeners } from 'node:events';
import {
  type Clock,
  type DeliveryStore,
  type Ids,
  isDatabaseAway,
  type LaneCode,
  type Log,
  type Portal,
  type Processes,
  type Profile,
  type SendGate,
  type SequencerStore,
  type Survey,
  type Vault,
  type WorkerId,
} from '../../core/index.ts';
import {
  Lanes,
  Leases,
  momentOf,
  Neighbours,
  planSlots,
  Prober,
  SessionKeeper,
  Unawaited,
} from '../../lanes/index.ts';
import { DeliveryLoop } from './loop.ts';
import { Recorder } from './recorder.ts';
import { DEFAULT_SETTINGS, type WorkerSettings } from './settings.ts';

export interface WorkerPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: DeliveryStore;
  readonly sequencer: SequencerStore | undefined;
  readonly portal: Portal;
  readonly gate?: SendGate;
  readonly vault: Vault;
  readonly log: Log;
  readonly processes: Processes;
  readonly profiles: ReadonlyMap<LaneCode, Profile>;
  /** Which profile of its lane each of them is, where lanes can get another. */
  readonly numberOf?: (profile: Profile) => number | undefined;
  /** Brings `profiles` up to date with what people have added or changed since. */
  readonly refreshProfiles?: () => Promise<void>;
}

/** Filings taken from dead workers, or for people, in one statement; the next pass takes the rest. */
const TAKE_MAX = 100;
const SEQUENCE_MAX = 256;
/** Waiting without a wake-up call: the queue is looked at again, since a filing may have become due. */
const IDLE_MS = 50;
const DATABASE_RETRY_MS = 250;
/** How soon a lane that was added, or a profile that was changed, is noticed. */
const PROFILES_MS = 2_000;

export class Worker {
  readonly #ports: WorkerPorts;
  readonly #settings: WorkerSettings;
  readonly #leases: Leases;
  readonly #lanes: Lanes;
  readonly #neighbours: Neighbours;
  readonly #loop: DeliveryLoop;
  readonly #keeper: SessionKeeper;
  readonly #prober: Prober;
  readonly #stopped = new AbortController();
  readonly #unawaited = new Unawaited(this.#stopped);
  #wake: AbortController = new AbortController();
  #draining = false;
  #stopping: Promise<void> | undefined;
  #skewReported = false;

  constructor(ports: WorkerPorts, settings: Partial<WorkerSettings> = {}) {
    this.#ports = ports;
    this.#settings = { ...DEFAULT_SETTINGS, ...settings };
    this.#leases = new Leases(ports.clock, this.#settings.leaseMs);
    const stopped = this.#stopped.signal;
    // Every slot at rest waits on it.
    setMaxListeners(0, stopped);
    this.#lanes = new Lanes({ ...ports, stopped });
    this.#neighbours = new Neighbours(ports, this.#settings.leaseMs);
    const recorder = new Recorder({ ...ports, lanes: this.#lanes, stopped });
    this.#loop = new DeliveryLoop({
      ...ports,
      leases: this.#leases,
      lanes: this.#lanes,
      recorder,
      ahead: this.#settings.ahead,
      wake: () => this.#wakeUp(),
      unawaited: this.#unawaited,
      stopped,
    });
    const watched = {
      ...ports,
      lanes: this.#lanes,
      leases: this.#leases,
      unawaited: this.#unawaited,
      stopped,
    };
    this.#keeper = new SessionKeeper(watched, () => this.#loop.dispatch());
    this.#prober = new Prober(watched);
  }

  /** Whether it could send at this moment: it holds its lease, so the database answers, and its clock is right. */
  get isWell(): boolean {
    return this.#leases.guard().mayWrite();
  }

  /** Runs until `stop` is called; resolves when everything is drained and released. */
  async run(): Promise<void> {
    await this.#untilDone('register', () => this.#begin());
    const { refreshProfiles } = this.#ports;
    await Promise.all([
      this.#every(this.#settings.leaseMs / 3, 'beat', () => this.#beat()),
      this.#every(this.#settings.manageMs, 'manage', () => this.#manage()),
      this.#ticks(),
      this.#every(this.#settings.sequenceMs, 'sequence', () => this.#sequence()),
      refreshProfiles && this.#every(PROFILES_MS, 'profiles', refreshProfiles),
    ]);
    // The loops end before slots and lease are given back; whoever waits for us closes the connections next.
    await this.#stopping;
    this.#unawaited.check();
  }

  /** Drains and releases: no new claims, unsent ones given back, answers in flight awaited, then slots and lease. */
  stop(): Promise<void> {
    if (this.#stopping === undefined) {
      this.#stopping = this.#drain();
      this.#unawaited.watch(this.#stopping);
    }
    return this.#stopping;
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    const { clock, store } = this.#ports;
    this.#loop.stopClaiming();
    this.#loop.giveBackAll();
    const untilMs = clock.monotonicMs() + this.#settings.drainMsMax;
    while (!this.#loop.isEmpty && !this.#stopped.signal.aborted && clock.monotonicMs() < untilMs) {
      this.#wakeUp();
      await clock.sleep(IDLE_MS);
    }
    this.#stopped.abort();
    this.#wakeUp();
    const { worker } = this.#leases;
    if (worker === undefined) return;
    const slots = this.#lanes.codes.flatMap((lane) => this.#leases.slotsOf(lane));
    // What is still in flight keeps its slot: ended, it rests until the portal must be done with it.
    const free = slots.filter((slot) => !slot.busy && slot.restUntilMs <= clock.monotonicMs());
    this.#leases.lose();
    await this.#prober.ended();
    // Where the database is away nothing can be released; the lease runs out by itself.
    await this.#guarded('release', async () => {
      await store.releaseSlots(worker, free);
      await store.endWorker(worker);
    });
  }

  #wakeUp(): void {
    // With a reason of our own the platform does not build an exception each time, which cost 3 % of a busy worker.
    this.#wake.abort('woken');
  }

  async #begin(): Promise<void> {
    const { store, processes, clock } = this.#ports;
    const askedAt = momentOf(clock);
    const { pid, startedAt } = processes.self;
    const { id, now } = await store.registerWorker({
      host: processes.host,
      pid,
      pidStartedAt: startedAt,
    });
    this.#leases.begin(id, now, askedAt);
    this.#reportSkew();
  }

  async #beat(): Promise<void> {
    const { store, clock, log } = this.#ports;
    const { worker } = this.#leases;
    if (worker === undefined) return this.#begin();
    const askedAt = momentOf(clock);
    const { alive, now } = await store.beat(worker);
    if (alive) {
      this.#leases.extend(now, askedAt);
      this.#reportSkew();
      return;
    }
    // Stopped meanwhile: we gave the lease back ourselves.
    if (this.#stopped.signal.aborted) return;
    // Somebody may already be settling what we held. Nothing more is written under the old lease.
    log.write({ level: 'warn', event: 'worker.lease_lost' });
    this.#leases.lose();
    this.#loop.giveBackAll();
    await this.#begin();
  }

  async #manage(): Promise<void> {
    const { store } = this.#ports;
    const survey = await store.survey();
    this.#lanes.refresh(survey.lanes, survey.now);
    this.#lanes.noteSharing(survey, this.#leases.worker);
    await this.#neighbours.endDead(survey, this.#leases.worker);
    const { worker } = this.#leases;
    if (worker === undefined || !this.#leases.isLive()) return;
    await this.#balanceSlots(survey);
    if (!this.#draining) {
      this.#loop.take(await store.takeOrphans(worker, TAKE_MAX));
      this.#loop.take(await store.takeLate(worker, TAKE_MAX));
      await this.#prober.beginDue(survey);
      this.#keeper.tendAll();
    }
    // A skewed clock may stay so: others can send what we only keep.
    if (this.#leases.isSkewed) this.#loop.giveBackAll();
    // Whatever waited for a pause to end, or for a clock to be right again.
    this.#loop.dispatch();
    // A statement whose answer was lost may commit long after: claims that it made are looked for on every pass.
    this.#loop.lookForClaims();
    this.#wakeUp();
  }

  async #balanceSlots(survey: Survey): Promise<void> {
    const { store } = this.#ports;
    const { worker } = this.#leases;
    if (worker === undefined) return;
    const now = this.#leases.now();
    const ceilings = new Map(
      this.#lanes.codes.map((lane) => [lane, this.#lanes.ceiling(lane, now)]),
    );
    const plan = planSlots(survey, worker, ceilings);
    await this.#releaseUnknownSlots(survey, worker);
    for (const [lane, ceiling] of ceilings) {
      const asked = plan.giveBack.find((give) => give.lane === lane)?.count ?? 0;
      this.#leases.askBack(lane, asked);
      const back = this.#leases
        .idleSlots(lane)
        .filter((slot) => slot.n >= ceiling || slot.isLeaving || this.#draining);
      if (back.length > 0) {
        // Out of our hands first: a slot that we still believed in after its release could be used twice.
        this.#leases.removeSlots(back);
        await store.releaseSlots(worker, back);
      }
      if (ceiling === 0 || this.#leases.slotsOf(lane).length === 0) this.#loop.giveBack(lane);
    }
    if (plan.take.length === 0 || this.#draining) return;
    const taken = await store.acquireSlots(worker, plan.take);
    if (this.#leases.worker === worker) this.#leases.addSlots(taken);
  }

  /**
   * Slots that the database has under our name and we do not have: the answer to taking them, or the release itself,
   * was lost. Kept alive by our heartbeats, they would stand idle for as long as we live.
   */
  async #releaseUnknownSlots(survey: Survey, worker: WorkerId): Promise<void> {
    const unknown = survey.slots.filter(
      ({ lane, fence, holder, expiresAt }) =>
        holder === worker &&
        expiresAt > survey.now &&
        !this.#leases.slotsOf(lane).some((slot) => slot.fence === fence),
    );
    if (unknown.length > 0) await this.#ports.store.releaseSlots(worker, unknown);
  }

  async #sequence(): Promise<void> {
    const { sequencer } = this.#ports;
    if (sequencer === undefined) return;
    while ((await sequencer.sequence(SEQUENCE_MAX)) === SEQUENCE_MAX);
  }

  async #ticks(): Promise<void> {
    const { clock } = this.#ports;
    while (!this.#stopped.signal.aborted) {
      this.#wake = new AbortController();
      const startedMs = clock.monotonicMs();
      const worked = await this.#guarded('tick', () => this.#loop.tick());
      const earlyMs = this.#settings.tickMsMin - (clock.monotonicMs() - startedMs);
      if (worked === true && earlyMs > 0) await clock.sleep(earlyMs, this.#stopped.signal);
      if (worked === undefined) await clock.sleep(DATABASE_RETRY_MS, this.#stopped.signal);
      else if (!worked) await clock.sleep(IDLE_MS, this.#wake.signal);
    }
  }

  async #every(ms: number, name: string, work: () => Promise<void>): Promise<void> {
    const { clock } = this.#ports;
    while (!this.#stopped.signal.aborted) {
      const done = await this.#succeeds(name, work);
      // A heartbeat that failed is not put off until the next one is due: the lease may be over by then.
      await clock.sleep(done ? ms : Math.min(ms, DATABASE_RETRY_MS), this.#stopped.signal);
    }
  }

  async #untilDone(name: string, work: () => Promise<void>): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      if (await this.#succeeds(name, work)) return;
      await this.#ports.clock.sleep(DATABASE_RETRY_MS, this.#stopped.signal);
    }
  }

  async #succeeds(name: string, work: () => Promise<void>): Promise<boolean> {
    const done = this.#guarded(name, async () => {
      await work();
      return true;
    });
    return (await done) === true;
  }

  /** A database that is away, or a full disk, is waited out; anything else is a broken assumption and ends the worker. */
  async #guarded<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error)) {
        this.#stopped.abort();
        throw error;
      }
      this.#ports.log.write({ level: 'warn', event: `worker.${name}_waits`, error: error.code });
      return undefined;
    }
  }

  #reportSkew(): void {
    if (this.#leases.isSkewed && !this.#skewReported) {
      this.#ports.log.write({ level: 'error', event: 'worker.clock_skew', error: 'CLOCK_SKEW' });
    }
    this.#skewReported = this.#leases.isSkewed;
  }
}
