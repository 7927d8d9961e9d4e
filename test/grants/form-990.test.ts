import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../src/core/csv/cells.ts';
import { instant } from '../../src/core/time.ts';
import { type AcceptedAward, ingestAward } from '../../src/grants/rules/intake/ingest.ts';
import {
  amountsOf,
  footingFaults,
  form990Report,
} from '../../src/grants/rules/reporting/form990-report.ts';
import type { BankLine, ExpectedPayment } from '../../src/grants/rules/matching/bank-line.ts';
import { figureRows, reportDocument, traceRows } from '../../src/grants/rules/reporting/export.ts';
import { matchExpectedPayments } from '../../src/grants/rules/matching/match.ts';
import { readAwards } from '../../src/grants/rules/intake/read-awards.ts';
import { receivedMoney, type ReceivedMoney } from '../../src/grants/rules/reporting/received.ts';
import { scheduleI } from '../../src/grants/rules/reporting/schedule-i.ts';
import { tracedCents, traceOf } from '../../src/grants/rules/reporting/figure.ts';
import { evaluation, grantsLaw } from '../law/grants-cases.ts';
import { fixture, line, mulberry32, part, expectedPayment } from './reco.ts';

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

/** One award, one expected payment and one bank line for each amount. */
async function received(
  money: readonly { readonly cents: number; readonly fields: object }[],
): Promise<World> {
  const lines: BankLine[] = [];
  const expectedPayments: ExpectedPayment[] = [];
  const awards = new Map<string, AcceptedAward>();
  for (const [index, { cents, fields }] of money.entries()) {
    const award = await accepted({ ...fields, award_amount: cents }, index + 1);
    const reference = `REF-${index}`;
    const source = { feed: 'feed-1', line: index + 10 };
    lines.push(line({ id: `b${index}`, amountCents: cents, references: [reference], source }));
    const payloadHash = award.metadata.payload_hash;
    expectedPayments.push(
      expectedPayment({ id: `l${index}`, amountCents: cents, reference, payloadHash }),
    );
    awards.set(`l${index}`, award);
  }
  const outcomes = matchExpectedPayments({ lines, expectedPayments });
  const awardOf = ({ id }: ExpectedPayment): AcceptedAward | undefined => awards.get(id);
  return { received: receivedMoney({ outcomes, lines, expectedPayments, awardOf }), lines };
}

const government = { funder_type: 'government', benefit: 'public' };
const foundation = { funder_type: 'foundation' };

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

  it('lines of grants paid take what was given beside cash, and are no less than the rows of Schedule I', () => {
    const paid = (id: string, ein: string, cents: bigint, noncashCents: bigint) => ({
      part: part(id, cents),
      recipient: 'domesticOrganization' as const,
      recipientName: `R ${ein}`,
      recipientEin: ein,
      ircSection: '501(c)(3)',
      city: undefined,
      state: undefined,
      zip: undefined,
      noncashCents,
      purpose: undefined,
    });
    const grants = [
      paid('p1', '111111111', 4_000_00n, 1_000_01n),
      paid('p2', '222222222', 0n, 7_000_00n),
    ];
    const abroad = { part: part('p3', 10_00n), recipient: 'foreign' as const, noncashCents: 5_00n };
    const report = form990Report({ received: [], paid: [...grants, abroad] }, grantsLaw);
    expect(Object.fromEntries(amountsOf(report))).toMatchObject({
      'GrantsToDomesticOrgsGrp/TotalAmt': 12_000n,
      'ForeignGrantsGrp/TotalAmt': 15n,
      CYGrantsAndSimilarPaidAmt: 12_015n,
    });
    for (const figure of report.figures) expect(tracedCents(figure)).toBe(figure.cents);
    // irs990-mapping.json, crossFooting: rows, cash and other, are never more than line 1.
    const { rows, remarks } = scheduleI(grants, grantsLaw);
    const listed = rows.map((row) => row.CashGrantAmt.dollars + row.NonCashAssistanceAmt.dollars);
    expect(listed).toEqual([5_000n, 7_000n]);
    expect(remarks).toEqual([]);
  });

  it('rows that exceed their line by rounding are reported', () => {
    const grant = (ein: string) => ({
      part: part(ein, 6_000_50n),
      recipientName: ein,
      recipientEin: ein,
      ircSection: undefined,
      city: undefined,
      state: undefined,
      zip: undefined,
      noncashCents: 0n,
      purpose: undefined,
    });
    const grants = ['111111111', '222222222', '333333333'].map(grant);
    // 3 x 6,001 against 18,001.50, which is 18,002.
    expect(scheduleI(grants, grantsLaw).remarks).toEqual([
      expect.stringMatching(/1 dollars more than line 1 of Part IX, 18002/),
    ]);
    expect(scheduleI(grants.slice(0, 1), grantsLaw).remarks).toEqual([]);
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
    const year = { from: '2026-01-01', to: '2026-12-31' };
    const document = reportDocument('990', year, report);
    expect(reportDocument('990', year, report).hash).toBe(document.hash);
    expect(reportDocument('990', { ...year, to: '2026-12-30' }, report).hash).not.toBe(
      document.hash,
    );
    expect(traceRows(total)).toHaveLength(3);
    expect(figureRows(report.figures)[1]).toContain('IRS990/GovernmentGrantsAmt');
  });

  it('money without a line of the return stops the report', async () => {
    const { received: found } = await received([
      { cents: 5, fields: { federal_alignment: false } },
    ]);
    expect(() => form990Report({ received: found, paid: [] }, grantsLaw)).toThrow(
      /no line on the return/,
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
