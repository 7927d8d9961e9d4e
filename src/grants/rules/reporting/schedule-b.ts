/** Schedule B: contributors of the year at or above the threshold, with what came as money and what as goods. */
import { wholeDollars } from '../form990-lines.ts';
import type { AcceptedAward } from '../intake/ingest.ts';
import type { GrantsLaw } from '../law.ts';
import { payerName } from '../matching/payer-names.ts';
import { type Figure, figureOf, inDollars } from './figure.ts';
import type { ReceivedMoney } from './received.ts';

/**
 * `general`: a fixed amount. `special`: for an organisation of section 170(b)(1)(A)(vi) that meets the 33 1/3 % support
 * test, the greater of that amount and two percent of its contributions, line 1h of Part VIII.
 */
export type ScheduleBRule =
  | { readonly kind: 'general' }
  | { readonly kind: 'special'; readonly contributionsCents: bigint };

/** Part I, and Part II for what was not money. */
interface Contributor {
  readonly number: number;
  readonly name: string;
  readonly isIndividual: boolean;
  readonly address: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly country: string;
  readonly TotalContributionsAmt: Figure;
  readonly isPerson: boolean;
  readonly isPayroll: boolean;
  readonly isNoncash: boolean;
  readonly noncash: readonly NoncashGift[];
}

interface NoncashGift {
  readonly description: string;
  readonly FairMarketValueAmt: Figure;
  readonly receivedOn: string;
}

export interface ScheduleB {
  readonly contributors: readonly Contributor[];
  readonly thresholdCents: bigint;
  readonly rule: ScheduleBRule['kind'];
  readonly remarks: readonly string[];
}

const SERVICE = 'grantor';

export function scheduleB(
  received: readonly ReceivedMoney[],
  rule: ScheduleBRule,
  law: GrantsLaw,
): ScheduleB {
  const thresholdCents = thresholdOf(rule, law);
  // Money for a service to the one who pays is no contribution.
  const gifts = received.filter(({ award }) => award.payload['benefit'] !== SERVICE);
  const groups = [...byContributor(gifts).values()].filter(
    (group) => totalCents(group) >= thresholdCents,
  );
  groups.sort(
    (one, other) =>
      Number(totalCents(other) - totalCents(one)) || (nameIn(one) < nameIn(other) ? -1 : 1),
  );
  const contributors = groups.map((group, at) => contributorOf(group, at + 1, law));
  return {
    contributors,
    thresholdCents,
    rule: rule.kind,
    remarks: [
      `contributors of ${inDollars(thresholdCents)} or more are listed under the ${rule.kind} rule; names and addresses are not open to public inspection`,
      ...contributors.flatMap(missingIn),
      ...groups.flatMap((group, at) => smallGifts(group, at + 1, law)),
    ],
  };
}

function thresholdOf(rule: ScheduleBRule, { form990 }: GrantsLaw): bigint {
  const { listedFromCents, specialHundredths } = form990.scheduleB;
  const fixed = BigInt(listedFromCents);
  if (rule.kind === 'general') return fixed;
  // Rounded up: an amount below two percent is not listed.
  const share = (rule.contributionsCents * BigInt(specialHundredths) + 9_999n) / 10_000n;
  return share > fixed ? share : fixed;
}

/** One contributor has one EIN; without one, one name at one grantor's number. */
function byContributor(gifts: readonly ReceivedMoney[]): ReadonlyMap<string, ReceivedMoney[]> {
  const einOf = new Map<string, string>();
  for (const { award } of gifts) {
    const ein = said(award, 'grantor_ein');
    if (ein !== '') einOf.set(said(award, 'grantor_id'), ein);
  }
  const groups = new Map<string, ReceivedMoney[]>();
  for (const gift of gifts) {
    const id = said(gift.award, 'grantor_id');
    const ein = said(gift.award, 'grantor_ein') || einOf.get(id);
    const key = ein ?? `${id} ${payerName(said(gift.award, 'grantor_name')).spellings.join(' ')}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [gift]);
    else group.push(gift);
  }
  return groups;
}

function contributorOf(
  group: readonly ReceivedMoney[],
  number: number,
  law: GrantsLaw,
): Contributor {
  const figure = (element: string, parts: readonly ReceivedMoney['part'][], at = ''): Figure => {
    const known = law.elements.find('IRS990ScheduleB', element);
    const name = `IRS990ScheduleB/${number}${at}/${element}`;
    return figureOf({ name, line: known?.line ?? '', xpath: known?.xpath }, parts);
  };
  const goods = group.filter(({ goodsCents }) => goodsCents > 0n);
  const cash = group.reduce((sum, { part, goodsCents }) => sum + part.cents - goodsCents, 0n);
  const isPayroll = group.some(({ award }) => award.payload['payroll'] === true);
  return {
    number,
    name: nameIn(group),
    isIndividual: group.some(({ award }) => award.payload['funder_type'] === 'individual'),
    address: saidBy(group, 'grantor_address'),
    city: saidBy(group, 'grantor_city'),
    state: saidBy(group, 'grantor_state'),
    zip: saidBy(group, 'grantor_zip'),
    country: saidBy(group, 'grantor_country'),
    TotalContributionsAmt: figure(
      'ContributorInformationGrp/TotalContributionsAmt',
      group.map(({ part }) => part),
    ),
    isPerson: cash > 0n && !isPayroll,
    isPayroll,
    isNoncash: goods.length > 0,
    noncash: goods.map(({ part, award, goodsCents, receivedOn }, at) => ({
      description: said(award, 'noncash_description'),
      FairMarketValueAmt: figure(
        'NonCashPropertyContributionGrp/FairMarketValueAmt',
        [{ ...part, cents: goodsCents, matchRule: undefined, bank: [] }],
        `/${at + 1}`,
      ),
      receivedOn,
    })),
  };
}

function missingIn({ number, name, noncash, ...of }: Contributor): readonly string[] {
  const fields = ['address', 'city', 'state', 'zip'] as const;
  const missing =
    of.country === '' || of.country === 'US' ? fields.filter((one) => of[one] === '') : [];
  return [
    ...(missing.length === 0
      ? []
      : [
          `contributor ${number}, ${name}: ${missing.map((one) => `grantor_${one}`).join(', ')} to be filled in`,
        ]),
    ...noncash
      .filter(({ description }) => description === '')
      .map(
        () =>
          `contributor ${number}, ${name}: Part II (b), description of the noncash property, to be filled in`,
      ),
    ...(noncash.length === 0
      ? []
      : [`contributor ${number}, ${name}: confirm the fair market value of the noncash gift`]),
  ];
}

// 26 CFR 1.6033-2(a)(2)(iii)(a): only gifts of 1,000 or more need be added up.
function smallGifts(
  group: readonly ReceivedMoney[],
  number: number,
  { form990 }: GrantsLaw,
): readonly string[] {
  const byAward = new Map<string, bigint>();
  for (const { award, part } of group) {
    const key = award.metadata.idempotency_key;
    byAward.set(key, (byAward.get(key) ?? 0n) + part.cents);
  }
  const limit = BigInt(form990.scheduleB.addedFromCents);
  const isSmall = [...byAward.values()].some((cents) => cents < limit);
  return isSmall
    ? [
        `contributor ${number}: some gifts are below ${inDollars(limit)}; separate gifts below it need not be added up, so it may be left out where the others do not reach the amount`,
      ]
    : [];
}

function totalCents(group: readonly ReceivedMoney[]): bigint {
  return group.reduce((sum, { part }) => sum + part.cents, 0n);
}

function nameIn(group: readonly ReceivedMoney[]): string {
  return saidBy(group, 'grantor_name') || saidBy(group, 'payer') || saidBy(group, 'grantor_id');
}

function saidBy(group: readonly ReceivedMoney[], field: string): string {
  return group.map(({ award }) => said(award, field)).find((value) => value !== '') ?? '';
}

function said({ payload }: AcceptedAward, field: string): string {
  const value = payload[field];
  return typeof value === 'string' ? value : '';
}

/** Part I row by row, each followed by its rows of Part II. */
export function scheduleBRows({ contributors }: ScheduleB) {
  const mark = (is: boolean): string => (is ? 'X' : '');
  return contributors.flatMap((one) => [
    {
      Part: 'I',
      ContributorNum: String(one.number),
      [one.isIndividual ? 'ContributorPersonNm' : 'ContributorBusinessName']: one.name,
      AddressLine1Txt: one.address,
      CityNm: one.city,
      StateAbbreviationCd: one.state,
      ZIPCd: one.zip,
      CountryCd: one.country,
      TotalContributionsAmt: String(one.TotalContributionsAmt.dollars),
      PersonContributionInd: mark(one.isPerson),
      PayrollContributionInd: mark(one.isPayroll),
      NoncashContributionInd: mark(one.isNoncash),
    },
    ...one.noncash.map((gift) => ({
      Part: 'II',
      ContributorNum: String(one.number),
      NoncashPropertyDesc: gift.description,
      FairMarketValueAmt: String(wholeDollars(gift.FairMarketValueAmt.cents)),
      ReceivedDt: gift.receivedOn,
    })),
  ]);
}
