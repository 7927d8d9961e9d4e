/** When targets fail and how, and when our own processes do not run. */
import { addMs, type Instant } from '../../src/core/time.ts';
import { Draw } from '../world/draw.ts';

const HOUR_MS = 3_600_000;

/** What a target does with a message. */
export type Fate =
  | 'fine'
  /** Delivered, and the answer is lost. */
  | 'answer_lost'
  | 'connection_refused'
  | 'server_error'
  /** Nothing for three seconds; the message may be in. */
  | 'stall'
  | 'denied'
  | 'refused'
  /** Asks to be left alone for a while. */
  | 'throttled'
  /** Our own process was too late to write. */
  | 'not_made';

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

export class Weather {
  readonly down: readonly Span[];
  readonly healAt: Instant;
  /** Many dockets come at once here, and many targets fail for a minute: breakers open and close under them. */
  readonly stormAt: Instant;
  readonly #outages = new Map<string, (Span & { readonly fate: Fate })[]>();
  readonly #draw: Draw;

  constructor(seed: number, start: Instant, targets: readonly string[]) {
    const draw = new Draw(seed, 'weather');
    this.#draw = draw;
    const healHours = draw.int(12, 120);
    this.healAt = addMs(start, healHours * HOUR_MS);
    const span = (hoursMax: number): Span => {
      const from = addMs(start, draw.int(0, healHours * HOUR_MS));
      const to = addMs(from, draw.int(1_000, hoursMax * HOUR_MS));
      return { from, to: to > this.healAt ? this.healAt : to };
    };
    this.stormAt = addMs(start, draw.int(0, 8 * HOUR_MS));
    for (const target of targets) {
      const spans = Array.from({ length: draw.int(0, 5) }, () => ({
        ...span(draw.pick([1, 6, 48])),
        fate: draw.pick([
          'connection_refused',
          'server_error',
          'stall',
          'denied',
          'throttled',
        ] as const),
      }));
      const stormEnd = addMs(this.stormAt, draw.int(5_000, 60_000));
      const storm = { from: this.stormAt, to: stormEnd, fate: 'server_error' } as const;
      this.#outages.set(target, draw.chance(0.5) ? [storm, ...spans] : spans);
    }
    // A machine that is off over a night, or over a long weekend with a holiday in it.
    this.down = draw.chance(0.5)
      ? [span(draw.pick([1, 16, 90]))].filter(({ from, to }) => to > from)
      : [];
  }

  /** Whether a target is well for a whole time; single mishaps of messages aside. */
  isWell(target: string, from: Instant, to: Instant): boolean {
    const outages = this.#outages.get(target) ?? [];
    return !outages.some((outage) => outage.from < to && outage.to > from);
  }

  isDown(at: Instant): boolean {
    return this.down.some(({ from, to }) => at >= from && at < to);
  }

  upAgain(at: Instant): Instant {
    return this.down.find(({ from, to }) => at >= from && at < to)?.to ?? at;
  }

  fateOf(target: string, at: Instant): Fate {
    if (at >= this.healAt) return 'fine';
    const outage = this.#outages.get(target)?.find(({ from, to }) => at >= from && at < to);
    if (outage !== undefined) return outage.fate;
    return this.#draw.weighted({
      fine: 79,
      answer_lost: 5,
      connection_refused: 4,
      server_error: 4,
      stall: 3,
      denied: 1,
      refused: 2,
      throttled: 2,
      not_made: 1,
    });
  }
}
