/**
 * One lane's queue played forward with a fixed service time: the rules of claiming (earliest last safe moment first,
 * nothing idle while something may go, nothing after its last safe moment) without the engine around them. Pure.
 */
import type { OpenSpans } from './forecast-hours.ts';
import { Heap, instant, type Instant } from '../../core/index.ts';

/** A filing that waits for its turn. */
export interface WaitingFiling {
  readonly id: string;
  /** Not before this: the portal's window, a backoff, a poll. */
  readonly readyAt: Instant;
  readonly lastSafe: Instant;
}

export interface QueueRules {
  readonly ceiling: number;
  readonly serviceMs: number;
  readonly spans: OpenSpans;
  /** No turn before this: a pause, or a late start. */
  readonly from: Instant;
  /** Open also from `from` until the hours begin: the lever "open earlier". */
  readonly opensEarly: boolean;
  /** After a pause the ceiling doubles from one at each step; undefined at full width. */
  readonly slowStart: { readonly resumedAt: Instant; readonly stepMs: number } | undefined;
  /** Requests in flight now; each keeps its slot for one service time from `now`. */
  readonly inFlight: number;
  /** A miss of one of these ends the play: whoever looks for a lever needs to know no more. */
  readonly mustNotMiss?: (id: string) => boolean;
}

/** A filing's turn. `startsAt` undefined: its last safe moment comes first. */
export interface Turn {
  readonly id: string;
  readonly lastSafe: Instant;
  readonly startsAt: Instant | undefined;
  /** Last safe moment less the turn; of a missed filing at most 0, and less than any moment gained would be worth. */
  readonly slackMs: number;
}

interface Played {
  readonly turns: readonly Turn[];
  /** When the last request is answered; undefined when nothing is ever sent. */
  readonly clearsAt: Instant | undefined;
  readonly missed: number;
}

/** Doublings beyond this exceed every ceiling. */
const DOUBLINGS_MAX = 20;
const NEVER = Number.POSITIVE_INFINITY;

export function playQueue(
  waiting: readonly WaitingFiling[],
  rules: QueueRules,
  now: Instant,
): Played {
  const turns: Turn[] = [];
  const play = new QueuePlay(rules, now, (_filing, turn) => turns.push(turn));
  for (const filing of inOrderOfClaims(waiting)) play.add(filing);
  play.end();
  return { turns, missed: play.missed, clearsAt: play.clearsAt };
}

export function inOrderOfClaims<F extends WaitingFiling>(filings: readonly F[]): readonly F[] {
  return [...filings].sort((a, b) => (isBefore(a, b) ? -1 : 1));
}

/**
 * Filings are added in the order of claims, and each is told of as soon as its turn is known. So what is held is never the
 * whole queue: only those who stand before somebody that may go already, and may not go themselves yet.
 */
export class QueuePlay<F extends WaitingFiling> {
  missed = 0;
  readonly #rules: QueueRules;
  readonly #tell: (filing: F, turn: Turn) => void;
  readonly #early = new Heap<F>((a, b) => a.readyAt < b.readyAt);
  /** Early ones whose moment has come: they go before whoever is added next. */
  readonly #due = new Heap<F>(isBefore);
  /** When each busy slot is free again. Service times are equal, so in the order in which they were taken. */
  readonly #ends: number[];
  readonly #firstOpening: number;
  #lastEnd: number | undefined;
  #at: number;
  #isLost = false;

  constructor(rules: QueueRules, now: Instant, tell: (filing: F, turn: Turn) => void) {
    this.#rules = rules;
    this.#tell = tell;
    this.#at = Math.max(now, rules.from);
    this.#ends = Array.from({ length: rules.inFlight }, () => now + rules.serviceMs);
    this.#lastEnd = this.#ends[0];
    const opening = rules.opensEarly ? rules.spans.at(instant(this.#at))?.from : undefined;
    this.#firstOpening = opening ?? Number.NEGATIVE_INFINITY;
  }

  get clearsAt(): Instant | undefined {
    return this.#lastEnd === undefined ? undefined : instant(this.#lastEnd);
  }

  add(filing: F): void {
    while (!this.#isLost) {
      this.#goOn(this.#at);
      const due = this.#due.pop();
      if (due !== undefined) {
        this.#give(due);
        continue;
      }
      if (filing.readyAt <= this.#at) this.#give(filing);
      else this.#early.push(filing);
      return;
    }
  }

  /** Nobody else comes. */
  end(): void {
    while (!this.#isLost && this.#due.size + this.#early.size > 0) {
      const next = this.#due.size > 0 ? this.#at : (this.#early.first?.readyAt ?? NEVER);
      this.#goOn(Math.max(this.#at, next));
      const due = this.#due.pop();
      if (due !== undefined) this.#give(due);
    }
  }

  /** On to the first moment at which the portal is open and a slot is free; nobody has a turn before it. */
  #goOn(from: number): void {
    const ends = this.#ends;
    let at = this.#openFrom(from);
    for (; at < NEVER; at = this.#openFrom(at)) {
      while ((ends[0] ?? NEVER) <= at) ends.shift();
      if (ends.length < widthAt(this.#rules, at)) break;
      at = Math.min(ends[0] ?? NEVER, nextStep(this.#rules, at) ?? NEVER);
    }
    this.#at = at;
    while ((this.#early.first?.readyAt ?? NEVER) <= at) {
      const due = this.#early.pop();
      if (due === undefined) break;
      this.#due.push(due);
    }
  }

  /** A portal that does not open again within the bound never does. */
  #openFrom(at: number): number {
    if (at < this.#firstOpening || at === NEVER) return at;
    const span = this.#rules.spans.at(instant(at));
    return span === undefined ? NEVER : Math.max(at, span.from);
  }

  #give(filing: F): void {
    const { id, lastSafe } = filing;
    const slackMs = lastSafe - this.#at;
    if (slackMs <= 0) {
      this.missed += 1;
      this.#isLost = this.#rules.mustNotMiss?.(id) === true;
      this.#tell(filing, { id, lastSafe, startsAt: undefined, slackMs });
      return;
    }
    this.#lastEnd = this.#at + this.#rules.serviceMs;
    this.#ends.push(this.#lastEnd);
    this.#tell(filing, { id, lastSafe, startsAt: instant(this.#at), slackMs });
  }
}

function widthAt({ ceiling, slowStart }: QueueRules, at: number): number {
  if (slowStart === undefined || slowStart.stepMs === 0) return ceiling;
  const steps = Math.floor(Math.max(at - slowStart.resumedAt, 0) / slowStart.stepMs);
  return Math.min(ceiling, 2 ** Math.min(steps, DOUBLINGS_MAX));
}

function nextStep(rules: QueueRules, at: number): number | undefined {
  const { slowStart } = rules;
  if (slowStart === undefined || widthAt(rules, at) >= rules.ceiling) return undefined;
  const steps = Math.floor(Math.max(at - slowStart.resumedAt, 0) / slowStart.stepMs);
  return slowStart.resumedAt + (steps + 1) * slowStart.stepMs;
}

function isBefore(a: WaitingFiling, b: WaitingFiling): boolean {
  return a.lastSafe !== b.lastSafe ? a.lastSafe < b.lastSafe : a.id < b.id;
}
