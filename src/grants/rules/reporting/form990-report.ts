/** Grant figures of Form 990 by their element names: contributions of Part VIII, grants paid of Part IX, totals of Part I. */
import { invariant, ruledOut } from '../../../core/index.ts';
import type { GrantsLaw } from '../law.ts';
import {
  type Figure,
  figureOf,
  type FigurePart,
  inDollars,
  roundingOf,
  totalOf,
} from './figure.ts';
import type { ReceivedMoney } from './received.ts';

export interface PaidGrant {
  readonly part: FigurePart;
  readonly recipient: 'domesticOrganization' | 'domesticIndividual' | 'foreign';
  /** Given beside the cash of `part`; lines 1 to 3 of Part IX take both. */
  readonly noncashCents?: bigint;
}

interface Form990Report {
  readonly figures: readonly Figure[];
  /** Differences of a dollar and the like, to be kept with the return. */
  readonly remarks: readonly string[];
  readonly schemaVersion: string;
}

const PAID_ELEMENTS = {
  domesticOrganization: 'GrantsToDomesticOrgsGrp/TotalAmt',
  domesticIndividual: 'GrantsToDomesticIndividualsGrp/TotalAmt',
  foreign: 'ForeignGrantsGrp/TotalAmt',
} as const;
const PAID_TOTAL = 'CYGrantsAndSimilarPaidAmt';
const SERVICE_ELEMENT = 'ProgramServiceRevenueGrp';
/** No element of its own: filers show bank charges on different lines of Part IX. */
const BANK_FEES = 'IRS990/BankFeesKept';

export function form990Report(
  given: { readonly received: readonly ReceivedMoney[]; readonly paid: readonly PaidGrant[] },
  law: GrantsLaw,
): Form990Report {
  const { contributionLines, contributionMapping } = law.form990;
  const name = (element: string): Pick<Figure, 'name' | 'line' | 'xpath'> => {
    const known = law.elements.find('IRS990', element);
    invariant(known !== undefined, `no element ${element} of IRS990 is known`);
    return { name: `IRS990/${element}`, line: known.line, xpath: known.xpath };
  };
  const noncash = new Map(
    given.received
      .filter(({ goodsCents }) => goodsCents !== 0n)
      .map(({ part, goodsCents }) => [part, notMoney(part, goodsCents)]),
  );
  const byElement = new Map<string, FigurePart[]>();
  for (const { part, award } of given.received) {
    const element = award.mapping?.element;
    if (element === undefined) {
      throw ruledOut(
        `payment ${part.id}: its award has no line on the return; add federal_alignment and the classification`,
        { details: { expectedPayment: part.id } },
      );
    }
    const parts = byElement.get(element) ?? [];
    byElement.set(element, parts);
    // Apart, so that the bank lines of a part come to its cents.
    const goods = noncash.get(part);
    if (goods === undefined) parts.push(part);
    else parts.push({ ...part, cents: part.cents - goods.cents }, goods);
  }
  const contributions = contributionLines
    .filter(({ element }) => byElement.has(element))
    .map(({ element }) => figureOf(name(element), byElement.get(element) ?? []));
  const memo = figureOf(name(contributionMapping.noncashElement), [...noncash.values()]);
  const from = contributions.map((figure) => ({ sign: 1, figure }) as const);
  const totals = contributionMapping.totalElements.map((element) => totalOf(name(element), from));
  const paid = Object.entries(PAID_ELEMENTS)
    .map(([recipient, element]) => ({
      element,
      parts: given.paid.filter((one) => one.recipient === recipient).flatMap(partsOf),
    }))
    .filter(({ parts }) => parts.length > 0)
    .map(({ element, parts }) => figureOf(name(element), parts));
  const paidTotal = totalOf(
    name(PAID_TOTAL),
    paid.map((figure) => ({ sign: 1, figure }) as const),
  );
  const service = byElement.get(SERVICE_ELEMENT);
  const services = service === undefined ? [] : [figureOf(name(SERVICE_ELEMENT), service)];
  const kept = feesFigure(given.received);
  const figures = [...contributions, memo, ...totals, ...services, ...paid, paidTotal, ...kept];
  return {
    figures,
    remarks: [...remarksOn(figures), ...kept.map(feesRemark)],
    schemaVersion: law.elements.schemaVersion,
  };
}

/** What banks kept of contributions: those count before it, and it is an expense of its own. */
function feesFigure(received: readonly ReceivedMoney[]): readonly Figure[] {
  const parts = received
    .filter(({ feeCents }) => feeCents !== 0n)
    .map(({ part, feeCents }) => ({ ...part, cents: feeCents }));
  const name = { name: BANK_FEES, line: 'Part IX', xpath: undefined };
  return parts.length === 0 ? [] : [figureOf(name, parts)];
}

function feesRemark({ cents }: Figure): string {
  return `banks deducted ${inDollars(cents)}: contributions are shown before this fee, and the fee is an expense in Part IX; choose the line for bank charges`;
}

function partsOf({ part, noncashCents = 0n }: PaidGrant): readonly FigurePart[] {
  return noncashCents === 0n ? [part] : [part, notMoney(part, noncashCents)];
}

/** No bank line tells of it; the payload does. */
function notMoney(part: FigurePart, cents: bigint): FigurePart {
  return { ...part, cents, matchRule: undefined, bank: [] };
}

function remarksOn(figures: readonly Figure[]): readonly string[] {
  return figures
    .filter((figure) => roundingOf(figure) !== 0n)
    .map(
      (figure) =>
        `${figure.name}: the lines add up to ${roundingOf(figure)} dollars more than the rounded cents`,
    );
}

/** What must hold between the lines of any return, ours or a published one; amounts by element name. */
export function footingFaults(amounts: ReadonlyMap<string, bigint>): readonly string[] {
  const of = (element: string): bigint => amounts.get(element) ?? 0n;
  const sumOf = (elements: readonly string[]): bigint =>
    elements.reduce((sum, element) => sum + of(element), 0n);
  const faults: string[] = [];
  const contributions = sumOf([
    'FederatedCampaignsAmt',
    'MembershipDuesAmt',
    'FundraisingAmt',
    'RelatedOrganizationsAmt',
    'GovernmentGrantsAmt',
    'AllOtherContributionsAmt',
  ]);
  if (of('TotalContributionsAmt') !== contributions) {
    faults.push(
      `TotalContributionsAmt is ${of('TotalContributionsAmt')}, its lines are ${contributions}`,
    );
  }
  if (of('CYContributionsGrantsAmt') !== of('TotalContributionsAmt')) {
    faults.push('CYContributionsGrantsAmt is not TotalContributionsAmt');
  }
  if (of('NoncashContributionsAmt') > of('TotalContributionsAmt')) {
    faults.push('NoncashContributionsAmt is more than TotalContributionsAmt');
  }
  const paid = sumOf(Object.values(PAID_ELEMENTS));
  if (of(PAID_TOTAL) !== paid)
    faults.push(`${PAID_TOTAL} is ${of(PAID_TOTAL)}, its lines are ${paid}`);
  return faults;
}

export function amountsOf(report: Form990Report): ReadonlyMap<string, bigint> {
  return new Map(
    report.figures.map(({ name, dollars }) => [name.replace(/^IRS990\//, ''), dollars]),
  );
}
