/**
 * One lane of a rehearsal: the real worker on a virtual clock, a memory store and a simulated portal. Lanes share
 * nothing but the process, so each is rehearsed alone, and memory is bounded by the largest of them.
 */
import {
  type Clock,
  type DeliveryStore,
  type Ids,
  type Instant,
  instant,
  type LaneCode,
  laneCode,
  type LaneState,
  type Log,
  type Portal,
  type Processes,
  type Profile,
  type Vault,
} from '../../core/index.ts';
import { OpenSpans } from '../../filings/index.ts';
import { MemoryDatabase } from '../memory/database.ts';
import { MemoryStore } from '../memory-store.ts';
import { PortalModel } from '../simulator/portal-model.ts';
import { SeededIds, SeededRandom, VirtualTime } from '../virtual-clock.ts';
import { admit, type RehearsedFiling } from './admit.ts';
import { QueueWatch } from './queue-watch.ts';
import { QuietClock } from './quiet-clock.ts';
import { quietUntil } from './quiet-until.ts';
import {
  openVault,
  type Outage,
  rehearsalBehaviour,
  RehearsalPortal,
  rehearsalProfile,
} from './stage.ts';
import { type RehearsedEnd, watched } from './watched-store.ts';

/** The engine comes as a value: this room does not know the worker. */
export interface RehearsedWorker {
  run(): Promise<void>;
  stop(): Promise<void>;
}

export interface RehearsalPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: DeliveryStore;
  readonly sequencer: undefined;
  readonly portal: Portal;
  readonly vault: Vault;
  readonly log: Log;
  readonly processes: Processes;
  readonly profiles: ReadonlyMap<LaneCode, Profile>;
}

export interface LaneRehearsal {
  readonly profile: Profile;
  readonly state: LaneState;
  /** How long a slot is busy with one filing. */
  readonly serviceMs: number;
  readonly filings: readonly RehearsedFiling[];
  readonly startAt: Instant;
  readonly outages: readonly Outage[];
  /** Share of requests that meet a passing fault, 0 to 1. */
  readonly faultRate: number;
  readonly seed: number;
  readonly settings: RehearsalSettings;
  readonly createWorker: (ports: RehearsalPorts) => RehearsedWorker;
}

/** The worker's own intervals: which sleeps are only looks (quiet-clock.ts), and how long a lease lasts. */
export interface RehearsalSettings {
  readonly leaseMs: number;
  readonly looksMs: readonly number[];
}

export interface LaneRehearsed {
  readonly lane: string;
  readonly ends: readonly RehearsedEnd[];
  /** Had no end when the rehearsal ended. */
  readonly open: number;
  readonly endedAt: Instant;
  readonly requests: number;
  readonly events: number;
}

/** After the last moment of any filing: time for what is being settled to end. */
const AFTER_LAST_MS = 2 * 86_400_000;
/** A filing takes a few dozen events even when everything goes wrong; more is a circle. */
const EVENTS_PER_FILING_MAX = 1_000;
const EVENTS_MIN = 2_000_000;

export async function rehearseLane(input: LaneRehearsal): Promise<LaneRehearsed> {
  const time = new VirtualTime({ startMs: input.startAt, seed: input.seed });
  const now = (): Instant => instant(time.now);
  const profile = rehearsalProfile(input.profile);
  const requestMs = input.serviceMs / (profile.received.always === true ? 2 : 1);
  const model = new PortalModel({
    profile,
    requestLogMax: 1,
    behaviour: rehearsalBehaviour({ ...input, requestMs }),
  });
  const database = new MemoryDatabase({ now, leaseMs: input.settings.leaseMs });
  const watch = new QueueWatch(new Map(input.filings.map(({ id, lastSafe }) => [id, lastSafe])));
  const spans = new OpenSpans(profile.hours);
  const ends: RehearsedEnd[] = [];
  const clock: QuietClock = new QuietClock({
    time,
    looksMs: new Set(input.settings.looksMs),
    quietUntil: () =>
      quietUntil({ database, watch, spans, profile, inFlight: portal.inFlight }, now()),
  });
  const portal: RehearsalPortal = new RehearsalPortal({
    models: new Map([[profile.code, model]]),
    clock,
    outages: input.outages,
    onChange: () => clock.refresh(),
  });
  const ids = new SeededIds({ now }, new SeededRandom(input.seed, 'ids'));
  admit(database, ids, { ...input, profile });
  for (const { id, readyAt } of input.filings) watch.add(id, Math.max(readyAt, input.startAt));
  const worker = input.createWorker({
    clock,
    ids,
    store: watched(new MemoryStore(database), {
      watch,
      now,
      onEnd: (end) => {
        ends.push(end);
        if (ends.length === input.filings.length) time.stop();
      },
      onChange: () => clock.refresh(),
    }),
    sequencer: undefined,
    portal,
    vault: openVault,
    log: { write: () => undefined },
    processes: ALONE,
    profiles: new Map([[laneCode(profile.code), profile]]),
  });
  await play(worker, time, input);
  return {
    lane: profile.code,
    ends,
    open: input.filings.length - ends.length,
    endedAt: ends.at(-1)?.at ?? input.startAt,
    requests: model.truth.requests.submit + model.truth.requests.status,
    events: time.events,
  };
}

async function play(
  worker: ReturnType<LaneRehearsal['createWorker']>,
  time: VirtualTime,
  { filings, startAt }: LaneRehearsal,
): Promise<void> {
  let failure: unknown;
  void worker.run().catch((error: unknown) => {
    failure = error;
    time.stop();
  });
  const last = filings.reduce(
    (latest, { lastSafe }) => Math.max(latest, lastSafe),
    Number(startAt),
  );
  if (filings.length > 0) {
    await time.run({
      untilMs: Math.max(last, startAt) + AFTER_LAST_MS,
      eventsMax: Math.max(EVENTS_MIN, filings.length * EVENTS_PER_FILING_MAX),
    });
  }
  // The worker is left where it stands: its world ends with this function, and nothing outside knows of it.
  if (failure !== undefined) throw failure;
}

/** One process on one host, which nobody else can end. */
const ALONE: Processes = {
  host: 'rehearsal',
  self: { pid: 1, startedAt: 'rehearsal' },
  isRunning: () => true,
  end: () => Promise.resolve(false),
};
