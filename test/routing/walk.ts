/** A docket walked from happening to happening, as a shell would, with what was recorded on its way. */
import { addMs, type Instant } from '../../src/core/time.ts';
import type { BreakerState } from '../../src/core/breaker.ts';
import type {
  HandoffResult,
  Happening,
  StepInput,
  RoutingStep,
} from '../../src/dockets/rules/routing/happening.ts';
import { nextStep } from '../../src/dockets/rules/routing/next-step.ts';
import type { RoutingFact } from '../../src/dockets/rules/routing/facts.ts';
import { type RoutingState, startRouting, wakeAt } from '../../src/dockets/rules/routing/state.ts';
import { at, desk } from './firm.ts';

/** Monday, 10:00 in Alexandria, Virginia. */
export const NOW = at('2026-11-16T15:00:00Z');

export class Walk {
  state: RoutingState;
  now: Instant;
  step: RoutingStep | undefined;
  readonly facts: RoutingFact[] = [];
  readonly sent: string[] = [];
  readonly breakers = new Map<string, BreakerState>();
  readonly #desk: StepInput;

  constructor(changes: Partial<StepInput> = {}, now = NOW) {
    this.#desk = desk({ ...changes, breakers: new Map() });
    for (const [target, state] of changes.breakers ?? []) this.breakers.set(target, state);
    this.now = now;
    this.state = startRouting(now);
  }

  tell(happening: Happening): RoutingStep {
    const step = nextStep(this.state, happening, this.now, {
      ...this.#desk,
      breakers: this.breakers,
    });
    this.step = step;
    this.state = step.next;
    this.facts.push(...step.facts);
    for (const { target, after } of step.breakers) this.breakers.set(target, after);
    if (step.kind === 'send' || step.kind === 'manual') {
      this.sent.push(`${step.message?.tier} ${step.message?.target}`);
    }
    return step;
  }

  clock(): RoutingStep {
    const wake = wakeAt(this.state);
    if (wake !== undefined && wake > this.now) this.now = wake;
    return this.tell({ kind: 'clock' });
  }

  answer(result: HandoffResult, afterMs = 10): RoutingStep {
    this.now = addMs(this.now, afterMs);
    if (this.state.state !== 'sending')
      throw new Error(`nothing is being sent: ${this.state.state}`);
    const { hop, attempt } = this.state;
    return this.tell({ kind: 'outcome', hop, attempt, result });
  }

  /** What became of the notice to whoever of the manual tier is asked now. */
  notice(result: HandoffResult, attempt = 1): RoutingStep {
    if (this.state.state !== 'manual' || this.state.hop === undefined) {
      throw new Error(`nobody is told: ${this.state.state}`);
    }
    return this.tell({ kind: 'outcome', hop: this.state.hop, attempt, result });
  }

  transitions(): string[] {
    return this.facts.flatMap((fact) =>
      fact.kind === 'transition' ? [`${fact.from.tier} → ${fact.to.tier} ${fact.reason}`] : [],
    );
  }
}
