import * as fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../src/intake/index.ts';
import { instant } from '../../src/core/index.ts';
import {
  type AcceptedAward,
  amountsOf,
  type BankLine,
  type ExpectedReceipt,
  type FigurePart,
  figureRows,
  footingFaults,
  form990Report,
  individualsOf,
  ingestAward,
  matchReceipts,
  readAssistanceListings,
  readAwards,
  receivedMoney,
  type ReceivedMoney,
  reportDocument,
  roundingOf,
  scheduleI,
  sefaReport,
  type Sf425Input,
  sf425Report,
  tracedCents,
  traceOf,
  traceRows,
} from '../../src/packs/grants/index.ts';
import { CsvRows } from '../../src/packs/grants/csv-rows.ts';
import { evaluation, grantsLaw } from '../law/grants-cases.ts';
import { fixture, line, mulberry32, receipt } from './reco.ts';

async function accepted(fields: object, ordinal = 1): Promise<AcceptedAward> {
  const document = {
    grantor_id: 'G',
    award_amount: 1,
    currency: 'USD',
    fiscal_year: 2026,
    compliance_tags: {},
    federal_alignment: true,
    ...fields,
  };
  for await (const record of readAwards('json', [Buffer.from(JSON.stringify(document))])) {
    const context = { tenant: 't', sourceDocument: 'd', now: instant(0), law: grantsLaw };
    const found = ingestAward({ ...record, ordinal }, context);
    if (found.kind === 'accepted') return found;
    throw new Error(JSON.stringify(found.violations));
  }
  throw new Error('nothing was read');
}

interface World {
  readonly received: readonly ReceivedMoney[];
  readonly lines: readonly BankLine[];
}

/** One award, one receipt and one bank line for each amount. */
async function received(
  money: readonly { readonly cents: number; readonly fields: object }[],
): Promise<World> {
  const lines: BankLine[] = [];
  const receipts: ExpectedReceipt[] = [];
  const awards = new Map<string, AcceptedAward>();
  for (const [index, { cents, fields }] of money.entries()) {
    const award = await accepted({ ...fields, award_amount: cents }, index + 1);
    const reference = `REF-${index}`;
    const source = { feed: 'feed-1', line: index + 10 };
    lines.push(line({ id: `b${index}`, amountCents: cents, references: [reference], source }));
    const payloadHash = award.metadata.payload_hash;
    receipts.push(receipt({ id: `l${index}`, amountCents: cents, reference, payloadHash }));
    awards.set(`l${index}`, award);
  }
  const outcomes = matchReceipts({ lines, receipts });
  const awardOf = ({ id }: ExpectedReceipt): AcceptedAward | undefined => awards.get(id);
  return { received: receivedMoney({ outcomes, lines, receipts, awardOf }), lines };
}

const government = { funder_type: 'government', benefit: 'public' };
const foundation = { funder_type: 'foundation' };

function part(id: string, cents: bigint): FigurePart {
  return { id, cents, payloadHash: 'h', idempotencyKey: id, matchRule: undefined, bank: [] };
}

describe('Form 990', () => {
  it('every line is added with cents and rounded once, totals add the lines as written', async () => {
    const world = await received([
      { cents: 100_49, fields: government },
      { cents: 100_49, fields: government },
      { cents: 200_50, fields: foundation },
      { cents: 5_00, fields: { ...foundation, noncash_amount: 4_50 } },
    ]);
    const report = form990Report({ received: world.received, paid: [] }, grantsLaw);
    const amounts = amountsOf(report);
    expect(Object.fromEntries(amounts)).toEqual({
      GovernmentGrantsAmt: 201n,
      AllOtherContributionsAmt: 206n,
      NoncashContributionsAmt: 5n,
      TotalContributionsAmt: 407n,
      CYContributionsGrantsAmt: 407n,
      CYGrantsAndSimilarPaidAmt: 0n,
    });
    expect(footingFaults(amounts)).toEqual([]);
    expect(report.remarks).toHaveLength(2);
    expect(report.remarks[0]).toMatch(/TotalContributionsAmt.*1 dollars more/);
  });

  it('agrees with the rule that the golden cases prove', async () => {
    const random = mulberry32(3);
    const money = Array.from({ length: 60 }, (_, at) => ({
      cents: 1 + Math.floor(random() * 1_000_000),
      fields:
        at % 3 === 0
          ? government
          : at % 3 === 1
            ? foundation
            : { funder_type: 'federatedCampaign' },
    }));
    const { received: found } = await received(money);
    const sum = (pick: number): number =>
      money.filter((_, at) => at % 3 === pick).reduce((total, { cents }) => total + cents, 0);
    const centsByFunder = { government: sum(0), foundation: sum(1), federatedCampaign: sum(2) };
    const { result } = evaluation('form990.map', { centsByFunder, noncashCents: 0 });
    const { CYGrantsAndSimilarPaidAmt: _, ...own } = Object.fromEntries(
      [...amountsOf(form990Report({ received: found, paid: [] }, grantsLaw))].map(
        ([name, dollars]) => [name, Number(dollars)],
      ),
    );
    expect(own).toEqual(result);
  });

  it('every figure is followed down to the bank line and the payload, to the cent', async () => {
    const { received: found, lines } = await received([
      { cents: 100_49, fields: government },
      { cents: 200_50, fields: foundation },
    ]);
    const report = form990Report(
      { received: found, paid: [{ part: part('s1', 50_00n), recipient: 'domesticOrganization' }] },
      grantsLaw,
    );
    for (const figure of report.figures) expect(tracedCents(figure)).toBe(figure.cents);
    const total = report.figures.find(({ name }) => name === 'IRS990/CYContributionsGrantsAmt');
    if (total === undefined) throw new Error('the total is always there');
    const steps = traceOf(total);
    expect(steps.map(({ path, part: one }) => [...path, one.bank[0]?.source.line])).toEqual([
      ['IRS990/CYContributionsGrantsAmt', 'IRS990/GovernmentGrantsAmt', 10],
      ['IRS990/CYContributionsGrantsAmt', 'IRS990/AllOtherContributionsAmt', 11],
    ]);
    expect(steps.every(({ part: one }) => /^[0-9a-f]{64}$/.test(one.payloadHash))).toBe(true);
    expect(steps[0]?.part.bank[0]).toMatchObject({ nativeId: lines[0]?.nativeId, line: 'b0' });
    const document = reportDocument('990', report.figures);
    expect(reportDocument('990', report.figures).hash).toBe(document.hash);
    expect(traceRows(total)).toHaveLength(3);
    expect(figureRows(report.figures)[1]).toContain('IRS990/GovernmentGrantsAmt');
  });

  it('money without a line of the return stops the report', async () => {
    const { received: found } = await received([
      { cents: 5, fields: { federal_alignment: false } },
    ]);
    expect(() => form990Report({ received: found, paid: [] }, grantsLaw)).toThrow(
      /no line of the return/,
    );
  });

  it('service to the government is no contribution', async () => {
    const { received: found } = await received([
      { cents: 700_00, fields: { funder_type: 'government', benefit: 'grantor' } },
    ]);
    const amounts = amountsOf(form990Report({ received: found, paid: [] }, grantsLaw));
    expect(amounts.get('ProgramServiceRevenueGrp')).toBe(700n);
    expect(amounts.get('TotalContributionsAmt')).toBe(0n);
  });

  it('the rules between lines hold in a published return, and a changed one is noticed', () => {
    const amounts = amountsOfReturn(fixture('201541349349307794_public.xml'));
    expect(amounts.get('CYContributionsGrantsAmt')).toBe(1_668_772n);
    expect(amounts.get('AllOtherContributionsAmt')).toBe(1_393_123n);
    expect(amounts.get('NoncashContributionsAmt')).toBe(69_874n);
    expect(amounts.has('GovernmentGrantsAmt')).toBe(false);
    expect(footingFaults(amounts)).toEqual([]);
    expect(footingFaults(new Map(amounts).set('FundraisingAmt', 1n))).toHaveLength(1);
  });
});

/** Amounts of IRS990 by element name, with the group before `TotalAmt`. */
function amountsOfReturn(xml: string): Map<string, bigint> {
  const path: string[] = [];
  const amounts = new Map<string, bigint>();
  let text = '';
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => {
    path.push(name);
    text = '';
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('closetag', () => {
    const [, , form, ...names] = path;
    if (form === 'IRS990' && /^-?\d+$/.test(text.trim()))
      amounts.set(names.join('/'), BigInt(text));
    path.pop();
    text = '';
  });
  parser.write(xml.replace(/^\uFEFF/, '')).close();
  return amounts;
}

describe('Schedule I', () => {
  const rows = (): ReturnType<typeof scheduleI> => {
    const csv = new CsvRows();
    const [, ...cells] = [...csv.push(fixture('schedule-i-grants.csv')), ...csv.finish()];
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

  it('takes the real rows: names, sections and purposes fit, nothing is lost, each change is told', () => {
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
    expect(found.rows[1]?.remarks.join()).toMatch(/EIN: look it up/);
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
    expect(row?.remarks.join('; ')).toMatch(/a type of assistance is needed.*noncash/);
  });
});

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
    expect(report.programTotals.get('93.914')?.dollars).toBe(211n);
    expect(report.total.dollars).toBe(412n);
    expect(tracedCents(report.total)).toBe(412_00n);
    expect(report.tasks).toEqual([
      'Look up the title of 99.999: it is not in the list',
      'Correct SEFA/17.259/toSubrecipients: more was passed on than spent',
    ]);
    expect(() => sefaReport([spent('e6', '9.14', 1n)], listings, grantsLaw)).toThrow(
      /assistance listing/,
    );
  });
});

describe('tables', () => {
  it('cells of a figure cannot become formulas once they are written by the one writer of tables', async () => {
    const { received: found } = await received([{ cents: 5_00, fields: foundation }]);
    const [first] = found;
    if (first === undefined) throw new Error('one was received');
    const evil = { ...first, part: { ...first.part, id: '=HYPERLINK("x")' } };
    const report = form990Report({ received: [evil], paid: [] }, grantsLaw);
    const total = report.figures.find(({ name }) => name.endsWith('TotalContributionsAmt'));
    if (total === undefined) throw new Error('the total is always there');
    const text = traceRows(total)
      .map((cells) => csvLine(cells))
      .join('');
    expect(text).toContain(`"'=HYPERLINK(""x"")"`);
  });
});
