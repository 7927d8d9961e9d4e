/** How much of what goes wrong in a seed, and where: rates for each port call, drawn once, thrown at every call. */
import { Draw } from './draw.ts';

/** Before the effect, or instead of it. */
export type StoreFaultBefore =
  | 'fail_before'
  | 'late_effect'
  | 'delay'
  | 'crash_before'
  | 'zombie_before';
/** The effect has happened. */
export type StoreFaultAfter = 'answer_lost' | 'duplicate' | 'crash_after' | 'zombie_after';
export type PortalFault =
  | 'unreachable'
  | 'request_lost'
  | 'answer_lost'
  | 'answer_delayed'
  | 'crash_before_write'
  | 'crash_after_write'
  | 'zombie_before_write'
  | 'zombie_after_write';
export type ClockFault = 'oversleep' | 'clock_jump' | 'crash_asleep' | 'zombie_asleep';

/** Calls that are made all the time, most of them for nothing: a fault in each is worth less. */
const FREQUENT = new Set(['tick', 'survey', 'sequence', 'takeOrphans', 'takeLate']);

export class FaultPlan {
  readonly #draw: Draw;
  readonly #store: number;
  readonly #portal: number;
  readonly #clock: number;
  #healed = false;

  constructor(seed: number) {
    this.#draw = new Draw(seed, 'port faults');
    this.#store = this.#draw.pick([0.4, 1, 2]);
    this.#portal = this.#draw.pick([0.5, 1, 2]);
    this.#clock = this.#draw.pick([0.5, 1, 2]);
  }

  get draw(): Draw {
    return this.#draw;
  }

  heal(): void {
    this.#healed = true;
  }

  beforeStore(method: string): StoreFaultBefore | undefined {
    const rate = this.#store * (FREQUENT.has(method) ? 0.000_8 : 0.01);
    if (!this.#hits(rate)) return undefined;
    return this.#draw.weighted({
      fail_before: 3,
      late_effect: 2,
      delay: 4,
      crash_before: 1,
      zombie_before: 1,
    });
  }

  /** `matters`: rows were written or something was handed out, so that losing the answer hurts. */
  afterStore(method: string, matters: boolean): StoreFaultAfter | undefined {
    const rate = this.#store * (matters ? 0.03 : FREQUENT.has(method) ? 0.000_2 : 0.01);
    if (!this.#hits(rate)) return undefined;
    return this.#draw.weighted({
      answer_lost: 5,
      duplicate: 2,
      crash_after: 1.5,
      zombie_after: 1.5,
    });
  }

  atPortal(): PortalFault | undefined {
    if (!this.#hits(this.#portal * 0.12)) return undefined;
    return this.#draw.weighted({
      unreachable: 4,
      request_lost: 3,
      answer_lost: 4,
      answer_delayed: 4,
      crash_before_write: 0.7,
      crash_after_write: 1.2,
      zombie_before_write: 1.5,
      zombie_after_write: 1.2,
    });
  }

  atSleep(): ClockFault | undefined {
    if (!this.#hits(this.#clock * 0.000_5)) return undefined;
    return this.#draw.weighted({
      oversleep: 4,
      clock_jump: 2,
      crash_asleep: 0.5,
      zombie_asleep: 1,
    });
  }

  #hits(rate: number): boolean {
    return !this.#healed && this.#draw.chance(rate);
  }
}
