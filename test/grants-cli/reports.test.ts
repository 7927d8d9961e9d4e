/** Reports and obligations as an auditor and a calendar get them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalBytes, type JsonValue } from '../../src/core/canonical-json.ts';
import { type Json, textAt } from '../fixtures/cli.ts';
import { ACCOUNT, House, listAt, STATES, YEAR } from './house.ts';

let house: House;
let nora: readonly string[];

const PERIOD = ['--period', '2026'] as const;
const PAID = ['--paid', `${YEAR}/paid-grants.csv`] as const;
const report = (...words: readonly string[]) => [...nora, 'report', ...words];

beforeAll(async () => {
  house = await House.open();
  ({ nora } = await house.twoPeople());
  const awards = ['awards-federal.ndjson', 'awards-foundations.csv'];
  const feeds = ['bank-2026-q1.camt053.xml'];
  await house.data([...nora, 'grants', 'ingest', ...awards.map((name) => `${YEAR}/${name}`)]);
  await house.data([...nora, 'grants', 'feed', ...feeds.map((name) => `${YEAR}/${name}`)]);
  const close = [...nora, 'grants', 'close', '2026-Q1', '--account', ACCOUNT, ...STATES];
  await house.data(await house.closing(close));
});
afterAll(() => house.close());

describe('figures', () => {
  it('every figure is the sum of its parts, each with a payload and a line of a feed', async () => {
    const made = await house.data(report('990', ...PERIOD, ...PAID));
    const figures = listAt(made, 'figures');
    expect(figures.length).toBeGreaterThan(6);
    for (const figure of figures) {
      const name = textAt(figure, 'name');
      const { trace } = await house.data(report('trace', name, ...PERIOD, ...PAID));
      const parts = listAt(trace, 'parts');
      const sum = parts.reduce((total, part) => total + BigInt(textAt(part, 'cents')), 0n);
      expect(`${name} ${sum}`).toBe(`${name} ${textAt(figure, 'cents')}`);
      for (const part of parts) {
        expect(textAt(part, 'payload_hash')).toMatch(/^[0-9a-f]{64}$/);
        expect(textAt(part, 'bank', 0, 'feed')).not.toBe('');
      }
    }
    const feed = createHash('sha256')
      .update(await house.text(`${YEAR}/bank-2026-q1.camt053.xml`))
      .digest('hex');
    const said = await house.run(...report('trace', 'IRS990/GovernmentGrantsAmt', ...PERIOD));
    expect(said.stdout).toContain(`LB260210-0001  feed ${feed} line 12`);
  });

  it('money of another year is in no figure, received or paid; that nothing is closed there is said', async () => {
    const made = await house.data(report('990', '--period', '2027', ...PAID), 5);
    expect(listAt(made, 'figures').every((one) => one['cents'] === '0')).toBe(true);
    expect(made['leftOut']).toBe(3);
    expect(made['remarks']).toEqual([
      expect.stringContaining('nothing from 2027-01-01 to 2027-12-31 is closed and released'),
    ]);
    const award = ['--award', 'S287C260014'];
    const sf425 = await house.data(report('sf425', '--period', '2027', ...award), 5);
    expect(listAt(sf425, 'remarks')[0]).toContain('is closed and released');
    const quarter = await house.data(report('990', '--period', '2026-Q2', ...PAID), 5);
    const paid = listAt(quarter, 'figures').find(
      (one) => one['name'] === 'IRS990/CYGrantsAndSimilarPaidAmt',
    );
    expect(paid).toMatchObject({ cents: '600000' });
  });

  it('days of a report that no closed period covers are named', async () => {
    const part = await house.data(report('990', ...PERIOD));
    expect(part['remarks']).toEqual([
      `account ${ACCOUNT}: 2026-04-01 to 2026-12-31 is not closed and released; money received then is not in any figure`,
    ]);
    expect((await house.data(report('990', '--period', '2026-Q1')))['remarks']).toEqual([]);
  });

  it('the export has the hash that the log has', async () => {
    const made = await house.data(report('990', ...PERIOD, ...PAID, '--export', 'out.json'));
    const { sha256, document } = JSON.parse(await house.text('out.json')) as {
      sha256: string;
      document: JsonValue;
    };
    const found = createHash('sha256').update(canonicalBytes(document)).digest('hex');
    expect([sha256, made['sha256']]).toEqual([found, found]);
    const log = await house.run(...nora, 'audit', 'export', 'log', '--bodies');
    expect(log.code, log.stderr).toBe(0);
    expect(await house.run('audit', 'verify', '--bodies')).toMatchObject({ code: 0 });
  });

  it('no cell of a table is a formula', async () => {
    const header = (await house.text(`${YEAR}/paid-grants.csv`)).split('\n')[0] ?? '';
    const row =
      '=1+1,domesticOrganization,=CMD(),251234567,@c3,-City,PA,15222,900000,,"=HYPERLINK(""x"")",2026-04-15,+CHK';
    await house.file('evil.csv', `${header}\n${row}\n`);
    const evil = ['--paid', 'evil.csv'] as const;
    await house.data(report('schedule-i', ...PERIOD, ...evil, '--csv', 'schedule.csv'));
    await house.data(
      report('trace', 'IRS990/CYGrantsAndSimilarPaidAmt', ...PERIOD, ...evil, '--csv', 'trace.csv'),
    );
    const tables = [await house.text('schedule.csv'), await house.text('trace.csv')];
    expect(tables[0]).toContain(`'@c3,'-City,PA`);
    expect(tables[0]).toContain(`"'=HYPERLINK(""x"")"`);
    expect(tables[1]).toContain(`,'=1+1,`);
    expect(tables[1]).toContain(`,'+CHK,`);
    for (const text of tables) expect(text).not.toMatch(/(^|,)"?[=+@]/m);
  });

  it('Schedule I has rows of organisations, the SEFA rows of listings', async () => {
    const schedule = await house.data(report('schedule-i', ...PERIOD, ...PAID));
    // 2,500 dollars need no row, and a stipend is paid to nobody's organisation.
    expect(listAt(schedule, 'rows')).toEqual([
      expect.objectContaining({ RecipientEIN: '251234567', CashGrantAmt: '6000' }),
    ]);
    await house.file('listings.csv', 'Program Title,Program Number\nLearning Centers,84.287\n');
    const spent = ['--spent', `${YEAR}/federal-spending.csv`, '--listings', 'listings.csv'];
    const sefa = await house.data(report('sefa', ...PERIOD, ...spent));
    expect(listAt(sefa, 'rows')).toMatchObject([
      { title: 'Learning Centers', expended: '11900', to_subrecipients: '2500' },
    ]);
    await house.data(report('sefa', ...PERIOD, ...spent, '--csv', 'sefa.csv'));
    expect((await house.text('sefa.csv')).split('\r\n')).toEqual([
      'row,agency,assistance_listing,title,cluster,pass_through,pass_through_number,award_id,expended,to_subrecipients',
      'program,Department of Education,84.287,Learning Centers,,,,,11900,2500',
      'total of program,,84.287,,,,,,11900,2500',
      'total of agency,Department of Education,,,,,,,11900,2500',
      'total,,,,,,,,11900,2500',
      '',
    ]);
  });

  it('the hash of an export proves its rows, its counts and what was asked', async () => {
    const words = ['schedule-i', '--period', '2026', ...PAID, '--export', 'schedule.json'];
    const made = await house.data(report(...words));
    expect(made['counts']).toEqual({ Total501c3OrgCnt: 1, TotalOtherOrgCnt: 0, unlisted: 1 });
    const { sha256, document } = JSON.parse(await house.text('schedule.json')) as {
      sha256: string;
      document: Json;
    };
    expect(document).toMatchObject({
      report: 'schedule-i',
      asked: { from: '2026-01-01', to: '2026-12-31' },
      rows: made['rows'],
      counts: made['counts'],
    });
    const found = createHash('sha256')
      .update(canonicalBytes(document as JsonValue))
      .digest('hex');
    expect(found).toBe(sha256);
  });

  it('what came back is taken off, in its own row with its own trace', async () => {
    const header =
      'grant_id,recipient_kind,recipient_name,recipient_ein,amount,paid_on,bank_reference';
    const rows = [
      'G-1,domesticOrganization,Harbor Shelter,251234567,600050,2026-03-01,CHK-1',
      'G-1-back,domesticOrganization,Harbor Shelter,251234567,-100051,2026-11-01,DEP-9',
    ];
    await house.file('back.csv', `${[header, ...rows].join('\n')}\n`);
    const back = ['--paid', 'back.csv'] as const;
    const made = await house.data(report('990', ...PERIOD, ...back));
    expect(listAt(made, 'figures')).toContainEqual(
      expect.objectContaining({
        name: 'IRS990/GrantsToDomesticOrgsGrp/TotalAmt',
        cents: '499999',
        dollars: '5000',
      }),
    );
    // 4,999.99 in total: no row.
    expect(listAt(await house.data(report('schedule-i', ...PERIOD, ...back)), 'rows')).toEqual([]);
    const words = ['trace', 'IRS990/GrantsToDomesticOrgsGrp/TotalAmt', ...PERIOD, ...back];
    await house.data(report(...words, '--csv', 'back-trace.csv'));
    // A number, not a text with an apostrophe.
    expect(await house.text('back-trace.csv')).toMatch(
      /,G-1-back,1,-100051,.*,DEP-9,2026-11-01,-100051,/,
    );
    await house.file('worse.csv', `${header}\n${rows[0]?.replace('600050', '-0')}\n`);
    const worse = await house.run(...report('990', ...PERIOD, '--paid', 'worse.csv'));
    expect(worse.stderr).toContain('expected whole cents, found "-0"');
  });

  it('the SF-425 takes its receipts from the bank and its spending from the books', async () => {
    const spent = ['--spent', `${YEAR}/award-spending.csv`];
    const made = await house.data(report('sf425', ...PERIOD, '--award', 'S287C260014', ...spent));
    const cents = new Map(listAt(made, 'figures').map((one) => [one['line'], one['cents']]));
    expect(['10a', '10b', '10c', '10d', '10e'].map((line) => cents.get(line))).toEqual([
      '300000',
      '1190000',
      '-890000',
      '1200000',
      '1190000',
    ]);
    expect(JSON.stringify(made['remarks'])).toContain('more was paid out than received');
    expect(made['remarks']).toContainEqual(
      'Lines 11 (indirect expense), 12 (remarks) and 13 (certification) are for a person to fill in',
    );
    expect(JSON.stringify(made['remarks'])).not.toContain('cumulative');
    expect(listAt(made, 'rows')).toContainEqual(
      expect.objectContaining({ item: '9', value: '2026-12-31', from: 'request' }),
    );
    const csv = ['--csv', 'sf425.csv'];
    await house.data(report('sf425', ...PERIOD, '--award', 'S287C260014', ...spent, ...csv));
    expect(await house.text('sf425.csv')).toContain('SF425/13 signature');
  });

  it('Schedule B lists who gave 5,000 or more, or two percent by the special rule', async () => {
    const made = await house.data(report('schedule-b', ...PERIOD));
    const rows = listAt(made, 'rows').filter((row) => row['Part'] === 'I');
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows)
      expect(Number(row['TotalContributionsAmt'])).toBeGreaterThanOrEqual(5000);
    const special = ['--special-rule', '--contributions', '10,000,000.00'];
    const fewer = await house.data(report('schedule-b', ...PERIOD, ...special));
    expect(JSON.stringify(fewer['remarks'])).toContain('200,000.00 or more');
    const [figure] = listAt(made, 'figures');
    const trace = await house.data(report('trace', String(figure?.['name']), ...PERIOD));
    expect(JSON.stringify(trace)).toContain('booked_on');
  });

  it('the SF-425 is cumulative: days that begin after the award does are reported', async () => {
    const days = ['--period', '2026-02-01..2026-03-31', '--award', 'S287C260014'];
    const made = await house.data(report('sf425', ...days));
    expect(made['remarks']).toContainEqual(
      'Line 10 is cumulative from the beginning of the award, 2026-01-01: use 2026-01-01..2026-03-31',
    );
  });

  it('all faults of a table are reported at once, each with its line, and nothing of it is used', async () => {
    const header = 'grant_id,recipient_kind,recipient_name,amount,paid_on,bank_reference,colour';
    const rows = ['A,martian,X,12.50,2026-02-30,,', 'A,foreign,Y,1,2026-01-01,R,red'];
    await house.file('faults.csv', `${[header, ...rows].join('\n')}\n`);
    const said = await house.run(...report('990', ...PERIOD, '--paid', 'faults.csv'));
    expect(said.code).toBe(1);
    for (const fault of [
      'line 1: there is no column "colour"',
      'line 2: bank_reference is empty',
      'line 2: amount: expected whole cents, found "12.50"',
      'line 2: paid_on: expected a day like 2026-09-30, found "2026-02-30"',
      'line 2: recipient_kind: expected one of',
      'line 3: grant_id "A" appears twice',
    ]) {
      expect(said.stderr).toContain(fault);
    }
  });
});

describe('obligations', () => {
  const rules = (...words: readonly string[]) => [
    ...nora,
    'grants',
    'rules',
    '2026',
    ...STATES,
    ...words,
  ];
  const list = (...words: readonly string[]) => ['obligation', 'list', ...words];

  it('stand beside those of entities, with the name of their pack', async () => {
    expect(await house.data(list())).toMatchObject({ obligations: [] });
    await house.data(rules('--return', '990-EZ', '--registration', 'PA', 'NY'));
    await house.data([...nora, 'entity', 'import', 'samples/register.csv']).catch(() => undefined);
    const obligations = listAt(await house.data(list()), 'obligations');
    const packs = new Set(obligations.map((one) => one['pack']));
    expect(packs).toEqual(new Set(['entity', 'grants']));
    const kinds = obligations
      .filter((one) => one['pack'] === 'grants')
      .map((one) => [one['filingKind'], one['jurisdiction'], one['state']].join(' '));
    for (const kind of ['sf425.final US open', 'form990 US open', 'charity.renewal PA open']) {
      expect(kinds).toContain(kind);
    }
    // New York asks for the type of the registration: a task, no guess.
    expect(kinds).toContain('charity.renewal NY record_needed');
    const dues = obligations.flatMap((one) => (typeof one['due'] === 'string' ? [one['due']] : []));
    expect(dues).toEqual(dues.toSorted());
  });

  it('a calendar keeps what it has shown and cancels what is no longer owed', async () => {
    const us = ['--jurisdiction', 'US', 'PA'];
    const whole = await house.data(list(...us, '--ics', 'owed.ics'));
    const { active } = whole['ics'] as Json;
    const narrow = await house.data(
      list(...us, '--due-before', '2027-01-01', '--ics', 'owed.ics', '--csv', 'owed.csv'),
    );
    expect(narrow['ics']).toMatchObject({ active, cancelled: 0 });
    expect(await house.text('owed.ics')).toContain('SUMMARY:Due: charity.renewal\\, PA\\,');
    expect(await house.text('owed.csv')).toMatch(/,grants,\r\n/);
    await house.data(rules('--return', '990-EZ'));
    const less = await house.data(list(...us, '--ics', 'owed.ics'));
    expect(less['ics']).toMatchObject({ active: Number(active) - 1, cancelled: 1 });
  });

  it('subawards are held against the terms of their award', async () => {
    const header = 'id,award_id,recipient,amount,paid_on,bank_reference,prior_approval';
    await house.file('passed.csv', `${header}\nS-1,NO-SUCH,Harbor,100,2026-05-01,CHK,maybe\n`);
    const wrong = await house.run(...rules('--subawards', 'passed.csv'));
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('yes or no') });
    const row = 'S-1,S287C260014,Harbor,250000,2026-05-01,CHK,yes';
    await house.file('passed.csv', `${header}\n${row}\n`);
    const said = await house.data(rules('--subawards', 'passed.csv'));
    expect(listAt(said, 'subawards')).toMatchObject([
      { award: 'S287C260014', isAllowed: true, totalCents: '250000', indirectBaseCents: '250000' },
    ]);
    const words = await house.run(...rules('--subawards', 'passed.csv'));
    expect(words.stdout).toContain('Within the limits of award S287C260014: 2,500.00 in subawards');
  });
});
