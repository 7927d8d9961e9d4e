/** Consumers in processes of their own, which can be killed. Their desk is a folder: one file per effect. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ROLE = fileURLToPath(new URL('./consumer-process.mjs', import.meta.url));

/** Compiles the room once for a test file; types are checked elsewhere. */
export function useBuild(): () => string {
  const directory = join(root, `dist.brokers-${process.pid}`);
  beforeAll(async () => {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory);
    const config = join(directory, 'tsconfig.json');
    const names = ['dockets/brokers/rabbit-intake', 'dockets/brokers/redis-intake', 'system/clock'];
    const files = names.map((name) => join(root, `src/${name}.ts`));
    const compilerOptions = { noEmit: false, outDir: directory, rootDir: root, declaration: false };
    writeFileSync(
      config,
      JSON.stringify({ extends: '../tsconfig.json', compilerOptions, files, include: [] }),
    );
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    await new Promise<void>((resolve) => {
      execFile(process.execPath, [compiler, '-p', config], { cwd: root }, () => resolve());
    });
  }, 60_000);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return () => directory;
}

export interface BrokerPlace {
  readonly kind: 'rabbit' | 'redis';
  readonly url: string;
  /** Queue or stream. */
  readonly name: string;
}

export interface ConsumerProcess {
  readonly folder: string;
  /** Ids in the order in which `commit` was called, over all processes with this folder. */
  commits(): readonly string[];
  effects(): readonly string[];
  kill(): Promise<void>;
  end(): Promise<void>;
}

export function startConsumerProcess(
  build: string,
  broker: BrokerPlace,
  options: {
    readonly folder?: string;
    readonly hangsAfterCommit?: boolean;
    readonly consumer?: string;
  } = {},
): ConsumerProcess {
  const { hangsAfterCommit = false, consumer = 'one' } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'filewright-consumer-'));
  const settings = JSON.stringify({ ...broker, folder, hangsAfterCommit, consumer });
  const child = spawn(process.execPath, [ROLE, build, settings], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const log = join(folder, 'commits');
  return {
    folder,
    commits: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
        : [],
    effects: () => readdirSync(folder).filter((name) => name !== 'commits'),
    kill: () => stop(child, 'SIGKILL'),
    end: () => stop(child, 'SIGTERM'),
  };
}

function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
