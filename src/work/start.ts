/**
 * Ordinary background work, run by graphile-worker beside the filing loop. A poller moves events out of the outbox and
 * adds one job for each target that has something due; the job sends until nothing is due. So the tick only inserts its
 * outbox row, ten thousand events need a handful of jobs, and a slow receiver holds up itself alone. Our tables are the
 * truth and the runner's are not: whatever it loses with a dead process is added again.
 */
import { parseCronItems, run, runMigrations, runOnce, type TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import { FilewrightError } from '../core/index.ts';
import {
  type ConnectionTarget,
  databaseFailure,
  explainingRights,
  Session,
} from '../postgres/index.ts';
import {
  CLAIM_MS,
  consumeAll,
  type EventConsumer,
  type JobParts,
  registerConsumer,
  sendDue,
  takeEvents,
  tellDueAlerts,
  wakeTargets,
} from '../people/index.ts';
import { queueDigest } from './digest.ts';
import { patientPool } from './patient-pool.ts';
import {
  registeredAgentNotice,
  watchSessions,
  watchSlack,
  watchUnfiled,
} from '../filings/index.ts';
import { runnerLogger } from './runner-log.ts';

/** How soon a committed event is on its way; each look is one indexed read of a nearly empty table. */
const POLL_MS = 1_000;
/** After the database was away. */
const RESTART_MS = 5_000;
const JOBS_AT_ONCE = 4;
const EVENTS_AT_ONCE = 500;
/** A job's turn and its last send together are shorter, so a lock this old belongs to a dead process. */
const LOCK_STALE_MS = CLAIM_MS + 30_000;
const STOP_MS_MAX = 30_000;
/** Rounds of `runJobsOnce`: each round sends what the last one queued; more would go in circles. */
const ROUNDS_MAX = 1_000;

export interface JobsOptions extends Omit<JobParts, 'session'> {
  readonly target: ConnectionTarget;
  /** Filewright's schema; the runner's own tables live beside it in `<schema>_jobs`. */
  readonly schema: string;
  /** Beside the one that tells the registered agent. */
  readonly consumers?: readonly EventConsumer[];
  readonly pollMs?: number;
}

export interface RunningJobs {
  /** Lets what is being sent end, and closes every connection. */
  stop(): Promise<void>;
}

export async function startJobs(options: JobsOptions): Promise<RunningJobs> {
  const stopping = new AbortController();
  const crew = await Crew.open(options, stopping.signal);
  const ended = Promise.all([crew.poll(), crew.superviseRunner()]);
  return {
    stop: async () => {
      if (stopping.signal.aborted) return;
      stopping.abort();
      await ended;
      await crew.close();
    },
  };
}

/** Takes every event, sends everything due and tells of every due alert, once; for cron, tests and a last drain. */
export async function runJobsOnce(
  options: JobsOptions,
  also: { readonly digest?: boolean } = {},
): Promise<{ readonly events: number; readonly jobs: number }> {
  const crew = await Crew.open(options, new AbortController().signal);
  try {
    return await crew.once(also.digest === true);
  } finally {
    await crew.close();
  }
}

class Crew {
  readonly #options: JobsOptions;
  readonly #signal: AbortSignal;
  readonly #parts: JobParts;
  /** Consumers hold transactions open; notices must not wait for them. */
  readonly #consuming: Session;
  readonly #pool: Pool;
  readonly #consumers: ReadonlyMap<string, EventConsumer>;

  private constructor(options: JobsOptions, signal: AbortSignal) {
    const { target, schema } = options;
    this.#options = options;
    this.#signal = signal;
    this.#parts = { ...options, session: new Session({ target, schema, name: 'jobs' }) };
    this.#consuming = new Session({ target, schema, name: 'consumers' });
    this.#pool = patientPool(
      {
        ...target,
        // One for each job, one that listens, one for the clock.
        max: JOBS_AT_ONCE + 2,
        application_name: 'filewright job runner',
      },
      (error) => this.#waitOut(error),
    );
    const consumers = [registeredAgentNotice(options), ...(options.consumers ?? [])];
    this.#consumers = new Map(consumers.map((consumer) => [consumer.name, consumer]));
  }

  static async open(options: JobsOptions, signal: AbortSignal): Promise<Crew> {
    const crew = new Crew(options, signal);
    try {
      await crew.#prepare();
      for (const consumer of crew.#consumers.values()) {
        await registerConsumer(crew.#parts.session, options.tenant, consumer);
      }
      return crew;
    } catch (error) {
      await crew.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#parts.session.close(), this.#consuming.close(), this.#pool.end()]);
  }

  async poll(): Promise<void> {
    const { clock, log, pollMs = POLL_MS } = this.#options;
    let waitMs = pollMs;
    while (!this.#signal.aborted) {
      try {
        const taken = await this.#take();
        await this.#wake();
        // A full group means that more is waiting.
        waitMs = taken === EVENTS_AT_ONCE ? 0 : pollMs;
      } catch (error) {
        // The database is away; everything waits where it is.
        log.write({ level: 'warn', event: 'jobs.poll_failed', error: codeOf(error) });
        waitMs = RESTART_MS;
      }
      await clock.sleep(waitMs, this.#signal);
    }
  }

  /** Runs the runner, and runs it again when it has ended with the database's connection. */
  async superviseRunner(): Promise<void> {
    const { clock, log } = this.#options;
    while (!this.#signal.aborted) {
      try {
        const runner = await run({
          ...this.#runnerOptions(),
          taskList: this.#tasks(),
          parsedCronItems: parseCronItems(this.#timetable()),
          concurrency: JOBS_AT_ONCE,
        });
        // It may have ended by itself a moment before.
        const stop = (): void => void runner.stop().catch(() => undefined);
        if (this.#signal.aborted) stop();
        this.#signal.addEventListener('abort', stop, { once: true });
        // The timetable's next look may be minutes away, and nobody has looked while no process ran.
        const look = this.#task('slack');
        await runner.addJob(look, {}, { jobKey: look, maxAttempts: 5 }).catch((error: unknown) => {
          // The database is away again; the runner is about to say so itself.
          log.write({ level: 'warn', event: 'jobs.first_look_failed', error: codeOf(error) });
        });
        await runner.promise.finally(() => this.#signal.removeEventListener('abort', stop));
      } catch (error) {
        log.write({ level: 'error', event: 'jobs.runner_ended', error: codeOf(error) });
      }
      if (!this.#signal.aborted) await clock.sleep(RESTART_MS, this.#signal);
    }
  }

  async once(withDigest: boolean): Promise<{ readonly events: number; readonly jobs: number }> {
    let events = 0;
    let jobs = 0;
    await watchSlack(this.#parts);
    await watchUnfiled(this.#parts);
    await watchSessions(this.#parts);
    await tellDueAlerts(this.#parts);
    if (withDigest) await queueDigest(this.#parts);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const taken = await this.#take();
      const woken = await this.#wake();
      if (taken === 0 && woken === 0) break;
      events += taken;
      jobs += woken;
      await runOnce({ ...this.#runnerOptions(), taskList: this.#tasks() });
    }
    return { events, jobs };
  }

  async #prepare(): Promise<void> {
    const { session } = this.#parts;
    const schema = this.#jobsSchema();
    await explainingRights(session, schema, async () => {
      await session.run({ name: '', text: readyForRunner(schema) });
      // Its pool is its own, so the end of a connection comes in the driver's words.
      await runMigrations(this.#runnerOptions()).catch((error: unknown) => {
        throw databaseFailure(error);
      });
    });
  }

  /** For the timetable: whether to ask again. */
  async #waitOut(error: unknown): Promise<boolean> {
    const { clock, log } = this.#options;
    log.write({ level: 'warn', event: 'jobs.timetable_waits', error: codeOf(error) });
    await clock.sleep(RESTART_MS, this.#signal);
    return !this.#signal.aborted;
  }

  #take(): Promise<number> {
    return takeEvents(this.#parts.session, this.#options.tenant, EVENTS_AT_ONCE);
  }

  #wake(): Promise<number> {
    return wakeTargets(this.#parts.session, {
      tenant: this.#options.tenant,
      jobsSchema: this.#jobsSchema(),
      sendTask: this.#task('send'),
      consumeTask: this.#task('consume'),
      consumers: [...this.#consumers.keys()],
      staleMs: LOCK_STALE_MS,
    });
  }

  #runnerOptions() {
    return {
      pgPool: this.#pool,
      schema: this.#jobsSchema(),
      logger: runnerLogger(this.#options.log),
      // The command decides when to stop; the runner would end the process on its own.
      noHandleSignals: true,
      pollInterval: this.#options.pollMs ?? POLL_MS,
      gracefulShutdownAbortTimeout: STOP_MS_MAX,
    };
  }

  #jobsSchema(): string {
    return `${this.#options.schema}_jobs`;
  }

  /** The tenant is part of the name: another tenant's process has no key for our secrets, and must not take our jobs. */
  #task(name: 'send' | 'consume' | 'tell' | 'digest' | 'slack'): string {
    return `${this.#options.tenant}:${name}`;
  }

  #tasks(): TaskList {
    const signal = this.#signal;
    return {
      [this.#task('send')]: async (payload) => {
        await sendDue(this.#parts, targetOf(payload), { signal });
      },
      [this.#task('consume')]: async (payload) => {
        // Unknown here when a process of another version has added the job; it is added again where it is known.
        const consumer = this.#consumers.get(targetOf(payload));
        const parts = { ...this.#parts, session: this.#consuming };
        if (consumer !== undefined) await consumeAll(parts, consumer, signal);
      },
      [this.#task('tell')]: async () => {
        await tellDueAlerts(this.#parts);
      },
      [this.#task('slack')]: async () => {
        await watchSlack(this.#parts);
        await watchUnfiled(this.#parts);
        await watchSessions(this.#parts);
      },
      [this.#task('digest')]: async () => {
        await queueDigest(this.#parts);
      },
    };
  }

  #timetable(): Parameters<typeof parseCronItems>[0] {
    // After a night without any worker the digest still comes, later in the day.
    const backfillPeriod = 12 * 3_600_000;
    const entry = (name: 'tell' | 'digest' | 'slack', match: string, backfill: number) => ({
      task: this.#task(name),
      identifier: `${this.#options.tenant}-${name}`,
      match,
      options: { backfillPeriod: backfill, maxAttempts: 5, jobKey: this.#task(name) },
    });
    return [
      entry('tell', '* * * * *', 0),
      entry('slack', '*/5 * * * *', 0),
      entry('digest', '0 6 * * *', backfillPeriod),
    ];
  }
}

/**
 * The runner begins with "create schema if not exists", which wants a right to the database also where the schema stands.
 * It leaves that out where it finds its first table, so a login that has only the schema makes this one itself.
 */
function readyForRunner(schema: string): string {
  return `do $$ begin
    if to_regnamespace('${schema}') is null or to_regclass('${schema}.migrations') is not null then return; end if;
    create table ${schema}.migrations (
      id int primary key, ts timestamptz not null default now(), breaking boolean not null default false);
  exception when duplicate_table or unique_violation then null; -- Another process has just made it.
  end $$`;
}

function targetOf(payload: unknown): string {
  // Written by wakeTargets alone.
  return String((payload as { readonly target: unknown }).target);
}

function codeOf(error: unknown): string {
  if (error instanceof FilewrightError) return error.code;
  return error instanceof Error ? error.name : 'UNEXPECTED';
}
