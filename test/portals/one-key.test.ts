/**
 * The story: one key's profile put the root key and DATABASE_URL into headers and ran a `command:` as root. The adversary
 * has one key and writes any profile; the operator's environment and files are not theirs.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPortal } from '../../src/lanes/index.ts';
import { openConnection } from '../../src/wire/connector.ts';
import { filing, guard, listen, type Loopback, profileFor } from '../fixtures/loopback.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';

const ROOT_KEY = 'ab'.repeat(32);

let folder: string;
let data: string;
let thief: Loopback;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fw-one-key-'));
  data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(data, 'root.key'), ROOT_KEY);
  thief = await listen({});
});
afterEach(async () => {
  await thief.close();
  rmSync(folder, { recursive: true });
});

const url = (): string => `http://127.0.0.1:${thief.port}`;

interface Operator {
  readonly secrets?: readonly object[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** Sends one filing by a profile with this reference in a header; tells what the portal saw and what the attempt says. */
async function send(reference: string, { secrets, variables }: Operator = {}) {
  const list = join(folder, 'list.json');
  if (secrets !== undefined) writeFileSync(list, JSON.stringify({ format: 1, secrets }));
  const portal = createPortal({
    environment: {
      ...OWN_MACHINE,
      PATH: process.env['PATH'],
      FILEWRIGHT_DATA: data,
      FILEWRIGHT_ROOT_KEY: ROOT_KEY,
      DATABASE_URL: 'postgres://filewright:hunter2@db.example/filewright',
      PGPASSWORD: 'hunter2',
      AWS_SECRET_ACCESS_KEY: 'hunter2',
      HTTPS_PROXY: 'http://proxy:hunter2@127.0.0.1:9',
      all_proxy: 'http://proxy:hunter2@127.0.0.1:9',
      SSLKEYLOGFILE: '/tmp/hunter2',
      PORTAL_TOKEN: 'token-of-the-portal',
      ...(secrets === undefined ? {} : { FILEWRIGHT_SECRETS: list }),
      ...variables,
    },
  });
  try {
    const credentials = [{ header: 'X-Token', value: reference }];
    const exchange = await portal.send(filing(profileFor(url(), { credentials })), guard());
    return { seen: thief.received.map(({ text }) => text), exchange: JSON.stringify(exchange) };
  } finally {
    await portal.close();
  }
}

async function refused(reference: string, operator: Operator = {}): Promise<string> {
  const { seen, exchange } = await send(reference, operator);
  expect(seen).toEqual([]);
  expect(exchange).toContain('credential');
  for (const secret of [ROOT_KEY, 'hunter2']) expect(exchange).not.toContain(secret);
  return exchange;
}

describe('a profile of one key', () => {
  it.each([
    'env:FILEWRIGHT_ROOT_KEY',
    'env:DATABASE_URL',
    'env:PGPASSWORD',
    'env:AWS_SECRET_ACCESS_KEY',
    'env:HTTPS_PROXY',
    'env:all_proxy',
    'env:SSLKEYLOGFILE',
    'env:filewright_root_key',
    'env:PATH',
  ])('does not put %s into a header, not even where the list holds it', async (reference) => {
    const variables = { filewright_root_key: ROOT_KEY };
    expect(await refused(reference, { variables })).toContain('of its own');
    await refused(reference, { secrets: [{ reference }], variables });
  });

  it('does not put the root key into a header, by no name that leads to it', async () => {
    const key = join(data, 'root.key');
    const link = join(folder, 'link');
    symlinkSync(data, link);
    const hard = join(folder, 'hard');
    linkSync(key, hard);
    for (const path of [key, join(link, 'root.key'), join(folder, 'data/../data/root.key'), hard]) {
      const reference = `file:${path}`;
      expect(await refused(reference)).toContain('no list of secrets');
      expect(await refused(reference, { secrets: [{ reference }] })).toContain(
        ', which no reference may',
      );
    }
    for (const reference of ['file:/proc/self/environ', `file:/proc/${process.pid}/environ`]) {
      await refused(reference, { secrets: [{ reference }] });
    }
  });

  it('runs no command that the operator has not listed to the letter', async () => {
    const proof = join(folder, 'ran');
    const reference = `command:touch ${proof}`;
    expect(await refused(reference)).toContain('no list of secrets');
    expect(await refused(reference, { secrets: [{ reference: 'command:touch' }] })).toContain(
      'does not hold it',
    );
    expect(existsSync(proof)).toBe(false);
  });

  it('reads no file that the operator has not listed', async () => {
    const file = join(folder, 'someone-elses');
    writeFileSync(file, 'hunter2');
    await refused(`file:${file}`);
    await refused(`file:${file}`, { secrets: [] });
  });

  it('gets a listed secret for its own host alone', async () => {
    const reference = 'env:PORTAL_TOKEN';
    const bound = { secrets: [{ reference, hosts: ['portal.example.gov'] }] };
    expect(await refused(reference, bound)).toContain('portal.example.gov alone');
    const own = { secrets: [{ reference, hosts: [new URL(url()).host] }] };
    expect((await send(reference, own)).seen.join()).toContain('token-of-the-portal');
  });

  it('has a command that is listed run without our environment', async () => {
    const reference = `command:${JSON.stringify([process.execPath, '-p', 'Object.keys(process.env).sort().join()'])}`;
    const variables = { PASSWORD_STORE_DIR: '/x', HOME: '/root', LANG: 'C' };
    const { seen } = await send(reference, {
      secrets: [{ reference, environment: ['PASSWORD_STORE_DIR'] }],
      variables,
    });
    expect(seen.join()).toMatch(/x-token: HOME,LANG,PASSWORD_STORE_DIR,PATH\r/i);
  });

  it('opens no private address without the operator, whatever it says of itself', async () => {
    const { exchange } = await send('env:PORTAL_TOKEN', {
      variables: { FILEWRIGHT_ALLOW_PRIVATE: '' },
    });
    expect(exchange).toContain('address_refused');
    expect(exchange).toContain('FILEWRIGHT_ALLOW_PRIVATE');
    const other = await send('env:PORTAL_TOKEN', {
      variables: { FILEWRIGHT_ALLOW_PRIVATE: '10.0.0.0/8' },
    });
    expect(other.exchange).toContain('address_refused');
    expect(thief.received.map(({ text }) => text)).toEqual([]);
  });
});

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '１２７.0.0.1',
    '127。0。0。1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[::127.0.0.1]',
    'localhost',
    'LOCALHOST.',
  ])('is private however it is spelled: %s', async (host) => {
    const portal = createPortal({ environment: { FILEWRIGHT_ALLOW_PRIVATE: '' } });
    try {
      const profile = profileFor(`http://${host}:${thief.port}`, {});
      const exchange = await portal.send(filing(profile), guard());
      // A name with a dot at its end is one that some resolvers do not know.
      expect(JSON.stringify(exchange)).toMatch(/address_refused|"dns"/);
      expect(thief.connections()).toBe(0);
    } finally {
      await portal.close();
    }
  });

  it('is asked directly: no variable of the process leads to a proxy', async () => {
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => [name, process.env[name]] as const);
    const proxy = await listen({});
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      expect((await send('env:PORTAL_TOKEN')).seen).toHaveLength(1);
      expect(proxy.connections()).toBe(0);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await proxy.close();
    }
  });

  it('is refused whole where one name has a public and a private one', async () => {
    for (const addresses of [
      ['93.184.216.34', '127.0.0.1'],
      ['127.0.0.1', '93.184.216.34'],
    ]) {
      const found = addresses.map((address) => ({ address, family: 4 }));
      const dialled: unknown[] = [];
      const opened = await openConnection(
        { host: 'portal.example', port: thief.port, isTls: false },
        {
          allowPrivateAddresses: false,
          connectMsMax: 1_000,
          tlsHandshakeMsMax: 1_000,
          lookup: (_host, _options, tell) => tell(null, found),
          dial: (target) => {
            dialled.push(target);
            throw new Error('dialled');
          },
        },
      );
      expect(opened).toMatchObject({ failure: 'address_refused' });
      expect(dialled).toEqual([]);
    }
  });
});

describe('the list of secrets', () => {
  const reference = 'env:PORTAL_TOKEN';
  const good = JSON.stringify({ format: 1, secrets: [{ reference }] });
  const list = () => join(folder, 'mine.json');
  const named = () => ({ variables: { FILEWRIGHT_SECRETS: list() } });

  it('counts where its owner alone can change it', async () => {
    writeFileSync(list(), good);
    expect((await send(reference, named())).seen).toHaveLength(1);
  });

  it.each([
    ['missing', () => undefined, 'is missing'],
    [
      'writable by others',
      () => {
        writeFileSync(list(), good);
        execFileSync('chmod', ['666', list()]);
      },
      'changed by others',
    ],
    [
      'inside the data directory',
      () => {
        writeFileSync(join(data, 'list.json'), good);
        symlinkSync(join(data, 'list.json'), list());
      },
      'inside the data directory',
    ],
    ['not JSON', () => writeFileSync(list(), '{'), 'not JSON'],
    [
      'misspelled',
      () => writeFileSync(list(), '{"format":1,"secrets":[{"reference":"x","host":["y"]}]}'),
      'wrong entry 1',
    ],
  ])('that is %s is no list, and nothing is read', async (_name, make, why) => {
    make();
    expect(await refused(reference, named())).toContain(why);
  });

  it.runIf(process.getuid?.() === 0)('of another user is no list', async () => {
    writeFileSync(list(), good);
    execFileSync('chown', ['12345', list()]);
    expect(await refused(reference, named())).toContain('uid 12345');
  });

  it('is found beside the data directory, and never in it', async () => {
    writeFileSync(join(data, 'secrets.json'), good);
    const file = join(folder, 'token');
    writeFileSync(file, 'from-a-file');
    expect(await refused(`file:${file}`)).toContain('no list of secrets');
    const secrets = [{ reference: `file:${file}` }];
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ format: 1, secrets }));
    expect((await send(`file:${file}`)).seen.join()).toContain('from-a-file');
  });
});
