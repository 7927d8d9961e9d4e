import { describe, expect, it } from 'vitest';
import { individualsOf } from '../../src/grants/rules/reporting/schedule-i-individuals.ts';
import { scheduleI } from '../../src/grants/rules/reporting/schedule-i.ts';
import { tracedCents } from '../../src/grants/rules/reporting/figure.ts';
import { StrictCsv } from '../../src/core/csv/strict-csv.ts';
import { grantsLaw } from '../law/grants-cases.ts';
import { fixture, part } from './reco.ts';

describe('Schedule I', () => {
  const rows = (): ReturnType<typeof scheduleI> => {
    const csv = new StrictCsv();
    const [, ...cells] = [
      ...csv.push(Buffer.from(fixture('schedule-i-grants.csv'))),
      ...csv.finish(),
    ];
    const cents = (text: string | undefined): bigint =>
      BigInt(text === '' ? 0 : (text ?? 0)) * 100n;
    const grants = cells.map(({ cells: row, line: at }) => ({
      part: part(`row-${at}`, cents(row[10])),
      recipientName: row[4] ?? '',
      recipientEin: row[5] === '' ? undefined : row[5],
      ircSection: row[6] === '' ? undefined : row[6],
      city: row[7],
      state: row[8],
      zip: row[9],
      noncashCents: cents(row[11]),
      purpose: row[12] === '' ? undefined : row[12],
    }));
    expect(grants).toHaveLength(7_091);
    return scheduleI(grants, grantsLaw);
  };

  it('accepts the real rows: names, sections and purposes fit, nothing is lost, each change is reported', () => {
    const { rows: listed, Total501c3OrgCnt, TotalOtherOrgCnt } = rows();
    expect(listed.length).toBe(Total501c3OrgCnt + TotalOtherOrgCnt);
    for (const row of listed) {
      if (row.RecipientBusinessName === '') {
        expect(row.remarks).toContain('RecipientBusinessName: a name is needed');
        continue;
      }
      expect(row.RecipientBusinessName).toMatch(/^[A-Za-z0-9#\-()&']+( [A-Za-z0-9#\-()&']+)*$/);
      expect(row.RecipientBusinessName.length).toBeLessThanOrEqual(75);
      expect((row.IRCSectionDesc ?? '').length).toBeLessThanOrEqual(20);
      expect(row.CashGrantAmt.cents + row.NonCashAssistanceAmt.cents).toBeGreaterThan(5_000_00n);
    }
    expect(
      listed.some(({ remarks }) => remarks.some((one) => one.includes('was written as'))),
    ).toBe(true);
  });

  const given = (id: string, cents: bigint, more: object = {}) => ({
    part: part(id, cents),
    recipientName: 'Harbor Shelter',
    recipientEin: undefined,
    ircSection: '501(c)(3)',
    city: 'Erie',
    state: 'PA',
    zip: undefined,
    noncashCents: 0n,
    purpose: undefined,
    ...more,
  });

  it('a row without EIN counts for the one recipient of its name and place', () => {
    const ein = { recipientEin: '111111111' };
    const one = scheduleI([given('1', 4_000_00n), given('2', 1_000_01n, ein)], grantsLaw);
    expect(one.rows).toMatchObject([
      { RecipientEIN: '111111111', CashGrantAmt: { cents: 5_000_01n } },
    ]);
    expect(one.rows[0]?.remarks.join()).toMatch(/added to 111111111 by its name and place/);
    // Two recipients of that name, or another town: nothing is guessed.
    const two = given('3', 1_00n, { recipientEin: '222222222' });
    expect(
      scheduleI([given('1', 4_000_00n), given('2', 1_000_01n, ein), two], grantsLaw).rows,
    ).toEqual([]);
    const elsewhere = given('2', 1_000_01n, { ...ein, city: 'Butler' });
    expect(scheduleI([given('1', 4_000_00n), elsewhere], grantsLaw).rows).toEqual([]);
    const unnamed = { recipientName: '', city: undefined, state: undefined };
    const nobody = [given('1', 4_000_00n, unnamed), given('2', 1_000_01n, { ...ein, ...unnamed })];
    expect(scheduleI(nobody, grantsLaw).rows).toEqual([]);
  });

  it('recipients of one name in two towns have figures of their own', () => {
    const { rows: listed } = scheduleI(
      [given('1', 6_000_00n), given('2', 7_000_00n, { city: 'Butler' })],
      grantsLaw,
    );
    expect(listed.map(({ CashGrantAmt }) => [CashGrantAmt.name, CashGrantAmt.cents])).toEqual([
      ['IRS990ScheduleI/Harbor Shelter/CashGrantAmt', 6_000_00n],
      ['IRS990ScheduleI/Harbor Shelter (2)/CashGrantAmt', 7_000_00n],
    ]);
  });

  it.each([
    // As real filers write it (schedule-i-grants.csv).
    '501(C)(3)',
    '501 (C) (3)',
    '501C3',
    '501( C ) 3',
    '501C)3',
    '501 C-3',
    'IRC 501(c)(3)',
    'GOV',
    'govt',
    'GOVERNMENT',
    '115',
    '115(A)',
    'SECTION 115',
    '170(C)(1)',
    '170(C)(1) GOVT',
  ])('%s is counted in line 2 of Part II', (ircSection) => {
    const { Total501c3OrgCnt, TotalOtherOrgCnt } = scheduleI(
      [given('1', 6_000_00n, { ircSection })],
      grantsLaw,
    );
    expect([Total501c3OrgCnt, TotalOtherOrgCnt]).toEqual([1, 0]);
  });

  it.each([
    '501(C)(4)',
    '501(c)(6)',
    '501c19',
    '527',
    'FOR-PROFIT CORP',
    'OTHER',
    'N/A',
    undefined,
  ])('%s is counted in line 3', (ircSection) => {
    const { rows: listed, ...counts } = scheduleI(
      [given('1', 6_000_00n, { ircSection })],
      grantsLaw,
    );
    expect(counts).toMatchObject({ Total501c3OrgCnt: 0, TotalOtherOrgCnt: 1 });
    const isTold = listed[0]?.remarks.some((remark) => remark.startsWith('IRCSectionDesc: none'));
    expect(isTold).toBe(ircSection === undefined);
  });

  it('lists a recipient above the amount in total, not at it', () => {
    const grant = (id: string, ein: string | undefined, cents: bigint) => ({
      part: part(id, cents),
      recipientName: 'Café “Böll” & Co.',
      recipientEin: ein,
      ircSection: '501(c)(3)',
      city: 'X',
      state: 'CA',
      zip: '9',
      noncashCents: 0n,
      purpose: 'P',
    });
    const found = scheduleI(
      [
        grant('1', '111111111', 2_500_00n),
        grant('2', '111111111', 2_500_01n),
        grant('3', '222222222', 5_000_00n),
        grant('4', undefined, 3_000_00n),
        grant('5', undefined, 3_000_00n),
      ],
      grantsLaw,
    );
    expect(found.rows.map((row) => row.RecipientEIN)).toEqual(['111111111', undefined]);
    expect(found).toMatchObject({ unlisted: 1, Total501c3OrgCnt: 2, TotalOtherOrgCnt: 0 });
    expect(found.rows[0]?.RecipientBusinessName).toBe('Cafe Boll & Co');
    expect(found.rows[1]?.remarks.join()).toMatch(/EIN: look up the EIN of Cafe Boll & Co/);
  });
});

describe('Schedule I Part III', () => {
  const stipend = (id: string, cents: bigint, more: object = {}) => ({
    part: part(id, cents),
    recipientName: `Person ${id}`,
    recipients: undefined,
    noncashCents: 0n,
    purpose: 'Stipends',
    ...more,
  });

  it('counts people by type of assistance, never by person, and traces the cash', () => {
    const found = individualsOf(
      [
        stipend('1', 3_000_00n),
        stipend('2', 1_000_00n),
        stipend('3', 1_000_01n, { recipientName: 'person 1' }),
        stipend('4', 900_00n, { purpose: 'Relief', recipients: 12 }),
      ],
      grantsLaw,
    );
    expect(
      found.map((row) => [row.GrantTypeTxt, row.RecipientCnt, row.CashGrantAmt.cents]),
    ).toEqual([
      ['Stipends', 2, 5_000_01n],
      ['Relief', 12, 900_00n],
    ]);
    expect(found[0]?.remarks.join()).toMatch(/2 of them counted by name/);
    expect(found[1]?.remarks).toEqual([]);
    expect(found[0]?.CashGrantAmt).toMatchObject({
      line: 'Part III (c)',
      xpath: '/Return/ReturnData/IRS990ScheduleI/GrantsOtherAsstToIndivInUSGrp/CashGrantAmt',
    });
    expect(JSON.stringify(found.map((row) => row.GrantTypeTxt))).not.toMatch(/person/i);
    for (const row of found) expect(tracedCents(row.CashGrantAmt)).toBe(row.CashGrantAmt.cents);
  });

  it('is needed above the amount, not at it, and says what it cannot hold', () => {
    expect(individualsOf([stipend('1', 5_000_00n)], grantsLaw)).toEqual([]);
    const [row] = individualsOf(
      [stipend('1', 5_000_00n, { noncashCents: 1n, purpose: undefined })],
      grantsLaw,
    );
    expect(row?.remarks.join('; ')).toMatch(/a type of assistance is needed.*ValuationMethod/);
  });

  it('has what was not cash in column (d), apart from the cash', () => {
    const [row, other] = individualsOf(
      [
        stipend('1', 3_000_00n, { noncashCents: 2_000_49n }),
        stipend('2', 0n, { noncashCents: 1_00n }),
        stipend('3', 10_00n, { purpose: 'Relief' }),
      ],
      grantsLaw,
    );
    expect(row?.CashGrantAmt.cents).toBe(3_000_00n);
    expect(row?.NonCashAssistanceAmt).toMatchObject({
      cents: 2_001_49n,
      dollars: 2_001n,
      line: 'Part III (d)',
      xpath:
        '/Return/ReturnData/IRS990ScheduleI/GrantsOtherAsstToIndivInUSGrp/NonCashAssistanceAmt',
    });
    expect(row?.remarks).toContainEqual(
      'Part III (e) and (f), ValuationMethodUsedDesc and NonCashAssistanceDesc: to be filled in manually',
    );
    expect(other?.NonCashAssistanceAmt.cents).toBe(0n);
    expect(other?.remarks.join()).not.toContain('manually');
  });
});
