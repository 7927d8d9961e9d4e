/** What an accountant sees of money that no rule could match, by commands alone: whose it is, what it could be, and what was said of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, textAt } from '../fixtures/cli.ts';
import { House, listAt, STATES } from './house.ts';

const ACCOUNT = '777000111';
let house: House;
let nora: readonly string[];

const AWARDS = [
  ['H-1', 'Harbor Foundation', 500_000, '2026-03-02', 'HARBOR-26'],
  ['B-7', 'Birch Trust', 120_000, '2026-03-20', 'BT-7'],
  ['F-9', 'Fern Fund', 80_000, '2026-09-01', 'FF-9'],
] as const;
const LINES = [
  ':20:MARCH',
  `:25:043000096/${ACCOUNT}`,
  ':28C:1/1',
  ':60F:C260301USD100,00',
  ':61:2603160316C4900,00NTRFNONREF//LB1',
  ':86:166?20SPRING GIFT?32HARBOR FOUNDATION',
  ':61:2603180318D35,00NTRFNONREF//LB2',
  ':86:MONTHLY SERVICE CHARGE',
  ':61:2603200320C1200,00NTRFBT-7//LB3',
  ':86:BT-7 BIRCH TRUST',
  ':62F:C260331USD6165,00',
  '-',
  '',
].join('\r\n');

beforeAll(async () => {
  house = await House.open();
  ({ nora } = await house.twoPeople());
  const awards = AWARDS.map(([award_id, payer, award_amount, expected_on, reference]) =>
    JSON.stringify({
      grantor_id: payer.toUpperCase(),
      award_id,
      award_amount,
      currency: 'USD',
      fiscal_year: 2026,
      compliance_tags: {},
      payer,
      reference,
      expected_on,
    }),
  );
  await house.data([...nora, 'grants', 'ingest', await house.file('a.ndjson', awards.join('\n'))]);
  await house.data([...nora, 'grants', 'feed', await house.file('march.sta', LINES)]);
});
afterAll(() => house.close());

const unmatched = (): Promise<Json> =>
  house.data([...nora, 'grants', 'unmatched', '--as-of', '2026-03-31']);
const entryOf = (found: Json, amountCents: number): Json | undefined =>
  listAt(found, 'entries').find((one) => one['amountCents'] === amountCents);

describe('unmatched money', () => {
  it('has a payer, a text, an account and a sign, and says what it could be and why', async () => {
    const found = await unmatched();
    const gift = entryOf(found, 490_000);
    expect(gift).toMatchObject({
      side: 'bank',
      account: ACCOUNT,
      direction: 'credit',
      payer: 'HARBOR FOUNDATION',
      since: '2026-03-16',
    });
    const [first, ...others] = listAt(gift, 'candidates');
    expect(others).toEqual([]);
    expect(textAt(first, 'id')).toBe(textAt(entryOf(found, 500_000), 'id'));
    expect(textAt(first, 'why')).toBe(
      'The payer and the date fit; the line does not name the reference HARBOR-26 and the amount is 100.00 less than the 5,000.00 expected.',
    );
    expect(entryOf(found, 3_500)).toMatchObject({ direction: 'debit', candidates: [] });
    const { stdout } = await house.run(...nora, 'grants', 'unmatched', '--as-of', '2026-03-31');
    for (const words of [
      'USD 4,900.00  received on 2026-03-16 (15 days, 0-30)',
      'from HARBOR FOUNDATION',
      'USD -35.00  paid out on 2026-03-18',
      'text: MONTHLY SERVICE CHARGE',
      'The payer and the date fit; the line does not name',
    ]) {
      expect(stdout).toContain(words);
    }
  });

  it('what is expected later is not unmatched, and is shown when asked for', async () => {
    const found = await unmatched();
    expect(entryOf(found, 80_000)).toBeUndefined();
    expect(listAt(found, 'upcoming')).toMatchObject([{ amountCents: 80_000, since: '2026-09-01' }]);
    const asked = [...nora, 'grants', 'unmatched', '--as-of', '2026-03-31'];
    const { stdout } = await house.run(...asked);
    expect(stdout).toContain('1 payment is expected later');
    expect(stdout).not.toContain('Fern Fund');
    expect((await house.run(...asked, '--upcoming')).stdout).toContain('Fern Fund');
    const later = await house.data([...nora, 'grants', 'unmatched', '--as-of', '2026-09-02']);
    expect(entryOf(later, 80_000)).toMatchObject({ isUpcoming: false, days: 1 });
  });

  it('is shown to people who work with it, and to no one without a key', async () => {
    for (const noun of ['unmatched', 'lines', 'awards']) {
      expect(await house.run('grants', noun)).toMatchObject({ code: 4 });
    }
  });
});

describe('the lists', () => {
  it('of lines: page by page, each line once, filtered by day, state and words', async () => {
    const list = (...words: string[]) => house.data([...nora, 'grants', 'lines', ...words]);
    const all = listAt(await list(), 'lines');
    expect(all.map((one) => [one['cents'], one['state']])).toEqual([
      [490_000, 'open'],
      [-3_500, 'open'],
      [120_000, 'matched'],
    ]);
    const seen: string[] = [];
    for (let after: readonly string[] = []; ; ) {
      const page = await list('--limit', '1', ...after);
      seen.push(...listAt(page, 'lines').map((one) => textAt(one, 'id')));
      if (page['next'] === null) break;
      after = ['--after', textAt(page, 'next')];
    }
    expect(seen).toEqual(all.map((one) => textAt(one, 'id')));
    expect(listAt(await list('--text', 'birch'), 'lines')).toHaveLength(1);
    expect(listAt(await list('--state', 'open', '--from', '2026-03-17'), 'lines')).toHaveLength(1);
    expect(listAt(await list('--account', 'another'), 'lines')).toEqual([]);
    await house.data([...nora, 'grants', 'lines', '--state', 'opne'], 2);
    await house.data([...nora, 'grants', 'lines', '--after', 'abc'], 2);
  });

  it('of awards: what was promised, what came, what is open and overdue', async () => {
    const list = async (...words: string[]) =>
      listAt(
        await house.data([...nora, 'grants', 'awards', '--as-of', '2026-03-31', ...words]),
        'awards',
      );
    expect(await list()).toMatchObject([
      { awardId: 'H-1', cents: 500_000, openCents: 500_000, state: 'overdue' },
      { awardId: 'B-7', matchedCents: 120_000, closedCents: 0, openCents: 0, state: 'received' },
      { awardId: 'F-9', openCents: 80_000, state: 'expected' },
    ]);
    expect(await list('--state', 'overdue', '--text', 'harbor')).toHaveLength(1);
    const first = await house.data([...nora, 'grants', 'awards', '--limit', '2']);
    const after = ['--after', textAt(first, 'next')];
    expect(await list(...after)).toMatchObject([{ awardId: 'F-9' }]);
  });
});

it('match, undo, split, not grant money, close: each by a command, and traced to the cent', async () => {
  const found = await unmatched();
  const line = textAt(entryOf(found, 490_000), 'id').replace(/^(.{8})[^#]*/, '$1');
  const fee = textAt(entryOf(found, 3_500), 'id');
  const harbor = textAt(entryOf(found, 500_000), 'id');
  const [fern] = listAt(found, 'upcoming').map((one) => textAt(one, 'id'));
  const say = ['--reason', 'as their letter says'];
  const resolve = [...nora, 'grants', 'resolve'];
  for (const twice of [
    ['--award', harbor, '--not-grant-money'],
    ['--undo', '--award', harbor],
    ['--undo', '--fee', '1.00'],
    ['--split', harbor],
    ['--split', `${harbor}=x`],
  ]) {
    await house.data([...resolve, line, ...twice, ...say], 2);
  }
  await house.data([...resolve, line, '--undo', ...say], 3);
  await house.data([...resolve, line, '--award', harbor.slice(0, 12), ...say]);
  expect(entryOf(await unmatched(), 490_000)).toBeUndefined();
  const undone = await house.data([...resolve, line, '--undo', ...say]);
  expect(undone).toMatchObject({ undone: { awards: [harbor] } });
  expect(await unmatched()).toEqual(found);
  const parts = [`${harbor.slice(0, 12)}=4300.00`, `${fern?.slice(0, 12)}=600.00`];
  const short = await house.run(...resolve, line, '--split', parts[0] ?? '', ...say);
  expect(short).toMatchObject({ code: 4 });
  await house.data([...resolve, line, '--split', ...parts, ...say]);
  await house.data([...resolve, fee, '--not-grant-money', ...say]);
  const close = ['grants', 'close', '2026-03', '--account', ACCOUNT, ...STATES];
  expect(await house.data(await house.closing([...nora, ...close]))).toMatchObject({
    kind: 'closed',
    totals: { matchedCents: { USD: '610000' } },
  });
  await house.data([...resolve, line, '--undo', ...say], 3);
  const received = listAt(await house.data([...nora, 'grants', 'awards']), 'awards');
  expect(received.map((one) => [one['awardId'], one['closedCents'], one['openCents']])).toEqual([
    ['H-1', 430_000, 70_000],
    ['B-7', 120_000, 0],
    ['F-9', 60_000, 20_000],
  ]);
  const closed = listAt(await house.data([...nora, 'grants', 'lines']), 'lines');
  expect(closed.map((one) => [one['state'], one['isClosed']])).toEqual([
    ['matched', true],
    ['none', true],
    ['matched', true],
  ]);
  expect(await house.run('audit', 'verify', '--bodies', '--rows')).toMatchObject({ code: 0 });
});
