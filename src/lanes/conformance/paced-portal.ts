/** The portal as a check may use it: nothing goes out while it may still be at work on what went out before. */
import type {
  Clock,
  Exchange,
  Profile,
  SendRequest,
  StatusRequest,
  WriteGuard,
} from '../../core/index.ts';
import { mayKeepBusy } from '../rules/busy.ts';
import type { OpenedForm } from '../portals/html-form.ts';
import type { LanePortal } from '../portals/portal.ts';

export class PacedPortal {
  readonly #portal: LanePortal;
  readonly #clock: Clock;
  #restUntilMs = Number.NEGATIVE_INFINITY;

  constructor(portal: LanePortal, clock: Clock) {
    this.#portal = portal;
    this.#clock = clock;
  }

  /** How long the portal may still be at work. */
  get restMs(): number {
    return Math.max(this.#restUntilMs - this.#clock.monotonicMs(), 0);
  }

  send(request: SendRequest, guard: WriteGuard): Promise<Exchange> {
    return this.#exchange(request.profile, () => this.#portal.send(request, guard));
  }

  ask(request: StatusRequest, guard: WriteGuard): Promise<Exchange> {
    return this.#exchange(request.profile, () => this.#portal.ask(request, guard));
  }

  probe(profile: Profile, guard: WriteGuard): Promise<Exchange> {
    return this.#exchange(profile, () => this.#portal.probe(profile, guard));
  }

  read(profile: Profile, path: string, guard: WriteGuard): Promise<Exchange> {
    return this.#exchange(profile, () => this.#portal.read(profile, path, guard));
  }

  lookUp(profile: Profile, number: string, guard: WriteGuard): Promise<Exchange> {
    return this.#exchange(profile, () => this.#portal.lookUp(profile, number, guard));
  }

  async openForm(profile: Profile, guard: WriteGuard): Promise<OpenedForm> {
    await this.#clock.sleep(this.restMs);
    const opened = await this.#portal.openForm(profile, guard);
    if (opened.kind === 'failed') this.#note(opened.failure, profile);
    return opened;
  }

  close(lane?: string): Promise<void> {
    return this.#portal.close(lane);
  }

  async #exchange(profile: Profile, request: () => Promise<Exchange>): Promise<Exchange> {
    await this.#clock.sleep(this.restMs);
    const exchange = await request();
    this.#note(exchange, profile);
    return exchange;
  }

  #note(exchange: Exchange, profile: Profile): void {
    if (!mayKeepBusy(exchange, profile)) return;
    this.#restUntilMs = this.#clock.monotonicMs() + profile.longestServiceMs;
  }
}
