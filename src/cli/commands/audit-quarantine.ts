import type { Command } from '../command.ts';
import { confirmQuarantine, inspectQuarantine } from '../../oversight/index.ts';
import type { Quarantine } from '../../ledger/index.ts';
import { EXIT, misuse } from '../../core/index.ts';
import { iso, table } from '../output.ts';

const DAYS_MAX = 3_650;

export function addQuarantineCommands(audit: Command): void {
  const quarantine = audit
    .command('quarantine')
    .description(
      'quarantine of a database that is older than its signed checkpoints: nothing is sent until a person confirms',
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

  quarantine
    .command('confirm')
    .description(
      'release the tenant from quarantine; each open filing is checked with its portal before anything is sent',
    )
    .requiredOption('--settle <n>', 'number of open filings, as shown by status')
    .option(
      '--ask-new-days <n>',
      'days during which new filings are also checked first (default 30)',
    )
    .inApp(async ({ app, out, actor }, own: { settle: string; askNewDays?: string }) => {
      const settle = readCount('--settle', own.settle, Number.MAX_SAFE_INTEGER);
      const left = await confirmQuarantine(app, actor, {
        settle,
        ...(own.askNewDays === undefined
          ? {}
          : { askNewDays: readCount('--ask-new-days', own.askNewDays, DAYS_MAX) }),
      });
      out.result('audit quarantine confirm', left, () =>
        [
          `Out of quarantine. ${left.mustSettle} filings will be checked with their portals first.`,
          ...left.beginAnew.map((origin) => `${origin} continues with a new signing key.`),
          'The old checkpoints are kept beside the new ones. Send the new keys to those who verify your exports: audit checkpoint shows them.',
        ].join('\n'),
      );
    });
}

function quarantineText(state: Quarantine): string {
  if (state.state === 'never')
    return 'Every log agrees with the checkpoints kept outside the database.';
  const heading =
    state.state === 'in'
      ? `IN QUARANTINE since ${iso(state.enteredAt)}: nothing is sent and nothing is signed.`
      : `Out of quarantine since ${iso(state.leftAt)}; new filings are checked first until ${iso(state.askNewUntil)}.`;
  return [
    heading,
    table(
      ['log', 'problem', 'signed (outside copy)', 'in the database'],
      state.contradictions.map((each) => [each.origin, each.reason, each.keptSize, each.size]),
    ),
    `${state.mustSettle} open filings must be settled with their portals.`,
    ...(state.state === 'in'
      ? [
          'The database was restored to an older state, or the checkpoints belong to another database. If a newer backup exists, restore it.',
          `Otherwise release the tenant with: audit quarantine confirm --settle ${state.mustSettle}`,
        ]
      : []),
  ].join('\n');
}

function readCount(option: string, text: string, max: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= max) return count;
  throw misuse(`${option}: expected a number, found "${text}"`);
}
