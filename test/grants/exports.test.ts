/** Columns and items that the forms have: SF-425, SEFA, Schedule I and Schedule B. */
import { describe, expect, it } from 'vitest';
import type { AcceptedAward } from '../../src/grants/rules/intake/ingest.ts';
import {
  type FederalExpenditure,
  filledFrom,
  sefaReport,
} from '../../src/grants/rules/reporting/sefa.ts';
import { type GrantPaidOut, scheduleI } from '../../src/grants/rules/reporting/schedule-i.ts';
import { reportRows } from '../../src/grants/rules/reporting/report-rows.ts';
import { scheduleB } from '../../src/grants/rules/reporting/schedule-b.ts';
import { sf425Items } from '../../src/grants/rules/reporting/sf425-items.ts';
import { sf425Report } from '../../src/grants/rules/reporting/sf425.ts';
import type { ReceivedMoney } from '../../src/grants/rules/reporting/received.ts';
import { grantsLaw } from '../law/grants-cases.ts';
import { part } from './reco.ts';

function award(payload: Record<string, unknown>, key = 'k'): AcceptedAward {
  // Only what the reports look at.
  return {
    kind: 'accepted',
    payload,
    mapping: undefined,
    metadata: { idempotency_key: key },
  } as unknown as AcceptedAward;
}

let gifts = 0;
function gift(
  cents: number,
  fields: Record<string, unknown>,
  goodsCents = 0,
  receivedOn = '2026-03-01',
): ReceivedMoney {
  gifts += 1;
  return {
    part: part(`p${gifts}`, BigInt(cents)),
    award: award({ grantor_id: 'G', ...fields }, `k${gifts}`),
    receivedOn,
    goodsCents: BigInt(goodsCents),
    feeCents: 0n,
    takesBack: undefined,
  };
}

describe('Schedule B', () => {
  const general = { kind: 'general' } as const;
  const listed = (
    received: readonly ReceivedMoney[],
    rule: Parameters<typeof scheduleB>[1] = general,
  ) =>
    scheduleB(received, rule, grantsLaw).contributors.map(({ name, TotalContributionsAmt }) => [
      name,
      Number(TotalContributionsAmt.cents),
    ]);

  it('lists a contributor from 5,000.00 on, and not a cent below', () => {
    const received = [
      gift(5_000_00, { grantor_id: 'A', grantor_name: 'At' }),
      gift(4_999_99, { grantor_id: 'B', grantor_name: 'Below' }),
    ];
    expect(listed(received)).toEqual([['At', 5_000_00]]);
  });

  it('adds up everything of one contributor, by EIN or by its number, and takes returns off', () => {
    const received = [
      gift(3_000_00, { grantor_id: 'A', grantor_name: 'One', grantor_ein: '123456789' }),
      gift(2_500_00, { grantor_id: 'A2', grantor_name: 'One Inc', grantor_ein: '123456789' }),
      gift(100_00, { grantor_id: 'A', grantor_name: 'One' }),
      gift(9_000_00, { grantor_id: 'B', grantor_name: 'Back' }),
      gift(-9_000_00, { grantor_id: 'B', grantor_name: 'Back' }),
    ];
    expect(listed(received)).toEqual([['One', 5_600_00]]);
  });

  it.each([
    [300_000_00, 6_000_00, true],
    [300_000_00, 5_999_99, false],
    [100_000_00, 5_000_00, true],
    [100_000_00, 4_999_99, false],
    [300_000_49, 6_000_00, false],
  ])('special rule: of %s cents in all, %s cents are listed: %s', (all, cents, isListed) => {
    const rule = { kind: 'special', contributionsCents: BigInt(all) } as const;
    expect(listed([gift(cents, { grantor_name: 'X' })], rule)).toHaveLength(isListed ? 1 : 0);
  });

  it('has name, address, total, the kinds of gifts, and Part II for what was not money', () => {
    const who = {
      grantor_id: 'A',
      grantor_name: 'Harbor Foundation',
      grantor_address: '1 Quay St',
      grantor_city: 'Erie',
      grantor_state: 'PA',
      grantor_zip: '16501',
    };
    const made = scheduleB(
      [
        gift(7_500_00, { ...who, noncash_description: 'computers' }, 2_500_00, '2026-05-04'),
        gift(6_000_00, {
          grantor_id: 'P',
          grantor_name: 'Pat Doe',
          funder_type: 'individual',
          payroll: true,
        }),
        gift(50_000_00, { grantor_id: 'S', grantor_name: 'Served', benefit: 'grantor' }),
      ],
      general,
      grantsLaw,
    );
    expect(reportRows({ scheduleB: made })).toEqual([
      {
        Part: 'I',
        ContributorNum: '1',
        ContributorBusinessName: 'Harbor Foundation',
        AddressLine1Txt: '1 Quay St',
        CityNm: 'Erie',
        StateAbbreviationCd: 'PA',
        ZIPCd: '16501',
        CountryCd: '',
        TotalContributionsAmt: '7500',
        PersonContributionInd: 'X',
        PayrollContributionInd: '',
        NoncashContributionInd: 'X',
      },
      {
        Part: 'II',
        ContributorNum: '1',
        NoncashPropertyDesc: 'computers',
        FairMarketValueAmt: '2500',
        ReceivedDt: '2026-05-04',
      },
      expect.objectContaining({
        ContributorPersonNm: 'Pat Doe',
        PersonContributionInd: '',
        PayrollContributionInd: 'X',
      }),
    ]);
    expect(made.remarks.join()).toContain('contributor 2, Pat Doe: grantor_address');
    expect(made.contributors[0]?.TotalContributionsAmt.xpath).toBe(
      '/Return/ReturnData/IRS990ScheduleB/ContributorInformationGrp/TotalContributionsAmt',
    );
  });
});

describe('SF-425', () => {
  const federal = award({
    award_id: 'A-1',
    grantor_name: 'HHS',
    agency: 'HHS / Administration for Children and Families',
    fain: '90XX0001',
    uei: 'ABCDEFGHJKL1',
    recipient_name: 'Lantern',
    recipient_address: '5 Main St',
    recipient_city: 'Erie',
    recipient_state: 'PA',
    recipient_zip: '16501',
    recipient_ein: '123456789',
    period_start: '2026-01-01',
    period_end: '2026-12-31',
    reporting_frequency: 'quarterly',
    accounting_basis: 'accrual',
    terms: { indirect_type: 'de minimis', indirect_rate: 1500 },
  });

  it('has its items from the award, and says who fills in the rest', () => {
    const items = sf425Items([federal], { to: '2026-09-30' });
    const of = (name: string) => items.find(({ item }) => item === name);
    expect(of('1')?.value).toBe('HHS / Administration for Children and Families');
    expect(of('2')?.value).toBe('90XX0001');
    expect(of('3')?.value).toBe('Lantern, 5 Main St, Erie, PA 16501');
    expect(of('4a')?.value).toBe('ABCDEFGHJKL1');
    expect(of('4b')?.value).toBe('123456789');
    expect(of('6')?.value).toBe('quarterly');
    expect(of('7')?.value).toBe('accrual');
    expect([of('8 from')?.value, of('8 to')?.value]).toEqual(['2026-01-01', '2026-12-31']);
    expect(of('9')?.value).toBe('2026-09-30');
    expect(of('11a')?.value).toBe('de minimis');
    expect(of('11b')?.value).toBe('15.00');
    expect(of('12')).toMatchObject({ value: '', from: 'person' });
    expect(of('13 signature')).toMatchObject({ from: 'person' });
    expect(
      sf425Items([federal], { to: '2026-12-31' }).find(({ item }) => item === '6')?.value,
    ).toBe('final');
  });

  it('computes line 11e from the base of the books and the rate of the award', () => {
    const none = [] as const;
    const { figures } = sf425Report(
      {
        cashReceipts: none,
        cashDisbursements: none,
        federalFundsAuthorized: none,
        federalExpenditures: none,
        unliquidatedObligations: none,
        recipientShareRequired: none,
        recipientExpenditures: none,
        programIncomeEarned: none,
        programIncomeDeducted: none,
        programIncomeAdded: none,
        indirectBase: [part('b', 100_000_00n)],
        indirectFederalShare: [part('f', 15_000_00n)],
        indirectRate: 1500,
      },
      grantsLaw,
    );
    const of = (line: string) => figures.find((one) => one.line === line)?.cents;
    expect([of('11d'), of('11e'), of('11f')]).toEqual([100_000_00n, 15_000_00n, 15_000_00n]);
  });
});

describe('SEFA', () => {
  const row = (given: Partial<FederalExpenditure>): FederalExpenditure => ({
    part: part('x', 1_000_00n),
    assistanceListing: '93.600',
    cluster: undefined,
    passThrough: undefined,
    toSubrecipientsCents: 0n,
    ...given,
  });

  it('names agency and pass-through with its number, by agency, and totals each agency', () => {
    const sefa = sefaReport(
      [
        row({}),
        row({
          assistanceListing: '10.553',
          passThrough: 'State of Ohio',
          passThroughNumber: 'OH-77',
        }),
        row({ assistanceListing: '10.555', passThrough: 'State of Ohio' }),
      ],
      new Map(),
      grantsLaw,
    );
    const rows = reportRows({ sefa }) ?? [];
    expect(rows.map(({ agency, assistance_listing: listing }) => [agency, listing])).toEqual([
      ['Department of Agriculture', '10.553'],
      ['Department of Agriculture', '10.555'],
      ['Department of Health and Human Services', '93.600'],
    ]);
    expect(rows[0]).toMatchObject({ pass_through: 'State of Ohio', pass_through_number: 'OH-77' });
    expect(sefa.agencyTotals.get('Department of Agriculture')?.expended.cents).toBe(2_000_00n);
    expect(sefa.tasks.join()).toContain('number that State of Ohio assigned to 10.555');
  });

  it('takes from the award what the row does not say', () => {
    const filled = filledFrom(row({ awardId: 'A', cluster: 'Own' }), {
      agency: 'USDA / FNS',
      cluster: 'Child Nutrition',
      pass_through_name: 'Ohio',
      pass_through_number: '7',
    });
    expect(filled).toMatchObject({
      agency: 'USDA / FNS',
      cluster: 'Own',
      passThrough: 'Ohio',
      passThroughNumber: '7',
    });
  });
});

describe('Schedule I', () => {
  it('has all columns of Part II', () => {
    const paid: GrantPaidOut = {
      part: part('g', 6_000_00n),
      recipientName: 'Food Bank',
      recipientEin: '123456789',
      ircSection: '501(c)(3)',
      address: '9 Elm St',
      city: 'Erie',
      state: 'PA',
      zip: '16501',
      noncashCents: 500_00n,
      valuationMethod: 'FMV',
      noncashDescription: 'canned food',
      purpose: 'hunger',
    };
    const [row] = reportRows({ scheduleI: scheduleI([paid], grantsLaw) }) ?? [];
    expect(row).toEqual({
      RecipientBusinessName: 'Food Bank',
      RecipientEIN: '123456789',
      IRCSectionDesc: '501(c)(3)',
      AddressLine1Txt: '9 Elm St',
      City: 'Erie',
      State: 'PA',
      ZIP: '16501',
      CashGrantAmt: '6000',
      NonCashAssistanceAmt: '500',
      ValuationMethodUsedDesc: 'FMV',
      NonCashAssistanceDesc: 'canned food',
      PurposeOfGrantTxt: 'hunger',
    });
    expect(scheduleI([paid], grantsLaw).rows[0]?.remarks).toEqual([]);
  });
});
