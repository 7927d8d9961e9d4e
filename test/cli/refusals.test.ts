/** Keys, ids and options that are wrong: the documented exit code, in words, and never a stack trace. */
import { chmod, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliWorld, envelopeOf, type Variables } from '../fixtures/cli.ts';

let world: CliWorld;
let paula: Variables;
let left: Variables;

const NOBODYS_ID = '01900000-0000-7000-8000-000000000000';

beforeAll(async () => {
  // Exit codes are promised of processes.
  world = await CliWorld.make('own');
  paula = await world.person('Paula');
  left = await world.person('Left', paula);
  await world.data(['user', 'disable', 'Left'], paula);
});

afterAll(() => world.close());

describe('a personal key', () => {
  const cases: [string, () => Variables, string[], string][] = [
    ['that is missing', () => ({}), [], 'NO_CREDENTIAL'],
    ['that nobody has', () => ({ FILEWRIGHT_KEY: 'fwk_unknown' }), [], 'BAD_CREDENTIAL'],
    ['that is disabled', () => left, [], 'BAD_CREDENTIAL'],
    ['whose file is not there', () => paula, ['--key-file', 'none.key'], 'NO_CREDENTIAL'],
  ];

  it.each(cases)(
    '%s is refused with exit code 4 and is not repeated',
    async (_name, key, args, error) => {
      const variables = key();
      const ended = await world.run(['--json', ...args, 'user', 'add', 'Intruder'], variables);
      expect(ended.code).toBe(4);
      expect(envelopeOf(ended)).toMatchObject({ ok: false, error: { code: error } });
      expect(ended.stdout + ended.stderr).not.toContain(variables['FILEWRIGHT_KEY'] ?? 'fwk_');
      const { people } = await world.data(['user', 'list']);
      expect(people).toMatchObject([{ name: 'Left' }, { name: 'Paula' }]);
    },
  );

  it('that is disabled is refused for reading, and stops no background work', async () => {
    const ended = await world.run(['--json', 'filing', 'list'], left);
    expect(envelopeOf(ended)).toMatchObject({ ok: false, error: { code: 'BAD_CREDENTIAL' } });
    expect((await world.run(['jobs', 'run', '--once'], left)).code).toBe(0);
  });
});

describe('a key file', () => {
  it('that is a directory is refused with the reason', async () => {
    const ended = await world.run(['--key-file', world.folder, 'user', 'add', 'Intruder']);
    expect(ended.code).toBe(4);
    expect(ended.stderr).toMatch(/cannot be read: it is a directory\n +code: +NO_CREDENTIAL/);
  });

  it('that everyone can read is used with a warning, and without one for its owner alone', async () => {
    const key = await world.file('open.key', `${paula['FILEWRIGHT_KEY']}\n`);
    const act = ['--key-file', key, 'user', 'disable', 'Left'];
    await chmod(key, 0o644);
    const open = await world.run(act);
    expect(open.stderr).toContain(`every user of this machine can read ${key}`);
    await chmod(key, 0o600);
    const closed = await world.run(act);
    expect(closed.stderr).not.toContain('every user');
    expect(closed.code).toBe(open.code);
  });

  it('that is there already is not written over, and no one is added', async () => {
    const there = await world.file('there.key', 'mine');
    const before = await world.data(['user', 'list']);
    for (const [path, code] of [
      [there, 4],
      [world.path('none/new.key'), 1],
    ] as const) {
      const ended = await world.run(['user', 'add', 'Newcomer', '--key-out', path], paula);
      expect(ended).toMatchObject({ code, stdout: '' });
      expect(ended.stderr).toContain('no person was added');
      expect(ended.stderr).not.toContain('fwk_');
    }
    expect(await readFile(there, 'utf8')).toBe('mine');
    expect(await world.data(['user', 'list'])).toEqual(before);
  });

  it('is gone again when the person could not be added', async () => {
    const path = world.path('again.key');
    const ended = await world.run(['user', 'add', 'Paula', '--key-out', path], paula);
    expect(ended.code).toBe(4);
    await expect(readFile(path)).rejects.toThrow('ENOENT');
  });
});

describe('what does not exist or makes no sense', () => {
  const cases: [string, number][] = [
    [`batch run ${NOBODYS_ID}`, 3],
    [`filing show ${NOBODYS_ID}`, 3],
    [`review replay ${NOBODYS_ID} --reason tried-in-a-test`, 3],
    ['lane pause US-XX', 3],
    ['filing list --lane US-XX', 3],
    ['review list --lane us-de', 3],
    ['forecast --lane US-XX', 3],
    ['--data-dir elsewhere db restore none', 3],
    ['retention hold  --reason tried-in-a-test', 2],
    ['user disable Nobody', 3],
    ['batch run nonsense', 2],
    ['filing list --batch nonsense', 2],
    ['filing list --status done', 2],
    ['review list --limit many', 2],
    ['batch list --limit -1', 2],
    ['lane ceiling US-DE 0', 2],
    ['worker --heartbeat-url nonsense', 2],
    ['simulator --profile none.json --port 70000', 2],
    ['--tenant NO user list', 2],
    ['batch frobnicate', 2],
    ['frobnicate', 2],
    ['batch run', 2],
  ];

  it.each(cases)('%s: exit code %i', async (line, code) => {
    const ended = await world.run(['--json', ...line.split(' ')], paula);
    expect(ended.code, ended.stdout + ended.stderr).toBe(code);
    expect(envelopeOf(ended)).toMatchObject({
      ok: false,
      error: { code: code === 3 ? 'NOT_FOUND' : 'USAGE' },
    });
    expect(ended.stdout + ended.stderr).not.toMatch(/\n +at /);
  });

  it('a state that does not exist: nothing is closed or released with it', async () => {
    const close = ['grants', 'close', '2026-Q1', '--account', '1', '--states', 'PA', 'NX'];
    const ended = await world.run(['--json', ...close], paula);
    expect(ended.code).toBe(1);
    expect(envelopeOf(ended)).toMatchObject({ error: { code: 'JURISDICTION_UNRESOLVED' } });
  });

  it('help and version are no mistakes', async () => {
    const help = await world.run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect((await world.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
