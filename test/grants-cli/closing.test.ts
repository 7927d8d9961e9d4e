/** A period is closed after its last day, and only as it was shown. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseDay } from '../../src/calendar/index.ts';
import { instant } from '../../src/core/index.ts';
import { notOver } from '../../src/grants/rules/matching/closing-summary.ts';
import { textAt } from '../fixtures/cli.ts';
import { House, listAt, STATES } from './house.ts';

const ACCOUNT = '777000111';
const CLOSE = ['grants', 'close', '2026-03', '--account', ACCOUNT, ...STATES];
let house: House;
let nora: readonly string[];

const statement = (lines: readonly string[], closing: string): string =>
  [
    ':20:MARCH',
    `:25:043000096/${ACCOUNT}`,
    ':28C:1/1',
    ':60F:C260301USD100,00',
    ...lines,
    `:62F:C260331USD${closing}`,
    '-',
    '',
  ].join('\r\n');

beforeAll(async () => {
  house = await House.open();
  ({ nora } = await house.twoPeople());
  const award = (reference: string, award_amount: number, expected_on: string) =>
    JSON.stringify({
      grantor_id: 'G-1',
      award_id: reference,
      award_amount,
      currency: 'USD',
      fiscal_year: 2026,
      compliance_tags: {},
      payer: 'Harbor Foundation',
      reference,
      expected_on,
    });
  const awards = [
    award('HARBOR-1', 500_000, '2026-03-16'),
    award('HARBOR-2', 70_000, '2026-03-20'),
    award('HARBOR-3', 90_000, '2026-08-01'),
  ];
  await house.data([...nora, 'grants', 'ingest', await house.file('a.ndjson', awards.join('\n'))]);
  const text = statement(
    [
      ':61:2603160316C5000,00NTRFHARBOR-1//LB1',
      ':86:HARBOR-1 HARBOR FOUNDATION',
      ':61:2603180318D35,00NTRFNONREF//LB2',
      ':86:MONTHLY SERVICE CHARGE',
    ],
    '5065,00',
  );
  await house.data([...nora, 'grants', 'feed', await house.file('march.sta', text)]);
});
afterAll(() => house.close());

it('what it would freeze is shown with every obstacle, and nothing is closed by looking', async () => {
  const blocked = await house.data([...nora, ...CLOSE], 4);
  expect(blocked).toMatchObject({ kind: 'preview', isClosed: false });
  expect(blocked['obstacles']).toEqual([expect.stringContaining('needs a person')]);
  const fee = ['grants', 'unmatched', '--as-of', '2026-03-31'];
  const found = await house.data([...nora, ...fee]);
  const line = textAt(
    listAt(found, 'entries').find((one) => one['side'] === 'bank'),
    'id',
  );
  await house.data([
    ...nora,
    'grants',
    'resolve',
    line,
    '--not-grant-money',
    '--reason',
    'fee of the bank',
  ]);
  const shown = await house.run(...nora, ...CLOSE);
  expect(shown).toMatchObject({ code: 0 });
  for (const words of [
    'opening balance   100.00',
    'paid to awards    USD 5,000.00, 1 line',
    'not grant money   USD -35.00, 1 line',
    'closing balance   5,065.00',
    'Open questions: 0.',
    'Still expected afterwards: 2 payments, USD 1,600.00; 1 of them overdue.',
    'Nothing is closed yet.',
  ]) {
    expect(shown.stdout).toContain(words);
  }
  expect(await house.data(['grants', 'status'])).toMatchObject({ closedPeriods: 0 });
});

it('a decision after the look changes the hash: the closing is refused, and closes nothing', async () => {
  const asked = await house.closing([...nora, ...CLOSE]);
  const found = await house.data([...nora, 'grants', 'lines', '--state', 'none']);
  const resolve = [
    ...nora,
    'grants',
    'resolve',
    textAt(found, 'lines', 0, 'id'),
    '--reason',
    'said again by them',
  ];
  await house.data([...resolve, '--not-grant-money']);
  expect(await house.run(...asked)).toMatchObject({ code: 5 });
  expect(await house.data(['grants', 'status'])).toMatchObject({ closedPeriods: 0 });
  await house.data([...resolve, '--undo']);
  // The state is the one that was shown: so is the hash.
  expect(await house.closing([...nora, ...CLOSE])).toEqual(asked);
  await house.data([...nora, ...CLOSE, '--expect-hash', 'abc'], 2);
});

it('the last day must be over where the bank is', async () => {
  const to = parseDay('2026-03-31');
  if (to === undefined) throw new Error('a day');
  const days = { account: ACCOUNT, from: to, to };
  const at = (text: string, zone: string) => notOver(days, instant(Date.parse(text)), zone);
  expect(at('2026-04-01T03:59:59Z', 'America/New_York')).toContain('is not over');
  expect(at('2026-04-01T04:00:00Z', 'America/New_York')).toBeUndefined();
  expect(at('2026-04-01T09:59:59Z', 'Pacific/Honolulu')).toContain('2026-03-31');
  expect(at('2026-04-01T10:00:00Z', 'Pacific/Honolulu')).toBeUndefined();
  const later = [...nora, 'grants', 'close', '2099-03', '--account', ACCOUNT, ...STATES];
  const { stdout, code } = await house.run(...later);
  expect(code).toBe(4);
  expect(stdout).toContain('its last day, 2099-03-31, is not over');
  const wrong = [...later, '--zone', 'Mars/Olympus'];
  expect(await house.run(...wrong)).toMatchObject({ code: 2 });
});

it('what was shown is closed, once, and asked again it stands', async () => {
  const asked = await house.closing([...nora, ...CLOSE]);
  const closed = await house.data(asked);
  expect(closed).toMatchObject({ kind: 'closed', release: { kind: 'passed', received: 1 } });
  expect(await house.data(asked)).toMatchObject({ period: closed['period'] });
  expect((await house.run(...nora, ...CLOSE)).stdout).toContain('is closed already');
});
