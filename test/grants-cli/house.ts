/** The command line of a nonprofit in this process: its commands, its people, its own database; all gone at the end. */
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { vi } from 'vitest';
import { reportError } from '../../src/cli/output.ts';
import { createProgram } from '../../src/cli/program.ts';
import { EXIT } from '../../src/core/errors.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { type Json, textAt } from '../fixtures/cli.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';
import { copyPreparedCluster } from '../fixtures/prepared-cluster.ts';

export const YEAR = 'samples/grants/lantern-2026';
export const ACCOUNT = '4400118822';
export const STATES = ['--states', 'PA', 'NC'] as const;

const YEAR_IS_OVER = Date.UTC(2027, 1, 1, 12);

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class House {
  readonly folder: string;
  readonly #home: string;

  private constructor(folder: string, home: string) {
    this.folder = folder;
    this.#home = home;
  }

  /** The folder of the commands: samples are in it, keys and tables are written to it. */
  static async open(): Promise<House> {
    const folder = await mkdtemp(join(tmpdir(), 'fw-grants-'));
    // For root the server runs as somebody else, who must be able to pass through.
    await chmod(folder, 0o711);
    await cp(join(ROOT, 'samples'), join(folder, 'samples'), { recursive: true });
    copyPreparedCluster(join(folder, '.filewright'));
    // Asked before the change, so that closing goes back to a folder that is still there.
    const home = process.cwd();
    process.chdir(folder);
    for (const [name, value] of Object.entries(OWN_MACHINE)) vi.stubEnv(name, value);
    return new House(folder, home);
  }

  async close(): Promise<void> {
    process.chdir(this.#home);
    vi.unstubAllEnvs();
    await stopEmbedded(join(this.folder, '.filewright'), { mode: 'immediate' });
    await rm(this.folder, { recursive: true, force: true });
  }

  /** As main.ts does it, with what is said kept. Starting a process for each of many commands would take a minute. */
  async run(...words: readonly string[]): Promise<Said> {
    const said = { stdout: '', stderr: '' };
    const spies = (['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        said[name] += String(text);
        return true;
      }),
    );
    process.exitCode = undefined;
    // The sample year may not be over on the day of the test; only a closing asks for the day.
    if (words.includes('close'))
      vi.useFakeTimers({ toFake: ['Date'], now: Math.max(Date.now(), YEAR_IS_OVER) });
    try {
      await (await createProgram(words)).parseAsync(['node', 'filewright', ...words]);
      return { code: Number(exitCode() ?? EXIT.done), ...said };
    } catch (error) {
      const code =
        error instanceof CommanderError ? EXIT.usage : reportError(error, words.includes('--json'));
      return { code, ...said };
    } finally {
      vi.useRealTimers();
      for (const spy of spies) spy.mockRestore();
      process.exitCode = undefined;
    }
  }

  /** The data of the JSON envelope; throws when the command ends otherwise than expected. */
  async data(words: readonly string[], code = 0): Promise<Json> {
    const said = await this.run('--json', ...words);
    if (said.code !== code) {
      throw new Error(`${words.join(' ')}: exit ${said.code}\n${said.stdout}${said.stderr}`);
    }
    const envelope = JSON.parse(said.stdout) as Json;
    // One of the two is there.
    return (envelope['data'] ?? envelope['error']) as Json;
  }

  /** The words of `grants close` with the hash of what they would freeze, as a person would repeat them. */
  async closing(words: readonly string[]): Promise<readonly string[]> {
    const preview = await this.data(words);
    return [...words, '--expect-hash', textAt(preview, 'hash')];
  }

  async twoPeople(): Promise<{ nora: readonly string[]; theo: readonly string[] }> {
    await this.data(['user', 'add', 'Nora Bookkeeper', '--key-out', 'nora.key']);
    const nora = ['--key-file', 'nora.key'];
    await this.data(['user', 'add', 'Theo Treasurer', '--key-out', 'theo.key']);
    return { nora, theo: ['--key-file', 'theo.key'] };
  }

  async text(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }

  async file(name: string, content: string): Promise<string> {
    await writeFile(join(this.folder, name), content);
    return name;
  }
}

/** Set by the command meanwhile, which the compiler does not see. */
function exitCode(): string | number | undefined {
  return process.exitCode ?? undefined;
}

export function listAt(value: unknown, name: string): readonly Json[] {
  const found = (value as Json)[name];
  if (!Array.isArray(found)) throw new Error(`a list was expected at ${name}`);
  return found as readonly Json[];
}
