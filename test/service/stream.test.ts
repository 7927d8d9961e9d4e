/** Events as they happen: each once, in order, also for a client that was away, and for nobody who is no longer signed in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishEvent, takeEvents } from '../../src/people/store/events.ts';
import { House } from './house.ts';

let house: House;
let cookie: string;
beforeAll(async () => {
  house = await House.make();
  cookie = await house.signedIn(house.ann);
});
afterAll(() => house.close());

async function happen(count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => house.app.ids.next());
  await house.app.session.transaction(async (run) => {
    for (const id of ids) await publishEvent(run, house.app.tenant, { id, type: 'TEST_EVENT' });
  });
  return ids;
}

async function take(): Promise<void> {
  while ((await takeEvents(house.app.session, house.app.tenant, 3)) > 0);
}

/** What a client that has heard of everything names. */
async function head(): Promise<string> {
  const [row] = await house.rows(`select coalesce(max(n), 0)::text as n from event`);
  return String(row?.['n']);
}

/** Listens until so many events came; gives their ids, and the last number that was heard. */
async function hear(
  count: number,
  headers: Readonly<Record<string, string>>,
  onOpen: () => Promise<unknown> = async () => undefined,
): Promise<{ readonly ids: readonly string[]; readonly last: string }> {
  const ending = new AbortController();
  const answer = await fetch(`${house.client.url}/api/v1/stream`, {
    headers: { cookie, ...headers },
    signal: ending.signal,
  });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  await onOpen();
  const [ids, numbers]: [string[], string[]] = [[], []];
  let text = '';
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      ids.push((JSON.parse(data) as { id: string }).id);
      numbers.push(/^id: (\d+)$/m.exec(block)?.[1] ?? '');
    }
    if (ids.length >= count) break;
  }
  ending.abort();
  return { ids, last: numbers.at(-1) ?? '' };
}

describe('a client', () => {
  it('hears what happens from now on, and what it missed when it comes back', async () => {
    await take();
    const start = await head();
    const before = await happen(4);
    await take();
    let now: readonly string[] = [];
    const heard = await hear(5, {}, async () => {
      now = await happen(5);
      await take();
    });
    expect([...heard.ids].toSorted()).toEqual([...now].toSorted());
    const missed = await happen(7);
    await take();
    const back = await hear(7, { 'last-event-id': heard.last });
    expect([...back.ids].toSorted()).toEqual([...missed].toSorted());
    const all = await hear(16, { 'last-event-id': start });
    expect([...all.ids].toSorted()).toEqual([...before, ...now, ...missed].toSorted());
  });

  it('misses nothing of what several processes take at once', async () => {
    const start = await head();
    const wanted = await happen(60);
    const others = [house.app.connect(), house.app.connect(), house.app.connect()];
    const listening = hear(60, { 'last-event-id': start });
    await Promise.all(
      others.map(async (session) => {
        while ((await takeEvents(session, house.app.tenant, 2)) > 0);
      }),
    );
    await take();
    const { ids } = await listening;
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].toSorted()).toEqual([...wanted].toSorted());
    await Promise.all(others.map((session) => session.close()));
  });

  it('that names no event of ours, or has no session, is refused', async () => {
    const strange = await house.client.get('/stream', {
      cookie,
      headers: { 'last-event-id': 'x' },
    });
    expect(strange.status).toBe(400);
    expect((await house.client.get('/stream')).status).toBe(401);
  });
});
