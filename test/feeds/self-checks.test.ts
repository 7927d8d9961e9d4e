/** Everything that a statement says about itself is held against itself. */
import { describe, expect, it } from 'vitest';
import { bai2, camt, mt940 } from '../pipeline/bank.ts';
import { eventsOf, refusalOf } from './support.ts';

const DAYS = { from: '2026-03-02', to: '2026-03-02' };

describe('payments inside a camt entry', () => {
  /** One entry of 60.00 with payments, and whatever the bank says of them. */
  const entry = (payments: readonly string[], about = '', charges = ''): string =>
    camt({ ...DAYS, opening: 0, entries: [{ on: DAYS.from, cents: 6_000 }] }, 'camt.053').replace(
      /<NtryDtls>.*<\/NtryDtls>/,
      `${charges}<NtryDtls>${about}${payments
        .map((amount) => `<TxDtls><Amt Ccy="USD">${amount}</Amt></TxDtls>`)
        .join('')}</NtryDtls>`,
    );
  const batch = (count: number, total: string): string =>
    `<Btch><NbOfTxs>${count}</NbOfTxs><TtlAmt Ccy="USD">${total}</TtlAmt></Btch>`;
  const fee = '<Chrgs><TtlChrgsAndTaxAmt Ccy="USD">0.50</TtlChrgsAndTaxAmt></Chrgs>';

  it.each([
    ['their sum', entry(['10.00', '20.00', '30.00'])],
    ['one payment', entry(['60.00'])],
    ['no payment', entry([])],
    ['a batch that agrees', entry(['25.00', '35.00'], batch(2, '60.00'))],
    ['a batch without its payments', entry([], batch(25, '60.00'))],
    ['a sum before a fee that is named', entry(['30.00', '30.50'], '', fee)],
    [
      'payments in another currency',
      entry(['10.00', '20.00']).replaceAll('<TxDtls><Amt Ccy="USD">', '<TxDtls><Amt Ccy="EUR">'),
    ],
  ])('%s is read', async (_, feed) => {
    expect((await eventsOf(feed)).at(-1)).toMatchObject({ kind: 'end', lines: 1 });
  });

  it.each([
    ['a payment is missing', entry(['10.00', '20.00']), '2 payments (TxDtls) total 3000'],
    ['a payment is there twice', entry(['60.00', '60.00']), 'total 12000'],
    ['a single payment is another one', entry(['59.99']), 'total 5999'],
    ['a fee explains another difference', entry(['30.00', '31.00'], '', fee), 'total 6100'],
    ['the batch counts more', entry(['25.00', '35.00'], batch(3, '60.00')), 'counts 3 payments'],
    [
      'the batch has another total',
      entry(['25.00', '35.00'], batch(2, '61.00')),
      'a total of 6100',
    ],
    ['the batch alone has another total', entry([], batch(9, '6.00')), 'a total of 600 '],
  ])('%s: refused', async (_, feed, reason) => {
    const refusal = await refusalOf(feed);
    expect(refusal.code).toBe('FEED_INCONSISTENT');
    expect(refusal.message).toContain(reason);
    expect(refusal.message).toMatch(/^Line \d+, column \d+: .*Nothing in this feed was used/);
  });
});

describe('totals of a BAI2 account', () => {
  /** 10.00 and 20.00 in, 5.00 out; the totals come into record 03, and so into every sum after it. */
  const account = (totals: string, cents: number, balances = true): string => {
    const entries = [1_000, 2_000, -500].map((each) => ({ on: DAYS.from, cents: each }));
    const feed = bai2({ ...DAYS, ...(balances && { opening: 100 }), entries });
    const sum = (balances ? 100 + 2_600 : 0) + 3_500;
    return feed
      .replace(
        /^(03,.*?),*\/$/m,
        (_, record: string) => `${record}${balances ? ',,,' : ','}${totals}/`,
      )
      .replaceAll(`,${sum},`, `,${sum + cents},`);
  };

  it('are read where the details make them', async () => {
    const feed = account('100,3000,2,,400,500,1,', 3_500);
    expect((await eventsOf(feed, { format: 'bai2' })).at(-1)).toMatchObject({ lines: 3 });
  });

  it.each([
    ['of credits', '100,4000,2,,400,500,1,', 4_500, 'has 4000 as the total of its credits (100)'],
    ['of debits', '100,3000,2,,400,600,1,', 3_600, 'has 600 as the total of its debits (400)'],
    ['in number', '100,3000,3,,400,500,1,', 3_500, 'in 3 items, but its details total 3000 in 2'],
    ['of credits, without a count', '100,2000,,,400,500,,', 2_500, 'total of its credits'],
  ])('are refused where they differ %s', async (_, totals, cents, reason) => {
    const refusal = await refusalOf(account(totals, cents), 'bai2');
    expect(refusal.code).toBe('FEED_INCONSISTENT');
    expect(refusal.message).toContain(reason);
  });

  it('leave a doubt where the bank may have left details out', async () => {
    const feed = account('100,4000,,,400,500,,', 4_500, false);
    const end = (await eventsOf(feed, { format: 'bai2' })).at(-2);
    expect(end).toMatchObject({ kind: 'statementEnd' });
    expect(end?.kind === 'statementEnd' && end.doubt).toContain('has 4000');
  });
});

it('a page says that it goes on', async () => {
  const page = (n: number, isLast: boolean) => ({
    ...DAYS,
    opening: 0,
    entries: [],
    number: 3,
    page: { n, isLast },
  });
  for (const write of [mt940, (one: ReturnType<typeof page>) => camt(one, 'camt.053')]) {
    const pages = await Promise.all(
      [page(1, false), page(2, true)].map(async (one) => (await eventsOf(write(one))).at(-2)),
    );
    expect(pages).toMatchObject([
      { page: 1, hasPageBefore: false, hasPageAfter: true },
      { page: 2, hasPageBefore: true, hasPageAfter: false },
    ]);
  }
});
