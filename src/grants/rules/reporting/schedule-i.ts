/** Schedule I Part II: one row for each recipient of more than the listed amount, in words that the schema takes. */
import { wholeDollars } from '../form990-lines.ts';
import type { GrantsLaw } from '../law.ts';
import { eachOnce, type Figure, figureOf, type FigurePart } from './figure.ts';

export interface GrantPaidOut {
  readonly part: FigurePart;
  readonly recipientName: string;
  readonly recipientEin: string | undefined;
  readonly ircSection: string | undefined;
  readonly city: string | undefined;
  readonly state: string | undefined;
  readonly zip: string | undefined;
  readonly noncashCents: bigint;
  /** How what was not cash was valued: book, FMV, appraisal or another. */
  readonly valuationMethod?: string | undefined;
  readonly noncashDescription?: string | undefined;
  readonly address?: string | undefined;
  readonly purpose: string | undefined;
}

interface ScheduleIRow {
  readonly RecipientBusinessName: string;
  readonly RecipientEIN: string | undefined;
  readonly IRCSectionDesc: string | undefined;
  readonly ValuationMethodUsedDesc: string | undefined;
  readonly NonCashAssistanceDesc: string | undefined;
  readonly address: string | undefined;
  readonly city: string | undefined;
  readonly state: string | undefined;
  readonly zip: string | undefined;
  readonly PurposeOfGrantTxt: string | undefined;
  readonly CashGrantAmt: Figure;
  readonly NonCashAssistanceAmt: Figure;
  /** Texts that had to be changed to fit the schema, with what they were; and what is missing. */
  readonly remarks: readonly string[];
}

export interface ScheduleI {
  readonly rows: readonly ScheduleIRow[];
  /** Part II lines 2 and 3. */
  readonly Total501c3OrgCnt: number;
  readonly TotalOtherOrgCnt: number;
  /** Recipients at or below the amount: in the total of Part IX, not listed. */
  readonly unlisted: number;
  /** About all rows together, to be kept with the return. */
  readonly remarks: readonly string[];
}

// efileTypes.xsd: limits of BusinessNameLine1Type, ShortDescriptionType and ShortExplanationType.
const NAME_MAX = 75;
const SECTION_MAX = 20;
const PURPOSE_MAX = 1_000;
const LINE_MAX = 100;

export function scheduleI(grants: readonly GrantPaidOut[], law: GrantsLaw): ScheduleI {
  const groups = byRecipient(grants);
  const limit = BigInt(law.form990.scheduleI.listedAboveCents);
  const listed = groups.filter((group) => totalCents(group) > limit);
  const labels = eachOnce(listed.map((group) => einOf(group) ?? fitName(nameOf(group) ?? '')));
  const rows = listed.map((group, at) => rowOf(group, labels[at] ?? '', law));
  const count = rows.filter(isCharityOrGovernment).length;
  return {
    rows,
    Total501c3OrgCnt: count,
    TotalOtherOrgCnt: rows.length - count,
    unlisted: groups.length - listed.length,
    remarks: footingRemarks(rows, grants),
  };
}

/** Filers write 501(C)(3), 501( C ) 3 and 501c3; a government is named as one, or by the section that speaks of it. */
function isCharityOrGovernment({ IRCSectionDesc = '' }: ScheduleIRow): boolean {
  return /501C3(?!\d)|^170C1|GOV|^(SEC|SECTION|IRC)?115(?!\d)/.test(
    IRCSectionDesc.toUpperCase().replaceAll(/[\s().-]/g, ''),
  );
}

/** In order of first appearance. Two rows of one recipient must not slip below the amount because one has no EIN. */
function byRecipient(grants: readonly GrantPaidOut[]): readonly GrantPaidOut[][] {
  const einsAt = new Map<string, Set<string>>();
  for (const grant of grants) {
    // Without a name nothing points anywhere.
    if (grant.recipientEin === undefined || grant.recipientName.trim() === '') continue;
    const place = placeOf(grant);
    einsAt.set(place, (einsAt.get(place) ?? new Set()).add(grant.recipientEin));
  }
  const groups = new Map<string, GrantPaidOut[]>();
  for (const grant of grants) {
    const [ein, other] = [...(einsAt.get(placeOf(grant)) ?? [])];
    // By name and place only where they point to one recipient.
    const known = grant.recipientEin ?? (other === undefined ? ein : undefined);
    const key = known ?? placeOf(grant);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [grant]);
    else group.push(grant);
  }
  return [...groups.values()];
}

function placeOf({ recipientName, city, state }: GrantPaidOut): string {
  return JSON.stringify([recipientName, city, state].map((word) => (word ?? '').toUpperCase()));
}

// Not every row of a recipient says everything.
function einOf(group: readonly GrantPaidOut[]): string | undefined {
  return group.find(({ recipientEin }) => recipientEin !== undefined)?.recipientEin;
}

function nameOf(group: readonly GrantPaidOut[]): string | undefined {
  return group.find(({ recipientName }) => recipientName.trim() !== '')?.recipientName;
}

/** Each row is rounded by itself, line 1 of Part IX once: dollars of rounding may make the rows more than their line. */
function footingRemarks(
  rows: readonly ScheduleIRow[],
  grants: readonly GrantPaidOut[],
): readonly string[] {
  const listed = rows.reduce(
    (sum, row) => sum + row.CashGrantAmt.dollars + row.NonCashAssistanceAmt.dollars,
    0n,
  );
  const line = wholeDollars(totalCents(grants));
  return listed > line
    ? [
        `the rows add up to ${listed - line} dollars more than line 1 of Part IX, ${line}: each is rounded by itself`,
      ]
    : [];
}

function totalCents(group: readonly GrantPaidOut[]): bigint {
  return group.reduce((sum, { part, noncashCents }) => sum + part.cents + noncashCents, 0n);
}

function rowOf(group: readonly GrantPaidOut[], label: string, law: GrantsLaw): ScheduleIRow {
  const ein = einOf(group);
  const remarks: string[] = [];
  const fit = (field: string, text: string | undefined, fitted: string | undefined): void => {
    if (text !== undefined && fitted !== text) {
      remarks.push(
        `${field}: ${JSON.stringify(text)} was written as ${JSON.stringify(fitted ?? '')}`,
      );
    }
  };
  const givenName = nameOf(group);
  const businessName = fitName(givenName ?? '');
  fit('RecipientBusinessName', givenName, businessName);
  if (businessName === '') remarks.push('RecipientBusinessName: a name is needed');
  const givenSection = group.find(({ ircSection }) => ircSection !== undefined)?.ircSection;
  const section = givenSection?.trim().slice(0, SECTION_MAX);
  fit('IRCSectionDesc', givenSection, section);
  const purposes = [...new Set(group.flatMap(({ purpose }) => purpose ?? []))].join('; ');
  const purpose = purposes === '' ? undefined : purposes.slice(0, PURPOSE_MAX);
  fit('PurposeOfGrantTxt', purposes === '' ? undefined : purposes, purpose);
  if (ein === undefined) remarks.push(`RecipientEIN: look up the EIN of ${label}`);
  else if (group.some(({ recipientEin }) => recipientEin === undefined)) {
    remarks.push(`RecipientEIN: a row without it was added to ${ein} by its name and place`);
  }
  if (section === undefined) {
    remarks.push(
      `IRCSectionDesc: none was given for ${label}; it is counted with other organizations`,
    );
  }
  const name = (element: string): Pick<Figure, 'name' | 'line' | 'xpath'> => {
    const known = law.elements.find('IRS990ScheduleI', element);
    return {
      name: `IRS990ScheduleI/${label}/${element}`,
      line: known?.line ?? '',
      xpath: known?.xpath,
    };
  };
  const noncash = group
    .filter(({ noncashCents }) => noncashCents !== 0n)
    .map(({ part, noncashCents }) => ({ ...part, cents: noncashCents, bank: [] }));
  const valuation = allOf(group, 'valuationMethod');
  const description = allOf(group, 'noncashDescription');
  const unsaid = [
    ...(valuation === undefined ? ['(f) ValuationMethodUsedDesc'] : []),
    ...(description === undefined ? ['(g) NonCashAssistanceDesc'] : []),
  ];
  if (noncash.length > 0 && unsaid.length > 0) {
    remarks.push(`Part II ${unsaid.join(' and ')} of ${label}: to be filled in manually`);
  }
  return {
    RecipientBusinessName: businessName,
    RecipientEIN: ein,
    IRCSectionDesc: section,
    ValuationMethodUsedDesc: noncash.length === 0 ? undefined : valuation,
    NonCashAssistanceDesc: noncash.length === 0 ? undefined : description,
    ...addressOf(group, label, remarks),
    PurposeOfGrantTxt: purpose,
    CashGrantAmt: figureOf(
      name('CashGrantAmt'),
      group.map(({ part }) => part),
    ),
    NonCashAssistanceAmt: figureOf(name('NonCashAssistanceAmt'), noncash),
    remarks,
  };
}

function addressOf(
  group: readonly GrantPaidOut[],
  label: string,
  remarks: string[],
): Pick<ScheduleIRow, 'address' | 'city' | 'state' | 'zip'> {
  const saidOf = (field: 'address' | 'city' | 'state' | 'zip'): string | undefined =>
    group.find((grant) => grant[field] !== undefined)?.[field];
  const place = {
    address: saidOf('address'),
    city: saidOf('city'),
    state: saidOf('state'),
    zip: saidOf('zip'),
  };
  const lacking = Object.entries(place).flatMap(([name, value]) =>
    value === undefined ? [name] : [],
  );
  if (lacking.length > 0) {
    remarks.push(`USAddress of ${label}: ${lacking.join(', ')} to be filled in`);
  }
  return place;
}

/** Everything that the rows of a recipient say of it, each once, as long as the schema lets it be. */
function allOf(
  group: readonly GrantPaidOut[],
  field: 'valuationMethod' | 'noncashDescription',
): string | undefined {
  const words = [...new Set(group.flatMap((grant) => grant[field] ?? []))].join('; ');
  return words === '' ? undefined : words.slice(0, LINE_MAX);
}

/** Letters, digits, # - ( ) & apostrophe and single spaces; accents lose their mark rather than their letter. */
function fitName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9#\-()&' ]/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
    .slice(0, NAME_MAX)
    .trim();
}
