/** Something that nobody foresaw breaks in work that no loop of the worker waits for. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Server, startServer } from './server.ts';
import { quickProfile, Stage } from './stage.ts';
import { until } from './waiting.ts';

const DE = 'US-DE';
let server: Server;
let stage: Stage;

beforeAll(async () => {
  server = await startServer();
});
afterEach(() => stage.close());
afterAll(() => server.close());

function breaking(): { readonly work: () => Promise<never>; readonly calls: () => number } {
  let calls = 0;
  const work = (): Promise<never> => {
    calls += 1;
    return Promise.reject(new TypeError('nobody thought of this'));
  };
  return { work, calls: () => calls };
}

it('a send: the worker ends, and says what it was', async () => {
  stage = await Stage.set(server, [quickProfile(DE)]);
  const { work, calls } = breaking();
  await stage.feed(DE, 1);
  const worker = await stage.worker({ portal: { send: work } });
  await until(() => calls() > 0);
  await expect(worker.stop()).rejects.toThrow('nobody thought of this');
});

it('a probe: the worker ends, and says what it was', async () => {
  stage = await Stage.set(server, [quickProfile(DE)], { [DE]: { faults: { error_503: 1 } } });
  const { work, calls } = breaking();
  await stage.feed(DE, 30);
  const worker = await stage.worker({ portal: { probe: work } });
  await until(() => calls() > 0);
  await expect(worker.stop()).rejects.toThrow('nobody thought of this');
});
