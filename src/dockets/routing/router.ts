/**
 * A router: takes dockets whose moment has come, hands them over, and reports what became of it. Any number may run;
 * what a dead one had in hand is found again by the clock, under the same message id.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../core/index.ts';
import type { Happening } from '../rules/routing/happening.ts';
import { type ConnectionTarget, Session } from '../../postgres/index.ts';
import { databaseNow, noteLaw, wakeOpenDockets } from '../store/steps.ts';
import { docketPayloads } from '../store/dockets.ts';
import { AssignmentLookup, type AssignmentOptions } from './assignments.ts';
import { codeOf } from './error-code.ts';
import { Group } from './group.ts';
import { destroyedHanded, type Handed, HandoffSender } from './hand-over.ts';
import type { HandoverOptions } from './handover-options.ts';
import { lawVersion } from './law-version.ts';
import { type HeldLetter, LetterBox } from './letter-box.ts';
import { warnOfMail } from './mail-watch.ts';
import { ManualNotices } from './manual-notices.ts';
import type { RoutingDeps } from './deps.ts';
import { QueueWatch, type QueueWatchOptions, type WatchedQueue } from './queue-watch.ts';
import { Recovery, type RecoveryOptions } from './recovery.ts';
import type { ActiveRouting } from './setup.ts';
import { stepDue, stepTold, type Telling } from './step.ts';
import type { PendingHandover } from './pending-handover.ts';

export interface RouterOptions
  extends Omit<RoutingDeps, 'session'>,
    HandoverOptions,
    Pick<AssignmentOptions, 'secretOf'> {
  readonly target: ConnectionTarget;
  readonly schema: string;
  /** In place of sessions with `target`. */
  readonly open?: (name: string) => Session;
  /** Handoffs under way at once; the rest waits in the table. Default 200. */
  readonly inFlightMax?: number;
  /** How soon a moment that has come is noticed. Default 100 ms. */
  readonly pollMs?: number;
  readonly recovery?: RecoveryOptions;
  /** Brokers' queues to be watched, beside our own. */
  readonly queues?: readonly WatchedQueue[];
  /** Measures the queue of a target, whichever targets the matrix has at the time. */
  readonly targetGauge?: NonNullable<QueueWatchOptions['targetGauge']>;
  readonly queueEveryMs?: number;
  /** Puts facts into the ledger; default: somebody else does. */
  readonly sequencer?: { sequence(): Promise<number> };
}

export interface RunningRouter {
  /** Lets what is under way end, and closes every connection. */
  stop(): Promise<void>;
}

const IN_FLIGHT_MAX = 200;
/** Dockets that wait for a letter to go out with: about a kilobyte each. */
const LETTERS_MAX = 2_000;
const POLL_MS = 100;
/** Dockets per transaction: enough that commits are few, few enough that locks are short. */
const STEPS_MAX = 50;
/** After the database was away. */
const AWAY_MS = 1_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
const SEQUENCE_MS = 100;
const ROUNDS_MAX = 10_000;
const REPORTS_MAX = 10;

export async function startRouter(options: RouterOptions): Promise<RunningRouter> {
  const crew = new Router(options);
  await crew.open();
  const ended = crew.run();
  return {
    stop: async () => {
      crew.stop();
      await ended;
      await crew.close();
    },
  };
}

class Router {
  readonly #options: RouterOptions;
  readonly #deps: RoutingDeps;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  /** Handoffs under way are let end by a stop; each listens, and there may be hundreds. */
  readonly #cutting = new AbortController();
  /** Claims, outcomes and payloads each have a connection, so that none waits for the other's commit. */
  readonly #claims: Session;
  readonly #outcomes: Session;
  readonly #reads: Session;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #telling: Group<Telling, void>;
  readonly #sender: HandoffSender;
  readonly #notices: ManualNotices;
  readonly #letters: LetterBox;
  readonly #recovery: Recovery;
  readonly #assignments: AssignmentLookup;
  readonly #queues: QueueWatch;
  #routing: ActiveRouting | undefined;

  constructor(options: RouterOptions) {
    const { target, schema } = options;
    this.#options = options;
    this.#clock = options.clock;
    setMaxListeners(0, this.#stopping.signal, this.#cutting.signal);
    const session = options.open ?? ((name) => new Session({ target, schema, name }));
    this.#claims = session('router claims');
    this.#outcomes = session('router outcomes');
    this.#reads = session('router');
    this.#deps = { ...options, session: this.#reads };
    this.#telling = new Group((tellings: readonly Telling[]) => this.#tell(tellings));
    this.#sender = new HandoffSender(this.#deps, this.#reads, options);
    this.#letters = new LetterBox(
      options.clock,
      (group) => this.#sendLetter(group),
      this.#stopping.signal,
    );
    this.#notices = new ManualNotices(this.#deps, {
      sender: this.#sender,
      signal: this.#cutting.signal,
      tell: (telling) => this.#report(telling),
    });
    this.#assignments = new AssignmentLookup(this.#deps, options, this.#cutting.signal);
    this.#queues = new QueueWatch(this.#deps, options);
    const checks = { ...options, queues: () => this.#queues.watched() };
    this.#recovery = new Recovery(this.#deps, checks, this.#cutting.signal);
  }

  async open(): Promise<void> {
    await databaseNow(this.#claims);
    await this.#noteLaw();
  }

  stop(): void {
    this.#stopping.abort();
  }

  async close(): Promise<void> {
    this.#cutting.abort();
    await this.#queues.close();
    await Promise.all([this.#claims.close(), this.#outcomes.close(), this.#reads.close()]);
  }

  async run(): Promise<void> {
    const { pollMs = POLL_MS, queueEveryMs, recovery, sequencer } = this.#options;
    await Promise.all([
      this.#every(pollMs, 'claims', () => this.#claimAll()),
      this.#every(SECOND_MS, 'notices', () => this.#notices.sendDue()),
      this.#every(recovery?.everyMs ?? SECOND_MS, 'recovery', () => this.#recovery.turn()),
      this.#every(MINUTE_MS, 'law', () => this.#noteLaw()),
      this.#every(MINUTE_MS, 'mail', () => this.#warnOfMail()),
      this.#every(queueEveryMs ?? 15 * SECOND_MS, 'queues', () => this.#queues.look()),
      ...(sequencer === undefined
        ? []
        : [this.#every(SEQUENCE_MS, 'ledger', async () => void (await sequencer.sequence()))]),
    ]);
    await this.#settled();
    await this.#recovery.settled();
  }

  async untilIdle(): Promise<number> {
    let steps = 0;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const taken = await this.#claim(STEPS_MAX);
      await this.#settled();
      const sent = await this.#notices.sendDue();
      steps += taken;
      if (taken === 0 && sent === 0) break;
    }
    return steps;
  }

  async #settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  async #every(ms: number, name: string, work: () => Promise<unknown>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let waitMs = ms;
      try {
        await work();
      } catch (error) {
        // The database is away, or there is no matrix yet: everything waits where it is.
        this.#deps.log.write({
          level: 'warn',
          event: `router.${name}_failed`,
          error: codeOf(error),
        });
        waitMs = Math.max(ms, AWAY_MS);
      }
      await this.#clock.sleep(waitMs, signal);
    }
  }

  /** As long as more is due and there is room. */
  async #claimAll(): Promise<void> {
    const { inFlightMax = IN_FLIGHT_MAX } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const letters = this.#letters.waiting;
      const room = Math.min(inFlightMax - (this.#inFlight.size - letters), LETTERS_MAX - letters);
      if (room <= 0) {
        await Promise.race(this.#inFlight);
        continue;
      }
      const limit = Math.min(STEPS_MAX, room);
      if ((await this.#claim(limit)) < limit) return;
    }
  }

  async #claim(limit: number): Promise<number> {
    const startedMs = this.#clock.monotonicMs();
    const stepped = await stepDue(this.#deps, this.#claims, limit, this.#routing);
    this.#routing = stepped.routing;
    this.#sendAll(stepped.handovers, startedMs);
    for (const question of stepped.questions) {
      const { payloadSha256 } = question.row;
      this.#track('assignment', payloadSha256, this.#assignments.ask(question));
    }
    return stepped.results.length + stepped.questions.length;
  }

  /** A crash here leaves intents without outcomes: the clock finds them. */
  #sendAll(handovers: readonly PendingHandover[], startedMs: number): void {
    if (handovers.length === 0) return;
    const payloads = docketPayloads(
      this.#reads,
      this.#deps.tenant,
      handovers.map(({ row }) => row.id),
    );
    for (const pending of handovers) {
      const { row } = pending;
      const sending = payloads.then((found) => this.#send(pending, found.get(row.id), startedMs));
      this.#track('handoff', row.payloadSha256, sending);
    }
  }

  /** Where it fails no outcome is told, so that an attempt counts as unknown and a question as unanswered: the safe side. */
  #track(what: 'handoff' | 'assignment', payloadSha256: string, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) =>
        this.#deps.log.write({
          level: 'error',
          event: `router.${what}_failed`,
          payload_sha256: payloadSha256,
          error: codeOf(error),
        }),
      )
      .finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }

  async #send(
    pending: PendingHandover,
    payload: Parameters<HandoffSender['handOver']>[1],
    startedMs: number,
  ): Promise<void> {
    const { signal } = this.#cutting;
    if (pending.hop.tier === 'MANUAL') {
      await this.#notices.send(pending, payload, startedMs);
      return;
    }
    if (pending.target.kind === 'mail') {
      await this.#letters.add({ pending, startedMs, isDestroyed: payload === undefined });
      return;
    }
    await this.#ended(
      pending,
      await this.#sender.handOver(pending, payload, { startedMs, signal }),
    );
  }

  /** One letter to one reader; a failure of it is one failure, however many dockets it was about. */
  async #sendLetter(group: readonly HeldLetter[]): Promise<void> {
    const { signal } = this.#cutting;
    const startedMs = Math.min(...group.map((one) => one.startedMs));
    const [only] = group;
    if (only !== undefined && group.length === 1) {
      const { pending } = only;
      const { id } = pending.row;
      // Read again: a heap that held sealed bytes would have no bound.
      const payload = (await docketPayloads(this.#reads, this.#deps.tenant, [id])).get(id);
      const at = { startedMs, signal };
      await this.#ended(pending, await this.#sender.handOver(pending, payload, at));
      return;
    }
    const living = group.filter(({ isDestroyed }) => !isDestroyed).map(({ pending }) => pending);
    const handed = await this.#sender.handOverTogether(living, { startedMs, signal });
    await Promise.all([
      ...group.flatMap(({ pending, isDestroyed }) =>
        isDestroyed ? [this.#ended(pending, destroyedHanded(pending))] : [],
      ),
      ...living.map(async (pending, index) => {
        const one = handed[index];
        if (one !== undefined) await this.#ended(pending, one, index === 0);
      }),
    ]);
  }

  #ended({ hop, attempt, row }: PendingHandover, handed: Handed, isCounted = true): Promise<void> {
    const { result, ended } = handed;
    const happening: Happening = {
      ...({ kind: 'outcome', hop, attempt, result } as const),
      ...(isCounted ? {} : { isCounted }),
    };
    return this.#report({ docket: row.id, happening, ended });
  }

  /** A receipt is worth some patience: without its outcome the message goes out again. */
  async #report(telling: Telling): Promise<void> {
    for (let round = 1; ; round += 1) {
      try {
        await this.#telling.add(telling);
        return;
      } catch (error) {
        if (round >= REPORTS_MAX || this.#stopping.signal.aborted) throw error;
        await this.#clock.sleep(AWAY_MS, this.#stopping.signal);
      }
    }
  }

  async #tell(tellings: readonly Telling[]): Promise<void[]> {
    // A docket has one attempt under way, but the outcome of a late one may come beside it.
    const seen = new Set<string>();
    const now: Telling[] = [];
    const later: Telling[] = [];
    for (const telling of tellings) {
      (seen.has(telling.docket) ? later : now).push(telling);
      seen.add(telling.docket);
    }
    const startedMs = this.#clock.monotonicMs();
    const stepped = await stepTold(this.#deps, this.#outcomes, now, this.#routing);
    this.#routing = stepped.routing;
    this.#sendAll(stepped.handovers, startedMs);
    if (later.length > 0) await this.#tell(later);
    return tellings.map(() => undefined);
  }

  #warnOfMail(): Promise<void> {
    const { transport, handoffs } = this.#options;
    return warnOfMail(this.#deps, handoffs !== undefined || transport.mail !== undefined);
  }

  async #noteLaw(): Promise<void> {
    const { tenant, law } = this.#deps;
    await this.#reads.transaction(async (run) => {
      if (await noteLaw(run, tenant, lawVersion(law()))) await wakeOpenDockets(run, tenant);
    });
  }
}
