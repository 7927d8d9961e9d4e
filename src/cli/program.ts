/** Every command and option; only described here, so that the documents can be checked against it. */
import { Command } from 'commander';
import { VERSION } from '../portals/index.ts';
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

export function createProgram(): Command {
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
  return program;
}
