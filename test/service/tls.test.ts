/** Over TLS the cookie is bound to this host, and nothing of the service answers in clear. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../fixtures/built-tree.ts';
import { House } from './house.ts';

const pem = (name: string): string => readFileSync(join(ROOT, 'test/fixtures/tls', name), 'utf8');

let house: House;
beforeAll(async () => {
  house = await House.make({ tls: { cert: pem('test-cert.pem'), key: pem('test-key.pem') } });
});
afterAll(() => house.close());

function post(path: string, body: unknown): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = request(
      `${house.client.url}/api/v1${path}`,
      {
        method: 'POST',
        ca: pem('test-cert.pem'),
        headers: { 'content-type': 'application/json' },
      },
      (answer) => resolve(answer.resume()),
    );
    asking.once('error', reject);
    asking.end(JSON.stringify(body));
  });
}

it('a sign-in sets a cookie that no other host and no clear connection can have', async () => {
  expect(house.client.url).toMatch(/^https:/);
  const answer = await post('/sign-in', { key: await house.keyOf(house.ann) });
  expect(answer.statusCode).toBe(200);
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(
    /^__Host-filewright=fws_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(answer.headers['strict-transport-security']).toContain('max-age=');
  await expect(fetch(house.client.url.replace('https:', 'http:'))).rejects.toThrow();
});
