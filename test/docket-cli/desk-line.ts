/**
 * The command line in this process: parsed, run and reported as main.ts does it, in a data directory of its own. Starting
 * a process for each of a hundred commands would take longer than all else; the long-running commands have one
 * (running.test.ts).
 */
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { reportError } from '../../src/cli/output.ts';
import { EXIT, FilewrightError } from '../../src/core/errors.ts';
import { stopEmbedded } from '../../src/postgres/embedded/stop.ts';
import { ROOT } from '../fixtures/built-tree.ts';
import { OWN_MACHINE } from '../fixtures/own-machine.ts';
import { type Ended, envelopeOf, type Json } from '../fixtures/cli.ts';
import { People } from '../fixtures/people.ts';
import { copyPreparedCluster } from '../fixtures/prepared-cluster.ts';

export class DeskLine {
  readonly folder: string;
  readonly #dataDirectory: string;
  readonly #people = new Map<string, People>();
  readonly #persons: Person[] = [];

  private constructor(folder: string) {
    this.folder = folder;
    // As the command lines of `CliWorld` have it.
    this.#dataDirectory = join(folder, 'data');
  }

  /** Beside the processes of a world, on the same data. The world is closed by who made it. */
  static async beside(folder: string): Promise<DeskLine> {
    await mkdir(join(folder, 'keys'));
    return new DeskLine(folder);
  }

  static async make(): Promise<DeskLine> {
    const folder = await mkdtemp(join(tmpdir(), 'fw-desk-'));
    // For root the server runs as somebody else, who must be able to pass through.
    await chmod(folder, 0o711);
    await cp(join(ROOT, 'samples'), join(folder, 'samples'), { recursive: true });
    await mkdir(join(folder, 'keys'));
    const desk = new DeskLine(folder);
    copyPreparedCluster(desk.#dataDirectory);
    return desk;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  async file(name: string, content: string): Promise<string> {
    await writeFile(this.path(name), content);
    return this.path(name);
  }

  /** One command at a time: what it writes is caught at the process's own streams. */
  async run(words: readonly string[], by?: Person): Promise<Ended> {
    const said = { stdout: '', stderr: '' };
    const kept = {
      stdout: process.stdout.write.bind(process.stdout),
      stderr: process.stderr.write.bind(process.stderr),
    };
    const catcher =
      (name: 'stdout' | 'stderr') =>
      (chunk: string | Uint8Array): boolean => {
        said[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1');
        return true;
      };
    const tenant = by?.tenant ?? 'main';
    const key = by === undefined ? [] : ['--key-file', by.keyFile];
    const argv = ['--data-dir', this.#dataDirectory, '--tenant', tenant, ...key, ...words];
    process.stdout.write = catcher('stdout');
    process.stderr.write = catcher('stderr');
    process.exitCode = undefined;
    const before = process.env['FILEWRIGHT_ALLOW_PRIVATE'];
    Object.assign(process.env, OWN_MACHINE);
    try {
      await (await createProgram(argv)).parseAsync(argv, { from: 'user' });
    } catch (error) {
      process.exitCode = exitCodeOf(error, words.includes('--json'));
    } finally {
      process.stdout.write = kept.stdout;
      process.stderr.write = kept.stderr;
      if (before === undefined) delete process.env['FILEWRIGHT_ALLOW_PRIVATE'];
      else process.env['FILEWRIGHT_ALLOW_PRIVATE'] = before;
    }
    const code = codeNow();
    process.exitCode = undefined;
    return { code, ...said };
  }

  async data(words: readonly string[], by?: Person, code = 0): Promise<Json> {
    const ended = await this.run(['--json', ...words], by);
    if (ended.code !== code) {
      throw new Error(`${words.join(' ')}: exit ${ended.code}\n${ended.stdout}${ended.stderr}`);
    }
    return envelopeOf(ended).data;
  }

  async person(name: string, by?: Person, tenant = 'main'): Promise<Person> {
    const people = this.#people.get(tenant) ?? new People();
    if (!this.#people.has(tenant)) await this.#begin(tenant);
    this.#people.set(tenant, people);
    const own = by === undefined ? undefined : await readFile(by.keyFile, 'utf8');
    const key = await people.add(name, own, async (args, acting = '') =>
      this.data(args, { tenant, keyFile: await this.file('keys/acting', acting) }),
    );
    const person = { tenant, keyFile: await this.file(`keys/${tenant} ${name}`, key) };
    this.#persons.push(person);
    return person;
  }

  async #begin(tenant: string): Promise<void> {
    await this.data(['init'], { tenant, keyFile: await this.file('keys/acting', '') });
  }

  /** As one proposes it and another approves it; where nobody else is there, somebody is founded, before a key is used. */
  async route(files: readonly string[], by: Person): Promise<Json> {
    const others = () => this.#persons.filter((one) => one.tenant === by.tenant && one !== by);
    if (others().length === 0) await this.person('Sam Second', by, by.tenant);
    const { sha256 } = await this.data(['route', 'import', ...files], by);
    const approve = ['--json', 'route', 'approve', '--expect-hash', String(sha256)];
    for (const other of others()) {
      const ended = await this.run(approve, other);
      if (ended.code === 0) return envelopeOf(ended).data;
    }
    throw new Error('nobody could approve the routing');
  }

  async close(): Promise<void> {
    await stopEmbedded(this.#dataDirectory, { mode: 'immediate' });
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Read in a function of its own: the compiler believes that nobody has set it since. */
function codeNow(): number {
  return Number(process.exitCode ?? 0);
}

export interface Person {
  readonly tenant: string;
  readonly keyFile: string;
}

function exitCodeOf(error: unknown, json: boolean): number {
  if (!(error instanceof CommanderError)) return reportError(error, json);
  return json ? reportError(new FilewrightError('USAGE', error.message), json) : EXIT.usage;
}

/** The objects of a list in an envelope. */
export function listAt(data: Json, name: string): readonly Json[] {
  const list = data[name];
  if (!Array.isArray(list)) throw new Error(`a list was expected at ${name}`);
  return list as readonly Json[];
}
