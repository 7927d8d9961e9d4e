/** Every command and option; only described here, so that the documents can be checked against it. */
import { Command } from 'commander';
import { VERSION } from '../portals/index.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBatchCommands } from './commands/batch.ts';
import { addDbCommands } from './commands/db.ts';
import { addDeadlineCommands } from './commands/deadline.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDemoGrantsCommand } from './commands/demo-grants.ts';
import { addDemoPatent } from './commands/demo-patent.ts';
import { addDiagnoseCommands } from './commands/diagnose.ts';
import { addDiagnoseRoute } from './commands/diagnose-route.ts';
import { addDocketCommands } from './commands/docket.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEntityCommands } from './commands/entity.ts';
import { addAlertCommands, addEventCommands } from './commands/event.ts';
import { addFilingCommands } from './commands/filing.ts';
import { addForecastCommand } from './commands/forecast.ts';
import { addGrantsCommands } from './commands/grants.ts';
import { addIcsCommand } from './commands/ics.ts';
import { addJobsCommands } from './commands/jobs.ts';
import { addLaneCommands } from './commands/lane.ts';
import { addObligationCommands } from './commands/obligation.ts';
import { addMailCommands } from './commands/mail.ts';
import { addPortalCommands } from './commands/portal.ts';
import { addRecoveryCommands } from './commands/recovery.ts';
import { addRehearseCommand } from './commands/rehearse.ts';
import { addReportCommands } from './commands/report.ts';
import { addReviewCommands } from './commands/review.ts';
import { addRouteCommands } from './commands/route.ts';
import { addRulesCommands } from './commands/rules.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSimulatorCommand } from './commands/simulator.ts';
import { addTaxCommands } from './commands/tax.ts';
import { addUserCommands } from './commands/user.ts';
import { addWebhookCommands } from './commands/webhook.ts';
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
  addEntityCommands(program);
  addFilingCommands(program);
  addLaneCommands(program);
  addPortalCommands(program);
  addReviewCommands(program);
  addForecastCommand(program);
  addRehearseCommand(program);
  addDiagnoseCommands(program);
  addDiagnoseRoute(program);
  addAuditCommands(program);
  addDocketCommands(program);
  addRouteCommands(program);
  addRecoveryCommands(program);
  addServeCommand(program);
  addDeadlineCommands(program);
  addGrantsCommands(program);
  addReportCommands(program);
  addObligationCommands(program);
  addRulesCommands(program);
  addTaxCommands(program);
  addIcsCommand(program);
  addUserCommands(program);
  addDbCommands(program);
  addWebhookCommands(program);
  addMailCommands(program);
  addEventCommands(program);
  addAlertCommands(program);
  addJobsCommands(program);
  addWorkerCommand(program);
  addSimulatorCommand(program);
  addDoctorCommand(program);
  addDemoCommand(program);
  addDemoPatent(program);
  addDemoGrantsCommand(program);
  return program;
}
