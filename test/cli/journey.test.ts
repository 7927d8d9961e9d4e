/** One batch from two people to its end, by commands alone. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureEmbedded } from '../../src/postgres/embedded/ensure.ts';
import { Session } from '../../src/postgres/session.ts';
import { CliWorld, envelopeOf, type Portals, textAt, type Variables } from '../fixtures/cli.ts';
import { csv, row } from './rows.ts';

let world: CliWorld;
let portals: Portals;
let paula: Variables;
let arthur: Variables;

/** California neither honours keys nor can be asked: an unknown outcome there needs a person. */
const SILENT_PORTAL = {
  code: 'US-CA',
  jurisdiction: 'US-CA',
  title: 'Cannot be asked',
  idempotency: { header: 'X-Key', honouredMs: 0 },
};

beforeAll(async () => {
  world = await CliWorld.bare();
  await world.data(['init']);
  paula = await world.person('Paula Preparer');
  arthur = await world.person('Arthur Approver', paula);
  portals = await world.portals({ code: 'US-DE' }, SILENT_PORTAL);
  for (const [at, profile] of portals.profiles.entries()) {
    if (at === 1) await withoutStatus(profile);
    await world.data(['lane', 'add', profile], paula);
  }
});

afterAll(() => world.close());

describe('a batch by commands', () => {
  it('is imported, approved by another person, and run to its end with exit code 0', async () => {
    const batch = await imported('good.csv', csv(row('1'), row('2'), row('3')));
    const ended = await world.run(['batch', 'run', batch], { NO_COLOR: '1' });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^lane +done +total .*\nUS-DE +3 +3 +3 +0 +0 +0 /);
    // Progress is talk: none of it on stdout, and no escape sequence anywhere.
    expect(ended.stderr).toContain('US-DE 0/3');
    expect(ended.stdout + ended.stderr).not.toContain('\u001b');
    expect(await portals.truth('US-DE')).toMatchObject({ keysAccepted: 3, keysAcceptedTwice: 0 });

    const status = await world.data(['batch', 'status', batch]);
    expect(status).toMatchObject({ batch: { state: 'approved' }, lanes: [{ accepted: 3 }] });
    const { filings } = await world.data(['filing', 'list', '--batch', batch, '--limit', '2']);
    expect(filings).toHaveLength(2);
    const shown = await world.data(['filing', 'show', textAt(filings, 0, 'key')]);
    expect(shown).toMatchObject({ filing: { status: 'accepted' }, attempts: [{ attempt: 1 }] });
    expect(shown).not.toHaveProperty('payload');
  });

  it('that the portal partly refuses ends with 4, and the refusal can be looked at and replayed', async () => {
    const batch = await imported('refused.csv', csv(row('11'), row('12')));
    const { filings } = await world.data(['filing', 'list', '--batch', batch]);
    await portals.behave('US-DE', {
      schedule: [{ fault: 'rejected_422', key: textAt(filings, 0, 'key'), nth: 1 }],
    });
    expect((await world.run(['batch', 'run', batch])).code).toBe(4);
    const review = await world.data(['review', 'list', '--batch', batch]);
    expect(review).toMatchObject({ exceptions: [{ status: 'rejected', mayBeFiled: false }] });
    const filing = textAt(review, 'exceptions', 0, 'filing');

    expect((await world.run(['review', 'show', filing])).code).toBe(4);
    const shown = await world.run(['review', 'show', filing], paula);
    expect(shown.stdout).toContain('portal answered 422');
    await replayed(filing);
    expect((await world.run(['batch', 'run', batch])).code).toBe(0);
  });

  it('that needs a person ends with 5; an unsettled replay wants evidence, which the ledger keeps', async () => {
    const batch = await imported('lost.csv', csv(row('21', { jurisdiction: 'US-CA' })));
    await portals.behave('US-CA', { faults: { accept_then_cut: 1 } });
    expect((await world.run(['batch', 'run', batch])).code).toBe(5);
    const review = await world.data(['review', 'list', '--batch', batch]);
    expect(review).toMatchObject({ exceptions: [{ status: 'fallout', mayBeFiled: true }] });
    const filing = textAt(review, 'exceptions', 0, 'filing');

    const refused = await world.run(
      ['review', 'replay', filing, '--reason', 'tried in a test'],
      paula,
    );
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('--not-filed');
    expect(await portals.truth('US-CA')).toMatchObject({ keysAccepted: 1 });

    await portals.behave('US-CA', { faults: {} });
    await replayed(filing, '--not-filed', 'asked by phone');
    expect((await world.run(['batch', 'run', batch])).code).toBe(0);
  });

  it('whose last safe moment has passed ends with 6', async () => {
    // The profile leaves a person an hour; half an hour before the due moment that is gone.
    const due = new Date(Date.now() + 30 * 60_000).toISOString();
    const batch = await imported('late.csv', csv(row('31', { due })));
    expect((await world.run(['batch', 'run', batch])).code).toBe(6);
  });

  it('with bad rows imports the good ones and ends with 5; the same file again changes nothing', async () => {
    const file = await world.file('mixed.csv', csv(row('41'), row('42', { due: '2028-02-30' })));
    const first = await world.data(['batch', 'import', file], paula, 5);
    expect(first).toMatchObject({
      created: 1,
      refused: 1,
      errorFile: world.path('mixed.errors.csv'),
    });
    const again = await world.run(['--json', 'batch', 'import', file], paula);
    expect(again.code).toBe(5);
    expect(envelopeOf(again).data).toMatchObject({ created: 0, unchanged: 1, refused: 1 });
  });
});

describe('two people', () => {
  it('are needed: the command refuses self-approval with 4, and the database refuses it by itself', async () => {
    const file = await world.file('own.csv', csv(row('51')));
    const batch = textAt(await world.data(['batch', 'import', file], paula), 'batch');
    const own = await world.run(['--json', 'batch', 'approve', batch], paula);
    expect(own.code).toBe(4);
    expect(envelopeOf(own)).toMatchObject({ ok: false, error: { code: 'SELF_APPROVAL' } });
    const unapproved = await world.run(['--json', 'batch', 'run', batch]);
    expect(unapproved.code).toBe(4);
    expect(envelopeOf(unapproved)).toMatchObject({ error: { code: 'NOT_APPROVED' } });

    const { connection } = await ensureEmbedded({ dataDirectory: world.dataDirectory });
    const session = new Session({ target: connection, schema: 'filewright', name: 'test' });
    const text = `update batch set state = 'approved' where id = $1`;
    await expect(session.run({ name: '', text }, [batch])).rejects.toMatchObject({
      constraint: 'batch_agreed',
    });
    await session.close();
    expect(await world.data(['batch', 'status', batch])).toMatchObject({
      batch: { state: 'frozen' },
    });
  });

  it('are named truly when a batch is approved again: who did it stays who did it', async () => {
    const file = await world.file('again.csv', csv(row('52')));
    const batch = textAt(await world.data(['batch', 'import', file], paula), 'batch');
    const third = await world.person('Thea Third', paula);
    await world.data(['batch', 'approve', batch], arthur);
    const own = await world.run(['--json', 'batch', 'approve', batch], paula);
    expect(own.code).toBe(4);
    expect(envelopeOf(own)).toMatchObject({ ok: false, error: { code: 'SELF_APPROVAL' } });
    const repeated = await world.run(['batch', 'approve', batch], arthur);
    const late = await world.run(['batch', 'approve', batch], third);
    for (const ended of [repeated, late]) {
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(ended.stdout).toMatch(
        /^Approved by Arthur Approver at \w{3} \d{1,2}, \d{4}, [\d:]+ [ap]\.m\. \S+: 1 filings of batch /,
      );
      expect(ended.stdout).not.toContain('Thea');
    }
    expect(await world.data(['batch', 'approve', batch, '--dry-run'], third)).toMatchObject({
      state: 'approved',
      approvedBy: 'Arthur Approver',
    });
  });
});

describe('the installation', () => {
  it('verifies its ledger and finds itself healthy', async () => {
    const report = await world.data(['audit', 'verify', '--bodies']);
    expect(report).toMatchObject({ ok: true, waiting: 0 });
    expect(await world.data(['doctor'])).toMatchObject({ healthy: true });
  });

  it('answers every read command with one versioned envelope and nothing else', async () => {
    for (const noun of ['batch', 'filing']) {
      const ended = await world.run(['--json', noun, 'list']);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(envelopeOf(ended)).toMatchObject({ filewright: 1, command: `${noun} list`, ok: true });
    }
  });

  it('pauses, resumes and resizes a lane by a person', async () => {
    expect((await world.run(['lane', 'pause', 'US-DE'])).code).toBe(4);
    const paused = await world.data(['lane', 'pause', 'US-DE'], paula);
    expect(paused).toMatchObject({ lane: { pause: { kind: 'held' } } });
    await world.data(['lane', 'resume', 'US-DE'], paula);
    const resized = await world.data(['lane', 'ceiling', 'US-DE', '3'], paula);
    expect(resized).toMatchObject({ lane: { ceiling: 3, pause: { kind: 'none' } } });
  });
});

async function imported(name: string, content: string): Promise<string> {
  const file = await world.file(name, content);
  const batch = textAt(await world.data(['batch', 'import', file], paula), 'batch');
  await world.data(['batch', 'approve', batch], arthur);
  return batch;
}

/** One person proposes, another approves exactly that. */
async function replayed(filing: string, ...more: readonly string[]): Promise<void> {
  const replay = ['review', 'replay', filing, '--reason', 'the portal was wrong', ...more];
  const made = await world.data(replay, paula);
  const [proposal, sha256] = [textAt(made, 'proposal'), textAt(made, 'sha256')];
  const approve = ['review', 'approve', proposal, '--expect-hash', sha256];
  expect((await world.run(approve, paula)).code).toBe(4);
  await world.data(approve, arthur);
}

async function withoutStatus(path: string): Promise<void> {
  const { status: _none, ...profile } = JSON.parse(await readFile(path, 'utf8')) as {
    status: unknown;
  };
  await writeFile(path, JSON.stringify(profile));
}
