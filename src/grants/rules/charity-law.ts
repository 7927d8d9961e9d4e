/** law/rules/grants/charity-registration.json as values. */
import { type Day, type LawNode, type NamedText, readLawDocument } from '../../calendar/index.ts';
import {
  dollarsOf,
  FACT_STANDINGS,
  type FactStanding,
  HEAD_KEYS,
  headOf,
  type LawHead,
  textsOf,
} from './facts.ts';

const GENERAL_REGISTRATION = [
  'yes',
  'no',
  'veteransOnly',
  'onlyWithProfessionalSolicitor',
  'yesExcept501c3',
  'limited',
  'repealed',
] as const;

const COMPARISONS = ['<', '<=', '>', '>='] as const;

/** An amount counts only under the name of its measure. */
export interface Condition {
  readonly op: (typeof COMPARISONS)[number];
  readonly amount: number;
  readonly measure: string;
}

interface Exemption extends Condition {
  readonly volunteersOnly: boolean;
  readonly noPaidSolicitor: boolean;
  /** Any so many months count, also over the end of a fiscal year; undefined where the money of a year does. */
  readonly anyMonths: number | undefined;
  /** Days in which to register once the exemption is lost; undefined where no number was read. */
  readonly registerWithinDays: number | undefined;
  readonly note: string | undefined;
}

export type RenewalRule =
  | { readonly kind: 'dayOfNthMonthAfterFYE'; readonly n: number; readonly day: number }
  | {
      readonly kind: 'endOfNthMonthAfterFYE';
      readonly n: number;
      readonly submitDaysBefore: number | undefined;
    }
  | { readonly kind: 'daysAfterFYE'; readonly n: number }
  | { readonly kind: 'fixedDate'; readonly month: number; readonly day: number }
  | { readonly kind: 'anniversaryOfRegistration'; readonly months: number }
  | { readonly kind: 'businessDaysAfterIrsFiling'; readonly n: number }
  | { readonly kind: 'sameDayAsIrsFiling' }
  | { readonly kind: 'expirationOnCertificate' };

type Renewal =
  | RenewalRule
  | { readonly kind: 'byRegistrationType'; readonly types: ReadonlyMap<string, RenewalRule> }
  /** Those that file a Form 990, 990-EZ or 990-PF, and all others. */
  | { readonly kind: 'byForm'; readonly irsFiler: RenewalRule; readonly others: RenewalRule };

interface StatementTier {
  readonly level: string;
  /** Undefined: only when the state asks. */
  readonly condition: Condition | undefined;
  readonly alsoRequires: Condition | undefined;
  readonly excludes: readonly string[];
}

export interface CharityState {
  readonly state: string;
  readonly name: string;
  readonly generalRegistration: (typeof GENERAL_REGISTRATION)[number];
  readonly exemption: Exemption | undefined;
  readonly renewal: Renewal | undefined;
  readonly renewalRoll: { readonly calendar: string; readonly source: string } | undefined;
  readonly registrationExpires: RenewalRule | undefined;
  readonly tiers: readonly StatementTier[];
  /** The tiers hold from this day; `financialBefore` says what held earlier, for people. */
  readonly financialFrom: Day | undefined;
  readonly financialBefore: string | undefined;
  readonly standing: Readonly<Record<'registration' | 'renewal' | 'financial', FactStanding>>;
  readonly source: string;
  /** What an extension by the IRS does to the renewal; undefined where nothing was read. */
  readonly extension: string | undefined;
  readonly notes: string | undefined;
}

export interface CharityLaw extends LawHead {
  readonly states: ReadonlyMap<string, CharityState>;
}

export function readCharityLaw({ file, text }: NamedText): CharityLaw {
  const root = readLawDocument({ file, text, fault: 'RULE_FILE_INVALID' }).object(
    [...HEAD_KEYS, 'states'],
    ['notes'],
  );
  const states = new Map<string, CharityState>();
  for (const node of root.field('states').items()) {
    const state = stateOf(node);
    if (states.has(state.state)) node.field('state').refuse('this state is already listed above');
    states.set(state.state, state);
  }
  return { ...headOf(root), states };
}

function stateOf(node: LawNode): CharityState {
  node.object(
    ['state', 'name', 'generalRegistration', 'financialStatementTiers', 'confidence', 'sources'],
    [
      'agency',
      'forms',
      'exemption',
      'renewal',
      'renewalRoll',
      'registrationExpires',
      'financialFrom',
      'financialBefore',
      'extension',
      'notes',
    ],
  );
  const state = node.field('state');
  if (!/^[A-Z]{2}$/.test(state.text())) state.refuse('expected two capital letters');
  const name = node.field('name').text();
  const exemption = node.optional('exemption');
  const renewal = node.optional('renewal');
  const expires = node.optional('registrationExpires');
  const roll = node.optional('renewalRoll')?.object(['calendar', 'source']);
  const standing = node.field('confidence').object(['registration', 'renewal', 'financial']);
  const standingOf = (part: string): FactStanding => standing.field(part).oneOf(FACT_STANDINGS);
  for (const told of ['agency', 'forms']) node.optional(told)?.text();
  const sources = textsOf(node.field('sources'));
  return {
    state: state.text(),
    name,
    generalRegistration: node.field('generalRegistration').oneOf(GENERAL_REGISTRATION),
    exemption: exemption === undefined ? undefined : exemptionOf(exemption),
    renewal: renewal === undefined ? undefined : renewalOf(renewal),
    renewalRoll:
      roll === undefined
        ? undefined
        : { calendar: roll.field('calendar').text(), source: roll.field('source').text() },
    registrationExpires: expires === undefined ? undefined : renewalRuleOf(expires),
    tiers: node.field('financialStatementTiers').items().map(tierOf),
    financialFrom: node.optional('financialFrom')?.day(),
    financialBefore: node.optional('financialBefore')?.text(),
    standing: {
      registration: standingOf('registration'),
      renewal: standingOf('renewal'),
      financial: standingOf('financial'),
    },
    source: sources.length > 0 ? sources.join('; ') : `${name}: no source read`,
    extension: node.optional('extension')?.text(),
    notes: node.optional('notes')?.text(),
  };
}

const CONDITION_KEYS = ['op', 'amount', 'measure'] as const;

function conditionOf(node: LawNode): Condition {
  return {
    op: node.field('op').oneOf(COMPARISONS),
    amount: dollarsOf(node.field('amount')),
    measure: node.field('measure').text(),
  };
}

function exemptionOf(node: LawNode): Exemption {
  node.object(
    [...CONDITION_KEYS, 'volunteersOnly', 'noPaidSolicitor'],
    ['anyMonths', 'registerWithinDaysOfExceeding', 'note'],
  );
  return {
    ...conditionOf(node),
    volunteersOnly: node.field('volunteersOnly').boolean(),
    noPaidSolicitor: node.field('noPaidSolicitor').boolean(),
    anyMonths: node.optional('anyMonths')?.integer({ min: 1, max: 12 }),
    registerWithinDays: node
      .optional('registerWithinDaysOfExceeding')
      ?.integer({ min: 0, max: 366 }),
    note: node.optional('note')?.text(),
  };
}

function tierOf(node: LawNode): StatementTier {
  node.object(['level', 'op'], ['amount', 'measure', 'alsoRequires', 'excludes', 'form']);
  node.optional('form')?.text();
  const also = node.optional('alsoRequires');
  return {
    level: node.field('level').text(),
    condition: node.field('op').value === 'onRequest' ? undefined : conditionOf(node),
    alsoRequires: also === undefined ? undefined : conditionOf(also.object(CONDITION_KEYS)),
    excludes: textsOf(node.optional('excludes')),
  };
}

function renewalOf(node: LawNode): Renewal {
  if (node.field('kind').value === 'byForm') {
    node.object(['kind', 'irsFiler', 'others']);
    return {
      kind: 'byForm',
      irsFiler: renewalRuleOf(node.field('irsFiler')),
      others: renewalRuleOf(node.field('others')),
    };
  }
  if (node.field('kind').value !== 'byRegistrationType') return renewalRuleOf(node);
  const types = node.object(['kind', 'types']).field('types');
  return {
    kind: 'byRegistrationType',
    types: new Map(types.keys().map((type) => [type, renewalRuleOf(types.field(type))])),
  };
}

function renewalRuleOf(node: LawNode): RenewalRule {
  const kind = node
    .field('kind')
    .oneOf([
      'dayOfNthMonthAfterFYE',
      'endOfNthMonthAfterFYE',
      'daysAfterFYE',
      'fixedDate',
      'anniversaryOfRegistration',
      'businessDaysAfterIrsFiling',
      'sameDayAsIrsFiling',
      'expirationOnCertificate',
    ]);
  const whole = (name: string, max: number): number => node.field(name).integer({ min: 1, max });
  switch (kind) {
    case 'dayOfNthMonthAfterFYE':
      node.object(['kind', 'n', 'day']);
      return { kind, n: whole('n', 24), day: whole('day', 31) };
    case 'endOfNthMonthAfterFYE':
      node.object(['kind', 'n'], ['submitDaysBefore']);
      return {
        kind,
        n: whole('n', 24),
        submitDaysBefore: node.optional('submitDaysBefore')?.integer({ min: 1, max: 366 }),
      };
    case 'daysAfterFYE':
      node.object(['kind', 'n']);
      return { kind, n: whole('n', 732) };
    case 'fixedDate':
      node.object(['kind', 'month', 'day']);
      return { kind, month: whole('month', 12), day: whole('day', 31) };
    case 'anniversaryOfRegistration':
      node.object(['kind', 'months']);
      return { kind, months: whole('months', 120) };
    case 'businessDaysAfterIrsFiling':
      node.object(['kind', 'n']);
      return { kind, n: whole('n', 366) };
    case 'sameDayAsIrsFiling':
    case 'expirationOnCertificate':
      node.object(['kind']);
      return { kind };
  }
}
