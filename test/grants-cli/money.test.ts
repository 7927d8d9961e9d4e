/** Money in, matched, closed, released: what no command may do, whatever is typed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, textAt } from '../fixtures/cli.ts';
import { ACCOUNT, House, listAt, STATES, YEAR } from './house.ts';

let house: House;
let nora: readonly string[];
let theo: readonly string[];

const close = (period: string) => ['grants', 'close', period, '--account', ACCOUNT, ...STATES];
const figureOf = (report: Json, name: string): unknown =>
  listAt(report, 'figures').find((one) => one['name'] === `IRS990/${name}`)?.['cents'];

beforeAll(async () => {
  house = await House.open();
  ({ nora, theo } = await house.twoPeople());
});
afterAll(() => house.close());

describe('awards', () => {
  it('a file that cannot be imported keeps no other out, and all faults are reported at once', async () => {
    await house.file('broken.xml', '<awards><award></awards>');
    const files = [
      `${YEAR}/awards-federal.ndjson`,
      'broken.xml',
      'missing.csv',
      'odd.txt',
      `${YEAR}/awards-foundations.csv`,
      `${YEAR}/awards-campaign.xml`,
    ];
    const done = await house.data([...nora, 'grants', 'ingest', ...files], 1);
    const found = listAt(done, 'files');
    expect(found.map((one) => one['accepted'] ?? (one['error'] as Json)['code'])).toEqual([
      4,
      'INPUT_MALFORMED',
      'NOT_FOUND',
      'USAGE',
      3,
      2,
    ]);
    for (const one of found) {
      const error = one['error'] as Json | undefined;
      if (error !== undefined) expect(textAt(error, 'remedy')).not.toBe('');
    }
  });

  it('the same document again counts nothing, nor do the same awards in another one', async () => {
    const again = await house.data([...nora, 'grants', 'ingest', `${YEAR}/awards-federal.ndjson`]);
    expect(listAt(again, 'files')).toMatchObject([{ isRepeatedDocument: true }]);
    const lines = (await house.text(`${YEAR}/awards-federal.ndjson`)).trim().split('\n');
    await house.file('again.json', JSON.stringify(lines.map((line) => JSON.parse(line) as Json)));
    const other = await house.data([...nora, 'grants', 'ingest', 'again.json']);
    expect(listAt(other, 'files')).toMatchObject([{ accepted: 0, repeated: 4, refused: 0 }]);
    expect(await house.data(['grants', 'status'])).toMatchObject({ awards: 9 });
  });

  it('every reason of a refusal is reported, with its place', async () => {
    const bad = { grantor_id: 'x', award_amount: 12.5, currency: 'EUR', fiscal_year: 1, tags: {} };
    await house.file('bad.ndjson', `${JSON.stringify(bad)}\n`);
    const said = await house.run(...nora, 'grants', 'ingest', 'bad.ndjson');
    expect(said.code).toBe(5);
    expect(said.stdout).toContain('award 1, line 1: quarantined');
    for (const reason of [
      'award_amount: MONEY_NOT_CENTS',
      'currency: WRONG_CURRENCY',
      'fiscal_year: NOT_ALLOWED',
      'tags: UNKNOWN_FIELD',
      'compliance_tags: MISSING',
    ]) {
      expect(said.stdout).toContain(reason);
    }
  });
});

describe('the bank', () => {
  it('a feed that does not add up changes nothing', async () => {
    const good = await house.text(`${YEAR}/bank-2026-q1.camt053.xml`);
    await house.file('short.xml', good.replace('24500.00', '24500.01'));
    const [refused] = listAt(
      await house.data([...nora, 'grants', 'feed', 'short.xml'], 1),
      'files',
    );
    expect(refused).toMatchObject({ error: { code: 'FEED_INCONSISTENT' } });
    expect(await house.data(['grants', 'status'])).toMatchObject({ feeds: 0, lines: 0 });
  });

  it('the intraday report, the statement and a second delivery of both are one payment', async () => {
    const files = [`${YEAR}/bank-2026-02-10.camt052.xml`, `${YEAR}/bank-2026-q1.camt053.xml`];
    await house.data([...nora, 'grants', 'feed', ...files]);
    const again = await house.data([...nora, 'grants', 'feed', ...files]);
    expect(listAt(again, 'files').every((one) => one['isRepeatedFeed'] === true)).toBe(true);
    const matched = await house.data([...nora, 'grants', 'reconcile', '--to', '2026-03-31']);
    expect(matched).toMatchObject({ totals: { matchedCents: { USD: '1250000' } } });
  });

  it('a period without its statement is not closed, and says which day is missing', async () => {
    const blocked = await house.data([...nora, ...close('2026-Q2')], 4);
    expect(blocked).toMatchObject({ kind: 'preview' });
    expect(JSON.stringify(blocked)).toContain('no statement');
  });

  it('a closed period takes no more lines', async () => {
    const asked = await house.closing([...nora, ...close('2026-Q1')]);
    expect(await house.data(asked)).toMatchObject({ kind: 'closed' });
    const late = (await house.text(`${YEAR}/bank-2026-02-10.camt052.xml`)).replaceAll(
      'LB260210-0001',
      'LB260210-0009',
    );
    await house.file('late.xml', late);
    const [refused] = listAt(await house.data([...nora, 'grants', 'feed', 'late.xml'], 4), 'files');
    expect(JSON.stringify(refused)).toContain('closed');
    expect(await house.data(['grants', 'status'])).toMatchObject({ lines: 3 });
  });
});

describe('a wrong statement', () => {
  const statements = async () =>
    listAt(await house.data(['grants', 'statements', '--account', ACCOUNT]), 'statements');

  it('is taken out by two people, and comes back the same way', async () => {
    await house.data([...nora, 'grants', 'feed', `${YEAR}/bank-2026-q2.mt940.txt`]);
    const before = await statements();
    const feed = textAt(before.at(-1), 'feed').slice(0, 8);
    const withdraw = ['grants', 'withdraw', feed];
    await house.data([...nora, ...withdraw], 2);
    await house.data([...nora, ...withdraw, '--reason', 'of another client']);
    await house.data([...nora, ...withdraw, '--approve'], 4);
    expect(await house.data([...theo, ...withdraw, '--approve'])).toMatchObject({
      state: 'approved',
    });
    expect((await statements()).length).toBeLessThan(before.length);
    const said = await house.run('grants', 'statements');
    expect(said.stdout).toContain(`withdrawal of ${feed}`);
    await house.data([...theo, ...withdraw, '--restore', '--reason', 'it was ours']);
    await house.data([...nora, ...withdraw, '--approve']);
    expect(await statements()).toEqual(before);
  });

  it('a balance is stated in dollars and cents, and not for what is closed', async () => {
    const of = ['--account', '77', '--reason', 'read online'];
    const balance = (amount: string, on: string) => [
      'grants',
      'balance',
      amount,
      '--on',
      on,
      ...of,
    ];
    expect(await house.data([...nora, ...balance('1,234.50', '2026-06-30')])).toMatchObject({
      cents: 123_450,
    });
    for (const amount of ['12.5', '1,23.00', 'ten']) {
      await house.data([...nora, ...balance(amount, '2026-06-30')], 2);
    }
    const closed = balance('1.00', '2026-03-31').map((word) => (word === '77' ? ACCOUNT : word));
    await house.data([...nora, ...closed], 4);
  });
});

describe('a threshold', () => {
  it('money that waits at the wall is in no report, and an early check does not let it pass', async () => {
    await house.data([
      ...nora,
      'grants',
      'feed',
      `${YEAR}/bank-2026-q2.mt940.txt`,
      `${YEAR}/bank-2026-q3.bai2.txt`,
    ]);
    const aged = await house.data([...nora, 'grants', 'unmatched', '--as-of', '2026-06-30']);
    const fee = listAt(aged, 'entries').find((one) => one['side'] === 'bank');
    expect(fee).toMatchObject({ bucket: '31-60', amountCents: 2500 });
    await house.data([
      ...nora,
      'grants',
      'resolve',
      textAt(fee, 'id'),
      '--reason',
      'a fee of the bank',
    ]);
    await house.data(await house.closing([...nora, ...close('2026-Q2')]));
    const blocked = await house.data(await house.closing([...nora, ...close('2026-Q3')]), 4);
    expect(blocked).toMatchObject({ kind: 'closed', release: { kind: 'blocked' } });
    const attach = ['grants', 'attach-registration', 'PA', '--evidence', 'no. 105882'];
    await house.data([...theo, ...attach, '--checked-on', '2026-09-13']);
    await house.data([...nora, 'grants', 'release', ...STATES], 4);
    const before = await house.data([...nora, 'report', '990', '--period', '2026']);
    expect(figureOf(before, 'TotalContributionsAmt')).toBe('2200000');

    await house.data([...theo, ...attach, '--checked-on', '2026-09-14']);
    const passed = await house.data([...nora, 'grants', 'release', ...STATES]);
    expect(listAt(passed, 'releases')).toMatchObject([{ kind: 'passed', received: 2 }]);
    const after = await house.data([...nora, 'report', '990', '--period', '2026']);
    expect(figureOf(after, 'TotalContributionsAmt')).toBe('3450000');
    // Once: nothing waits any more.
    const again = await house.run(...nora, 'grants', 'release', ...STATES);
    expect(again).toMatchObject({ code: 0, stdout: 'No closed period is blocked.\n' });
  });
});

describe('what is typed wrongly', () => {
  it.each([
    [['grants', 'close', '2026-Q5', '--account', 'x', '--states', 'PA'], 2],
    [['grants', 'close', '2026-02-01..2026-01-01', '--account', 'x', '--states', 'PA'], 2],
    // Thresholds are never forgotten by leaving an option out.
    [['grants', 'close', '2026-Q4', '--account', 'x'], 2],
    [['grants', 'close', '2026-Q4', '--account', 'x', '--states', 'Penn'], 2],
    [['grants', 'attach-registration', 'Penn', '--evidence', 'x'], 2],
    [['grants', 'attach-registration', 'PA', '--evidence', ' '], 2],
    [['grants', 'resolve', 'x#1', '--reason', ' '], 2],
    [['grants', 'verify', 'US-ED'], 2],
    [['grants', 'verify', 'US-ED', '--lane', 'NOWHERE'], 3],
    [['grants', 'verify', 'nobody', '--file', `${YEAR}/grantor-us-ed.json`], 3],
    [['grants', 'rules', '2026', '--states', 'PA', '--return', '990-X'], 2],
    [['grants', 'rules', '2026', '--states', 'PA', '--registration', 'FL@2024-02-30'], 2],
    [['grants', 'exceptions', 'show', 'x'], 2],
    [['grants', 'exceptions', 'show', '00000000-0000-7000-8000-000000000000'], 3],
    [['report', 'trace', 'GovernmentGrantsAmt', '--period', '2026'], 2],
    [['report', 'trace', 'IRS990/Nothing', '--period', '2026'], 3],
    [['report', 'sf425', '--period', '2026'], 2],
    [['report', 'sf425', '--period', '2026', '--award', 'nobody'], 3],
    [['report', 'sefa', '--period', '2026', '--spent', 'missing.csv'], 3],
  ])('%j ends with %i', async (words, code) => {
    const said = await house.run(...nora, ...words);
    expect(said.code, said.stdout + said.stderr).toBe(code);
  });

  it('nothing is changed or opened without a person', async () => {
    for (const words of [
      ['grants', 'ingest', `${YEAR}/award-city.json`],
      ['grants', 'feed', `${YEAR}/bank-2026-q4.ofx`],
      ['grants', 'reconcile'],
      close('2026-Q4'),
      ['grants', 'exceptions', 'show', '00000000-0000-7000-8000-000000000000'],
      ['report', '990', '--period', '2026'],
    ]) {
      expect((await house.run(...words)).code, words.join(' ')).toBe(4);
    }
  });
});
