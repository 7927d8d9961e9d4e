/**
 * Accounts with a hidden truth, told by a bank in pieces, copies, overlaps and announcements, in any format and with any habit
 * of numbering: whatever comes and in whatever order, each entry is there once.
 */
import { describe, expect, it } from 'vitest';
import { formatDay } from '../../src/calendar/day.ts';
import { readFeed } from '../../src/grants/rules/feeds/read-feed.ts';
import type { BankLine } from '../../src/grants/rules/matching/bank-line.ts';
import { linesOfFeed } from '../../src/grants/rules/matching/from-feed.ts';
import type { MatchOutcome } from '../../src/grants/rules/matching/outcome.ts';
import { matchExpectedPayments } from '../../src/grants/rules/matching/match.ts';
import {
  type StatementCover,
  statementKey,
} from '../../src/grants/rules/matching/statement-chain.ts';
import { sentAs } from '../pipeline/bank.ts';
import { day, line, mulberry32, shuffled } from './reco.ts';
import { accountOf, type Sent } from './told-accounts.ts';

interface Fed {
  readonly lines: readonly BankLine[];
  readonly statements: readonly StatementCover[];
}

async function fedWith(name: string, { format, statement }: Sent): Promise<Fed> {
  const source = sentAs(format, statement);
  return linesOfFeed(name, readFeed(source.format, source.open()));
}

async function entriesTold(sent: readonly Sent[], names: readonly string[]): Promise<string[]> {
  const lines: BankLine[] = [];
  const statements: StatementCover[] = [];
  for (const [at, one] of sent.entries()) {
    const fed = await fedWith(names[at] ?? '', one);
    lines.push(...fed.lines);
    statements.push(...fed.statements.map((cover) => ({ ...cover, format: one.format })));
  }
  const outcomes = matchExpectedPayments({ lines, statements, expectedPayments: [] });
  const isEntry = ({ rule }: MatchOutcome): boolean =>
    rule !== 'P0-duplicate-delivery' && rule !== 'P0-announcement';
  const counted = new Set(outcomes.filter(isEntry).flatMap(({ bank }) => bank));
  return lines
    .filter(({ id }) => counted.has(id))
    .map(({ bookingDate, amountCents, direction }) =>
      [formatDay(bookingDate), direction === 'credit' ? amountCents : -amountCents].join(' '),
    )
    .sort();
}

describe('deliveries of a generated account', () => {
  it('are each entry once, whatever the feeds are called and whenever they come', async () => {
    let told = 0;
    for (let seed = 1; seed <= 400; seed += 1) {
      const { entries, sent } = accountOf(seed);
      const truth = entries.map(({ on, cents }) => `${on} ${cents}`).sort();
      const names = sent.map((_, at) => `feed-${at}`);
      const found = await entriesTold(sent, names);
      expect(found, `seed ${seed}`).toEqual(truth);
      const random = mulberry32(seed + 50_000);
      const mixed = await entriesTold(shuffled(sent, random), shuffled(names, random));
      expect(mixed, `seed ${seed} mixed`).toEqual(truth);
      told += sent.length;
    }
    expect(told).toBeGreaterThan(2_000);
  });
});

it('thousands of equal gifts of one day, reported twice and announced, are folded without looking at pairs', () => {
  const count = 5_000;
  const days = { account: 'A1', from: day('2026-03-01'), to: day('2026-03-31') };
  const balances = { openingCents: 0, closingCents: count * 2_500, number: undefined };
  const covers = ['one', 'two'].map((feed) => ({
    ...days,
    ...balances,
    format: 'ofx',
    key: statementKey(feed, 1),
  }));
  const told = (feed: string, more: Partial<BankLine> = {}): BankLine[] =>
    Array.from({ length: count }, (_, at) =>
      line({
        id: `${feed}#${at}`,
        nativeId: 'NONREF',
        amountCents: 2_500,
        statement: 1,
        source: { feed, line: at },
        ...more,
      }),
    );
  const lines = [...told('one'), ...told('two'), ...told('hint', { isAnnounced: true })];
  const outcomes = matchExpectedPayments({ lines, statements: covers, expectedPayments: [] });
  const repeated = outcomes.filter(({ rule }) => rule === 'P0-duplicate-delivery');
  expect(repeated).toHaveLength(2 * count);
  expect(outcomes).toHaveLength(3 * count);
});
