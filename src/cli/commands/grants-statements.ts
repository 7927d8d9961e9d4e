/** Statements of the bank: which are there, taking a wrong one out, and a balance that no feed says. */
import type { Command } from '../command.ts';
import type { WithdrawalView } from '../../grants/index.ts';
import { checkReason, misuse } from '../../core/index.ts';
import { table } from '../output.ts';
import { dollars, readBalance } from './grants-arguments.ts';
import { acting } from './grants-reconcile.ts';
import { readDay } from './obligation-register.ts';

const SHORT_ID = 8;

interface WithdrawOptions {
  readonly statement?: string;
  readonly replacement?: string;
  readonly restore?: true;
  readonly approve?: true;
  readonly refuse?: true;
  readonly reason?: string;
}

export function addGrantsStatements(grants: Command): void {
  addStatements(grants);
  addWithdraw(grants);
  addBalance(grants);
}

function addStatements(grants: Command): void {
  grants
    .command('statements')
    .description('imported bank statements, and withdrawals that await approval')
    .option('--account <account>', 'only this account')
    .inApp(async ({ app, out, actor }, own: { account?: string }) => {
      const { openGrants } = await import('../../grants/index.ts');
      const pipeline = openGrants(app, actor);
      const statements = await pipeline.statements(own.account);
      const withdrawals = await pipeline.withdrawals.list();
      out.result('grants statements', { statements, withdrawals }, () =>
        [
          table(
            [
              'account',
              'from',
              'to',
              'no.',
              'opening balance',
              'closing balance',
              'format',
              'feed',
            ],
            statements.map((one) => [
              one.account,
              one.from,
              one.to,
              one.number ?? '',
              one.openingCents === undefined ? '' : dollars(one.openingCents),
              one.closingCents === undefined ? '' : dollars(one.closingCents),
              one.format,
              `${one.feed.slice(0, SHORT_ID)}, statement ${one.statement}`,
            ]),
          ),
          ...withdrawals.map(withdrawalWords),
        ].join('\n'),
      );
    });
}

function addWithdraw(grants: Command): void {
  grants
    .command('withdraw <feed>')
    .description(
      'withdraw a wrong statement before its period is closed; one person proposes, another approves',
    )
    .option('--statement <number>', 'only this statement of the feed (default all)')
    .option('--replacement <file>', 'the feed that replaces it')
    .option('--restore', 'propose to restore a withdrawn statement')
    .option('--approve', 'approve another person’s proposal')
    .option('--refuse', 'refuse the proposal')
    .option('--reason <text>', 'reason; required except with --approve; recorded')
    .action(async (name: string, own: WithdrawOptions, command: Command) =>
      acting(command, async ({ out }, pipeline, person) => {
        const { withdrawals } = pipeline;
        const decision = decisionOf(own);
        const by = person.id;
        if (decision !== undefined) {
          const reason =
            decision === 'approved' && own.reason === undefined
              ? 'second person'
              : checkReason('--reason', own.reason);
          const feed = await withdrawals.decide(name, { decision, reason, by });
          out.result('grants withdraw', { feed, state: decision }, () => NEXT[decision]);
          return;
        }
        const { feedFile } = await import('../../grants/index.ts');
        const feed = await withdrawals.propose({
          feed: name,
          ...(own.statement !== undefined && { statement: ordinalOf(own.statement) }),
          ...(own.replacement !== undefined && { replacement: feedFile(own.replacement) }),
          restores: own.restore === true,
          reason: checkReason('--reason', own.reason),
          by,
        });
        out.result('grants withdraw', { feed, state: 'proposed' }, () => NEXT.proposed);
      }),
    );
}

function addBalance(grants: Command): void {
  grants
    .command('balance <amount>')
    .description('enter the balance of an account at the end of a day, if no statement shows it')
    .requiredOption('--account <account>', 'the bank account')
    .requiredOption('--on <day>', 'the day')
    .requiredOption('--reason <text>', 'source of the figure; recorded')
    .action(
      async (
        text: string,
        own: { account: string; on: string; reason: string },
        command: Command,
      ) =>
        acting(command, async ({ out }, pipeline, person) => {
          const { account } = own;
          const on = readDay('--on', own.on);
          const cents = readBalance('The balance', text);
          const reason = checkReason('--reason', own.reason);
          await pipeline.stateBalance({ account, on, cents, reason, by: person.id });
          out.result(
            'grants balance',
            { account, on, cents },
            () => `The balance of ${account} at the end of ${on} is ${dollars(cents)}.`,
          );
        }),
    );
}

const NEXT = {
  proposed: 'Proposed. A second person approves it with grants withdraw FEED --approve.',
  approved:
    'Approved. Import the correct statement with grants feed, then run grants reconcile again.',
  refused: 'Refused; the statement is kept.',
} as const;

function decisionOf(own: WithdrawOptions): 'approved' | 'refused' | undefined {
  if (own.approve === true && own.refuse === true) {
    throw misuse('Expected one of --approve and --refuse, found both');
  }
  if (own.approve === true) return 'approved';
  return own.refuse === true ? 'refused' : undefined;
}

function withdrawalWords(one: WithdrawalView): string {
  const what = one.restores ? 'restoration' : 'withdrawal';
  const which = one.statement === undefined ? '' : `, statement ${one.statement}`;
  return `${what} of ${one.feed.slice(0, SHORT_ID)} (${one.name}${which}) is ${one.state}: ${one.reason}`;
}

function ordinalOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw misuse(`--statement: expected a number from 1, found "${text}"`);
}
