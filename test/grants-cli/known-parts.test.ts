/** One booked sum for several gifts on the command line: what is known of it, what the rest is, and when it closes. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Json, textAt } from '../fixtures/cli.ts';
import { ACCOUNT, House, listAt, STATES, YEAR } from './house.ts';

let house: House;
let nora: readonly string[];

const MARCH = ['grants', 'close', '2026-03', '--account', ACCOUNT, ...STATES];
const STATEMENT = [
  ':20:MARCH',
  `:25:043000096/${ACCOUNT}`,
  ':28C:1/1',
  ':60F:C260301USD100,00',
  ':61:2603160316C16120,00NTRFNONREF//LB1',
  ':86:DONOR PLATFORM PAYOUT',
  ':62F:C260331USD16220,00',
  '-',
  '',
].join('\r\n');

beforeAll(async () => {
  house = await House.open();
  ({ nora } = await house.twoPeople());
  await house.data([...nora, 'grants', 'ingest', `${YEAR}/awards-foundations.csv`]);
  await house.file('march.mt940.txt', STATEMENT);
  await house.data([...nora, 'grants', 'feed', 'march.mt940.txt']);
});
afterAll(() => house.close());

/** What is expected later too: the gifts have come before their day. */
const waiting = async (): Promise<readonly Json[]> => {
  const found = await house.data([...nora, 'grants', 'unmatched', '--as-of', '2026-03-31']);
  return [...listAt(found, 'entries'), ...listAt(found, 'upcoming')];
};
const reason = ['--reason', 'payout list of the platform'];

it('the known gifts wait with their line until the rest is named, and are counted then', async () => {
  const entries = await waiting();
  const line = textAt(
    entries.find((one) => one['side'] === 'bank'),
    'id',
  );
  const keyOf = (cents: number) =>
    textAt(
      entries.find((one) => one['side'] === 'ledger' && one['amountCents'] === cents),
      'id',
    );
  const [maple, riverbank] = [keyOf(950_000), keyOf(650_000)];
  const known = [...nora, 'grants', 'resolve', line, '--award', maple, riverbank, ...reason];

  const both = await house.run(...known, '--rest-open', '120.00', '--rest-none', '120.00');
  expect(both).toMatchObject({ code: 2 });
  expect(both.stderr).toContain('--rest-open');
  for (const amount of ['0.00', '-1.00', 'some']) {
    await house.data([...known, '--rest-open', amount], 2);
  }
  const short = await house.run(...known, '--rest-open', '119.99');
  expect(short.code).toBe(4);
  expect(short.stderr).toContain(`Line ${line} has 1612000 cents`);
  expect(short.stderr).toContain('These awards leave 12000');

  const said = await house.run(...known, '--rest-open', '120.00');
  expect(said).toMatchObject({ code: 0 });
  expect(said.stdout).toContain('120.00 of it is not identified yet');
  const matched = await house.data([...nora, 'grants', 'reconcile', '--to', '2026-03-31'], 5);
  expect(matched).toMatchObject({ byStatus: { matched: 0, manual: 1 } });
  const [asked] = (await waiting()).filter((one) => one['side'] === 'bank');
  expect(asked).toMatchObject({ id: line, rule: 'P6-rest-open' });
  expect(textAt(asked, 'why')).toContain(`9,500.00 for ${maple}, 6,500.00 for ${riverbank}`);
  const blocked = await house.data([...nora, ...MARCH], 4);
  expect(JSON.stringify(blocked)).toContain(`${line} needs a person (P6-rest-open)`);
  expect(await house.data(['grants', 'exceptions', 'list'])).toMatchObject({ exceptions: [] });

  const none = await house.data([...known, '--rest-none', '120.00']);
  expect(none).toMatchObject({ line, rest: { state: 'none', cents: 12_000 } });
  expect(await house.data(await house.closing([...nora, ...MARCH]))).toMatchObject({
    kind: 'closed',
    totals: { matchedCents: { USD: '1600000' } },
  });
  const report = await house.data([...nora, 'report', '990', '--period', '2026']);
  const figure = listAt(report, 'figures').find(
    (one) => one['name'] === 'IRS990/TotalContributionsAmt',
  );
  expect(figure).toMatchObject({ cents: '1600000' });
});
