/** Two parsers of other hands read the same files; where they can speak, they must say what we say. */
import { parseCamt053 } from 'camt-parser';
import { parseSync } from 'ofx-js';
import { describe, expect, it } from 'vitest';
import { GENERATED_FEEDS } from '../../bench/feeds-generated.ts';
import type { FeedEvent, LineEvent } from '../../src/grants/rules/feeds/feed-events.ts';
import { dayText, eventsOf, fixture, linesOf } from './support.ts';

async function generated(name: string): Promise<Buffer> {
  const feed = GENERATED_FEEDS.find((each) => each.name === name);
  if (feed === undefined) throw new Error(`Expected a generated feed ${name}.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of feed.chunks(500)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Minor units as decimal text, by string work alone. */
function decimal(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

describe('camt-parser', () => {
  const FILES = [
    { name: 'reco-001.camt053.xml', read: async () => fixture('reco-001.camt053.xml') },
    {
      name: 'thirdparty-camt053.v2.multi.statement.xml',
      read: async () => fixture('thirdparty-camt053.v2.multi.statement.xml'),
    },
    { name: '500 generated entries', read: async () => generated('camt.053') },
  ];

  it.each(FILES)('agrees on $name', async ({ read }) => {
    const bytes = await read();
    const theirs = await parseCamt053(bytes.toString());
    const ours = await eventsOf(bytes);
    const lines = ours.filter((event): event is LineEvent => event.kind === 'line');
    expect(
      lines.map((line) => ({
        amount: decimal(line.amountCents),
        currency: line.currency,
        direction: line.direction === 'credit' ? 'CRDT' : 'DBIT',
        isReversal: line.isReversal,
        booked: dayText(line.bookingDate),
        valued: dayText(line.valueDate),
        nativeId: line.nativeId ?? '',
        code: line.code,
      })),
    ).toEqual(
      theirs.statements.flatMap((statement) =>
        statement.transactions.map((each) => ({
          amount: each.amount.value,
          currency: each.amount.currency,
          direction: each.creditDebitIndicator,
          isReversal: each.reversalIndicator,
          booked: each.bookingDate,
          valued: each.valueDate,
          nativeId: each.accountServicerReference,
          code: each.bankTransactionCode,
        })),
      ),
    );
    expect(ours.filter((event) => event.kind === 'statementEnd').map(balances)).toEqual(
      theirs.statements.map((statement) =>
        statement.balances.map((each) => `${each.amount.value} ${each.amount.currency}`),
      ),
    );
  });

  it('accepts in silence what we refuse: a message without a statement', async () => {
    const bytes = fixture('thirdparty-camt053.v2.wrong.xml');
    expect((await parseCamt053(bytes.toString())).statements).toEqual([]);
    await expect(eventsOf(bytes)).rejects.toMatchObject({ code: 'FEED_MALFORMED' });
  });
});

function balances(event: FeedEvent): string[] {
  if (event.kind !== 'statementEnd') return [];
  return [event.opening, event.closing].map((balance) =>
    balance === undefined ? '' : `${decimal(balance.amountCents)} ${balance.currency}`,
  );
}

describe('ofx-js', () => {
  const FILES = [
    { name: 'reco-001.ofx', read: async () => fixture('reco-001.ofx') },
    { name: '500 generated transactions in XML', read: async () => generated('OFX 2 (XML)') },
    { name: '500 generated transactions in SGML', read: async () => generated('OFX 1 (SGML)') },
  ];

  it.each(FILES)('agrees on $name', async ({ read }) => {
    const bytes = await read();
    const theirs = transactionsOf(parseSync(bytes.toString()).OFX);
    const ours = await linesOf(bytes);
    expect(
      ours.map((line) => ({
        FITID: line.nativeId,
        TRNTYPE: line.code,
        TRNAMT: `${line.direction === 'debit' ? '-' : ''}${decimal(line.amountCents)}`,
        day: dayText(line.bookingDate)?.replaceAll('-', ''),
        NAME: line.counterparty,
        hasTrace: line.trace !== undefined,
      })),
    ).toEqual(
      theirs.map((each) => ({
        FITID: each['FITID'],
        TRNTYPE: each['TRNTYPE'],
        TRNAMT: each['TRNAMT'],
        day: each['DTPOSTED']?.slice(0, 8),
        NAME: each['NAME'],
        hasTrace: /TRN \d{15}/.test(each['MEMO'] ?? ''),
      })),
    );
  });
});

function transactionsOf(ofx: unknown): Readonly<Record<string, string>>[] {
  // The library types its answer as anything; this is the path of every statement download.
  const response = ofx as {
    BANKMSGSRSV1: {
      STMTTRNRS: { STMTRS: { BANKTRANLIST: { STMTTRN: Record<string, string>[] } } };
    };
  };
  return response.BANKMSGSRSV1.STMTTRNRS.STMTRS.BANKTRANLIST.STMTTRN;
}
