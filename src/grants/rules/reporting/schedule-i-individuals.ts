/** Schedule I Part III: what was paid to individuals, by type of assistance and never by person. */
import type { GrantsLaw } from '../law.ts';
import { type Figure, figureOf, type FigurePart } from './figure.ts';

export interface PaidToIndividuals {
  readonly part: FigurePart;
  readonly recipientName: string;
  /** How many people the row is for; undefined where it is for the one that it names. */
  readonly recipients: number | undefined;
  readonly noncashCents: bigint;
  readonly valuationMethod?: string | undefined;
  readonly noncashDescription?: string | undefined;
  readonly purpose: string | undefined;
}

export interface IndividualsRow {
  readonly GrantTypeTxt: string;
  readonly RecipientCnt: number;
  readonly CashGrantAmt: Figure;
  readonly NonCashAssistanceAmt: Figure;
  readonly ValuationMethodUsedDesc: string;
  readonly NonCashAssistanceDesc: string;
  /** What is missing, or rests on a guess. */
  readonly remarks: readonly string[];
}

const GROUP = 'GrantsOtherAsstToIndivInUSGrp';

/** Nothing while all of it together stays at or below the amount. */
export function individualsOf(
  grants: readonly PaidToIndividuals[],
  law: GrantsLaw,
): readonly IndividualsRow[] {
  const total = grants.reduce((sum, { part, noncashCents }) => sum + part.cents + noncashCents, 0n);
  if (total <= BigInt(law.form990.scheduleI.individualsAboveCents)) return [];
  const byType = new Map<string, PaidToIndividuals[]>();
  for (const grant of grants) {
    const type = grant.purpose?.trim() ?? '';
    const known = byType.get(type);
    if (known === undefined) byType.set(type, [grant]);
    else known.push(grant);
  }
  return [...byType].map(([type, group]) => rowOf(type, group, law));
}

function rowOf(type: string, group: readonly PaidToIndividuals[], law: GrantsLaw): IndividualsRow {
  const named = group.filter(({ recipients }) => recipients === undefined);
  const names = new Set(named.map(({ recipientName }) => recipientName.trim().toUpperCase()));
  const counted = group.reduce((sum, { recipients }) => sum + (recipients ?? 0), 0);
  const figure = (element: string, parts: readonly FigurePart[]): Figure => {
    const known = law.elements.find('IRS990ScheduleI', `${GROUP}/${element}`);
    const name = `IRS990ScheduleI/${type}/${GROUP}/${element}`;
    return figureOf({ name, line: known?.line ?? '', xpath: known?.xpath }, parts);
  };
  const noncash = group
    .filter(({ noncashCents }) => noncashCents !== 0n)
    .map(({ part, noncashCents }) => ({ ...part, cents: noncashCents, bank: [] }));
  const said = (field: 'valuationMethod' | 'noncashDescription'): string =>
    [...new Set(group.flatMap((grant) => grant[field] ?? []))].join('; ');
  const valuation = noncash.length === 0 ? '' : said('valuationMethod');
  const description = noncash.length === 0 ? '' : said('noncashDescription');
  const remarks = [
    ...(type === '' ? ['GrantTypeTxt: a type of assistance is needed'] : []),
    ...(names.size > 0
      ? [`RecipientCnt: ${names.size} of them counted by name; people of one name count once`]
      : []),
    ...(noncash.length > 0 && (valuation === '' || description === '')
      ? [
          'Part III (e) and (f), ValuationMethodUsedDesc and NonCashAssistanceDesc: to be filled in manually',
        ]
      : []),
  ];
  return {
    GrantTypeTxt: type,
    RecipientCnt: counted + names.size,
    CashGrantAmt: figure(
      'CashGrantAmt',
      group.map(({ part }) => part),
    ),
    NonCashAssistanceAmt: figure('NonCashAssistanceAmt', noncash),
    ValuationMethodUsedDesc: valuation,
    NonCashAssistanceDesc: description,
    remarks,
  };
}
