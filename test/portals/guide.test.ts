/** The guide, followed: its commands run, its example passes, its tables are those of the code. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from '../../src/cli/command.ts';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { addCommands } from '../../src/cli/commands/portal.ts';
import { FilewrightError } from '../../src/core/errors.ts';
import { CHECK_REASONS } from '../../src/lanes/conformance/conformance.ts';
import { readProfile } from '../../src/lanes/profile/read-profile.ts';
import { systemClock } from '../../src/system/clock.ts';
import type { BehaviourChange } from '../../src/testing/simulator/behaviour.ts';
import { type Simulator, startSimulator } from '../../src/testing/simulator/portal-server.ts';
import { ROOT } from '../fixtures/built-tree.ts';

const guide = readFileSync(join(ROOT, 'docs/guide/portal-profile.md'), 'utf8');
const shellLines = [...guide.matchAll(/^```sh\n([^]*?)^```/gm)]
  .flatMap(([, block = '']) => block.split('\n'))
  .filter((line) => line !== '');
const [, example = ''] = /^```json\n([^]*?)^```/m.exec(guide) ?? [];

let folder: string;
const simulators: Simulator[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'filewright-guide-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = undefined;
  for (const simulator of simulators.splice(0)) await simulator.close();
});

/** Runs one command line as the program does; files are in the test's own folder. */
async function run(...words: readonly string[]): Promise<{ out: string; exitCode: number }> {
  let out = '';
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  process.exitCode = undefined;
  const program = new Command('filewright').option('--json').exitOverride();
  addCommands(program.command('portal'));
  try {
    await program.parseAsync(['node', 'filewright', ...words]);
  } finally {
    spy.mockRestore();
  }
  return { out, exitCode: exitCodeOf() };
}

/** Set by the command meanwhile, which the compiler does not see. */
function exitCodeOf(): number {
  return Number(process.exitCode ?? 0);
}

async function refusal(...words: readonly string[]): Promise<FilewrightError> {
  const error: unknown = await run(...words).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FilewrightError))
    throw new Error(`expected a refusal of ${words.join(' ')}`);
  return error;
}

async function simulate(file: string, behaviour: BehaviourChange = {}): Promise<string> {
  const profile = readProfile(readFileSync(file), file);
  const simulator = await startSimulator({
    profiles: [profile],
    port: 0,
    clock: systemClock,
    behaviour: { '*': behaviour },
  });
  simulators.push(simulator);
  return simulator.url(profile.code);
}

describe('the guide', () => {
  it('its commands, in their order, with its example in the file, end in a portal that conforms', async () => {
    expect(shellLines.filter((line) => line.startsWith('filewright portal new'))).toHaveLength(2);
    let url = '';
    for (const line of shellLines) {
      const [, noun = '', ...words] = line.split(' ');
      const file = join(folder, 'us-vt.json');
      if (noun === 'portal' && words[0] === 'new') {
        const name = String(words[1]).toLowerCase();
        await run(noun, ...words, '--file', join(folder, `${name}.json`));
      } else if (noun === 'simulator') {
        const started = JSON.parse(readFileSync(file, 'utf8')) as object;
        writeFileSync(file, JSON.stringify({ ...started, ...(JSON.parse(example) as object) }));
        url = await simulate(file);
      } else if (noun === 'portal' && words[0] === 'check') {
        expect(url.endsWith('/US-VT')).toBe(true);
        const { out, exitCode } = await run('--json', 'portal', 'check', file, url, '--wait', '5');
        const { data } = JSON.parse(out) as { data: { checks: { name: string; state: string }[] } };
        expect(exitCode, out).toBe(0);
        const passed = data.checks
          .filter(({ state }) => state === 'passed')
          .map(({ name }) => name);
        expect(passed).toEqual(
          expect.arrayContaining(['submit', 'repeat', 'status-known', 'limits']),
        );
      }
    }
    expect(url).not.toBe('');
  });

  it('a profile with pages from the template passes too', async () => {
    const file = join(folder, 'vt.json');
    await run('portal', 'new', 'US-VT', '--driver', 'html-form', '--file', file);
    const text = readFileSync(file, 'utf8').replaceAll(/env:PORTAL_\w+/g, 'env:GUIDE_SECRET');
    writeFileSync(file, text);
    vi.stubEnv('GUIDE_SECRET', 'clerk');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { out, exitCode } = await run(
      'portal',
      'check',
      file,
      await simulate(file),
      '--wait',
      '1',
    );
    expect(exitCode, out).toBe(0);
    expect(out).toMatch(/fingerprint [0-9a-f]{64}/);
    expect(out).toMatch(/US-VT at .* conforms to its profile \(\d+ checks, \d+ skipped\)\./);
  });

  it('names every reason of the code with its meaning, and no other', () => {
    const rows = [...guide.matchAll(/^\| `([A-Z_]+)` \| (.+) \|$/gm)].map(([, code, text]) => [
      code,
      text,
    ]);
    expect(Object.fromEntries(rows)).toEqual(CHECK_REASONS);
  });
});

describe('portal check', () => {
  it('ends with 7 and the reason when a promise is broken', async () => {
    const file = join(folder, 'vt.json');
    await run('portal', 'new', 'US-VT', '--file', file);
    const url = await simulate(file, { health: 'bad' });
    const { out, exitCode } = await run('--json', 'portal', 'check', file, url, '--wait', '1');
    expect(exitCode).toBe(7);
    expect(JSON.parse(out)).toMatchObject({
      command: 'portal check',
      data: { conforms: false, reason: 'HEALTH_BAD', lane: 'US-VT' },
    });
    const text = await run('portal', 'check', file, url, '--wait', '1');
    expect(text.out).toMatch(/health +failed +HEALTH_BAD +\/health: 503/);
    expect(text.out).toContain('does not conform to its profile: 1 of');
  });

  it('refuses a portal on the internet unless automation is allowed, before anything is sent', async () => {
    const file = join(folder, 'vt.json');
    await run('portal', 'new', 'US-VT', '--file', file);
    const error = await refusal('portal', 'check', file, 'https://portal.invalid/x');
    expect(error).toMatchObject({ code: 'REFUSED_BY_RULE', exitCode: 4 });
    expect(error.message).toContain('automation "allowed"');
  });

  it.each(['portal.invalid', 'ftp://127.0.0.1/', 'http://127.0.0.1/?a=1', 'http://u@127.0.0.1/'])(
    'refuses the address %s',
    async (url) => {
      const file = join(folder, 'vt.json');
      await run('portal', 'new', 'US-VT', '--file', file);
      expect(await refusal('portal', 'check', file, url)).toMatchObject({
        code: 'USAGE',
        exitCode: 2,
      });
    },
  );
});

describe('portal new', () => {
  it('never overwrites a file', async () => {
    const file = join(folder, 'vt.json');
    writeFileSync(file, 'work of a day');
    expect(await refusal('portal', 'new', 'US-VT', '--file', file)).toMatchObject({ exitCode: 4 });
    expect(readFileSync(file, 'utf8')).toBe('work of a day');
  });

  it.each([['US VT'], ['../x'], ['']])('refuses the name %j', async (name) => {
    expect(await refusal('portal', 'new', name, '--file', join(folder, 'x.json'))).toMatchObject({
      code: 'USAGE',
    });
  });

  it('writes a profile that hands to a person and names no real host', async () => {
    const file = join(folder, 'vt.json');
    await run('portal', 'new', 'US-VT', '--file', file);
    const profile = readProfile(readFileSync(file), file);
    expect(profile).toMatchObject({ code: 'US-VT', jurisdiction: 'US-VT', automation: 'unknown' });
    expect(new URL(profile.baseUrl).hostname).toBe('portal.invalid');
    expect(JSON.stringify(profile)).not.toContain('TEMPLATE');
  });
});
