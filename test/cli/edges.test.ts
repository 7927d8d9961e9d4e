/** What the command line says and refuses at the edges of the machine; the adversary has one key and a profile of their own. */
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { CliWorld, envelopeOf, type Json } from '../fixtures/cli.ts';
import { listen, type Loopback } from '../fixtures/loopback.ts';

let world: CliWorld;
let portal: Loopback;
beforeAll(async () => {
  world = await CliWorld.make();
  portal = await listen({});
});
afterAll(async () => {
  await portal?.close();
  await world?.close();
});

async function doctor(variables: Readonly<Record<string, string>> = {}) {
  const ended = await world.run(['--json', 'doctor'], variables);
  const findings = envelopeOf(ended).data['findings'] as readonly Json[];
  const of = (check: string) => findings.find((finding) => finding['check'] === check);
  return { code: ended.code, of };
}

describe('doctor', () => {
  it('shows under whom service and database run, and how the one reaches the other', async () => {
    const { of } = await doctor();
    const isRoot = process.getuid?.() === 0;
    expect(of('service user')).toMatchObject({ state: isRoot ? 'warning' : 'good' });
    const user = isRoot ? /^embedded PostgreSQL as filewright \(uid \d+\)$/ : /uid \d+/;
    expect(of('database user')).toMatchObject({
      state: 'good',
      found: expect.stringMatching(user) as string,
    });
    expect(of('database connection')).toMatchObject({ state: 'good', found: 'unix socket' });
  });

  it('shows which networks and secrets the operator allows, and a list that cannot be trusted', async () => {
    const closed = await doctor({ FILEWRIGHT_ALLOW_PRIVATE: '' });
    expect(closed.of('private networks')).toMatchObject({ found: 'none may be reached' });
    expect(closed.of('list of secrets')).toMatchObject({ state: 'good' });
    const list = await world.file('list.json', '{"format":1,"secrets":[{"reference":"env:A"}]}');
    const good = await doctor({ FILEWRIGHT_SECRETS: list });
    expect(good.of('list of secrets')).toMatchObject({
      found: expect.stringContaining('1 references, 1 for any host') as string,
    });
    await chmod(list, 0o666);
    const bad = await doctor({ FILEWRIGHT_SECRETS: list });
    expect(bad.of('list of secrets')).toMatchObject({ state: 'bad' });
    expect(bad.code).toBe(1);
  });
});

it('a database on another machine is not spoken to without TLS, unless the operator says so', async () => {
  const plain = { DATABASE_URL: 'postgres://me:SECRET@192.0.2.1:5432/f?sslmode=disable' };
  const refused = await world.run(['user', 'list'], plain);
  expect(refused.code).toBe(75);
  expect(refused.stderr).toContain('FILEWRIGHT_DATABASE_PLAINTEXT=1');
  expect(refused.stderr).not.toContain('SECRET');
});

it('portal check runs no command and sends no secret that the operator has not listed', async () => {
  const proof = world.path('ran');
  const url = `http://127.0.0.1:${portal.port}`;
  for (const value of [`command:touch ${proof}`, `file:${world.dataDirectory}/root.key`]) {
    const credentials = [{ header: 'X-Token', value }];
    const file = await world.file('thief.json', JSON.stringify(sampleProfile({ credentials })));
    const ended = await world.run(['portal', 'check', file, url, '--wait', '1']);
    expect(ended.code).toBe(7);
    expect(ended.stdout).toContain('CREDENTIAL_UNREADABLE');
  }
  expect(existsSync(proof)).toBe(false);
  expect(portal.received.filter(({ text }) => /x-token/i.test(text))).toEqual([]);
});
