import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, start, submit, until } from '../../../test/fixtures/portal-server-bench.ts';

afterEach(closeAll);

describe('the truth over HTTP', () => {
  it('gives a summary, every acceptance as a line, and the last requests', async () => {
    const simulator = await start();
    const keys = Array.from({ length: 1_200 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => submit(simulator, key).then((answer) => answer.text())));
    const base = `http://127.0.0.1:${simulator.port}/_truth/US-DE`;
    expect(await (await fetch(base)).json()).toMatchObject({
      lane: 'US-DE',
      accepted: 1_200,
      keysAcceptedTwice: 0,
      requests: { submit: 1_200 },
      duplicates: [],
    });
    const lines = (await (await fetch(`${base}/accepted`)).text()).trimEnd().split('\n');
    expect(lines).toHaveLength(1_200);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ nth: 1, received: 1, repeats: 0 });
    const requests = (await (await fetch(`${base}/requests`)).text()).trimEnd().split('\n');
    expect(JSON.parse(requests[0] ?? '')).toMatchObject({ number: 1, endpoint: 'submit' });
    expect((await fetch(`${base}/nothing`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${simulator.port}/_truth/US-XX`)).status).toBe(404);
  });

  it('keeps only the last requests, in order', async () => {
    const simulator = await start({}, { requestLogMax: 3 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) await submit(simulator, key);
    const { log } = simulator.truth('US-DE');
    expect([...log.entries()].map(({ key }) => key)).toEqual(['c', 'd', 'e']);
    expect(log.dropped).toBe(2);
  });

  it('changes behavior while running, and names the field of a bad change', async () => {
    const simulator = await start();
    const url = `http://127.0.0.1:${simulator.port}/_behaviour/US-DE`;
    const post = (body: string) => fetch(url, { method: 'POST', body });
    expect((await post('{"faults":{"rejected_422":1}}')).status).toBe(200);
    expect((await submit(simulator, 'k1')).status).toBe(422);
    const refused = await post('{"faults":{"rejected":1}}');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      code: 'PROFILE_INVALID',
      field: '/faults/rejected',
    });
    expect(await (await fetch(url)).json()).toMatchObject({ faults: { rejected_422: 1 } });
  });

  it('forgets everything on reset, also about requests under way', async () => {
    const simulator = await start({ latencyMs: { mean: 60, spread: 0 } });
    const underWay = submit(simulator, 'k1');
    await until(() => simulator.truth('US-DE').inFlight === 1);
    await fetch(`http://127.0.0.1:${simulator.port}/_reset`, { method: 'POST' });
    expect((await underWay).status).toBe(200);
    expect(simulator.truth('US-DE').summary()).toMatchObject({ accepted: 0, inFlight: 0, keys: 0 });
  });
});
