/**
 * Consumers in processes of their own, which can be killed; whoever starts one calls `build` before. Their desk is a folder:
 * one file per effect.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { BUILT } from '../fixtures/built-tree.ts';

const ROLE = fileURLToPath(new URL('./consumer-process.mjs', import.meta.url));

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
  const child = spawn(process.execPath, [ROLE, BUILT, settings], {
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
