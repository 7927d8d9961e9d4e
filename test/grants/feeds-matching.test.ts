/** The same story in every format gives the same matches over the events that each file contains. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFeed } from '../../src/grants/rules/feeds/read-feed.ts';
import type { BankLine } from '../../src/grants/rules/matching/bank-line.ts';
import { linesOfFeed } from '../../src/grants/rules/matching/from-feed.ts';
import { matchExpectedPayments } from '../../src/grants/rules/matching/match.ts';
import { sampleDataset } from './reco.ts';

const folder = join(import.meta.dirname, '../fixtures/bank');

async function linesOf(file: string): Promise<readonly BankLine[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield readFileSync(join(folder, file));
  }
  return (await linesOfFeed(file, readFeed('detect', chunks()))).lines;
}

/** The event's name in the story: by the bank's number, or where the format has none by the trace. */
function named(lines: readonly BankLine[], events: readonly BankLine[]): BankLine[] {
  const used = new Set<string>();
  return lines.map((line) => {
    const event = events.find(
      (one) =>
        !used.has(one.id) &&
        one.amountCents === line.amountCents &&
        one.direction === line.direction &&
        (one.nativeId === line.nativeId || (one.trace !== undefined && one.trace === line.trace)),
    );
    if (event === undefined) throw new Error(`${line.id} is no event of the story`);
    used.add(event.id);
    return { ...line, id: event.id };
  });
}

const FILES = [
  ['reco-001.camt053.xml', 14],
  ['reco-001.bai2.txt', 13],
  ['reco-001.mt940.txt', 13],
] as const;
const ANNOUNCING = [
  ['reco-001.camt052.xml', 1],
  ['reco-001.nacha-ccdplus.ach', 2],
] as const;

describe('the feeds of the sample', () => {
  const { lines: events, expectedPayments, policy } = sampleDataset();

  it.each(FILES)('%s', async (file, atLeast) => {
    const lines = named(await linesOf(file), events);
    expect(lines.length).toBeGreaterThanOrEqual(atLeast);
    const ids = new Set(lines.map(({ id }) => id));
    const expected = matchExpectedPayments({
      lines: events.filter(({ id }) => ids.has(id)),
      expectedPayments,
      policy,
    });
    const found = matchExpectedPayments({ lines, expectedPayments, policy });
    const short = (outcomes: typeof found): string[] =>
      outcomes.map(
        ({ rule, status, bank, ledger }) =>
          `${rule} ${status} ${bank.join('+')}=${ledger.join('+')}`,
      );
    expect(short(found)).toEqual(short(expected));
  });

  it.each(ANNOUNCING)('%s alone is assigned to no award', async (file, count) => {
    const outcomes = matchExpectedPayments({
      lines: await linesOf(file),
      expectedPayments,
      policy,
    });
    const ofLines = outcomes.filter(({ bank }) => bank.length > 0);
    expect(ofLines.map(({ rule, status }) => `${rule} ${status}`)).toEqual(
      Array.from({ length: count }, () => 'P0-announcement ignored'),
    );
  });

  it('a download that has an entry twice has two of them, whatever their number says', async () => {
    const lines = named(await linesOf('reco-001.ofx'), events);
    const outcomes = matchExpectedPayments({ lines, expectedPayments, policy });
    const twice = outcomes.filter(({ bank }) => bank.includes('B08') || bank.includes('B09'));
    expect(twice.map(({ rule, status }) => `${rule} ${status}`)).toEqual([
      'P1-reference-exact matched',
      'P6-suspected-double-payment manual',
    ]);
  });

  it('an intraday report and a statement together count every entry once', async () => {
    const both = [
      ...(await linesOf('reco-001.camt052.xml')),
      ...(await linesOf('reco-001.camt053.xml')),
    ];
    const outcomes = matchExpectedPayments({ lines: both, expectedPayments, policy });
    expect(outcomes.filter(({ rule }) => rule === 'P0-duplicate-delivery')).toHaveLength(1);
    const alone = matchExpectedPayments({
      lines: await linesOf('reco-001.camt053.xml'),
      expectedPayments,
      policy,
    });
    const ledger = (all: typeof outcomes): string[] =>
      all.filter(({ status }) => status === 'matched').flatMap((one) => one.ledger);
    expect(ledger(outcomes)).toEqual(ledger(alone));
  });

  it.each(['reco-001.camt053.xml', 'reco-001.bai2.txt', 'reco-001.mt940.txt', 'reco-001.ofx'])(
    'a file of the clearing and %s together give what the statement gives alone',
    async (file) => {
      const statement = await linesOf(file);
      const announced = await linesOf('reco-001.nacha-ccdplus.ach');
      const alone = matchExpectedPayments({ lines: statement, expectedPayments, policy });
      for (const lines of [[...announced, ...statement], [...statement, ...announced].reverse()]) {
        // One component at a time: what belongs together must be found together.
        const both = matchExpectedPayments({ lines, expectedPayments, policy, batchEntries: 1 });
        const dropped = both.filter(({ bank }) => announced.some(({ id }) => bank.includes(id)));
        expect(dropped.map(({ rule, status }) => `${rule} ${status}`)).toEqual([
          'P0-duplicate-delivery ignored',
          'P0-duplicate-delivery ignored',
        ]);
        expect(both.filter((outcome) => !dropped.includes(outcome))).toEqual(alone);
      }
    },
  );
});
