/** Delaware's franchise tax: every golden case, the laws of the two methods, and figures that must stay exact. */
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../../src/core/errors.ts';
import {
  answerInstallments,
  answerLate,
  answerTax,
  type TaxAnswer,
} from '../../src/entities/rules/law/delaware-answer.ts';
import { readDelawareRates } from '../../src/entities/rules/law/delaware-rates.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Golden {
  readonly cases: readonly (Fields & { id: string; why: string; intermediate: Fields })[];
  readonly installment_cases: readonly (Fields & { id: string })[];
  readonly late_cases: readonly (Fields & { id: string })[];
}

const golden = JSON.parse(
  readFileSync(new URL('../golden/delaware-franchise-tax.golden.json', import.meta.url), 'utf8'),
) as Golden;
const rates = readDelawareRates({
  file: 'delaware-franchise-tax.json',
  text: readFileSync(
    new URL('../../law/rules/delaware-franchise-tax.json', import.meta.url),
    'utf8',
  ),
});

const tax = (input: Fields): TaxAnswer => answerTax(input, rates);
const cents = (text: string | undefined): number => Math.round(Number(text) * 100);

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof FilewrightError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('an answer was given');
}

describe('the golden cases', () => {
  it('are all there', () => {
    expect([
      golden.cases.length,
      golden.installment_cases.length,
      golden.late_cases.length,
    ]).toEqual([32, 6, 7]);
  });

  it.each(golden.cases.map((one) => [one.id, one.why, one] as const))(
    '%s: %s',
    (_id, _why, one) => {
      const { authorized, issued, gross_assets, large_filer, method } = one;
      const answer = tax({ authorized, issued, gross_assets, large_filer, method });
      expect(answer.tax).toBe(one['expected_tax']);
      expect(answer.intermediate).toEqual(one.intermediate);
      if (large_filer === true) expect(answer.method).toBeNull();
      else expect(answer.method).toBe(method === 'lesser' ? one['expected_method_chosen'] : method);
    },
  );

  it.each(golden.installment_cases.map((one) => [one.id, one] as const))('%s', (_id, one) => {
    const { tax_year, preceding_year_tax, final_tax } = one;
    const answer = answerInstallments({ tax_year, preceding_year_tax, final_tax }, rates);
    expect([answer.required, answer.payments]).toEqual([one['required'], one['payments']]);
  });

  it.each(golden.late_cases.map((one) => [one.id, one] as const))('%s', (_id, one) => {
    const { entity_kind, tax: owed, due, filed_and_paid } = one;
    const answer = answerLate({ entity_kind, tax: owed, due, filed_and_paid }, rates);
    expect({
      months_or_portions: answer.months_or_portions,
      penalty: answer.penalty,
      interest_tax_and_penalty: answer.interest_tax_and_penalty,
      interest_tax_only: answer.interest_tax_only,
    }).toEqual({
      months_or_portions: one['months_or_portions'],
      penalty: one['penalty'],
      interest_tax_and_penalty: one['interest_tax_and_penalty'],
      interest_tax_only: one['interest_tax_only'],
    });
  });
});

describe('the two methods', () => {
  const shares = fc.integer({ min: 1, max: 60_000_000 });
  const pars = fc.constantFrom(null, '0.00001', '0.01', '1', '2.5', '10.00');
  const charters = fc.array(fc.record({ shares, par: pars }), { minLength: 1, maxLength: 4 });
  const holdings = {
    issued: shares,
    gross_assets: fc.integer({ min: 0, max: 900_000_000 }).map(String),
  };

  it('more authorised shares never cost less by the share method', () => {
    fc.assert(
      fc.property(shares, fc.integer({ min: 0, max: 200_000 }), (count, more) => {
        const of = (n: number): number => cents(tax({ authorized: [{ shares: n, par: '1' }] }).tax);
        expect(of(count + more)).toBeGreaterThanOrEqual(of(count));
      }),
    );
  });

  it('the lesser is the smaller of both, and each stays within its own limits', () => {
    fc.assert(
      fc.property(fc.record({ authorized: charters, ...holdings }), (filer) => {
        const lesser = tax({ ...filer, method: 'lesser' });
        const byShares = cents(tax({ ...filer, method: 'authorized_shares' }).tax);
        const byCapital = cents(tax({ ...filer, method: 'assumed_par_value' }).tax);
        expect(cents(lesser.tax)).toBe(Math.min(byShares, byCapital));
        expect(lesser.method).toBe(
          byCapital < byShares ? 'assumed_par_value' : 'authorized_shares',
        );
        expect(cents(lesser.difference)).toBe(Math.abs(byShares - byCapital));
        expect(byShares >= 17_500 && byShares <= 20_000_000).toBe(true);
        expect(byCapital >= 40_000 && byCapital <= 20_000_000).toBe(true);
      }),
    );
  });

  it('the capital method agrees with a decimal calculation on paper figures', () => {
    fc.assert(
      fc.property(
        shares,
        shares,
        fc.integer({ min: 0, max: 900_000_000 }),
        (count, issued, assets) => {
          // Millionths as integers, in BigInt and by repeated steps, not by the rationals of the program.
          const scaled = (BigInt(assets) * 10_000_000n) / BigInt(issued);
          const millionths = (scaled + 5n) / 10n;
          const par = millionths > 10_000n ? millionths : 10_000n;
          const capital = BigInt(count) * par;
          let millions = 0n;
          while (millions * 1_000_000_000_000n < capital && millions < 600n) millions += 1n;
          const expected = millions * 400n < 400n ? 400n : millions * 400n;
          const answer = tax({
            authorized: [{ shares: count, par: '0.01' }],
            issued,
            gross_assets: assets,
            method: 'assumed_par_value',
          });
          expect(answer.intermediate.apvc_tax).toBe(
            `${expected > 200_000n ? 200_000n : expected}.00`,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('equal amounts are charged by the share method', () => {
    // 1,500,000 shares cost $12,915; no capital tax is equal to that, so both maxima stand for the tie.
    const tie = tax({
      authorized: [{ shares: 2_000_000_000, par: '1' }],
      issued: 1_000,
      gross_assets: '900000000000',
    });
    expect([tie.tax, tie.method, tie.difference]).toEqual([
      '200000.00',
      'authorized_shares',
      '0.00',
    ]);
  });

  it('no-par classes are taken together before their brackets', () => {
    const split = tax({
      authorized: [
        { shares: 4_000, par: null },
        { shares: 4_000, par: null },
      ],
      issued: 100,
      gross_assets: '10',
      method: 'assumed_par_value',
    });
    const whole = tax({
      authorized: [{ shares: 8_000, par: null }],
      issued: 100,
      gross_assets: '10',
      method: 'assumed_par_value',
    });
    expect([split.tax, split.intermediate.assumed_par_value_capital]).toEqual([whole.tax, '0']);
    const large = tax({
      authorized: [{ shares: 60_001, par: null }],
      issued: 100,
      gross_assets: '10',
      method: 'assumed_par_value',
    });
    // $6,000,100: $250 for the first million, six started ones.
    expect(large.tax).toBe('760.00');
  });

  it('a rounding step that changes the bill is reported, and so is a started million', () => {
    const answer = tax({
      authorized: [{ shares: 3_000_000, par: '0.01' }],
      issued: 3_000_000,
      gross_assets: '2000000',
      method: 'assumed_par_value',
    });
    expect(answer.notes?.join(' ')).toMatch(/1200\.00.*800\.00/);
    expect(answer.notes?.join(' ')).toMatch(/\$1 above a whole number of millions/);
    const plain = tax({
      authorized: [{ shares: 1_000_000, par: '0.01' }],
      issued: 1_000_000,
      gross_assets: '1000000',
    });
    expect(plain).not.toHaveProperty('notes');
  });

  it('without issued shares or assets only the share method is used, and that is said', () => {
    const answer = tax({
      authorized: [{ shares: 10_000_000, par: '0.0001' }],
      issued: null,
      gross_assets: '5',
    });
    expect([answer.tax, answer.method]).toEqual(['85165.00', 'authorized_shares']);
    expect(answer.notes?.[0]).toMatch(/^issued: not given/);
  });

  it('a large filer owes the flat amount without figures for the second method too', () => {
    const answer = tax({
      authorized: [{ shares: 10, par: null }],
      large_filer: true,
      method: 'assumed_par_value',
    });
    expect([answer.tax, answer.method]).toEqual(['250000.00', null]);
  });
});

describe('figures', () => {
  it.each([
    ['a number with cents', 1234567.89, '1.234568'],
    ['the same as a text', '1234567.89', '1.234568'],
    ['a tenth and two tenths', '0.3', '0.000000'],
    ['half a millionth rounds up', '0.5', '0.000001'],
    ['less than half does not', '0.4999999999999999999999', '0.000000'],
    ['a very small number', 1e-7, '0.000000'],
    ['a very large text', '999999999999999999999.5', '1000000000000000.000000'],
  ])('%s', (_what, assets, par) => {
    const answer = tax({
      authorized: [{ shares: 1, par: '1' }],
      issued: 1_000_000,
      gross_assets: assets,
    });
    expect(answer.intermediate.assumed_par).toBe(par);
  });

  it('a capital with decimals is printed in full', () => {
    const answer = tax({
      authorized: [{ shares: 1_234_567, par: '0.00001' }],
      issued: 14_000_000,
      gross_assets: 8_000_000,
    });
    expect(answer.intermediate.assumed_par_value_capital).toBe('705467.386243');
  });

  it.each([
    [
      'a number with more digits than JSON keeps',
      { gross_assets: 0.1 + 0.2 },
      /gross_assets.*text in quotes/,
    ],
    ['a whole number from 2^53 on', { gross_assets: 2 ** 53 }, /gross_assets.*text in quotes/],
    ['separators', { gross_assets: '1,000,000' }, /gross_assets/],
    ['a sign', { gross_assets: '-1' }, /gross_assets/],
    ['a negative number', { gross_assets: -1 }, /gross_assets/],
    ['true', { gross_assets: true }, /gross_assets/],
    ['part of a share', { authorized: [{ shares: 1.5, par: '1' }] }, /authorized\[0\]\.shares/],
    ['no classes', { authorized: [] }, /authorized/],
    ['a par of zero', { authorized: [{ shares: 1, par: '0.00' }] }, /authorized\[0\]\.par.*null/],
    [
      'a class without its par',
      { authorized: [{ shares: 1 }] },
      /authorized\[0\]\.par.*null.*nothing/,
    ],
    ['another method', { method: 'cheapest' }, /method/],
    [
      'a missing figure for the method asked',
      { method: 'assumed_par_value', issued: null },
      /issued/,
    ],
    ['no issued shares for the method asked', { method: 'assumed_par_value', issued: 0 }, /issued/],
    ['large_filer in words', { large_filer: 'yes' }, /large_filer/],
  ])('%s is refused by name', (_what, change, expected) => {
    const good = { authorized: [{ shares: 10, par: '1' }], issued: 5, gross_assets: '5' };
    const message = refusal(() => tax({ ...good, ...change }));
    expect(message).toMatch(/^CASE_INVALID/);
    expect(message).toMatch(expected);
  });

  it.each([
    ['nothing issued', { issued: 0, gross_assets: '5' }, 'issued: zero'],
    ['issued shares left out', { gross_assets: '5' }, 'issued: not given'],
    ['assets left out', { issued: 5 }, 'gross_assets: not given'],
  ])('%s leaves one method, and the note says why', (_what, change, note) => {
    const answer = tax({ authorized: [{ shares: 10, par: '1' }], ...change });
    expect([answer.method, answer.notes?.[0]]).toEqual([
      'authorized_shares',
      expect.stringContaining(note),
    ]);
  });

  it('a refusal by size names the size that is taken', () => {
    const good = { authorized: [{ shares: 10, par: '1' }], issued: 5 };
    expect(refusal(() => tax({ ...good, gross_assets: '9'.repeat(41) }))).toMatch(/at most 40/);
    const late = { entity_kind: 'llc', tax: '300', due: '2026-06-01' };
    expect(refusal(() => answerLate({ ...late, filed_and_paid: '9999-12-31' }, rates))).toMatch(
      /filed_and_paid.*1800 to 2999/,
    );
    const estimate = { tax_year: 9999, preceding_year_tax: '5000' };
    expect(refusal(() => answerInstallments(estimate, rates))).toMatch(/tax_year.*1899 to 2998/);
  });

  it('a tax year without rates is refused, not answered by another', () => {
    expect(refusal(() => tax({ authorized: [{ shares: 10, par: '1' }], tax_year: 2009 }))).toMatch(
      /^RULE_UNKNOWN: tax_year.*2009/,
    );
    expect(tax({ authorized: [{ shares: 10, par: '1' }], tax_year: 2026 }).tax).toBe('175.00');
  });
});

describe('the explanation', () => {
  it('leads to the tax in numbered steps with their sections, and says how sure it is', () => {
    const answer = tax({
      authorized: [
        { shares: 1_000_000, par: '1.00' },
        { shares: 250_000, par: '5.00' },
      ],
      issued: 485_000,
      gross_assets: '1000000',
    });
    expect(answer.steps.map((step) => step.n)).toEqual([1, 2, 3, 4, 5]);
    const texts = answer.steps.map((step) => step.text);
    for (const [at, figure] of ['10790.00', '2.061856', '3311856', '1600.00'].entries()) {
      expect(texts[at]).toContain(figure);
    }
    expect(answer.steps.at(-1)).toMatchObject({
      text: 'The lesser of the two methods is owed: $1600.00.',
      citation: '8 Del. C. § 503(a)(2)',
    });
    expect(answer.confidence).toBe('high');
    const mixed = { authorized: [{ shares: 9_000_000, par: null }], issued: 9, gross_assets: '9' };
    expect(tax({ ...mixed, method: 'assumed_par_value' }).confidence).toBe('medium');
    expect(tax({ ...mixed, method: 'authorized_shares' }).confidence).toBe('high');
    expect(tax({ ...mixed, large_filer: true }).steps.at(-1)?.text).toContain('250000.00');
  });

  it('goes with payments and lateness too', () => {
    const estimate = answerInstallments(
      { tax_year: 2026, preceding_year_tax: '12345.67', final_tax: '12345.67' },
      rates,
    );
    expect([estimate.steps.length, estimate.confidence]).toEqual([5, 'high']);
    expect(estimate.steps[1]?.text).toBe('40 % of it on 2026-06-01: $4938.27.');
    expect(estimate.steps[4]?.text).toContain('2027-03-01: $2469.14');
    const late = answerLate(
      { entity_kind: 'llc', tax: '300', due: '2026-06-01', filed_and_paid: '2027-01-05' },
      rates,
    );
    expect([late.steps.length, late.confidence]).toEqual([3, 'medium']);
    expect(late.steps[2]?.text).toMatch(/1\.5 % x 8.*60\.00.*36\.00/);
  });
});

describe('payments and lateness', () => {
  it('the four payments add up to the final tax, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 500_000, max: 25_000_000 }),
        fc.integer({ min: 0, max: 25_000_000 }),
        (before, final) => {
          const answer = answerInstallments(
            {
              tax_year: 2027,
              preceding_year_tax: (before / 100).toFixed(2),
              final_tax: (final / 100).toFixed(2),
            },
            rates,
          );
          expect(answer.required).toBe(true);
          expect(answer.payments.map((one) => one.due)).toEqual([
            '2027-06-01',
            '2027-09-01',
            '2027-12-01',
            '2028-03-01',
          ]);
          expect(answer.payments.reduce((sum, one) => sum + cents(one.amount ?? ''), 0)).toBe(
            final,
          );
          expect(answer.notes !== undefined).toBe(cents(answer.payments[3]?.amount ?? '') < 0);
        },
      ),
    );
  });

  it('the balance is open while the final tax is not known', () => {
    const answer = answerInstallments({ tax_year: '2026', preceding_year_tax: 5000 }, rates);
    expect(answer.payments.at(-1)).toEqual({ due: '2027-03-01', amount: null });
  });

  it.each([
    ['2027-03-01', '2027-02-01', 0],
    ['2027-03-01', '2027-04-01', 1],
    ['2027-03-01', '2027-04-02', 2],
    ['2027-01-31', '2027-02-28', 1],
    ['2027-01-31', '2027-03-01', 2],
    ['2028-01-31', '2028-02-29', 1],
    ['2027-03-01', '2028-03-01', 12],
    ['2027-03-01', '2028-03-02', 13],
  ])('due %s and paid %s is %i months or portions', (due, paid, months) => {
    const answer = answerLate({ entity_kind: 'lp', tax: '400', due, filed_and_paid: paid }, rates);
    expect(answer.months_or_portions).toBe(months);
    expect(answer.penalty).toBe(months === 0 ? '0.00' : '200.00');
    expect(answer.interest_tax_only).toBe((months * 6).toFixed(2));
  });

  it('half a cent of interest rounds up', () => {
    const answer = answerLate(
      { entity_kind: 'corporation', tax: '0.33', due: '2027-03-01', filed_and_paid: '2027-03-02' },
      rates,
    );
    // 1.5 % of 200.33 is 3.00495; of 0.33 it is 0.00495.
    expect([answer.interest_tax_and_penalty, answer.interest_tax_only]).toEqual(['3.00', '0.00']);
    const half = answerLate(
      { entity_kind: 'corporation', tax: '1.00', due: '2027-03-01', filed_and_paid: '2027-03-02' },
      rates,
    );
    expect(half.interest_tax_only).toBe('0.02');
  });

  it.each([
    ['an unknown kind', { entity_kind: 'trust' }, /entity_kind/],
    ['no kind', { entity_kind: null }, /entity_kind/],
    ['no due day', { due: null }, /due/],
    ['no tax', { tax: null }, /tax/],
  ])('%s is refused by name', (_what, change, expected) => {
    const good = {
      entity_kind: 'llc',
      tax: '400',
      due: '2027-06-01',
      filed_and_paid: '2027-06-02',
    };
    expect(refusal(() => answerLate({ ...good, ...change }, rates))).toMatch(expected);
  });
});
