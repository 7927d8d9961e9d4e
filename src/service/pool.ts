/**
 * The connections on which requests act: few, each with one request at a time. A request that finds none free waits in a line
 * with an end, so that a flood is refused and not remembered.
 */
import { FilewrightError } from '../core/index.ts';
import type { Filewright } from '../filewright.ts';

/** PostgreSQL works through so many at once; more would only wait there instead of here. */
const CONNECTIONS = 6;
const WAITING_MAX = 200;

export class Pool {
  readonly #free: Filewright[];
  readonly #all: readonly Filewright[];
  readonly #waiting: ((app: Filewright) => void)[] = [];

  constructor(app: Filewright, connections = CONNECTIONS) {
    this.#all = Array.from({ length: connections }, () => app.on(app.connect()));
    this.#free = [...this.#all];
  }

  async use<T>(work: (app: Filewright) => Promise<T>): Promise<T> {
    const app = await this.#take();
    try {
      return await work(app);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(app);
      else next(app);
    }
  }

  get busy(): number {
    return this.#all.length - this.#free.length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(({ session }) => session.close()));
  }

  #take(): Filewright | Promise<Filewright> {
    const app = this.#free.pop();
    if (app !== undefined) return app;
    if (this.#waiting.length >= WAITING_MAX) {
      throw new FilewrightError('TOO_MANY_REQUESTS', 'Too many requests are waiting here');
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
