/**
 * Looks for work and does it. For each target one turn at a time in a process, so a slow receiver holds up itself alone;
 * a look is one statement, and what a turn leads to is looked for as soon as the turn ends.
 */
import { type Clock, FilewrightError, type Log } from '../core/index.ts';
import type { Session } from '../postgres/index.ts';
import { dueTargets, type WorkKind } from './store/queue.ts';

/** How soon committed work is on its way. */
const POLL_MS = 1_000;
/** After the database was away. */
const RESTART_MS = 5_000;
/** Then the target goes to the back of the queue. */
const TURN_MS = 20_000;
/** More targets than ever are slow at once; each turn holds a handful of requests. */
const TURNS_MAX = 32;
/** Rounds of `untilDone`: each does what the last one led to; more would go in circles. */
const ROUNDS_MAX = 1_000;

/** What a process does with work of a kind. */
export interface Duty {
  readonly kind: WorkKind;
  /** The only one that it is for; every target of the kind unless told. */
  readonly target?: string;
  /** Does a group and returns how many; 0 when nothing is due. */
  work(target: string): Promise<number>;
}

interface CrewDeps {
  readonly session: Session;
  readonly tenant: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollMs?: number;
}

export interface RunningJobs {
  /** Lets what is being done end, and closes every connection. */
  stop(): Promise<void>;
}

interface Turn {
  readonly duty: Duty;
  readonly target: string;
}

export class Crew {
  readonly #parts: CrewDeps;
  readonly #duties: readonly Duty[];
  /** By kind and target. */
  readonly #running = new Map<string, Promise<void>>();
  /** Ends the wait for the next look. */
  #wake = new AbortController();

  constructor(parts: CrewDeps, duties: readonly Duty[]) {
    this.#parts = parts;
    this.#duties = duties;
  }

  /** Until the signal; what has been begun is then brought to its end. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, pollMs = POLL_MS } = this.#parts;
    signal.addEventListener('abort', () => this.#wake.abort(), { once: true });
    while (!signal.aborted) {
      let waitMs = pollMs;
      this.#wake = new AbortController();
      try {
        for (const turn of await this.#due()) this.#begin(turn, signal);
      } catch (error) {
        // The database is away; everything waits where it is.
        log.write({ level: 'warn', event: 'jobs.poll_failed', error: codeOf(error) });
        waitMs = RESTART_MS;
      }
      await clock.sleep(waitMs, this.#wake.signal);
    }
    await Promise.all(this.#running.values());
  }

  /** Everything that is due and what follows from it, once. Returns how much each turn did. */
  async untilDone(): Promise<readonly { readonly kind: WorkKind; readonly done: number }[]> {
    const turns: { kind: WorkKind; done: number }[] = [];
    const never = new AbortController().signal;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const ended = await Promise.allSettled(
        (await this.#due()).map(async (turn) => {
          const done = await this.#turn(turn, never);
          return { kind: turn.duty.kind, done };
        }),
      );
      const did = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const failed = ended.find((one) => one.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      turns.push(...did.filter(({ done }) => done > 0));
      // What is due and cannot be taken is in another process's hands.
      if (did.every(({ done }) => done === 0)) break;
    }
    return turns;
  }

  /** Turns that could begin now, at most as many as there is room for. */
  async #due(): Promise<readonly Turn[]> {
    const { session, tenant } = this.#parts;
    return (await dueTargets(session, tenant))
      .flatMap(({ kind, target }): Turn[] => {
        const duty = this.#duties.find(
          (one) => one.kind === kind && (one.target ?? target) === target,
        );
        // Nobody's here: a consumer of a process of another version, or of another process.
        if (duty === undefined || this.#running.has(`${kind}/${target}`)) return [];
        return [{ duty, target }];
      })
      .slice(0, TURNS_MAX - this.#running.size);
  }

  #begin(turn: Turn, signal: AbortSignal): void {
    const { kind } = turn.duty;
    const key = `${kind}/${turn.target}`;
    const ended = this.#turn(turn, signal).then(
      (done) => {
        this.#running.delete(key);
        // Not after a turn that found nothing: what another process holds would be looked for without a pause.
        if (done > 0) this.#wake.abort();
      },
      (error: unknown) => {
        this.#running.delete(key);
        // What was claimed comes back when its claim ends.
        this.#parts.log.write({
          level: 'error',
          event: 'jobs.turn_failed',
          status: kind,
          error: codeOf(error),
        });
      },
    );
    this.#running.set(key, ended);
  }

  async #turn({ duty, target }: Turn, signal: AbortSignal): Promise<number> {
    const { clock } = this.#parts;
    const startedMs = clock.monotonicMs();
    let done = 0;
    while (!signal.aborted && clock.monotonicMs() - startedMs < TURN_MS) {
      const count = await duty.work(target);
      if (count === 0) break;
      done += count;
    }
    return done;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof FilewrightError) return error.code;
  return error instanceof Error ? error.name : 'UNEXPECTED';
}
