/**
 * Every command, with what `--help` says of it. A command's own options and its code are loaded when it is asked for:
 * loading all of them takes longer than most commands do.
 */
import { Command } from 'commander';
import { VERSION } from '../core/index.ts';

interface Entry {
  /** Its name, and its arguments where it has no commands under it. */
  readonly usage: string;
  readonly about: string;
  /** What gives it its options and the commands under it. */
  readonly load: () => Promise<(command: Command) => void>;
}

const COMMANDS: readonly Entry[] = [
  {
    usage: 'batch',
    about: 'import, approve and run batches of filings',
    load: async () => (await import('./commands/batch.ts')).addBatchCommands,
  },
  {
    usage: 'entity',
    about: 'the register of entities',
    load: async () => (await import('./commands/entity.ts')).addEntityCommands,
  },
  {
    usage: 'filing',
    about: 'look at filings',
    load: async () => (await import('./commands/filing.ts')).addFilingCommands,
  },
  {
    usage: 'lane',
    about: 'the lanes to the portals',
    load: async () => (await import('./commands/lane.ts')).addLaneCommands,
  },
  {
    usage: 'portal',
    about: 'portal profiles: start one, check one',
    load: async () => (await import('./commands/portal.ts')).addPortalCommands,
  },
  {
    usage: 'review',
    about: 'exceptions: what automation may no longer touch, and what people do with it',
    load: async () => (await import('./commands/review.ts')).addReviewCommands,
  },
  {
    usage: 'forecast [batch]',
    about: 'when each lane clears, what is at risk, what cannot make it, and what would save it',
    load: async () => (await import('./commands/forecast.ts')).addForecastCommand,
  },
  {
    usage: 'rehearse [batch]',
    about: 'run what is owed on a virtual clock against simulated portals; nothing is sent',
    load: async () => (await import('./commands/rehearse.ts')).addRehearseCommand,
  },
  {
    usage: 'diagnose',
    about: 'why a batch does not go as it should, from what was recorded; shows no names',
    load: async () => (await import('./commands/diagnose.ts')).addDiagnoseCommands,
  },
  {
    usage: 'audit',
    about: 'the ledger',
    load: async () => (await import('./commands/audit.ts')).addAuditCommands,
  },
  {
    usage: 'retention',
    about: 'how long sealed data is kept, and the holds that keep it longer',
    load: async () => (await import('./commands/retention.ts')).addRetentionCommands,
  },
  {
    usage: 'docket',
    about: 'patent docket events, what they ask for, and who has them',
    load: async () => (await import('./commands/docket.ts')).addDocketCommands,
  },
  {
    usage: 'route',
    about: 'who gets which docket: the matrix, its people and absences, and the router',
    load: async () => (await import('./commands/route.ts')).addRouteCommands,
  },
  {
    usage: 'recovery',
    about: 'targets that failed, and their way back: health, schema, drain, reconciliation',
    load: async () => (await import('./commands/recovery.ts')).addRecoveryCommands,
  },
  {
    usage: 'serve',
    about:
      'the page behind the links in notices, until SIGTERM: GET shows a docket event, POST acknowledges it, once',
    load: async () => (await import('./commands/serve.ts')).addServeCommand,
  },
  {
    usage: 'deadline',
    about: 'patent deadlines, with the way to them',
    load: async () => (await import('./commands/deadline.ts')).addDeadlineCommands,
  },
  {
    usage: 'grants',
    about: 'grants: awards, bank feeds, matching, thresholds, exceptions, rules',
    load: async () => (await import('./commands/grants.ts')).addGrantsCommands,
  },
  {
    usage: 'report',
    about: 'figures from closed periods, each traced to bank lines and payload hashes',
    load: async () => (await import('./commands/report.ts')).addReportCommands,
  },
  {
    usage: 'obligation',
    about:
      'what entities owe their states, and when; compute, explain and list-rules need no database',
    load: async () => (await import('./commands/obligation.ts')).addObligationCommands,
  },
  {
    usage: 'rules',
    about: 'the law that is loaded',
    load: async () => (await import('./commands/rules.ts')).addRulesCommands,
  },
  {
    usage: 'tax',
    about: 'franchise tax with every figure in between; needs no database',
    load: async () => (await import('./commands/tax.ts')).addTaxCommands,
  },
  {
    usage: 'ics',
    about:
      'write a calendar (RFC 5545) from dates on standard input, one JSON object per line: id, due, and where known final, kind, jurisdiction, reference, cls ("ordinary" shows the reference; all else counts as privileged)',
    load: async () => (await import('./commands/ics.ts')).addIcsCommand,
  },
  {
    usage: 'user',
    about: 'people and their personal keys',
    load: async () => (await import('./commands/user.ts')).addUserCommands,
  },
  {
    usage: 'db',
    about: 'the embedded PostgreSQL',
    load: async () => (await import('./commands/db.ts')).addDbCommands,
  },
  {
    usage: 'webhook',
    about: 'receivers of events (Standard Webhooks: signed, retried over three days)',
    load: async () => (await import('./commands/webhook.ts')).addWebhookCommands,
  },
  {
    usage: 'mail',
    about: 'the mail server, and who is told by e-mail',
    load: async () => (await import('./commands/mail.ts')).addMailCommands,
  },
  {
    usage: 'event',
    about: 'what happened, and who was told',
    load: async () => (await import('./commands/event.ts')).addEventCommands,
  },
  {
    usage: 'alert',
    about: 'what a person must know of',
    load: async () => (await import('./commands/event.ts')).addAlertCommands,
  },
  {
    usage: 'jobs',
    about: 'background work: webhooks, mail, alerts, digest',
    load: async () => (await import('./commands/jobs.ts')).addJobsCommands,
  },
  {
    usage: 'worker',
    about: 'send what is due until SIGTERM, then drain; the log is JSON lines on stderr',
    load: async () => (await import('./commands/worker.ts')).addWorkerCommand,
  },
  {
    usage: 'simulator',
    about: 'play portals from their profiles on 127.0.0.1, misbehaving as told, until stopped',
    load: async () => (await import('./commands/simulator.ts')).addSimulatorCommand,
  },
  {
    usage: 'doctor',
    about: 'check this installation: platform, disk, database, clock, key, lanes, ledger',
    load: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  },
  {
    usage: 'demo',
    about: 'run a sample batch against simulated Delaware, California and New York portals',
    load: async () => (await import('./commands/demo.ts')).addDemoCommand,
  },
];

/** The program with all that these words may ask for; without words, with everything. */
export async function createProgram(words?: readonly string[]): Promise<Command> {
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
  for (const { usage, about, load } of COMMANDS) {
    const command = program.command(usage).description(about);
    // A word may be another command's argument; then one command too many is loaded.
    if (words === undefined || words.includes(command.name())) (await load())(command);
  }
  return program;
}
