/** Reads law/rules/entity.json; a fault is told by file, line and field, and nothing of a faulty file is used. */
import { Value } from 'typebox/value';
import {
  type LawNode,
  type NamedText,
  parseDay,
  readLawDocument,
} from '../../../calendar/index.ts';
import { FilewrightError } from '../../../core/index.ts';
import {
  type EntityRulesFile,
  EntityRulesSchema,
  type FilingRule,
  type PortalRule,
} from './filing-rule.ts';
import type { InitialFiling } from './initial-filing.ts';

export interface EntityRules {
  readonly version: string;
  readonly checked: string;
  readonly businessDayCalendar: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly byId: ReadonlyMap<string, FilingRule>;
  readonly jurisdictions: ReadonlySet<string>;
  readonly initialFilings: readonly InitialFiling[];
  readonly portals: Readonly<Record<string, PortalRule>>;
}

export function readEntityRules(source: NamedText): EntityRules {
  const root = readLawDocument({ ...source, fault: 'RULE_FILE_INVALID' });
  const value: unknown = root.value;
  if (!Value.Check(EntityRulesSchema, value)) refuseShape(root, value);
  refuseContradictions(root, value);
  return {
    version: value.version,
    checked: value.checked,
    businessDayCalendar: value.business_days.calendar,
    sources: value.sources,
    byId: new Map(value.filings.map((rule) => [rule.id, rule])),
    jurisdictions: new Set(value.filings.map((rule) => rule.jurisdiction)),
    initialFilings: value.initial_filings,
    portals: value.portals,
  };
}

/** The deepest place that TypeBox names is the one a person has to look at. */
function refuseShape(root: LawNode, value: unknown): never {
  const faults = Value.Errors(EntityRulesSchema, value);
  const deepest = faults.reduce<(typeof faults)[number] | undefined>(
    (best, one) =>
      best === undefined || depth(one.instancePath) > depth(best.instancePath) ? one : best,
    undefined,
  );
  if (deepest === undefined) root.refuse('this is not an entity rule file');
  const node = nodeAt(root, deepest.instancePath);
  return node.refuse(faultWords(deepest, node));
}

/** TypeBox speaks of keywords; the person who wrote the file thinks of keys and values. */
function faultWords(
  fault: { readonly keyword: string; readonly message: string },
  node: LawNode,
): string {
  const found = typeof node.value === 'object' ? '' : `, found ${JSON.stringify(node.value)}`;
  switch (fault.keyword) {
    case 'boolean':
    case 'additionalProperties':
      return 'unknown key';
    case 'const':
    case 'enum':
      return `this value is not allowed here${found}`;
    default:
      return `${fault.message}${found}`;
  }
}

function depth(pointer: string): number {
  return pointer.split('/').length;
}

function nodeAt(root: LawNode, pointer: string): LawNode {
  let node = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = Array.isArray(node.value) ? node.items()[Number(name)] : node.optional(name);
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

/** What the form alone cannot say. */
function refuseContradictions(root: LawNode, file: EntityRulesFile): void {
  const seen = new Set<string>();
  const nodes = root.field('filings').items();
  for (const [index, rule] of file.filings.entries()) {
    const node = nodes[index] ?? root;
    const composed = ruleIdOf(rule.jurisdiction, rule.entity_kind, rule.origin);
    if (rule.id !== composed) node.field('id').refuse(`expected "${composed}"`);
    if (seen.has(rule.id)) node.field('id').refuse('this id occurs twice');
    seen.add(rule.id);
    const hasDates = !['none', 'unknown', 'on_notice'].includes(rule.due_rule.type);
    if (hasDates && (rule.first_due === null || rule.cadence.every_years === 0)) {
      node.field('due_rule').refuse('a rule with due dates needs first_due and a cadence');
    }
    for (const field of ['formed_from', 'valid_from'] as const) {
      const day = rule[field];
      if (day !== undefined && parseDay(day) === undefined) {
        node.field(field).refuse('expected a valid date');
      }
    }
    refuseUnknownChoice(node, rule);
    refuseUnknownSources(node, rule, file);
  }
  refuseTwoFirsts(root, file);
}

/** The values that stand in for a choice that was not given must be among those that can be chosen. */
function refuseUnknownChoice(node: LawNode, rule: FilingRule): void {
  if (rule.choice === undefined) return;
  const { values, absent } = rule.choice;
  for (const field of ['use', 'conservative'] as const) {
    const value = values[absent[field]];
    if (value !== undefined && value.type !== 'owner_return') continue;
    node.field('choice').field('absent').field(field).refuse('expected a choice that has a date');
  }
}

function refuseUnknownSources(
  node: LawNode,
  { sources }: { readonly sources: readonly string[] },
  file: EntityRulesFile,
): void {
  for (const source of sources) {
    if (file.sources[source] === undefined) {
      node.field('sources').refuse(`the source "${source}" is not in the list of sources`);
    }
  }
}

/** Two filings of one sort for one entity would make the answer depend on their order. */
function refuseTwoFirsts(root: LawNode, file: EntityRulesFile): void {
  const seen = new Set<string>();
  const ids = new Set<string>();
  const nodes = root.field('initial_filings').items();
  for (const [index, one] of file.initial_filings.entries()) {
    const node = nodes[index] ?? root;
    if (ids.has(one.id)) node.field('id').refuse('this id occurs twice');
    ids.add(one.id);
    if (!one.id.startsWith(one.jurisdiction)) node.field('id').refuse('names another jurisdiction');
    for (const kind of one.entity_kinds) {
      for (const origin of one.origins) {
        const key = [one.jurisdiction, kind, origin, one.sort].join(' ');
        if (seen.has(key)) node.refuse(`a second ${one.sort} filing of a ${origin} ${kind}`);
        seen.add(key);
      }
    }
    refuseUnknownSources(node, one, file);
  }
}

export function ruleIdOf(jurisdiction: string, kind: string, origin: string): string {
  return `${jurisdiction}.${kind}.${origin}`;
}

export function ruleById(rules: EntityRules, id: string): FilingRule {
  const rule = rules.byId.get(id);
  if (rule !== undefined) return rule;
  throw new FilewrightError(
    'RULE_UNKNOWN',
    `rule_id: "${id}" is not among the ${rules.byId.size} entity rules of version ${rules.version}`,
  );
}
