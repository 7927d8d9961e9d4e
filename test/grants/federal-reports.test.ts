import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FigurePart,
  roundingOf,
  tracedCents,
  traceOf,
} from '../../src/grants/rules/reporting/figure.ts';
import { readAssistanceListings, sefaReport } from '../../src/grants/rules/reporting/sefa.ts';
import { sefaTotalFigures } from '../../src/grants/rules/reporting/report-rows.ts';
import { type Sf425Input, sf425Report } from '../../src/grants/rules/reporting/sf425.ts';
import { grantsLaw } from '../law/grants-cases.ts';
import { fixture, part } from './reco.ts';

describe('SF-425', () => {
  it('derives its lines, foots in whole dollars and traces differences with their sign', () => {
    const none: readonly FigurePart[] = [];
    const { figures, tasks } = sf425Report(
      {
        cashReceipts: [part('r', 100_50n)],
        cashDisbursements: [part('d', 120_49n)],
        federalFundsAuthorized: [part('a', 500_00n)],
        federalExpenditures: [part('e', 110_00n)],
        unliquidatedObligations: [part('u', 15_00n)],
        recipientShareRequired: [part('s', 50_00n)],
        recipientExpenditures: [part('x', 20_00n)],
        programIncomeEarned: none,
        programIncomeDeducted: none,
        programIncomeAdded: none,
      },
      grantsLaw,
    );
    const dollars = Object.fromEntries(
      figures.map(({ line: name, dollars: value }) => [name, Number(value)]),
    );
    expect(dollars).toMatchObject({
      '10a': 101,
      '10b': 120,
      '10c': -19,
      '10g': 125,
      '10h': 375,
      '10k': 30,
      '10o': 0,
    });
    expect(tasks).toEqual(['SF425/10c is -19: more was paid out than received']);
    for (const figure of figures) expect(tracedCents(figure)).toBe(figure.cents);
    const balance = figures.find(({ line: name }) => name === '10h');
    if (balance === undefined) throw new Error('line 10h is always there');
    expect(traceOf(balance).map(({ sign, part: one }) => `${sign} ${one.id}`)).toEqual([
      '1 a',
      '-1 e',
      '-1 u',
    ]);
    expect(roundingOf(balance)).toBe(0n);
  });

  // SF-425, OMB 4040-0014, section 10: c = a - b, g = e + f, h = d - g, k = i - j, o = l less m or n.
  it('follows the formulas of the form for any amounts', () => {
    const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { maxLength: 3 });
    const inputs = fc.array(amounts, { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(inputs, (given) => {
        const parts = (at: number) =>
          (given[at] ?? []).map((cents, n) => part(`${at}-${n}`, cents));
        const { figures } = sf425Report(
          {
            cashReceipts: parts(0),
            cashDisbursements: parts(1),
            federalFundsAuthorized: parts(2),
            federalExpenditures: parts(3),
            unliquidatedObligations: parts(4),
            recipientShareRequired: parts(5),
            recipientExpenditures: parts(6),
            programIncomeEarned: parts(7),
            programIncomeDeducted: parts(8),
            programIncomeAdded: parts(9),
          },
          grantsLaw,
        );
        expect(figures.map((figure) => figure.line).join(' ')).toBe(
          '10a 10b 10c 10d 10e 10f 10g 10h 10i 10j 10k 10l 10m 10n 10o',
        );
        const sum = (at: number): bigint => (given[at] ?? []).reduce((all, one) => all + one, 0n);
        const cents = Object.fromEntries(figures.map((figure) => [figure.line, figure.cents]));
        expect(cents).toMatchObject({
          '10c': sum(0) - sum(1),
          '10g': sum(3) + sum(4),
          '10h': sum(2) - sum(3) - sum(4),
          '10k': sum(5) - sum(6),
          '10o': sum(7) - sum(8) - sum(9),
        });
      }),
    );
  });

  it('with program income under both alternatives is a task: the form subtracts one of them', () => {
    const empty = Object.fromEntries(
      [
        'cashReceipts',
        'cashDisbursements',
        'federalFundsAuthorized',
        'federalExpenditures',
        'unliquidatedObligations',
        'recipientShareRequired',
        'recipientExpenditures',
        'programIncomeEarned',
      ].map((name) => [name, []]),
    ) as unknown as Sf425Input;
    const income = {
      programIncomeEarned: [part('l', 900n)],
      programIncomeDeducted: [part('m', 300n)],
    };
    const one = sf425Report({ ...empty, ...income, programIncomeAdded: [] }, grantsLaw);
    expect(one.tasks).toEqual([]);
    const both = sf425Report(
      { ...empty, ...income, programIncomeAdded: [part('n', 300n)] },
      grantsLaw,
    );
    expect(both.tasks).toEqual([
      'Lines 10m and 10n are both used: the form subtracts one or the other; ask the agency',
    ]);
  });
});

describe('SEFA', () => {
  const listings = readAssistanceListings(fixture('assistance-listings.csv'));

  it('groups by listing and pass-through, with titles, totals and tasks', () => {
    expect(listings.size).toBeGreaterThan(4_000);
    const spent = (id: string, aln: string, cents: bigint, passThrough?: string, on = 0n) => ({
      part: part(id, cents),
      assistanceListing: aln,
      cluster: undefined,
      passThrough,
      toSubrecipientsCents: on,
    });
    const report = sefaReport(
      [
        spent('e1', '93.914', 100_50n),
        spent('e2', '17.259', 200_00n, undefined, 250_00n),
        spent('e3', '93.914', 100_50n),
        spent('e4', '93.914', 10_00n, 'State of Ohio'),
        spent('e5', '99.999', 1_00n),
      ],
      listings,
      grantsLaw,
    );
    expect(
      report.rows.map(
        (row) => `${row.assistanceListing} ${row.passThrough ?? '-'} ${row.expended.dollars}`,
      ),
    ).toEqual(['17.259 - 200', '93.914 - 201', '93.914 State of Ohio 10', '99.999 - 1']);
    expect(report.rows[1]?.title).toBe(listings.get('93.914'));
    expect(report.programTotals.get('93.914')?.expended.dollars).toBe(211n);
    expect(report.total.expended.dollars).toBe(412n);
    expect(tracedCents(report.total.expended)).toBe(412_00n);
    expect(report.total.toSubrecipients.cents).toBe(250_00n);
    expect(report.clusterTotals.size).toBe(0);
    expect(report.tasks).toEqual([
      'Look up the title of 99.999: it is not in the listings file',
      'Correct SEFA/17.259/toSubrecipients: more was passed through than spent',
      'Name the federal agency of 99.999: its number does not show it',
      'Look up the number that State of Ohio assigned to 93.914, or enter that there is none: pass_through_number',
    ]);
    expect(() => sefaReport([spent('e6', '9.14', 1n)], listings, grantsLaw)).toThrow(
      /assistance listing/,
    );
  });

  // 2 CFR 200.510(b)(3) and (4): the total of each program, of each cluster, and what was passed on of them.
  it('adds up clusters over their programs, and every figure has a name of its own', () => {
    const spent = (id: string, aln: string, cents: bigint, more: object = {}) => ({
      part: part(id, cents),
      assistanceListing: aln,
      cluster: undefined,
      passThrough: undefined,
      toSubrecipientsCents: 0n,
      ...more,
    });
    const wioa = 'WIOA CLUSTER';
    const report = sefaReport(
      [
        spent('e1', '17.258', 100_00n, { cluster: wioa, toSubrecipientsCents: 40_00n }),
        spent('e2', '17.259', 200_00n, { cluster: wioa, passThrough: 'State of Ohio' }),
        spent('e3', '17.278', 300_00n, { cluster: wioa, toSubrecipientsCents: 1_00n }),
        spent('e4', '93.778', 7_00n, { cluster: 'MEDICAID CLUSTER' }),
        // Passed through by somebody who is called like a cluster.
        spent('e5', '93.778', 5_00n, { passThrough: 'MEDICAID CLUSTER' }),
        spent('e6', '93.914', 9_00n),
      ],
      listings,
      grantsLaw,
    );
    const totals = [...report.clusterTotals].map(([cluster, one]) => [
      cluster,
      one.expended.dollars,
      one.toSubrecipients.dollars,
    ]);
    expect(totals).toEqual([
      [wioa, 600n, 41n],
      ['MEDICAID CLUSTER', 7n, 0n],
    ]);
    expect(report.programTotals.get('93.778')?.expended.dollars).toBe(12n);
    const figures = [
      ...report.rows.flatMap((row) => [row.expended, row.toSubrecipients]),
      ...sefaTotalFigures(report),
    ];
    expect(new Set(figures.map(({ name }) => name)).size).toBe(figures.length);
    for (const figure of figures) expect(tracedCents(figure)).toBe(figure.cents);
  });
});
