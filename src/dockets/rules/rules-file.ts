/** What a patent rule file holds. A firm's file of the same form adds rules to the shipped ones or replaces them. */
import {
  type Day,
  type LawNode,
  type MonthArithmetic,
  type NotificationRegime,
  readLawDocument,
} from '../../calendar/index.ts';
import { type EventCode, readEventCode } from './event-codes.ts';
import { type PatentRule, readPatentRule } from './patent-rule.ts';

export interface PatentOffice {
  readonly code: string;
  readonly title: string;
  readonly calendar: string;
  readonly arithmetic: MonthArithmetic;
  readonly monthsCitation: string;
  readonly daysCitation: string;
  readonly rollCitation: string;
  readonly cutoff: string;
  readonly cutoffCitation: string;
  /** What can save a paper that comes late, by the name that a rule gives where it holds for its kind of act. */
  readonly rescues: ReadonlyMap<string, string>;
  /** Only its national limit under the Treaty is known: neither its closings nor its hours. */
  readonly limitsOnly: boolean;
}

export interface PatentRules {
  readonly version: string;
  readonly offices: ReadonlyMap<string, PatentOffice>;
  readonly filingCountries: ReadonlyMap<string, string>;
  readonly eventCodes: readonly EventCode[];
  readonly regimes: ReadonlyMap<string, readonly NotificationRegime[]>;
  readonly rules: ReadonlyMap<string, PatentRule>;
}

const EMPTY: PatentRules = {
  version: '',
  offices: new Map(),
  filingCountries: new Map(),
  eventCodes: [],
  regimes: new Map(),
  rules: new Map(),
};

/** `base` are the rules that the file adds to; what the file names again takes their place. */
export function readPatentRules(
  source: { readonly file: string; readonly text: string },
  base: PatentRules = EMPTY,
): PatentRules {
  const root = readLawDocument({ ...source, fault: 'RULE_FILE_INVALID' });
  root.object(
    ['kind', 'version', 'checked'],
    [
      'notes',
      'offices',
      'other_offices',
      'filing_countries',
      'event_codes',
      'notification_regimes',
      'rules',
    ],
  );
  root.field('kind').oneOf(['patent-rules']);
  root.field('checked').day();
  const version = root.field('version').text();
  const offices = members(root.optional('offices'), base.offices, (node, code) =>
    readOffice(node, code),
  );
  const others = readOthers(root.optional('other_offices'));
  for (const [code, office] of others) if (!offices.has(code)) offices.set(code, office);
  const regimes = members(root.optional('notification_regimes'), base.regimes, readRegimes);
  const known = { officeOf: (node: LawNode) => officeOf(node, offices), regimes };
  const countries = members(root.optional('filing_countries'), base.filingCountries, (node) =>
    officeOf(node, offices),
  );
  for (const [code, { limitsOnly }] of offices) {
    if (limitsOnly && !countries.has(code)) countries.set(code, code);
  }
  const rules = new Map(base.rules);
  const lines = new Map<string, number>();
  for (const node of root.optional('rules')?.items() ?? []) {
    const rule = readPatentRule(node, known);
    const line = lines.get(rule.rule);
    if (line !== undefined) node.field('rule').refuse(`this rule is already given on line ${line}`);
    lines.set(rule.rule, node.field('rule').line);
    rules.set(rule.rule, rule);
  }
  const codes = root.optional('event_codes')?.items() ?? [];
  return {
    version: base.version === '' ? version : `${version}+${base.version}`,
    offices,
    filingCountries: countries,
    // The file's own codes first: the first that fits is taken.
    eventCodes: [
      ...codes.map((node) => readEventCode(node, { officeOf: known.officeOf, rules })),
      ...base.eventCodes,
    ],
    regimes,
    rules,
  };
}

function members<Value>(
  node: LawNode | undefined,
  base: ReadonlyMap<string, Value>,
  read: (node: LawNode, key: string) => Value,
): Map<string, Value> {
  const all = new Map(base);
  for (const key of node?.keys() ?? [])
    if (node !== undefined) all.set(key, read(node.field(key), key));
  return all;
}

function readOffice(node: LawNode, code: string, also: readonly string[] = []): PatentOffice {
  node.object(
    [
      'title',
      'calendar',
      'arithmetic',
      'months_citation',
      'days_citation',
      'roll_citation',
      'cutoff',
      'cutoff_citation',
      ...also,
    ],
    ['rescues'],
  );
  return {
    code,
    title: node.field('title').text(),
    calendar: node.field('calendar').text(),
    arithmetic: node.field('arithmetic').oneOf(['same-number', 'japanese']),
    monthsCitation: node.field('months_citation').text(),
    daysCitation: node.field('days_citation').text(),
    rollCitation: node.field('roll_citation').text(),
    cutoff: node.field('cutoff').text(),
    cutoffCitation: node.field('cutoff_citation').text(),
    rescues: members(node.optional('rescues'), new Map<string, string>(), (one) => one.text()),
    limitsOnly: false,
  };
}

/** Offices that differ in their limits alone: one description, with its codes. */
function readOthers(node: LawNode | undefined): Map<string, PatentOffice> {
  if (node === undefined) return new Map();
  const one = readOffice(node, '', ['codes']);
  return new Map(
    node
      .field('codes')
      .items()
      .map((item) => {
        const code = item.text();
        const title = one.title.replace('{code}', code);
        return [code, { ...one, code, title, limitsOnly: true }];
      }),
  );
}

function readRegimes(node: LawNode): NotificationRegime[] {
  let before: Day | undefined;
  return node.items().map((item) => {
    item.object(
      ['documents_from', 'deemed_after_days', 'citation'],
      ['safeguard_after_days', 'later_delivery_counts', 'served'],
    );
    const documentsFrom = item.field('documents_from').day();
    const served = item.optional('served')?.oneOf(['electronic', 'post']);
    const isSibling = served !== undefined && documentsFrom === before;
    if (before !== undefined && documentsFrom <= before && !isSibling) {
      item.field('documents_from').refuse('expected a day after that of the regime above');
    }
    before = documentsFrom;
    return {
      documentsFrom,
      deemedAfterDays: item.field('deemed_after_days').integer({ min: 0, max: 60 }),
      safeguardAfterDays: item.optional('safeguard_after_days')?.integer({ min: 0, max: 60 }),
      laterDeliveryCounts:
        item.optional('later_delivery_counts')?.boolean() ?? !item.has('safeguard_after_days'),
      served,
      citation: item.field('citation').text(),
    };
  });
}

function officeOf(node: LawNode, offices: ReadonlyMap<string, PatentOffice>): string {
  const code = node.text();
  if (!offices.has(code)) node.refuse(`expected one of ${[...offices.keys()].join(', ')}`);
  return code;
}
