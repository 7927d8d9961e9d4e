/** The reference pages, made from the routes without a database. */
import { httpServer } from './http/server.ts';
import { Attempts } from './http/attempts.ts';
import { addStream } from './http/stream.ts';

export { apiPage } from './api-page.ts';

/** As a running service shows it. */
export async function openApi(): Promise<string> {
  const clock = {
    now: never,
    monotonicMs: () => 0,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
  };
  const deps = {
    // Nobody asks anything.
    pool: { use: never },
    attempts: new Attempts(clock),
    own: { isLoopback: true, publicUrl: undefined },
    isSecure: true,
    clock,
    ids: { next: () => '' },
    log: { write: () => undefined },
    onAnswer: () => undefined,
  };
  const server = await httpServer(deps, {});
  const stream = addStream(server, deps);
  try {
    await server.ready();
    return `${JSON.stringify(server.swagger(), null, 1)}\n`;
  } finally {
    await stream.stop();
    await server.close();
  }
}

function never(): never {
  throw new Error('asked for a document only');
}
