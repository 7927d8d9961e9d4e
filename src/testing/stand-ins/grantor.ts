/** A grantor's ledger on loopback, and the clock of the story: what takes an hour there takes no time here. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addMs, type Clock, type Instant, instant } from '../../core/index.ts';

export class StoryClock implements Clock {
  #at: Instant;

  constructor(start: string) {
    this.#at = instant(Date.parse(start));
  }

  now(): Instant {
    return this.#at;
  }

  monotonicMs(): number {
    return this.#at;
  }

  sleep(ms: number): Promise<void> {
    this.#at = addMs(this.#at, ms);
    return Promise.resolve();
  }

  /** Never back. */
  moveTo(moment: string): void {
    this.#at = instant(Math.max(this.#at, Date.parse(moment)));
  }
}

export interface PlayedGrantor {
  readonly baseUrl: string;
  /** Answers 503 for so long on the clock of the story. */
  breakDown(ms: number): void;
  /** The next answer is 429. */
  throttleOnce(): void;
  close(): Promise<void>;
}

/** Serves `ledger` at every path below /ledgers. */
export async function playGrantor(ledger: Uint8Array, clock: Clock): Promise<PlayedGrantor> {
  let downUntil = clock.now();
  let isThrottling = false;
  const server = createServer((request, response) => {
    const isDown = clock.now() < downUntil;
    const status = isDown ? 503 : isThrottling ? 429 : 200;
    if (status === 429) isThrottling = false;
    const isFound = request.url?.startsWith('/ledgers/') === true;
    response.writeHead(isFound ? status : 404, { 'content-type': 'application/json' });
    response.end(isFound && status === 200 ? ledger : '{}');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    breakDown: (ms) => {
      downUntil = addMs(clock.now(), ms);
    },
    throttleOnce: () => {
      isThrottling = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
