/** A firm whose heads are stamped: by the authority, by one that lies, by one that is away; and what outsiders can check. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { Session } from '../../src/postgres/session.ts';
import { CliWorld, type Json, type Variables } from '../fixtures/cli.ts';
import { imprintIn, reply, Stamper, TimeAuthority } from '../fixtures/time-authority.ts';
import { verify } from '../verify-py/python.ts';

describe('the heads of a firm', { timeout: 120_000 }, () => {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'fw-tsa-')));
  let world: CliWorld;
  let paula: Variables;
  let honest: Stamper;
  let stranger: Stamper;
  let authority: TimeAuthority;
  let stamped: Variables;
  let count = 0;

  beforeAll(async () => {
    honest = new Stamper(folders[0] ?? '', 'one');
    honest.issue('tsa', 'stamping');
    honest.issue('expired', 'stamping', { to: '20250201000000Z' });
    stranger = new Stamper(folders[1] ?? '', 'stranger');
    stranger.issue('tsa', 'stamping');
    authority = await TimeAuthority.start(honestly);
    world = await CliWorld.make();
    paula = await world.person('Paula');
    stamped = {
      FILEWRIGHT_TIMESTAMP_URL: authority.url,
      FILEWRIGHT_TIMESTAMP_CA: honest.root,
      FILEWRIGHT_ALLOW_PRIVATE: '127.0.0.0/8',
    };
  });
  afterAll(async () => {
    await world?.close();
    await authority?.close();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  const honestly: TimeAuthority['answering'] = async (request, response) =>
    reply(response, await honest.answer(request));
  /** Something new to sign, and the head signed with it. */
  const grown = async (variables: Variables = stamped): Promise<Json> => {
    count += 1;
    await world.person(`Person ${count}`, paula);
    return world.data(['audit', 'checkpoint'], variables);
  };
  const stampsOutside = (): string[] => {
    const house = join(world.dataDirectory, 'checkpoints/filewright.local/main/spine');
    return readdirSync(house).filter((name) => name.endsWith('.tsr'));
  };

  it('no stamp is asked for at a private address unless the operator says so', async () => {
    const data = await grown({ ...stamped, FILEWRIGHT_ALLOW_PRIVATE: '' });
    expect(data['stamp']).toMatchObject({ state: 'away' });
    expect(authority.asked).toBe(0);
    const verdict = await world.run(['audit', 'verify', '--timestamp-ca', honest.root]);
    expect([verdict.code, verdict.stdout]).toEqual([
      7,
      expect.stringContaining('TIMESTAMP_MISSING'),
    ]);
  });

  it.each([
    ['without the certificate to believe', { FILEWRIGHT_TIMESTAMP_CA: '' }, 2],
    ['with a file that is no certificate', { FILEWRIGHT_TIMESTAMP_CA: '/etc/hostname' }, 2],
    ['with an address that is none', { FILEWRIGHT_TIMESTAMP_URL: 'ftp://x' }, 2],
    ['with a policy that is none', { FILEWRIGHT_TIMESTAMP_POLICY: 'gold' }, 2],
  ])('a setting %s is refused before anybody is asked', async (_what, variables, code) => {
    const ended = await world.run(['audit', 'checkpoint'], { ...stamped, ...variables });
    expect([ended.code, ended.stderr]).toEqual([
      code,
      expect.stringContaining('FILEWRIGHT_TIMESTAMP'),
    ]);
    expect(authority.asked).toBe(0);
  });

  it('are stamped, kept inside and outside, and verified with nothing but the certificate', async () => {
    const data = await grown();
    expect(data['stamp']).toMatchObject({ state: 'stamped', authority: 'CN=tsa' });
    expect(stampsOutside()).toEqual([`${String((data['stamp'] as Json)['size'])}.tsr`]);
    const report = await world.data(['audit', 'verify', '--timestamp-ca', honest.root]);
    expect(report['stamps']).toMatchObject({ count: 1, newest: { authority: 'CN=tsa' } });
    // Again without anything new: nobody is asked.
    const { asked } = authority;
    await world.data(['audit', 'checkpoint'], stamped);
    expect(authority.asked).toBe(asked);
  });

  const lies: readonly (readonly [string, TimeAuthority['answering'], string])[] = [
    [
      'the answer to another question',
      async (request, response) => {
        const other = Buffer.from(request);
        other[other.length - 5] = (other[other.length - 5] ?? 0) ^ 1;
        reply(response, await honest.answer(other));
      },
      'its nonce is not the one that was asked',
    ],
    [
      'a stamp of something else',
      async (request, response) => {
        imprintIn(request).fill(7);
        reply(response, await honest.answer(request));
      },
      'it is a stamp of something else',
    ],
    [
      'a stamp with the key of a stranger',
      async (request, response) => reply(response, await stranger.answer(request)),
      'no authority that you trust has issued its certificate',
    ],
    [
      'a stamp with an expired certificate',
      async (request, response) => reply(response, await honest.answer(request, 'expired')),
      'its certificate was not valid at that time',
    ],
    [
      'half an answer',
      async (request, response) => {
        const whole = await honest.answer(request);
        reply(response, whole.subarray(0, whole.length / 2));
      },
      'is cut short',
    ],
    ['a page', (_request, response) => void response.writeHead(404).end('no'), 'It answered 404'],
  ];
  it.each(lies)(
    'are not stamped by %s, and nothing of it is kept',
    async (_what, answering, why) => {
      authority.answering = answering;
      const before = stampsOutside();
      const data = await grown();
      expect(data['stamp']).toMatchObject({
        state: 'refused',
        message: expect.stringContaining(why),
      });
      expect(stampsOutside()).toEqual(before);
      const { alerts } = await world.data(['alert', 'list']);
      expect(alerts).toContainEqual(
        expect.objectContaining({ kind: 'timestamp_refused', text: expect.stringContaining(why) }),
      );
      const report = await world.data(['audit', 'verify', '--timestamp-ca', honest.root]);
      expect(report['stamps']).toMatchObject({ count: 1 });
    },
  );

  it('an endless or a silent answer costs ten seconds at most, and the ledger goes on', async () => {
    authority.answering = (_request, response) => {
      response.writeHead(200);
      const more = (): boolean => response.write(Buffer.alloc(65_536, 0x30));
      response.on('drain', more);
      more();
    };
    const flood = await grown();
    expect(flood['stamp']).toMatchObject({ state: 'idle' });
    authority.answering = (_request, response) => response.writeHead(200).flushHeaders();
    const from = performance.now();
    const silent = await grown();
    expect(performance.now() - from).toBeLessThan(20_000);
    expect(silent['stamp']).toMatchObject({ state: 'idle', message: expect.stringMatching(/./) });
    await world.data(['audit', 'verify']);
  });

  it('killed between the question and its storing, they are stamped at the next look', async () => {
    for (const moment of ['before the answer', 'with the answer'] as const) {
      const before = stampsOutside().length;
      await world.person(`Killed ${moment}`, paula);
      const running = world.start(['audit', 'checkpoint'], stamped);
      authority.answering = async (request, response) => {
        const answer = await honest.answer(request);
        if (moment === 'with the answer') reply(response, answer);
        running.child.kill('SIGKILL');
        if (moment === 'before the answer') reply(response, answer);
      };
      expect((await running.ended).code).toBeNull();
      authority.answering = honestly;
      const data = await world.data(['audit', 'checkpoint'], stamped);
      expect(data['stamp'], moment).toMatchObject({ state: 'stamped' });
      expect(stampsOutside().length).toBeGreaterThan(before);
      await world.data(['audit', 'verify', '--timestamp-ca', honest.root]);
    }
  });

  it('a stamp that a kill left without its copy gets it at the next look', async () => {
    const house = join(world.dataDirectory, 'checkpoints/filewright.local/main/spine');
    const sizes = stampsOutside().map((name) => Number(name.slice(0, -4)));
    const newest = `${Math.max(...sizes)}.tsr`;
    const copy = readFileSync(join(house, newest));
    rmSync(join(house, newest));
    await world.data(['audit', 'verify', '--timestamp-ca', honest.root]);
    await world.data(['audit', 'checkpoint'], stamped);
    expect(readFileSync(join(house, newest))).toEqual(copy);
  });

  it('go with an export, where both verifiers hold them against the authority', async () => {
    authority.answering = honestly;
    await grown();
    await world.data(['audit', 'export', 'whole'], stamped);
    const ca = ['--timestamp-ca', honest.root];
    const ours = await world.data(['audit', 'verify', 'whole', ...ca]);
    expect(ours['stamps']).toMatchObject([{ authority: 'CN=tsa' }]);
    expect(verify(world.path('whole'), ...ca)).toMatchObject({ ok: true });
    // A stranger's certificate is another authority.
    const other = ['--timestamp-ca', stranger.root];
    const refused = await world.run(['--json', 'audit', 'verify', 'whole', ...other]);
    expect([refused.code, refused.stdout]).toEqual([
      7,
      expect.stringContaining('TIMESTAMP_UNTRUSTED'),
    ]);
    expect(verify(world.path('whole'), ...other)).toMatchObject({ reason: 'TIMESTAMP_UNTRUSTED' });

    const folder = world.path('whole/logs/spine/timestamps');
    const [first = '', ...more] = readdirSync(folder).filter((name) => name.endsWith('.tsr'));
    const good = readFileSync(join(folder, first));
    const both = async (reason: string): Promise<void> => {
      const ended = await world.run(['--json', 'audit', 'verify', 'whole', ...ca]);
      expect([ended.code, ended.stdout]).toEqual([7, expect.stringContaining(reason)]);
      expect(verify(world.path('whole'), ...ca)).toMatchObject({ ok: false, reason });
    };
    // The list of files covers them: one that is gone or another one is seen without looking into it.
    await world.file(`whole/logs/spine/timestamps/${first}`, good.subarray(0, 100));
    await both('FILE_HASH_MISMATCH');
    rmSync(world.path('whole/MANIFEST.sha256'));
    await both('TIMESTAMP_MALFORMED');
    const bent = Buffer.from(good);
    bent[bent.length - 3] = (bent[bent.length - 3] ?? 0) ^ 1;
    await world.file(`whole/logs/spine/timestamps/${first}`, bent);
    await both('TIMESTAMP_UNTRUSTED');
    for (const name of [first, ...more]) rmSync(join(folder, name));
    await both('TIMESTAMP_MISSING');
  });

  it('one that was changed or taken away in the database is found', async () => {
    const { connection } = await ensureEmbedded({ dataDirectory: world.dataDirectory });
    const session = new Session({ target: connection, schema: 'filewright', name: 'test' });
    const sql = (text: string): Promise<unknown> =>
      session.transaction(async (run) => {
        for (const one of ['alter table ledger_timestamp disable trigger user', ...text.split(';')])
          await run({ name: '', text: one });
      });
    const at = async (statement: string, reason: string): Promise<void> => {
      await sql(statement);
      const ended = await world.run(['audit', 'verify', '--timestamp-ca', honest.root]);
      expect([ended.code, ended.stdout]).toEqual([7, expect.stringContaining(reason)]);
    };
    await sql('create table public.kept_stamps as table ledger_timestamp');
    const restore =
      'delete from ledger_timestamp; insert into ledger_timestamp table public.kept_stamps';
    const oldest = 'size = (select min(size) from ledger_timestamp)';
    await at(`delete from ledger_timestamp where ${oldest}`, 'TIMESTAMP_MISSING');
    await at(
      `${restore}; update ledger_timestamp set token = (select token from public.kept_stamps order by size desc limit 1) where ${oldest}`,
      'COPY_MISMATCH',
    );
    // With the copy gone too, the stamp says itself that it is of another head.
    const first = stampsOutside().sort((a, b) => Number.parseInt(a) - Number.parseInt(b))[0] ?? '';
    rmSync(join(world.dataDirectory, 'checkpoints/filewright.local/main/spine', first));
    await at('select 1', 'TIMESTAMP_MISMATCH');
    await sql(restore);
    await session.close();
    await world.data(['audit', 'verify', '--timestamp-ca', honest.root]);
  });
});
