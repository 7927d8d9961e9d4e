/** Statements as they are kept, and balances that a person read at the bank. */
import { misuse, ruledOut } from '../../../core/index.ts';
import { AMOUNT_CENTS_MAX } from '../../rules/matching/bank-line.ts';
import { closedPeriods, lockMatching } from '../../store/matches.ts';
import { stateBalance as keepBalance } from '../../store/balances.ts';
import { tellingStatements } from '../../store/statements.ts';
import type { BalanceByPerson, StatementView } from '../contracts.ts';
import { dayOfText } from './day-of-text.ts';
import type { ReconciliationDeps } from './deps.ts';

export async function listStatements(
  { store }: ReconciliationDeps,
  account?: string,
): Promise<readonly StatementView[]> {
  const stored = await store.transaction((at) => tellingStatements(at));
  return stored
    .filter((one) => account === undefined || one.account === account)
    .map((one) => ({
      account: one.account,
      from: one.from,
      to: one.to,
      feed: one.feed,
      statement: one.ordinal,
      format: one.format,
      number: one.number,
      page: one.page,
      openingCents: one.openingCents,
      closingCents: one.closingCents,
    }));
}

export async function stateBalance(
  { store }: ReconciliationDeps,
  balance: BalanceByPerson,
): Promise<void> {
  const { account, on, cents, by } = balance;
  dayOfText(on, 'the day of the balance');
  if (!Number.isSafeInteger(cents) || Math.abs(cents) > AMOUNT_CENTS_MAX) {
    throw misuse(`Expected whole cents for the balance, found ${cents}`);
  }
  await store.transaction(async (at) => {
    await lockMatching(at);
    const closed = (await closedPeriods(at)).find(
      (one) => one.account === account && one.from <= on && on <= one.to,
    );
    if (closed !== undefined && closed.closingCents !== undefined) {
      throw ruledOut(
        `The period ${closed.from} to ${closed.to} of account ${account} is closed; its balance is final`,
      );
    }
    const n = await keepBalance(at, balance);
    await store.record(at, {
      type: 'balance.stated',
      actor: { kind: 'user', id: by },
      subject: { kind: 'grant_balance', id: `${account}/${on}`, ver: n },
      data: { on, cents: String(cents) },
    });
  });
}
