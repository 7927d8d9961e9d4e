#!/usr/bin/env node
/** The command line: parse, call, shape the answer. Exit codes are those of core/errors.ts. */
import { Command, CommanderError } from 'commander';
import { EXIT, FilewrightError } from '../core/index.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBatchCommands } from './commands/batch.ts';
import { addDbCommands } from './commands/db.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addFilingCommands } from './commands/filing.ts';
import { addLaneCommands } from './commands/lane.ts';
import { addReviewCommands } from './commands/review.ts';
import { addSimulatorCommand } from './commands/simulator.ts';
import { addUserCommands } from './commands/user.ts';
import { addWorkerCommand } from './commands/worker.ts';
import { VERSION } from '../portals/index.ts';
import { reportError } from './output.ts';

export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('filewright')
    .description(
      'Carries filings that must reach an authority before a legal date to a recorded end.',
    )
    .option(
      '--data-dir <path>',
      'where the embedded database and the root key live (FILEWRIGHT_DATA; default .filewright)',
    )
    .option('--tenant <name>', 'whose filings (default main)')
    .option('--key-file <path>', 'file with your personal key (or FILEWRIGHT_KEY)')
    .option('--json', 'one JSON envelope on stdout')
    .version(VERSION, '--version', 'show the version')
    .exitOverride()
    .showHelpAfterError('(add --help for usage)');
  addBatchCommands(program);
  addFilingCommands(program);
  addLaneCommands(program);
  addReviewCommands(program);
  addAuditCommands(program);
  addUserCommands(program);
  addDbCommands(program);
  addWorkerCommand(program);
  addSimulatorCommand(program);
  addDoctorCommand(program);
  addDemoCommand(program);
  forgiveClosedPipes();
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error, argv.includes('--json'));
  }
}

function exitCodeOf(error: unknown, json: boolean): number {
  // The parser has already said what is wrong; asking for help or the version is no mistake.
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done;
    return json ? reportError(new FilewrightError('USAGE', error.message), json) : EXIT.usage;
  }
  const full =
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOSPC';
  return reportError(
    full
      ? new FilewrightError('DISK_FULL', 'There is no space left on the disk', { cause: error })
      : error,
    json,
  );
}

/** A reader that has seen enough (`| head -1`) must neither end a running batch nor cause a stack trace. */
function forgiveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

await main(process.argv);
