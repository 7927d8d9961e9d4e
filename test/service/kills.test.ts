/** kill -9 of the service between a request and its answer: the repeat gives one answer, and nothing happens twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliWorld, envelopeOf, type Variables } from '../fixtures/cli.ts';
import { Client } from './client.ts';

const DIE = new URL('./die-at-commit.mjs', import.meta.url).href;

let world: CliWorld;
let ann: Variables;
beforeAll(async () => {
  world = await CliWorld.make();
  ann = await world.person('Ann');
  await world.person('Ben', ann);
});
afterAll(() => world.close());

async function served(more: Variables = {}) {
  const running = world.start(['--json', 'serve', '--port', '0'], more);
  const { data } = envelopeOf({ stdout: await running.saw('\n') });
  return { running, client: new Client(String(data['url'])) };
}

describe.each([
  ['before', 'false'],
  ['after', 'true'],
])('killed %s the commit', (side, replayed) => {
  it('the repeat under its key gives one answer, and one key is there', async () => {
    const name = `made-${side}`;
    const first = await served({ NODE_OPTIONS: `--import ${DIE}`, FILEWRIGHT_TEST_DIE_AT: side });
    const cookie = await first.client.signIn({ key: String(ann['FILEWRIGHT_KEY']) });
    const asking = { cookie, key: name };
    await expect(first.client.post('/keys', { name }, asking)).rejects.toThrow();
    expect((await first.running.ended).code).toBe(null);

    const second = await served();
    // The session is a row: it outlives the process.
    const answer = await second.client.post('/keys', { name }, asking);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('idempotent-replayed') ?? 'false').toBe(replayed);
    const again = await second.client.post('/keys', { name }, asking);
    expect(again.text).toBe(answer.text);
    const keys = await second.client.get('/keys?limit=500', { cookie });
    const found = (keys.body['items'] as { name: string }[]).filter((key) => key.name === name);
    expect(found).toHaveLength(1);
    // The key that was shown is the one that is there.
    await second.client.signIn({ key: String(answer.body['key']) });
    second.running.child.kill('SIGTERM');
    expect((await second.running.ended).code).toBe(0);
  });
});
