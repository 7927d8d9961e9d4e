/** The rule that an entity falls under: its own, that of the kind it otherwise is, or one that the case names. */
import { FilewrightError } from '../../../core/index.ts';
import { type CaseInput, choiceField, refuseCase, textField } from './case-fields.ts';
import type { FilingSort } from './filing-sort.ts';
import type { EntityKind, FilingRule } from './filing-rule.ts';
import { initialOf, ruleOfInitial } from './initial-rule.ts';
import type { InitialFiling } from './initial-filing.ts';
import { type EntityRules, ruleById, ruleIdOf } from './read-entity-rules.ts';

export const KINDS = [
  'corporation',
  'llc',
  'lp',
  'llp',
  'nonprofit',
  'pc',
  'pllc',
] as const satisfies readonly EntityKind[];
/** `unqualified`: does business in a state without a certificate of authority. */
const ORIGINS = ['domestic', 'foreign', 'unqualified'] as const;
type CaseOrigin = (typeof ORIGINS)[number];

/** Professional forms follow the ordinary ones where no record says otherwise. */
const OTHERWISE: Partial<Record<EntityKind, EntityKind>> = { pc: 'corporation', pllc: 'llc' };

interface CaseRule {
  readonly rule: FilingRule;
  /** A foreign entity under a rule that was read for domestic ones only, because the case names that rule. */
  readonly byAnalogy: boolean;
  readonly asKind: EntityKind | undefined;
  readonly initial: InitialFiling | undefined;
}

interface Who {
  readonly jurisdiction: string;
  readonly kind: EntityKind;
  readonly origin: CaseOrigin;
}

export function ruleOf(input: CaseInput, rules: EntityRules, filing: FilingSort): CaseRule {
  const initialId = textField(input, 'initial_id');
  if (initialId !== undefined && filing === 'periodic') {
    return refuseCase('initial_id', 'filing to be initial or publication beside it', initialId);
  }
  const named = namedRule(input, rules);
  const who = whoOf(input, rules, named);
  if (filing === 'periodic') return periodicRule(who, rules, named);
  const initial = initialOf(rules, { ...who, otherwise: OTHERWISE[who.kind] }, filing);
  if (initialId !== undefined && initial?.id !== initialId) {
    const expected = initial === undefined ? 'no id: none was read here' : initial.id;
    return refuseCase('initial_id', expected, initialId);
  }
  if (initial === undefined) return periodicRule(who, rules, named);
  // The periodic rule only lends its id; where none is on file, or it is named by analogy, the filing stands alone.
  const periodic = named ?? ownRule(who, rules)?.rule;
  const asKind = initial.entity_kinds.includes(who.kind) ? undefined : who.kind;
  const kind = asKind === undefined ? who.kind : (OTHERWISE[asKind] ?? asKind);
  return { rule: ruleOfInitial(initial, kind, periodic), byAnalogy: false, asKind, initial };
}

function namedRule(input: CaseInput, rules: EntityRules): FilingRule | undefined {
  const named = textField(input, 'rule_id');
  return named === undefined ? undefined : ruleById(rules, named);
}

function whoOf(input: CaseInput, rules: EntityRules, rule: FilingRule | undefined): Who {
  const jurisdiction = textField(input, 'jurisdiction') ?? rule?.jurisdiction;
  if (jurisdiction === undefined || !rules.jurisdictions.has(jurisdiction)) {
    throw new FilewrightError(
      'JURISDICTION_UNRESOLVED',
      `jurisdiction: expected one of the ${rules.jurisdictions.size} jurisdictions, as US-DE, found ${jurisdiction === undefined ? 'nothing' : JSON.stringify(jurisdiction)}`,
    );
  }
  const kind = choiceField(input, 'entity_kind', KINDS) ?? rule?.entity_kind;
  if (kind === undefined) return refuseCase('entity_kind', `one of ${KINDS.join(', ')}`, undefined);
  const origin = choiceField(input, 'origin', ORIGINS) ?? rule?.origin;
  if (origin === undefined) return refuseCase('origin', `one of ${ORIGINS.join(', ')}`, undefined);
  const fits =
    rule === undefined ||
    (rule.jurisdiction === jurisdiction &&
      (rule.entity_kind === kind || rule.entity_kind === OTHERWISE[kind]));
  if (!fits) {
    return refuseCase('rule_id', `the rule of a ${origin} ${kind} in ${jurisdiction}`, rule.id);
  }
  return { jurisdiction, kind, origin };
}

function periodicRule(who: Who, rules: EntityRules, named: FilingRule | undefined): CaseRule {
  const { jurisdiction, kind, origin } = who;
  const own = ownRule(who, rules);
  if (named === undefined) {
    if (own === undefined) throw notRead(who, rules);
    return { ...own, byAnalogy: false, initial: undefined };
  }
  const byAnalogy = own === undefined && named.origin === 'domestic';
  if (!(named === own?.rule || byAnalogy)) {
    return refuseCase('rule_id', `the rule of a ${origin} ${kind} in ${jurisdiction}`, named.id);
  }
  const asKind = named.entity_kind === kind ? undefined : kind;
  return { rule: named, byAnalogy, asKind, initial: undefined };
}

function ownRule(
  { jurisdiction, kind, origin }: Who,
  rules: EntityRules,
): Pick<CaseRule, 'rule' | 'asKind'> | undefined {
  const rule = rules.byId.get(ruleIdOf(jurisdiction, kind, origin));
  if (rule !== undefined) return { rule, asKind: undefined };
  const otherwise = OTHERWISE[kind];
  const other =
    otherwise === undefined ? undefined : rules.byId.get(ruleIdOf(jurisdiction, otherwise, origin));
  return other === undefined ? undefined : { rule: other, asKind: kind };
}

/** The rule that an entity of the register falls under by what it is. */
export function registerRule(
  rules: EntityRules,
  who: { readonly jurisdiction: string; readonly kind: EntityKind; readonly origin: CaseOrigin },
): FilingRule | undefined {
  return ownRule(who, rules)?.rule;
}

/** A foreign entity often files as a domestic one does, but where that was not read a guess would be a default. */
function notRead({ jurisdiction, kind, origin }: Who, rules: EntityRules): FilewrightError {
  const domestic = [kind, OTHERWISE[kind]]
    .flatMap((one) => (one === undefined ? [] : [ruleIdOf(jurisdiction, one, 'domestic')]))
    .find((id) => rules.byId.has(id));
  const remedy =
    origin === 'domestic' || domestic === undefined
      ? 'Look up the duty, and enter the filing yourself with the date on the state’s record'
      : `To use the domestic one on your own judgment, name it as rule_id: "${domestic}", with state_record_due if the record shows a date`;
  const who = `${/^[aeiou]/.test(origin) ? 'an' : 'a'} ${origin} ${kind}`;
  return new FilewrightError(
    'STATE_RECORD_NEEDED',
    `No rule for ${who} in ${jurisdiction} is on file. ${remedy}`,
  );
}
