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

export function playQueue(
  waiting: readonly WaitingFiling[],
  rules: QueueRules,
  now: Instant,
): Played {
  const { spans } = rules;
  const arriving = [...waiting].sort((a, b) => a.readyAt - b.readyAt);
  const ready = new Heap(isBefore);
  const turns: Turn[] = [];
  // Service times are equal, so requests end in the order in which they began.
  const ends: number[] = Array.from({ length: rules.inFlight }, () => now + rules.serviceMs);
  let ended = 0;
  let arrived = 0;
  let missed = 0;
  let isLost = false;
  let at: number = Math.max(now, rules.from);
  const firstOpening = rules.opensEarly ? spans.at(instant(at))?.from : undefined;
  const miss = (filing: WaitingFiling, slackMs: number): void => {
    missed += 1;
    turns.push({ ...place(filing), startsAt: undefined, slackMs: Math.min(slackMs, 0) });
  };
  while (!isLost && (arrived < arriving.length || ready.size > 0)) {
    const isEarly = firstOpening !== undefined && at < firstOpening;
    const span = isEarly ? undefined : spans.at(instant(at));
    if (!isEarly && span === undefined) break;
    at = span === undefined ? at : Math.max(at, span.from);
    for (let next = arriving[arrived]; next !== undefined && next.readyAt <= at; ) {
      ready.push(next);
      arrived += 1;
      next = arriving[arrived];
    }
    while ((ends[ended] ?? Number.POSITIVE_INFINITY) <= at) ended += 1;
    const width = widthAt(rules, at);
    for (;;) {
      const { first } = ready;
      if (first === undefined) break;
      const slackMs = first.lastSafe - at;
      if (slackMs > 0 && ends.length - ended >= width) break;
      ready.pop();
      if (slackMs <= 0) {
        miss(first, slackMs);
        isLost ||= rules.mustNotMiss?.(first.id) === true;
        continue;
      }
      ends.push(at + rules.serviceMs);
      turns.push({ ...place(first), startsAt: instant(at), slackMs });
      // A request that takes no time frees its slot at once.
      while ((ends[ended] ?? Number.POSITIVE_INFINITY) <= at) ended += 1;
    }
    if (ready.size === 0 && arrived >= arriving.length) break;
    at = nextMoment(at, {
      freed: ready.size > 0 ? ends[ended] : undefined,
      wider: ready.size > 0 ? nextStep(rules, at) : undefined,
      arrival: arriving[arrived]?.readyAt,
    });
  }
  // The portal does not open again within the bound: whatever is left never has a turn.
  for (const filing of [...ready.items, ...arriving.slice(arrived)]) {
    miss(filing, Number.NEGATIVE_INFINITY);
  }
  const last = ends.at(-1);
  return { turns, missed, clearsAt: last === undefined ? undefined : instant(last) };
}

function place({ id, lastSafe }: WaitingFiling): Pick<Turn, 'id' | 'lastSafe'> {
  return { id, lastSafe };
}

/** The earliest of the moments at which anything can change. */
function nextMoment(
  at: number,
  moments: Readonly<Record<'freed' | 'wider' | 'arrival', number | undefined>>,
): number {
  const later = Object.values(moments).filter((moment) => moment !== undefined && moment > at);
  return Math.min(...later.map(Number));
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
