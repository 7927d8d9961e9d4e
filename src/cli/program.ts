/**
 * Every command, with what `--help` says of it. A command's own options and its code are loaded when it is asked for:
 * loading all of them takes longer than most commands do.
 */
import { VERSION } from '../core/index.ts';
import { Command } from './command.ts';

type Entry = readonly [
  /** Its name, and its arguments where it has no commands under it. */
  usage: string,
  about: string,
  /** What gives it its options and the commands under it. */
  load: () => Promise<{ addCommands(command: Command): void }>,
];

const COMMANDS: readonly Entry[] = [
  [
    'init',
    'set up an installation with its first one or two people',
    () => import('./commands/init.ts'),
  ],
  [
    'inbox',
    'everything that waits for you: approvals, questions, exceptions, dockets, alerts',
    () => import('./commands/inbox.ts'),
  ],
  ['whoami', 'who you are here, and your roles', () => import('./commands/whoami.ts')],
  ['batch', 'import, approve and run batches of filings', () => import('./commands/batch.ts')],
  ['entity', 'the register of entities', () => import('./commands/entity.ts')],
  ['filing', 'show filings and build defense packs', () => import('./commands/filing.ts')],
  [
    'hand',
    'filing by hand: take a filing, see what to type, record what has come of it',
    () => import('./commands/hand.ts'),
  ],
  ['lane', 'lanes: the connections to the portals', () => import('./commands/lane.ts')],
  ['portal', 'portal profiles: create one, check one', () => import('./commands/portal.ts')],
  [
    'review',
    'exceptions: filings that need a person, and the decisions on them',
    () => import('./commands/review.ts'),
  ],
  [
    'forecast [batch]',
    'when each lane will finish, which filings are at risk, and what would fix it',
    () => import('./commands/forecast.ts'),
  ],
  [
    'rehearse [batch]',
    'simulate the open filings against simulated portals; nothing is sent',
    () => import('./commands/rehearse.ts'),
  ],
  [
    'diagnose',
    'find out why a batch has problems, from its records; shows no names',
    () => import('./commands/diagnose.ts'),
  ],
  ['audit', 'the ledger', () => import('./commands/audit.ts')],
  [
    'retention',
    'retention of sealed data, and legal holds',
    () => import('./commands/retention.ts'),
  ],
  [
    'docket',
    'patent docket events, their deadlines and their owners',
    () => import('./commands/docket.ts'),
  ],
  [
    'route',
    'docket routing: the matrix, people, absences and the router',
    () => import('./commands/route.ts'),
  ],
  [
    'recovery',
    'recovery of failed targets: health, schema, queue, reconciliation',
    () => import('./commands/recovery.ts'),
  ],
  [
    'serve',
    'serve the API, its events and the page that emails link to, until SIGTERM',
    () => import('./commands/serve.ts'),
  ],
  [
    'witness',
    'cosign the ledger heads of other installations, until SIGTERM (C2SP tlog-witness); needs no database',
    () => import('./commands/witness.ts'),
  ],
  ['deadline', 'patent deadlines, explained step by step', () => import('./commands/deadline.ts')],
  [
    'grants',
    'grants: awards, bank feeds, matching, thresholds, exceptions, rules',
    () => import('./commands/grants.ts'),
  ],
  [
    'report',
    'report figures from closed periods, each traced to bank lines and award documents',
    () => import('./commands/report.ts'),
  ],
  [
    'obligation',
    'obligations of entities and their due dates; compute, explain and list-rules need no database',
    () => import('./commands/obligation.ts'),
  ],
  ['rules', 'the rules and calendars in use', () => import('./commands/rules.ts')],
  [
    'tax',
    'franchise tax, with the calculation; needs no database',
    () => import('./commands/tax.ts'),
  ],
  [
    'ics',
    'write a calendar (RFC 5545) from dates on standard input, one JSON object per line: id, due and, if known, final, kind, jurisdiction, reference, cls ("ordinary" shows the reference; anything else counts as privileged)',
    () => import('./commands/ics.ts'),
  ],
  ['user', 'people and their personal keys', () => import('./commands/user.ts')],
  ['session', 'sessions: who is signed in to the service', () => import('./commands/session.ts')],
  [
    'token',
    'tokens with which other programs act for a person',
    () => import('./commands/token.ts'),
  ],
  ['key', 'keys of this installation: list and rotate them', () => import('./commands/key.ts')],
  ['db', 'the embedded PostgreSQL', () => import('./commands/db.ts')],
  [
    'webhook',
    'webhooks: receivers of events (Standard Webhooks: signed, retried for three days)',
    () => import('./commands/webhook.ts'),
  ],
  ['mail', 'the mail server and the email recipients', () => import('./commands/mail.ts')],
  ['event', 'events and their deliveries', () => import('./commands/event.ts')],
  [
    'alert',
    'alerts that need attention',
    async () => ({ addCommands: (await import('./commands/event.ts')).addAlertCommands }),
  ],
  ['jobs', 'background jobs: webhooks, email, alerts, digest', () => import('./commands/jobs.ts')],
  [
    'worker',
    'send filings as they come due, until SIGTERM, then finish open requests; logs JSON lines to stderr',
    () => import('./commands/worker.ts'),
  ],
  [
    'simulator',
    'simulate portals from their profiles on 127.0.0.1, with the faults you choose, until stopped',
    () => import('./commands/simulator.ts'),
  ],
  [
    'doctor',
    'check this installation: platform, disk, database, clock, key, lanes, ledger',
    () => import('./commands/doctor.ts'),
  ],
  [
    'completion',
    'print the completion script for bash or zsh',
    () => import('./commands/completion.ts'),
  ],
  [
    'demo',
    'run a sample batch against simulated Delaware, California and New York portals',
    () => import('./commands/demo.ts'),
  ],
];

/** The program with the command that these words ask for; without words, with all of them. */
export async function createProgram(words?: readonly string[]): Promise<Command> {
  const program = new Command('filewright')
    .description(
      'Delivers filings to an authority before their legal due date, and records the outcome.',
    )
    .option(
      '--data-dir <path>',
      'folder of the installation (or FILEWRIGHT_DATA; otherwise .filewright here or in a folder above)',
    )
    .option('--tenant <name>', 'tenant whose filings to use (default main)')
    .option('--key-file <path>', 'file with your personal key (or FILEWRIGHT_KEY)')
    .option('--json', 'print one JSON envelope to stdout')
    .option('--no-color', 'no color, as with NO_COLOR; a pipe has none by itself')
    .version(VERSION, '--version', 'show the version')
    .exitOverride()
    .showHelpAfterError('(add --help for usage)');
  const groups = COMMANDS.map(([usage, about, load]) => ({
    command: program.command(usage).description(about),
    load,
  }));
  const asked = words && commandIn(program, words);
  for (const { command, load } of groups) {
    if (words === undefined || command.name() === asked) (await load()).addCommands(command);
  }
  if (words === undefined || asksForHelp(program, words)) {
    (await import('./help/show.ts')).addHelp(program);
  }
  return program;
}

/** By an option, by name, or by naming a command that has others under it and none of those. */
function asksForHelp(program: Command, words: readonly string[]): boolean {
  const { operands, unknown } = program.parseOptions([...words]);
  const isAsked = [...words, ...unknown].some((word) => word === '--help' || word === '-h');
  return isAsked || operands[0] === 'help' || operands.length < 2;
}

/** The command that is asked for. The tenant of `--tenant demo` is none, and nothing is loaded for it. */
function commandIn(program: Command, words: readonly string[]): string | undefined {
  const [first, second] = program.parseOptions([...words]).operands;
  return first === 'help' ? second : first;
}
