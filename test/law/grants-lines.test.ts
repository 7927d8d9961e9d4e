/** Money on the lines of Form 990 and Schedule I. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, refusal, resultOf } from './grants-cases.ts';

const FUNDERS = [
  'government',
  'foundation',
  'corporation',
  'individual',
  'dafSponsor',
  'federatedCampaign',
  'relatedOrganization',
] as const;

describe('contribution lines', () => {
  it('each funder has its line, cents are added before the one rounding', () => {
    const centsByFunder = {
      federatedCampaign: 149,
      relatedOrganization: 150,
      government: 0,
      foundation: 25,
      corporation: 25,
      individual: 0,
      dafSponsor: -1,
    };
    expect(resultOf('form990.map', { centsByFunder, noncashCents: 49 })).toEqual({
      FederatedCampaignsAmt: 1,
      RelatedOrganizationsAmt: 2,
      GovernmentGrantsAmt: 0,
      AllOtherContributionsAmt: 0,
      NoncashContributionsAmt: 0,
      TotalContributionsAmt: 3,
      CYContributionsGrantsAmt: 3,
    });
  });

  it('the total foots with its lines, and the difference to the cents is reported', () => {
    const given = answer('form990.map', {
      centsByFunder: { government: 50, foundation: 50, federatedCampaign: 50 },
      noncashCents: 0,
    });
    expect(given.result).toMatchObject({ TotalContributionsAmt: 3 });
    expect(given.warnings?.[0]).toContain('1 more than the rounded sum');
  });

  it('money given back is rounded by its size', () => {
    const result = resultOf('form990.map', { centsByFunder: { government: -150 } });
    expect(result).toMatchObject({ GovernmentGrantsAmt: -2, NoncashContributionsAmt: 0 });
  });

  it('more non-cash than contributions is for a person', () => {
    const input = { centsByFunder: { government: 100 }, noncashCents: 300 };
    expect(answer('form990.map', input)).toMatchObject({ decides: false });
  });

  it('refuses what has no line', () => {
    expect(refusal('form990.map', { centsByFunder: { governmentService: 1 } })).toMatch(
      /^CASE_INVALID input\.centsByFunder\.governmentService: .*not a contribution/,
    );
    expect(refusal('form990.map', { centsByFunder: { government: 1.5 } })).toMatch(
      /^CASE_INVALID input\.centsByFunder\.government: expected a whole number of cents/,
    );
    expect(refusal('form990.map', {})).toMatch(/^CASE_INVALID input\.centsByFunder/);
  });

  it('no sum is lost: totals equal the lines, each line within half a dollar of its cents', () => {
    const cents = fc.integer({ min: 0, max: 2 ** 48 });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...FUNDERS), cents), (centsByFunder) => {
        // The mapping answers with whole dollars by element.
        const result = resultOf('form990.map', { centsByFunder }) as Record<string, number>;
        const {
          NoncashContributionsAmt,
          TotalContributionsAmt,
          CYContributionsGrantsAmt,
          ...lines
        } = result;
        const sum = Object.values(lines).reduce((total, line) => total + line, 0);
        expect(NoncashContributionsAmt).toBe(0);
        expect(TotalContributionsAmt).toBe(sum);
        expect(CYContributionsGrantsAmt).toBe(sum);
        const given = Object.values(centsByFunder).reduce((total, one) => total + one, 0);
        expect(Math.abs(sum * 100 - given)).toBeLessThanOrEqual(50 * Object.keys(lines).length);
      }),
    );
  });
});

describe('Schedule I', () => {
  const row = (recipientEin: string | null, cents: number) => ({ recipientEin, cents });

  it('lists above 5,000.00 by first appearance and adds all cents once', () => {
    const subawards = [
      row('333333333', 300_000),
      row('111111111', 500_001),
      row('222222222', 500_000),
      row('333333333', 200_049),
    ];
    expect(resultOf('form990.scheduleIRows', { subawards })).toEqual({
      listed: ['333333333', '111111111'],
      GrantsToDomesticOrgsTotal: 15_001,
    });
  });

  it('a recipient without EIN counts in the total and is handed to a person', () => {
    const given = answer('form990.scheduleIRows', { subawards: [row(null, 900_000)] });
    expect(given).toMatchObject({
      result: { listed: [], GrantsToDomesticOrgsTotal: 9000 },
      decides: false,
    });
  });

  it('nothing paid is an answer; a malformed row is not', () => {
    expect(resultOf('form990.scheduleIRows', { subawards: [] })).toEqual({
      listed: [],
      GrantsToDomesticOrgsTotal: 0,
    });
    expect(refusal('form990.scheduleIRows', { subawards: [row('11-1111111', 1)] })).toMatch(
      /^CASE_INVALID input\.subawards\[0\]\.recipientEin/,
    );
    expect(refusal('form990.scheduleIRows', { subawards: [row('111111111', 0.5)] })).toMatch(
      /^CASE_INVALID input\.subawards\[0\]\.cents/,
    );
  });
});
