import type { Exchange, FailureCode } from '../../src/core/exchange.ts';
import type { Profile } from '../../src/core/profile.ts';
import type { WriteGuard } from '../../src/core/ports.ts';
import type { Plan, PortalRequest } from '../../src/testing/simulator/plan.ts';
import { seenByClient } from '../../src/testing/simulator/client-view.ts';
import type { Flight } from '../evidence.ts';
import type { PortalFault } from './fault-plan.ts';
import type { SimProcess } from './sim-process.ts';
import { noteAnswer } from './note-answer.ts';
import type { World } from './world.ts';

/** Bytes handed to the connection are at the portal within this; the lease's margin is made for it. */
const TRAVEL_MS_MAX = 80;
const DELAY_MS_MAX = 2_500;

interface Parts {
  readonly world: World;
  readonly process: SimProcess;
  readonly profile: Profile;
  readonly request: PortalRequest;
  readonly guard: WriteGuard;
  readonly flight: Flight;
}

/** One request on its way. What was written goes on without the client; what was not, never happens. */
export class Exchanging {
  readonly #parts: Parts;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #fault: PortalFault | undefined;
  readonly #startedMs: number;
  #timer: { cancel(): void } | undefined;
  #isSettled = false;

  constructor(parts: Parts, resolve: (exchange: Exchange) => void) {
    this.#parts = parts;
    this.#resolve = resolve;
    this.#fault = parts.world.faults.atPortal();
    this.#startedMs = parts.process.monotonicMs();
  }

  begin(): void {
    const { process, profile, guard, world } = this.#parts;
    const { draw } = world.faults;
    if (this.#fault !== undefined) world.fault(`portal ${this.#fault}`, this.#name());
    this.#timer = process.after(profile.timeoutMs, () => this.#fail('timeout'));
    guard.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (this.#fault === 'crash_before_write') {
      world.crash(process);
      return;
    }
    if (this.#fault === 'zombie_before_write') world.stop(process);
    process.after(draw.int(0, 30), () => this.#write());
  }

  readonly #onAbort = (): void => this.#fail('lease_lost');

  #write(): void {
    const { process, profile, guard, world, flight } = this.#parts;
    if (this.#isSettled) return;
    if (this.#fault === 'unreachable') {
      this.#fail('connect');
      return;
    }
    if (!guard.mayWrite()) {
      this.#fail('lease_lost');
      return;
    }
    flight.writtenAt = world.now;
    flight.skewMs = process.skewMs;
    flight.skewForMs = world.now - process.skewSince;
    world.note(`${this.#name()} written`);
    if (this.#fault === 'request_lost') {
      const cutAfterMs = world.faults.draw.int(5, profile.timeoutMs);
      process.after(cutAfterMs, () => this.#fail('cut'));
      return;
    }
    if (this.#fault === 'crash_after_write') world.crash(process);
    if (this.#fault === 'zombie_after_write') world.stop(process);
    world.after(world.faults.draw.int(1, TRAVEL_MS_MAX), () => this.#arrive());
  }

  #arrive(): void {
    const { world, profile, request, flight, process } = this.#parts;
    const model = world.model(profile.code);
    const plan = model.arrive(request, world.instant);
    flight.arrivedAt = world.now;
    noteAnswer(flight, plan, { profile, now: world.now });
    world.note(`${this.#name()} arrives: ${describe(plan)}`);
    world.after(plan.finishAfterMs, () => {
      model.finish(plan.request);
      flight.finishedAt = world.now;
    });
    // The client's own timer decides what takes too long.
    const view = seenByClient(plan, Number.POSITIVE_INFINITY);
    const delayMs = this.#fault === 'answer_delayed' ? world.faults.draw.int(100, DELAY_MS_MAX) : 0;
    const backMs = world.faults.draw.int(1, TRAVEL_MS_MAX) + delayMs;
    world.after(view.afterMs + backMs, () =>
      process.deliver(() => {
        if (this.#fault === 'answer_lost') this.#fail('cut');
        else this.#settle(view.exchange);
      }),
    );
  }

  #fail(code: FailureCode): void {
    const { flight, process } = this.#parts;
    this.#settle({
      kind: 'failure',
      written: flight.writtenAt !== undefined,
      code,
      message: `Simulated: ${code}`,
      elapsedMs: process.monotonicMs() - this.#startedMs,
    });
  }

  #settle(exchange: Exchange): void {
    const { flight, guard, world } = this.#parts;
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#timer?.cancel();
    guard.signal.removeEventListener('abort', this.#onAbort);
    flight.answeredAt = world.now;
    flight.exchange = exchange;
    const told = exchange.kind === 'answer' ? `HTTP ${exchange.status}` : exchange.code;
    world.note(`${this.#name()} is told ${told}`);
    this.#resolve(exchange);
  }

  #name(): string {
    const { process, flight } = this.#parts;
    return `${process.name} #${flight.number} ${flight.lane} ${flight.endpoint} ${flight.key.slice(-6)}`;
  }
}

function describe(plan: Plan): string {
  const { answer, fault } = plan;
  const told = answer.kind === 'respond' ? `HTTP ${answer.status}` : answer.kind;
  const taken = plan.acceptsAfterMs === undefined ? '' : `, taken after ${plan.acceptsAfterMs} ms`;
  return `${fault ?? 'honest'}, ${told} after ${plan.delayMs} ms${taken}`;
}
