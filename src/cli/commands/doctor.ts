import { existsSync, statfsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '../command.ts';
import { type Finding, inspectInstallation } from '../../oversight/index.ts';
import { EXIT, FilewrightError } from '../../core/index.ts';
import {
  asOperator,
  environment,
  type GlobalOptions,
  likelyDirectoryOf,
  withApp,
} from '../context.ts';
import { createOutput, table } from '../output.ts';

const DISK_BYTES_MIN = 1024 ** 3;

interface DoctorOptions {
  readonly bodies?: boolean;
  readonly rootKeyBackup?: string;
}

export function addCommands(doctor: Command): void {
  doctor
    .option('--bodies', 'also open every sealed body')
    .option(
      '--root-key-backup <file>',
      'compare a backup of the root key, and record that it exists',
    )
    .action(async (own: DoctorOptions, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const findings = [node(), disk(options)];
      try {
        await withApp(asOperator(options), async ({ app, actor }) => {
          const { bodies = false, rootKeyBackup } = own;
          const question = { bodies, rootKeyBackup, environment };
          findings.push(...(await inspectInstallation(app, actor, question)));
        });
      } catch (error) {
        if (!(error instanceof FilewrightError)) throw error;
        // What is wrong with the given copy is an answer to a question, not a state of the installation.
        if (own.rootKeyBackup !== undefined) throw error;
        findings.push({
          check: 'database',
          state: 'bad',
          found: error.message,
          remedy: error.remedy,
        });
      }
      const bad = findings.some((finding) => finding.state === 'bad');
      createOutput(options.json === true).result('doctor', { healthy: !bad, findings }, () =>
        table(
          ['check', 'state', 'found', 'remedy'],
          findings.map((f) => [f.check, f.state, f.found, f.state === 'good' ? '' : f.remedy]),
        ),
      );
      if (bad) process.exitCode = EXIT.failed;
    });
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return finding(
    'node',
    major > 20 || (major === 20 && minor >= 19),
    process.versions.node,
    'Install Node 20.19 or newer.',
  );
}

function disk(options: GlobalOptions): Finding {
  const path = resolve(likelyDirectoryOf(options));
  const known = existsSync(path) ? path : '.';
  const { bavail, bsize } = statfsSync(known);
  const free = bavail * bsize;
  return finding(
    'disk',
    free >= DISK_BYTES_MIN,
    `${(free / 1024 ** 3).toFixed(1)} GiB free at ${path}`,
    'Free up space; the database stops when the disk is full.',
  );
}

function finding(check: string, good: boolean, found: string, remedy: string): Finding {
  return { check, state: good ? 'good' : 'bad', found, remedy };
}
