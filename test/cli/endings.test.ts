/** How a command ends before its time: a reader that goes, Ctrl-C, SIGTERM, npm that is ended. Real processes throughout. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleProfile } from '../../src/testing/simulator/sample-profile.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { CliWorld, type Ended, MAIN, type Variables } from '../fixtures/cli.ts';
import { COLUMNS, row } from './rows.ts';

/** Enough that an import takes some seconds. */
const ROWS = 12_000;

let world: CliWorld;
let paula: Variables;
let arthur: Variables;
let file: string;

beforeAll(async () => {
  world = await CliWorld.make('own');
  paula = await world.person('Paula Preparer');
  // Before a key is used: whoever is added later needs two administrators.
  arthur = await world.person('Arthur Approver');
  await world.data(
    ['lane', 'add', await world.file('l.json', JSON.stringify(sampleProfile({})))],
    paula,
  );
  const rows = Array.from({ length: ROWS }, (_, at) => row(String(at + 1)));
  file = await world.file('rows.csv', `${[COLUMNS, ...rows].join('\n')}\n`);
});
afterAll(() => world.close());

/** Ends of all parts of a pipeline, as bash tells them. */
function pipeline(script: string): { readonly codes: readonly number[]; readonly stderr: string } {
  const ended = spawnSync('bash', ['-c', `${script}; echo "\${PIPESTATUS[*]}" >&3`], {
    cwd: world.folder,
    env: {
      ...process.env,
      FILEWRIGHT_DATA: world.dataDirectory,
      FW: `${process.execPath} ${MAIN}`,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: 90_000,
  });
  return { codes: String(ended.output[3]).trim().split(' ').map(Number), stderr: ended.stderr };
}

describe('a reader that has seen enough', () => {
  it('ends answers line by line at once: exit code 0, and no word', async () => {
    const line = JSON.stringify({ id: 'x', office: 'US', rule: 'NONE' });
    // Far more than a pipe holds.
    await world.file('cases.ndjson', `${line}\n`.repeat(60_000));
    const { codes, stderr } = pipeline('$FW deadline compute --json < cases.ndjson | head -1');
    expect(stderr).toBe('');
    expect(codes).toEqual([0, 0]);
  });

  it('ends help and lists with exit code 0', () => {
    expect(pipeline('$FW --help | head -1')).toEqual({ codes: [0, 0], stderr: '' });
    expect(pipeline('$FW lane list | true')).toEqual({ codes: [0, 0], stderr: '' });
  });
});

/** Starts an import of all rows, and ends it as soon as its first ones are committed. */
async function cutOff(
  args: readonly string[],
  signal: NodeJS.Signals,
  isBegun: () => Promise<boolean>,
): Promise<Ended> {
  const running = world.start(args, paula);
  while (!(await isBegun())) await sleep(50);
  running.child.kill(signal);
  return running.ended;
}

describe('Ctrl-C', () => {
  it('of an import says what is committed and how to continue, and that continues', async () => {
    const ended = await cutOff(['batch', 'import', file], 'SIGINT', async () => {
      const { total } = await world.data(['filing', 'list', '--limit', '1'], paula);
      return Number(total) > 0;
    });
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    const [, read = '', created = ''] =
      /Stopped by Ctrl-C\. (\d+) rows were read: (\d+) created and 0 changed are committed\./.exec(
        ended.stderr,
      ) ?? [];
    expect([read, Number(read) % 500]).toEqual([created, 0]);
    expect(Number(read)).toBeLessThan(ROWS);
    const [, batch = ''] = /continue with --resume ([0-9a-f-]{36})/.exec(ended.stderr) ?? [];
    const done = await world.data(['batch', 'import', file, '--resume', batch], paula);
    expect(done).toMatchObject({
      count: ROWS,
      refused: 0,
      batch,
      unchanged: Number(created),
      created: ROWS - Number(created),
    });
  });

  it('of a dry run says that nothing was written; SIGTERM has its own exit code', async () => {
    // So many that it still reads after a second, also where nothing else runs.
    const rows = Array.from({ length: 10 * ROWS }, (_, at) => row(`D${at}`));
    const large = await world.file('large.csv', `${[COLUMNS, ...rows].join('\n')}\n`);
    const dry = ['--json', 'batch', 'import', large, '--dry-run'];
    const from = Date.now();
    // Once it has begun to read: there is nothing to look at.
    const ended = await cutOff(dry, 'SIGTERM', async () => Date.now() > from + 1_000);
    expect(ended.code).toBe(143);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      ok: false,
      error: {
        code: 'TERMINATED',
        message: expect.stringMatching(/rows were read, and nothing was written/) as string,
      },
    });
  });

  it('of a run says what has an outcome, and how to continue', async () => {
    const { profiles } = await world.portals({ code: 'US-NV', jurisdiction: 'US-NV', ceiling: 1 });
    await world.data(['lane', 'add', profiles[0] ?? ''], paula);
    const some = Array.from({ length: 1_500 }, (_, at) => row(`N${at}`, { jurisdiction: 'US-NV' }));
    const nevada = await world.file('nevada.csv', `${[COLUMNS, ...some].join('\n')}\n`);
    const { batch } = await world.data(['batch', 'import', nevada], paula);
    await world.data(['batch', 'approve', String(batch)], arthur);
    const running = world.start(['batch', 'run', String(batch)], paula);
    await running.saw('US-NV ');
    await sleep(700);
    running.child.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(75);
    expect(ended.stdout).toMatch(
      new RegExp(
        `Stopped\\. \\d+ of 1500 filings have an outcome, and it is recorded\\. To continue: filewright batch run ${String(batch)}\n$`,
      ),
    );
  });

  it('of a command that does nothing in pieces says that nothing is half done', async () => {
    const running = spawn(process.execPath, [MAIN, 'deadline', 'compute'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stderr = '';
    running.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    running.stdin.write('{"id":"a"}\n');
    await sleep(600);
    running.kill('SIGINT');
    const code = await new Promise((resolve) => running.once('close', resolve));
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(/^filewright: Stopped by Ctrl-C\. .*\n$/),
    ]);
  });
});

describe('npm that is ended with SIGTERM', () => {
  /** Of the processes of this machine, those whose command line holds the text. */
  const running = (text: string): string =>
    spawnSync('pgrep', ['-f', '--', text], { encoding: 'utf8' }).stdout.trim();

  it('ends npm start, and the database that it has started for itself', async () => {
    const data = world.path('of-npm');
    const child = spawn('npm', ['start'], {
      cwd: ROOT,
      env: { ...process.env, FILEWRIGHT_DATA: data, DATABASE_URL: '', FILEWRIGHT_KEY: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    }
    const until = async (is: () => boolean): Promise<void> => {
      for (let tries = 0; !is() && tries < 600; tries += 1) await sleep(100);
      expect(is(), said).toBe(true);
    };
    await until(() => said.includes('3. Imported'));
    const postmaster = join(data, 'postgres/postmaster.pid');
    expect(existsSync(postmaster)).toBe(true);
    const [pid = ''] = readFileSync(postmaster, 'utf8').split('\n');
    const node = running(`run.mjs cli/main.js demo`);
    expect(node).not.toBe('');
    child.kill('SIGTERM');
    await until(() => !existsSync(postmaster) && !existsSync(`/proc/${pid}`));
    await until(() => node.split('\n').every((one) => !existsSync(`/proc/${one}`)));
  });

  it('leaves a database that others use', async () => {
    const child = spawn('npm', ['run', '-s', 'filewright', '--', 'route', 'run'], {
      cwd: ROOT,
      env: { ...process.env, FILEWRIGHT_DATA: world.dataDirectory, DATABASE_URL: '' },
      stdio: 'ignore',
    });
    const closed = new Promise((resolve) => child.once('close', resolve));
    await sleep(3_000);
    child.kill('SIGTERM');
    await closed;
    expect(await world.data(['db', 'status'])).toMatchObject({ state: 'running' });
  });
});
