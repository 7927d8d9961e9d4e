/** Which dates would move if one law took the place of another. Earlier ones come first: those are the dangerous ones. */
import { type Day, formatDay } from '../../calendar/index.ts';
import { FilewrightError } from '../../core/index.ts';
import { readPatentCase } from './case.ts';
import { computeDeadline, type PatentDeadline } from './compute.ts';
import type { PatentLaw } from './matter.ts';
import type { PatentRules } from './rules-file.ts';

export interface RuleChange {
  readonly rule: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Names of what differs. */
  readonly fields: readonly string[];
}

export function compareRules(before: PatentRules, after: PatentRules): RuleChange[] {
  const codes = [...new Set([...before.rules.keys(), ...after.rules.keys()])].sort();
  return codes.flatMap((rule): RuleChange[] => {
    const [was, now] = [before.rules.get(rule), after.rules.get(rule)];
    if (was === undefined) return [{ rule, change: 'added', fields: [] }];
    if (now === undefined) return [{ rule, change: 'removed', fields: [] }];
    const fields = Object.entries(now)
      .filter(([name, value]) => {
        const old = Object.entries(was).find(([other]) => other === name)?.[1];
        return JSON.stringify(value) !== JSON.stringify(old);
      })
      .map(([name]) => name);
    return fields.length === 0 ? [] : [{ rule, change: 'changed', fields }];
  });
}

export interface DateMove {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface MovedCase {
  readonly kind: 'moved';
  readonly id: string;
  readonly rule: string;
  /** A date that was shown to somebody would come earlier: a person must be told. */
  readonly earlier: boolean;
  readonly raw: DateMove;
  readonly due: DateMove;
  readonly final: DateMove;
  readonly why: readonly string[];
}

export type CaseComparison =
  | MovedCase
  | { readonly kind: 'unchanged'; readonly id: string }
  /** One of the laws cannot answer; the message says which and why. */
  | { readonly kind: 'unanswered'; readonly id: string; readonly message: string };

export function compareCase(
  id: string,
  input: Readonly<Record<string, unknown>>,
  laws: { readonly before: PatentLaw; readonly after: PatentLaw },
): CaseComparison {
  const was = answered(input, laws.before);
  const now = answered(input, laws.after);
  if (typeof was === 'string') return { kind: 'unanswered', id, message: `old law: ${was}` };
  if (typeof now === 'string') return { kind: 'unanswered', id, message: `new law: ${now}` };
  const pairs = [
    [was.raw, now.raw],
    [was.due, now.due],
    [was.final?.day, now.final?.day],
  ] as const;
  if (pairs.every(([a, b]) => a === b)) return { kind: 'unchanged', id };
  return {
    kind: 'moved',
    id,
    rule: now.matter.rule.rule,
    earlier: pairs.some(([a, b]) => a !== undefined && b !== undefined && b < a),
    raw: move(was.raw, now.raw),
    due: move(was.due, now.due),
    final: move(was.final?.day, now.final?.day),
    why: reasons(was, now),
  };
}

function answered(
  input: Readonly<Record<string, unknown>>,
  law: PatentLaw,
): PatentDeadline | string {
  try {
    return computeDeadline(readPatentCase(input), law, { explain: false });
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

function move(from: Day | undefined, to: Day | undefined): DateMove {
  const text = (day: Day | undefined): string | undefined =>
    day === undefined ? undefined : formatDay(day);
  return { from: text(from), to: text(to) };
}

function reasons(was: PatentDeadline, now: PatentDeadline): string[] {
  const closedBefore = new Set(was.skipped.map((closed) => closed.day));
  const closedNow = new Set(now.skipped.map((closed) => closed.day));
  const found = [
    ...now.skipped
      .filter((closed) => !closedBefore.has(closed.day))
      .map(
        (closed) => `${formatDay(closed.day)} is closed now: ${closed.reason} (${closed.source})`,
      ),
    ...was.skipped
      .filter((closed) => !closedNow.has(closed.day))
      .map(
        (closed) => `${formatDay(closed.day)} no longer counts as closed: it was ${closed.reason}`,
      ),
  ];
  if (JSON.stringify(was.matter.rule) !== JSON.stringify(now.matter.rule)) {
    found.push(`rule ${now.matter.rule.rule} changed`);
  }
  if (found.length === 0) found.push('an exceptional relief, an office or a regime changed');
  return found;
}

/** Earlier ones first, then by the new due date, then by name. */
export function byDanger(a: MovedCase, b: MovedCase): number {
  if (a.earlier !== b.earlier) return a.earlier ? -1 : 1;
  const [dueA, dueB] = [a.due.to ?? '', b.due.to ?? ''];
  if (dueA !== dueB) return dueA < dueB ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
