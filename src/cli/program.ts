/**
 * Every command, with what `--help` says of it. A command's own options and its code are loaded when it is asked for:
 * loading all of them takes longer than most commands do.
 */
import { VERSION } from '../core/index.ts';
import { Command } from './command.ts';

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
    about: 'show filings and build defense packs',
    load: async () => (await import('./commands/filing.ts')).addFilingCommands,
  },
  {
    usage: 'lane',
    about: 'lanes: the connections to the portals',
    load: async () => (await import('./commands/lane.ts')).addLaneCommands,
  },
  {
    usage: 'portal',
    about: 'portal profiles: create one, check one',
    load: async () => (await import('./commands/portal.ts')).addPortalCommands,
  },
  {
    usage: 'review',
    about: 'exceptions: filings that need a person, and the decisions on them',
    load: async () => (await import('./commands/review.ts')).addReviewCommands,
  },
  {
    usage: 'forecast [batch]',
    about: 'when each lane will finish, which filings are at risk, and what would fix it',
    load: async () => (await import('./commands/forecast.ts')).addForecastCommand,
  },
  {
    usage: 'rehearse [batch]',
    about: 'simulate the open filings against simulated portals; nothing is sent',
    load: async () => (await import('./commands/rehearse.ts')).addRehearseCommand,
  },
  {
    usage: 'diagnose',
    about: 'find out why a batch has problems, from its records; shows no names',
    load: async () => (await import('./commands/diagnose.ts')).addDiagnoseCommands,
  },
  {
    usage: 'audit',
    about: 'the ledger',
    load: async () => (await import('./commands/audit.ts')).addAuditCommands,
  },
  {
    usage: 'retention',
    about: 'retention of sealed data, and legal holds',
    load: async () => (await import('./commands/retention.ts')).addRetentionCommands,
  },
  {
    usage: 'docket',
    about: 'patent docket events, their deadlines and their owners',
    load: async () => (await import('./commands/docket.ts')).addDocketCommands,
  },
  {
    usage: 'route',
    about: 'docket routing: the matrix, people, absences and the router',
    load: async () => (await import('./commands/route.ts')).addRouteCommands,
  },
  {
    usage: 'recovery',
    about: 'recovery of failed targets: health, schema, queue, reconciliation',
    load: async () => (await import('./commands/recovery.ts')).addRecoveryCommands,
  },
  {
    usage: 'serve',
    about:
      'serve the acknowledgment page that emails link to, until SIGTERM: GET shows a docket event, POST acknowledges it once',
    load: async () => (await import('./commands/serve.ts')).addServeCommand,
  },
  {
    usage: 'deadline',
    about: 'patent deadlines, explained step by step',
    load: async () => (await import('./commands/deadline.ts')).addDeadlineCommands,
  },
  {
    usage: 'grants',
    about: 'grants: awards, bank feeds, matching, thresholds, exceptions, rules',
    load: async () => (await import('./commands/grants.ts')).addGrantsCommands,
  },
  {
    usage: 'report',
    about: 'report figures from closed periods, each traced to bank lines and award documents',
    load: async () => (await import('./commands/report.ts')).addReportCommands,
  },
  {
    usage: 'obligation',
    about:
      'obligations of entities and their due dates; compute, explain and list-rules need no database',
    load: async () => (await import('./commands/obligation.ts')).addObligationCommands,
  },
  {
    usage: 'rules',
    about: 'the rules and calendars in use',
    load: async () => (await import('./commands/rules.ts')).addRulesCommands,
  },
  {
    usage: 'tax',
    about: 'franchise tax, with the calculation; needs no database',
    load: async () => (await import('./commands/tax.ts')).addTaxCommands,
  },
  {
    usage: 'ics',
    about:
      'write a calendar (RFC 5545) from dates on standard input, one JSON object per line: id, due and, if known, final, kind, jurisdiction, reference, cls ("ordinary" shows the reference; anything else counts as privileged)',
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
    about: 'webhooks: receivers of events (Standard Webhooks: signed, retried for three days)',
    load: async () => (await import('./commands/webhook.ts')).addWebhookCommands,
  },
  {
    usage: 'mail',
    about: 'the mail server and the email recipients',
    load: async () => (await import('./commands/mail.ts')).addMailCommands,
  },
  {
    usage: 'event',
    about: 'events and their deliveries',
    load: async () => (await import('./commands/event.ts')).addEventCommands,
  },
  {
    usage: 'alert',
    about: 'alerts that need attention',
    load: async () => (await import('./commands/event.ts')).addAlertCommands,
  },
  {
    usage: 'jobs',
    about: 'background jobs: webhooks, email, alerts, digest',
    load: async () => (await import('./commands/jobs.ts')).addJobsCommands,
  },
  {
    usage: 'worker',
    about:
      'send filings as they come due, until SIGTERM, then finish open requests; logs JSON lines to stderr',
    load: async () => (await import('./commands/worker.ts')).addWorkerCommand,
  },
  {
    usage: 'simulator',
    about:
      'simulate portals from their profiles on 127.0.0.1, with the faults you choose, until stopped',
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

/** The program with the command that these words ask for; without words, with all of them. */
export async function createProgram(words?: readonly string[]): Promise<Command> {
  const program = new Command('filewright')
    .description(
      'Delivers filings to an authority before their legal due date, and records the outcome.',
    )
    .option(
      '--data-dir <path>',
      'folder of the embedded database and the root key (FILEWRIGHT_DATA; default .filewright)',
    )
    .option('--tenant <name>', 'tenant whose filings to use (default main)')
    .option('--key-file <path>', 'file with your personal key (or FILEWRIGHT_KEY)')
    .option('--json', 'print one JSON envelope to stdout')
    .version(VERSION, '--version', 'show the version')
    .exitOverride()
    .showHelpAfterError('(add --help for usage)');
  const groups = COMMANDS.map(({ usage, about, load }) => ({
    command: program.command(usage).description(about),
    load,
  }));
  const asked = words && commandIn(program, words);
  for (const { command, load } of groups) {
    if (words === undefined || command.name() === asked) (await load())(command);
  }
  return program;
}

/** The command that is asked for. The tenant of `--tenant demo` is none, and nothing is loaded for it. */
function commandIn(program: Command, words: readonly string[]): string | undefined {
  const [first, second] = program.parseOptions([...words]).operands;
  return first === 'help' ? second : first;
}
