/** One human with one key, and whatever can be made of it by commands: names, keys, tenants, variables. Nothing leaves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csv, row } from '../cli/rows.ts';
import { CliWorld, envelopeOf, type Portals, textAt, type Variables } from '../fixtures/cli.ts';

let world: CliWorld;
let portals: Portals;
let paula: Variables;
let batch: string;

beforeAll(async () => {
  world = await CliWorld.make();
  paula = await world.person('Paula Preparer');
  portals = await world.portals({ code: 'US-DE' });
  for (const profile of portals.profiles) await world.data(['lane', 'add', profile], paula);
  const file = await world.file('mine.csv', csv(row('1'), row('2')));
  batch = textAt(await world.data(['batch', 'import', file], paula), 'batch');
});
afterAll(() => world.close());

async function refused(args: readonly string[], by: Variables = {}): Promise<unknown> {
  const ended = await world.run(['--json', ...args], by);
  expect(ended.code, ended.stdout).not.toBe(0);
  return envelopeOf(ended)['error'];
}

describe('one key', () => {
  it('adds a second person and cannot approve its own batch with it', async () => {
    const added = await world.data(['user', 'add', 'Quinn Other', '--role', 'all'], paula);
    const quinn = { FILEWRIGHT_KEY: textAt(added, 'key') };
    expect(await refused(['batch', 'approve', batch], quinn)).toMatchObject({
      code: 'SELF_APPROVAL',
    });
    // Two of them together make no third one either.
    const further = await world.data(['user', 'add', 'Rob Third', '--role', 'all'], quinn);
    const rob = { FILEWRIGHT_KEY: textAt(further, 'key') };
    expect(await refused(['batch', 'approve', batch], rob)).toMatchObject({
      code: 'SELF_APPROVAL',
    });
    const { people } = await world.data(['user', 'list']);
    const parties = new Set((people as { party: string }[]).map(({ party }) => party));
    expect(parties.size).toBe(1);
  });

  it.each([
    ['a zero-width space', 'Paula\u200b Preparer'],
    ['a Cyrillic letter', 'P\u0430ula Preparer'],
    ['an upper-case i', 'PauIa Preparer'],
    ['upper case', 'PAULA PREPARER'],
    ['full width', 'Ｐａｕｌａ Preparer'],
  ])('makes no twin that is shown under the same name, by %s', async (_by, name) => {
    const error = await refused(['user', 'add', name, '--role', 'all'], paula);
    expect(['USAGE', 'REFUSED_BY_RULE']).toContain(textAt(error, 'code'));
  });

  it('is one person with a second key of its own', async () => {
    const second = await world.data(['user', 'key', 'add', '--name', 'other machine'], paula);
    const again = { FILEWRIGHT_KEY: textAt(second, 'key') };
    expect(await refused(['batch', 'approve', batch], again)).toMatchObject({
      code: 'SELF_APPROVAL',
    });
  });

  it('is nobody in another tenant, and its key there is nobody here', async () => {
    const there = ['--tenant', 'other'];
    await world.data([...there, 'init']);
    expect(await refused([...there, 'batch', 'list'], paula)).toMatchObject({
      code: 'BAD_CREDENTIAL',
    });
    const made = await world.data([...there, 'user', 'add', 'Olga Other']);
    const olga = { FILEWRIGHT_KEY: textAt(made, 'key') };
    expect(await refused(['batch', 'approve', batch], olga)).toMatchObject({
      code: 'BAD_CREDENTIAL',
    });
  });

  it.each([
    ['an empty key', { FILEWRIGHT_KEY: '' }],
    ['no key', {}],
  ])('is not got round with %s: the first days are over', async (_what, by: Variables) => {
    expect(await refused(['user', 'add', 'Sam Second'], by)).toMatchObject({
      code: 'NO_CREDENTIAL',
    });
    expect(
      await refused(['init', '--admin', 'Sam Second', '--key-out-dir', world.path('keys')], by),
    ).toMatchObject({ code: 'NO_CREDENTIAL' });
    expect(await refused(['batch', 'approve', batch], by)).toMatchObject({ code: 'NO_CREDENTIAL' });
  });

  it('gives its own person no role and cannot leave the house without an administrator', async () => {
    expect(await refused(['user', 'disable', 'Paula Preparer'], await lastAdmin())).toMatchObject({
      code: 'REFUSED_BY_RULE',
    });
    expect(
      await refused(['user', 'role', 'give', 'Paula Preparer', 'viewer'], paula),
    ).toMatchObject({ code: 'NOT_PERMITTED' });
  });

  it('has sent nothing at the end', async () => {
    await world.run(['batch', 'run', batch]);
    expect(await portals.truth('US-DE')).toMatchObject({ keysAccepted: 0 });
  });
});

/** Everybody else is disabled first. */
async function lastAdmin(): Promise<Variables> {
  for (const name of ['Quinn Other', 'Rob Third']) {
    await world.data(['user', 'disable', name], paula);
  }
  return paula;
}

describe('two founders', () => {
  it('send what one prepared and the other approved, also made with init', async () => {
    const office = await CliWorld.make();
    try {
      const folder = office.path('keys');
      const both = ['--admin', 'Paula Preparer', '--admin', 'Arthur Approver'];
      const { people } = await office.data(['init', ...both, '--key-out-dir', folder]);
      const [one, other] = [0, 1].map((at) => ['--key-file', textAt(people, at, 'keyFile')]);
      for (const profile of portals.profiles) {
        await office.data([...(one ?? []), 'lane', 'add', profile]);
      }
      const file = await office.file('ours.csv', csv(row('7')));
      const ours = textAt(await office.data([...(one ?? []), 'batch', 'import', file]), 'batch');
      await office.data([...(other ?? []), 'batch', 'approve', ours]);
      expect((await office.run(['batch', 'run', ours])).code).toBe(0);
      expect(await portals.truth('US-DE')).toMatchObject({ keysAccepted: 1 });
    } finally {
      await office.close();
    }
  });
});
