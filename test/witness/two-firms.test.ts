/** Two installations witness each other; a history that was cut back and continued is refused, and somebody is told. */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openNote } from '../../src/ledger/note.ts';
import {
  CliWorld,
  envelopeOf,
  type Json,
  type Running,
  textAt,
  type Variables,
} from '../fixtures/cli.ts';
import { verify } from '../verify-py/python.ts';

const DIE = fileURLToPath(new URL('./die-after-link.mjs', import.meta.url));

interface Firm {
  readonly world: CliWorld;
  readonly paula: Variables;
  readonly spineKey: string;
  readonly keys: readonly string[];
}

async function firm(instance: string): Promise<Firm> {
  const world = await CliWorld.make();
  const paula = await world.person(`Paula of ${instance}`);
  const { logs } = await world.data(['audit', 'checkpoint']);
  const spine = (logs as readonly Json[]).find((log) => textAt(log, 'log').endsWith('/spine'));
  const keys = (logs as readonly Json[]).map((log) => textAt(log, 'keys', 0));
  return { world, paula, spineKey: textAt(spine, 'keys', 0), keys };
}

async function startWitness(
  { world }: Firm,
  of: Firm,
  more: { readonly port?: string; readonly variables?: Variables } = {},
): Promise<{ readonly running: Running; readonly url: string; readonly vkey: string }> {
  const args = ['--json', 'witness', '--state', world.path('witness'), '--port', more.port ?? '0'];
  const running = world.start([...args, '--log', of.spineKey], more.variables);
  const { data } = envelopeOf({ stdout: await running.saw('\n') });
  return { running, url: textAt(data, 'url'), vkey: textAt(data, 'vkey') };
}

const policyOf = (firm: Firm, witness: { readonly url: string; readonly vkey: string }): string =>
  [
    ...firm.keys.map((key) => `log ${key}`),
    `witness auditor ${witness.vkey} ${witness.url}`,
    'quorum auditor',
    '',
  ].join('\n');

describe('two firms that witness each other', () => {
  let one: Firm;
  let two: Firm;
  let ofOne: Variables;
  let ofTwo: Variables;
  let byTwo: Awaited<ReturnType<typeof startWitness>>;

  beforeAll(async () => {
    [one, two] = await Promise.all([firm('one'), firm('two')]);
    byTwo = await startWitness(two, one);
    const byOne = await startWitness(one, two);
    const asked = async (firm: Firm, witness: typeof byOne): Promise<Variables> => ({
      FILEWRIGHT_POLICY: await firm.world.file('policy.txt', policyOf(firm, witness)),
      FILEWRIGHT_ALLOW_PRIVATE: '127.0.0.0/8',
    });
    ofOne = await asked(one, byTwo);
    ofTwo = await asked(two, byOne);
  });
  afterAll(async () => {
    await Promise.all([one?.world.close(), two?.world.close()]);
  });

  const checkpoint = ({ world }: Firm, variables: Variables): Promise<Json> =>
    world.data(['audit', 'checkpoint'], variables);
  const spineOf = (data: Json): Json =>
    (data['logs'] as readonly Json[]).find((log) => textAt(log, 'log').endsWith('/spine')) ?? {};

  it('no private address is dialled unless the operator says so', async () => {
    const data = await checkpoint(one, { ...ofOne, FILEWRIGHT_ALLOW_PRIVATE: '' });
    expect(data['witnesses']).toMatchObject([{ witness: 'auditor', state: 'away' }]);
  });

  it('has the cosignature in the database, in the copy outside and in exports, for both verifiers', async () => {
    for (const [firm, variables] of [
      [one, ofOne],
      [two, ofTwo],
    ] as const) {
      const { world } = firm;
      const policy = variables['FILEWRIGHT_POLICY'] ?? '';
      // Nobody has seen anything yet.
      const before = await world.run(['--json', 'audit', 'verify', '--policy', policy]);
      expect(before.code).toBe(7);
      expect(before.stdout).toContain('UNTRUSTED_SIGNATURE');
      await world.person('Somebody else', firm.paula);
      const data = await checkpoint(firm, variables);
      expect(data['witnesses']).toMatchObject([{ state: 'cosigned' }]);
      const spine = spineOf(data);
      const vkey = /witness auditor (\S+)/.exec(readFileSync(policy, 'utf8'))?.[1] ?? '';
      const note = textAt(spine, 'note');
      expect(openNote(note, [firm.spineKey, vkey]).verifiedBy).toHaveLength(2);
      const copy = join(
        world.dataDirectory,
        'checkpoints',
        textAt(spine, 'log'),
        String(spine['size']),
      );
      expect(readFileSync(copy, 'utf8')).toBe(note);
      await world.data(['audit', 'verify', '--policy', policy]);
      await world.data(['audit', 'export', 'out', '--log', 'spine'], variables);
      expect(verify(world.path('out'), '--policy', policy)).toMatchObject({ ok: true });
      await world.data(['audit', 'verify', 'out', '--policy', policy]);
      // Without the cosignature the quorum is not met.
      const bare = note.split('\n').slice(0, 5).join('\n');
      await world.file('out/checkpoint', `${bare}\n`);
      expect(verify(world.path('out'), '--policy', policy)).toMatchObject({
        ok: false,
        reason: 'UNTRUSTED_SIGNATURE',
      });
    }
  });

  it('stands through its spine for every log of an export, whole or in part, and for no head that the spine does not name', async () => {
    const { world, paula } = one;
    const policy = ofOne['FILEWRIGHT_POLICY'] ?? '';
    const verdicts = async (name: string): Promise<readonly (string | null)[]> => {
      const ended = await world.run(['--json', 'audit', 'verify', name, '--policy', policy]);
      const { data } = envelopeOf(ended);
      const ours = data['ok'] === true ? 'ok' : textAt(data, 'reason');
      const python = verify(world.path(name), '--policy', policy);
      return [ours, python.ok ? 'ok' : python.reason];
    };
    const since = ['--from', '2020-01-01'];
    await world.data(['audit', 'export', 'all'], ofOne);
    await world.data(['audit', 'export', 'part', '--log', 'access', ...since], ofOne);
    await world.data(['audit', 'export', 'range', ...since], ofOne);
    for (const name of ['all', 'part', 'range']) expect(await verdicts(name)).toEqual(['ok', 'ok']);
    expect(readdirSync(world.path('part/logs'))).toEqual(['access', 'spine']);

    // A head that is newer than all that the witnessed spine names, signed with the right key.
    await world.person('Later', paula);
    const alone = { ...ofOne, FILEWRIGHT_POLICY: '' };
    await world.data(['audit', 'export', 'later', '--log', 'access', ...since], alone);
    cpSync(world.path('later'), world.path('mixed/logs/access'), { recursive: true });
    cpSync(world.path('part/logs/spine'), world.path('mixed/logs/spine'), { recursive: true });
    rmSync(world.path('mixed/logs/access/MANIFEST.sha256'));
    const refused = ['UNTRUSTED_SIGNATURE', 'UNTRUSTED_SIGNATURE'];
    expect(await verdicts('mixed')).toEqual(refused);
    // Without the spine, or with a spine that nobody has seen, no log is vouched for.
    rmSync(world.path('part/logs/spine'), { recursive: true });
    rmSync(world.path('part/MANIFEST.sha256'));
    expect(await verdicts('part')).toEqual(refused);
    const spine = 'all/logs/spine/checkpoint';
    const bare = readFileSync(world.path(spine), 'utf8').split('\n').slice(0, 5).join('\n');
    await world.file(spine, `${bare}\n`);
    rmSync(world.path('all/MANIFEST.sha256'));
    expect(await verdicts('all')).toEqual(refused);
  });

  it('a witness killed between keeping a head and answering signs the same head again', async () => {
    await two.world.person('Third', two.paula);
    byTwo.running.child.kill('SIGTERM');
    expect((await byTwo.running.ended).code).toBe(0);
    const port = new URL(byTwo.url).port;
    const dying = await startWitness(two, one, {
      port,
      variables: { NODE_OPTIONS: `--import ${DIE}` },
    });
    expect(dying.vkey).toBe(byTwo.vkey);
    await one.world.person('Third', one.paula);
    const lost = await checkpoint(one, ofOne);
    // The last one was cosigned a moment ago, so nobody is told yet.
    expect(lost['witnesses']).toMatchObject([{ state: 'idle' }]);
    await dying.running.ended;
    byTwo = await startWitness(two, one, { port });
    const found = await checkpoint(one, ofOne);
    expect(found['witnesses']).toMatchObject([{ state: 'cosigned', size: spineOf(found)['size'] }]);
  });

  it('a log that was cut back and continued is refused by the witness, and a critical alert is raised', async () => {
    const { world, paula } = one;
    await world.data(['db', 'backup', 'older']);
    await world.person('Forgotten', paula);
    const before = await checkpoint(one, ofOne);
    expect(before['witnesses']).toMatchObject([{ state: 'cosigned' }]);
    // Whoever restores it takes away what the machine itself could notice.
    await world.data(['db', 'stop']);
    cpSync(join(world.dataDirectory, 'root.key'), world.path('root.key'));
    rmSync(join(world.dataDirectory, 'checkpoints'), { recursive: true });
    await world.data(['--data-dir', world.path('restored'), 'db', 'restore', 'older']);
    cpSync(world.path('root.key'), world.path('restored/root.key'));
    const restored = { ...ofOne, FILEWRIGHT_DATA: world.path('restored') };
    const behind = await checkpoint(one, restored);
    expect(behind['witnesses']).toMatchObject([{ state: 'contradicted' }]);
    // Each head that is signed makes the spine longer, until it is longer than what the witness knows.
    for (const name of ['Ada', 'Bert', 'Cleo', 'Dora']) {
      await world.data(['user', 'add', name, '--role', 'auditor'], { ...restored, ...paula });
      await world.data(['audit', 'checkpoint'], { ...restored, FILEWRIGHT_POLICY: '' });
    }
    const forked = await checkpoint(one, restored);
    expect(forked['witnesses']).toMatchObject([
      { state: 'contradicted', message: expect.stringContaining('not the beginning') },
    ]);
    const { alerts } = await world.data(['alert', 'list'], restored);
    expect(alerts).toContainEqual(
      expect.objectContaining({ kind: 'witness_contradicts', severity: 'critical' }),
    );
    await world.run(['db', 'stop'], restored);
  });
});
