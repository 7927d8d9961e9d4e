import type { Command } from 'commander';
import { confirmQuarantine, inspectQuarantine } from '../../oversight/index.ts';
import type { Quarantine } from '../../ledger/index.ts';
import { EXIT, FilewrightError } from '../../core/index.ts';
import { type GlobalOptions, withApp } from '../context.ts';
import { iso, table } from '../output.ts';

const DAYS_MAX = 3_650;

export function addQuarantineCommands(audit: Command): void {
  const quarantine = audit
    .command('quarantine')
    .description(
      'a database that is behind what was signed: nothing is sent until a person has looked',
    );

  quarantine
    .command('status')
    .description('compare all logs with the checkpoints kept outside, and say what must be settled')
    .action(async (_own: object, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const state = await inspectQuarantine(app, actor);
        out.result('audit quarantine status', state, () => quarantineText(state));
        if (state.state === 'in') process.exitCode = EXIT.refused;
      }),
    );

  quarantine
    .command('confirm')
    .description('let the tenant go on; every open filing asks its portal before anything is sent')
    .requiredOption('--settle <n>', 'how many open filings that is, as status shows it')
    .option('--ask-new-days <n>', 'so many days new filings ask first too (default 30)')
    .action(async (own: { settle: string; askNewDays?: string }, command: Command) =>
      withApp(command.optsWithGlobals<GlobalOptions>(), async ({ app, out, actor }) => {
        const settle = readCount('--settle', own.settle, Number.MAX_SAFE_INTEGER);
        const left = await confirmQuarantine(app, actor, {
          settle,
          ...(own.askNewDays === undefined
            ? {}
            : { askNewDays: readCount('--ask-new-days', own.askNewDays, DAYS_MAX) }),
        });
        out.result('audit quarantine confirm', left, () =>
          [
            `Out of quarantine. ${left.mustSettle} filings ask their portals first.`,
            ...left.beginAnew.map(
              (origin) => `${origin} goes on from here with a new signing key.`,
            ),
            'The old checkpoints are set aside, not removed. Tell whoever holds your keys: audit checkpoint shows the new ones.',
          ].join('\n'),
        );
      }),
    );
}

function quarantineText(state: Quarantine): string {
  if (state.state === 'never') return 'Every log agrees with the checkpoints kept outside.';
  const heading =
    state.state === 'in'
      ? `IN QUARANTINE since ${iso(state.enteredAt)}: nothing is sent and nothing is signed.`
      : `Out of quarantine since ${iso(state.leftAt)}; new filings ask first until ${iso(state.askNewUntil)}.`;
  return [
    heading,
    table(
      ['log', 'what is wrong', 'signed and kept outside', 'in the database'],
      state.contradictions.map((each) => [each.origin, each.reason, each.keptSize, each.size]),
    ),
    `${state.mustSettle} open filings must be settled with their portals.`,
    ...(state.state === 'in'
      ? [
          'The database was put back to an older state, or its copies are of another one. If a newer backup exists, restore that.',
          `Otherwise a person lets it go on: audit quarantine confirm --settle ${state.mustSettle}`,
        ]
      : []),
  ].join('\n');
}

function readCount(option: string, text: string, max: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= max) return count;
  throw new FilewrightError('USAGE', `${option}: a number was expected, found "${text}"`);
}
