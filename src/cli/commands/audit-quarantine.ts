import type { Command } from '../command.ts';
import {
  approveRelease,
  declineRelease,
  inspectQuarantine,
  proposeRelease,
  type QuarantineView,
} from '../../oversight/index.ts';
import { EXIT, misuse } from '../../core/index.ts';
import { table } from '../output.ts';
import { moment } from '../shown.ts';

const DAYS_MAX = 3_650;

export function addQuarantineCommands(audit: Command): void {
  const quarantine = audit
    .command('quarantine')
    .description(
      'quarantine of a database that contradicts its signed checkpoints: nothing is sent until two people release it',
    );

  quarantine
    .command('status')
    .description(
      'compare all logs with the checkpoints kept outside the database, and count the filings to settle',
    )
    .inApp(async ({ app, out, actor }) => {
      const state = await inspectQuarantine(app, actor);
      out.result('audit quarantine status', state, () => quarantineText(state));
      if (state.state === 'in') process.exitCode = EXIT.refused;
    });

  addPropose(quarantine);
  addDecide(quarantine);
}

function addPropose(quarantine: Command): void {
  quarantine
    .command('propose')
    .description('propose to release the tenant from quarantine; a second person must approve it')
    .requiredOption('--settle <n>', 'number of open filings, as shown by status')
    .requiredOption('--reason <text>', 'why the tenant may continue')
    .option(
      '--ask-new-days <n>',
      'days during which new filings are also checked first (default 30)',
    )
    .inApp(
      async ({ app, out, actor }, own: { settle: string; reason: string; askNewDays?: string }) => {
        const settle = readCount('--settle', own.settle, Number.MAX_SAFE_INTEGER);
        const made = await proposeRelease(app, actor, {
          settle,
          reason: own.reason,
          ...(own.askNewDays === undefined
            ? {}
            : { askNewDays: readCount('--ask-new-days', own.askNewDays, DAYS_MAX) }),
        });
        out.result('audit quarantine propose', made, () =>
          [
            'Proposed. The tenant stays in quarantine until a second person approves it:',
            `  filewright audit quarantine approve --expect-hash ${made.sha256}`,
          ].join('\n'),
        );
      },
    );
}

function addDecide(quarantine: Command): void {
  quarantine
    .command('approve')
    .description(
      'approve another person’s proposal; each open filing is checked with its portal before anything is sent',
    )
    .option('--expect-hash <hash>', 'hash of the proposal that you saw')
    .inApp(async ({ app, out, actor }, own: { expectHash?: string }) => {
      const left = await approveRelease(
        app,
        actor,
        own.expectHash === undefined ? {} : { sha256: own.expectHash },
      );
      out.result('audit quarantine approve', left, () =>
        [
          `Out of quarantine. ${left.mustSettle} filings will be checked with their portals first.`,
          ...left.beginAnew.map((origin) => `${origin} continues with a new signing key.`),
          'The old checkpoints are kept beside the new ones. Send the new keys to those who verify your exports: audit checkpoint shows them.',
        ].join('\n'),
      );
    });

  quarantine
    .command('decline')
    .description('decline the proposed release, or withdraw your own; the quarantine stays')
    .requiredOption('--reason <text>', 'why not')
    .inApp(async ({ app, out, actor }, own: { reason: string }) => {
      await declineRelease(app, actor, own);
      out.result('audit quarantine decline', {}, () => 'Declined. The tenant stays in quarantine.');
    });
}

const CAUSES = {
  forgery:
    'FORGERY: entries that were signed are not in the database. This is not an older backup. Keep the database and the copies as they are, and find out who changed it.',
  'older database':
    'The database was restored to an older state, or the checkpoints belong to another database. If a newer backup exists, restore it.',
} as const;

function quarantineText(state: QuarantineView): string {
  if (state.state === 'never')
    return 'Every log agrees with the checkpoints kept outside the database.';
  const heading =
    state.state === 'in'
      ? `IN QUARANTINE since ${moment(state.enteredAt)}: nothing is sent and nothing is signed.`
      : `Out of quarantine since ${moment(state.leftAt)}; new filings are checked first until ${moment(state.askNewUntil)}.`;
  return [
    heading,
    table(
      ['log', 'problem', 'signed (outside copy)', 'in the database'],
      state.contradictions.map((each) => [each.origin, each.reason, each.keptSize, each.size]),
    ),
    `${state.mustSettle} open filings must be settled with their portals.`,
    ...(state.state === 'in'
      ? [
          CAUSES[state.cause],
          ...(state.release === undefined
            ? [
                `To release the tenant, one person proposes it: audit quarantine propose --settle ${state.mustSettle} --reason TEXT`,
              ]
            : [
                `A release is proposed (${state.release.reason}). Another person approves it: audit quarantine approve --expect-hash ${state.release.sha256}`,
              ]),
        ]
      : []),
  ].join('\n');
}

function readCount(option: string, text: string, max: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= max) return count;
  throw misuse(`${option}: expected a number, found "${text}"`);
}
