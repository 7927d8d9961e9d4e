/**
 * What is done beside the filings: events to webhooks, mail and consumers, alerts told again, looks ahead, the digest. The
 * queue in `work` says what is due; here is said what is done about it.
 */
import { type ConnectionTarget, Session } from '../postgres/index.ts';
import {
  consumerDuty,
  type EventConsumer,
  type JobDeps,
  noticeDuties,
  registerConsumer,
  takeEvents,
  tellDueAlerts,
} from '../people/index.ts';
import {
  queueDigest,
  registeredAgentNotice,
  watchApprovals,
  watchHand,
  watchSessions,
  watchSlack,
  watchUnfiled,
} from '../filings/index.ts';
import type { Random } from '../core/index.ts';
import type { CheckpointArchive } from '../ledger/index.ts';
import { askForStamp, stampSettings } from './stamping.ts';
import { askWitnesses } from './witnessing.ts';
import { watchRows } from './watch-rows.ts';
import { Crew, type Duty, postTimetable, type RunningJobs } from '../work/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a head may wait for its witnesses: the ledger's own bound for cutting off entries unseen. */
const WITNESS_MS = 10_000;
/** How soon an authority of time that was away is asked again; it stamps once an hour. */
const STAMP_LOOK_MS = 5 * MINUTE_MS;
const EVENTS_AT_ONCE = 500;

export interface JobsOptions extends Omit<JobDeps, 'session'> {
  readonly target: ConnectionTarget;
  readonly schema: string;
  /** Beside the one that tells the registered agent. */
  readonly consumers?: readonly EventConsumer[];
  readonly pollMs?: number;
  /** Where cosigned and stamped heads are kept outside the database. */
  readonly copies?: CheckpointArchive;
  /** The dice of questions that must not be answered twice. */
  readonly random?: Random;
}

export async function startBackgroundWork(options: JobsOptions): Promise<RunningJobs> {
  const jobs = new Jobs(options);
  const stopping = new AbortController();
  const duties = await jobs.closedOnFailure(async () => [
    ...(await jobs.duties()),
    ...(await jobs.timetable()),
  ]);
  const ended = new Crew(jobs.parts, duties).run(stopping.signal);
  return {
    stop: async () => {
      if (stopping.signal.aborted) return;
      stopping.abort();
      await ended;
      await jobs.close();
    },
  };
}

/** Hands on every event, sends everything due and tells of every due alert, once; for cron, tests and a last drain. */
export async function runBackgroundWorkOnce(
  options: JobsOptions,
  also: { readonly digest?: boolean } = {},
): Promise<{ readonly events: number; readonly jobs: number }> {
  const jobs = new Jobs(options);
  const turns = await jobs.closedOnFailure(async () => {
    const duties = await jobs.duties();
    await jobs.look();
    await tellDueAlerts(jobs.parts);
    if (jobs.hasWitnesses) await jobs.askWitnesses();
    if (jobs.hasStamps) await jobs.askForStamp();
    if (also.digest === true) await queueDigest(jobs.parts);
    return new Crew(jobs.parts, duties).untilDone();
  });
  await jobs.close();
  const events = turns.filter(({ kind }) => kind === 'event').map(({ done }) => done);
  return {
    events: events.reduce((sum, done) => sum + done, 0),
    jobs: turns.length - events.length,
  };
}

/** The connections of background work, and what it does over them. */
class Jobs {
  readonly parts: JobDeps;
  /** For what holds transactions open or reads everything: notices must not wait for it. */
  readonly #slow: JobDeps;
  readonly #consumers: readonly EventConsumer[];
  readonly #copies: CheckpointArchive | undefined;
  readonly #random: Random | undefined;

  constructor(options: JobsOptions) {
    const { target, schema } = options;
    this.#copies = options.copies;
    this.#random = options.random;
    this.parts = { ...options, session: new Session({ target, schema, name: 'jobs' }) };
    this.#slow = { ...options, session: new Session({ target, schema, name: 'consumers' }) };
    this.#consumers = [registeredAgentNotice(options), ...(options.consumers ?? [])];
  }

  async closedOnFailure<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.parts.session.close(), this.#slow.session.close()]);
  }

  async duties(): Promise<readonly Duty[]> {
    const { session, tenant } = this.parts;
    for (const consumer of this.#consumers) await registerConsumer(session, tenant, consumer);
    return [
      { kind: 'event', work: () => takeEvents(session, tenant, EVENTS_AT_ONCE) },
      ...noticeDuties(this.parts),
      ...this.#consumers.map((consumer) => consumerDuty(this.#slow, consumer)),
    ];
  }

  get hasWitnesses(): boolean {
    return (this.parts.environment['FILEWRIGHT_POLICY'] ?? '') !== '';
  }

  askWitnesses(): Promise<unknown> {
    return askWitnesses({ ...this.#slow, copies: this.#copies });
  }

  get hasStamps(): boolean {
    return (this.parts.environment['FILEWRIGHT_TIMESTAMP_URL'] ?? '') !== '';
  }

  async askForStamp(): Promise<void> {
    const [copies, random] = [this.#copies, this.#random];
    if (copies === undefined || random === undefined) return;
    await askForStamp({ ...this.#slow, copies, random });
  }

  timetable(): Promise<readonly Duty[]> {
    // What is set wrongly is said when the process starts, and not every five minutes in its log.
    if (this.hasStamps) stampSettings(this.parts.environment);
    const slow = this.#slow;
    const witness = {
      name: 'witness',
      everyMs: WITNESS_MS,
      run: () => this.askWitnesses(),
    };
    const stamp = { name: 'stamp', everyMs: STAMP_LOOK_MS, run: () => this.askForStamp() };
    return postTimetable(slow, [
      ...(this.hasWitnesses ? [witness] : []),
      ...(this.hasStamps ? [stamp] : []),
      // Not at once, though the work of telling is in the queue too: what comes up within a minute is one letter.
      { name: 'tell', everyMs: MINUTE_MS, run: () => tellDueAlerts(slow) },
      { name: 'look', everyMs: 5 * MINUTE_MS, run: () => this.look() },
      {
        name: 'rows',
        everyMs: 24 * HOUR_MS,
        atMs: 2 * HOUR_MS,
        claimMs: 2 * HOUR_MS,
        run: () => watchRows(slow),
      },
      { name: 'digest', everyMs: 24 * HOUR_MS, atMs: 6 * HOUR_MS, run: () => queueDigest(slow) },
    ]);
  }

  /** Ahead, so that somebody is told before anything is late. */
  async look(): Promise<void> {
    await watchApprovals(this.#slow);
    await watchHand(this.#slow);
    await watchSlack(this.#slow);
    await watchUnfiled(this.#slow);
    await watchSessions(this.#slow);
  }
}
