/** How often an address may fail to sign in: keys cannot be guessed, but whoever tries costs work and fills the log. */
import { FilewrightError, type Clock } from '../../core/index.ts';
import { networkOf } from '../../server/index.ts';

const WINDOW_MS = 60_000;
const FAILED_MAX = 10;
/** Bounds the memory; the oldest are forgotten first. */
const ADDRESSES_MAX = 10_000;

export class Attempts {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #failed = new Map<string, { readonly since: number; times: number }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Throws where this address failed too often in the last minute. */
  require(address: string): void {
    const found = this.#failed.get(networkOf(address));
    if (found === undefined || this.#clock.now() - found.since >= WINDOW_MS) return;
    if (found.times < FAILED_MAX) return;
    throw new FilewrightError(
      'TOO_MANY_REQUESTS',
      `Expected at most ${FAILED_MAX} failed attempts in a minute from one address`,
    );
  }

  failed(address: string): void {
    const who = networkOf(address);
    const now = this.#clock.now();
    const found = this.#failed.get(who);
    if (found !== undefined && now - found.since < WINDOW_MS) {
      found.times += 1;
      return;
    }
    this.#failed.delete(who);
    this.#failed.set(who, { since: now, times: 1 });
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > ADDRESSES_MAX && oldest !== undefined) this.#failed.delete(oldest);
  }
}
