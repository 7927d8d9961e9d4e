/** What the offices' event codes mean for a date: which rule follows, from which day, or what a person must do. */
import type { LawNode } from '../../calendar/index.ts';
import { type RuleStanding, STANDINGS } from './patent-rule.ts';

export interface EventCode {
  readonly code: string;
  /** Whether `code` is only how the codes of this family begin. */
  readonly prefix: boolean;
  readonly office: string;
  readonly rule: string | undefined;
  /** Further periods that the same event starts. */
  readonly also: readonly string[];
  /**
   * `document`: the event bears the date of a register entry, and the period runs from the date on the document; so no
   * date follows from the event alone.
   */
  readonly dated: 'event' | 'document';
  readonly title: string;
  /** For a person: what the event asks for, or why no period follows. */
  readonly says: string | undefined;
  /** `unknown`: the code was seen and its meaning was not found. */
  readonly standing: RuleStanding | 'unknown';
  /** Usual, but printed in the action: named in the refusal, never used. */
  readonly usualPeriod: string | undefined;
}

export function readEventCode(
  node: LawNode,
  known: {
    readonly officeOf: (node: LawNode) => string;
    readonly rules: ReadonlyMap<string, unknown>;
  },
): EventCode {
  node.object(
    ['office', 'title'],
    ['code', 'code_prefix', 'rule', 'also', 'dated', 'says', 'standing', 'usual_period'],
  );
  if (node.has('code') === node.has('code_prefix')) {
    node.refuse('expected exactly one of code, code_prefix');
  }
  const ruleOf = (rule: LawNode): string => {
    if (!known.rules.has(rule.text())) rule.refuse(`no rule "${rule.text()}" is known`);
    return rule.text();
  };
  const rule = node.optional('rule');
  return {
    code: (node.optional('code') ?? node.field('code_prefix')).text(),
    prefix: node.has('code_prefix'),
    office: known.officeOf(node.field('office')),
    rule: rule === undefined ? undefined : ruleOf(rule),
    also: node.optional('also')?.items().map(ruleOf) ?? [],
    dated: node.optional('dated')?.oneOf(['event', 'document']) ?? 'event',
    title: node.field('title').text(),
    says: node.optional('says')?.text(),
    // A firm knows its own codes.
    standing: node.optional('standing')?.oneOf([...STANDINGS, 'unknown']) ?? 'read',
    usualPeriod: node.optional('usual_period')?.text(),
  };
}

/** The first that fits: a firm's own codes stand before the shipped ones. */
export function eventOf(code: string, codes: readonly EventCode[]): EventCode | undefined {
  return codes.find((event) => (event.prefix ? code.startsWith(event.code) : code === event.code));
}
