/** A deadline as machines and people get it. */
import { type DateGrade, type Day, endOfDay, formatDay, type Step } from '../../calendar/index.ts';
import { toRfc3339 } from '../../core/index.ts';
import { KNOWN, type PatentDeadline } from './compute.ts';
import type { RuleStanding } from './patent-rule.ts';
import { sayDay } from './words.ts';

interface DeadlineAnswer {
  readonly raw: string;
  /** Absent where there is no day by which somebody must act: then `as_of` is there. */
  readonly due?: string;
  /** As of this day a right is lost, a term has ended or a window is open. */
  readonly as_of?: string;
  readonly as_of_means?: 'loss' | 'state';
  readonly final?: string;
  readonly final_condition?: string;
  readonly projected_due?: string;
  readonly steps?: readonly AnswerStep[];
  /** The first instant that is too late, and by whose clock. */
  readonly cutoff?: string;
  readonly cutoff_zone?: string;
  readonly cutoff_rule?: string;
  readonly cutoff_citation?: string;
  readonly rescue?: string;
  readonly note?: string;
  readonly confidence: DateGrade;
  readonly confidence_reasons?: readonly string[];
  readonly rule: string;
  readonly title: string;
  readonly citation: string;
  /** How the rule is known. */
  readonly standing: RuleStanding;
  readonly office: string;
  readonly office_title: string;
  readonly rule_version: string;
  readonly calendar_version: string;
  readonly closed_days?: readonly AnswerClosedDay[];
  readonly warnings?: readonly string[];
}

interface AnswerStep {
  readonly n: number;
  readonly text: string;
  readonly citation?: string;
  readonly date: string;
}

interface AnswerClosedDay {
  readonly date: string;
  readonly reason: string;
  readonly source: string;
  /** Absent where a notice or a statute was read. */
  readonly standing?: string;
}

export function deadlineAnswer(deadline: PatentDeadline, ruleVersion: string): DeadlineAnswer {
  const { matter, steps } = deadline;
  const { rule, office } = matter;
  return {
    raw: formatDay(deadline.raw),
    ...(rule.asOf === undefined
      ? { due: formatDay(deadline.due) }
      : { as_of: formatDay(deadline.due), as_of_means: rule.asOf }),
    ...(deadline.final === undefined
      ? {}
      : { final: formatDay(deadline.final.day), final_condition: deadline.final.condition }),
    ...(deadline.projectedDue === undefined
      ? {}
      : { projected_due: formatDay(deadline.projectedDue) }),
    ...(steps === undefined
      ? {}
      : {
          steps: steps.map((step, index) => ({
            n: index + 1,
            text: step.text,
            ...(step.citation === undefined ? {} : { citation: step.citation }),
            date: formatDay(step.day),
          })),
        }),
    ...cutoffAnswer(deadline),
    ...(rule.note === undefined ? {} : { note: rule.note }),
    confidence: deadline.confidence,
    ...(deadline.reasons.length === 0 ? {} : { confidence_reasons: deadline.reasons }),
    rule: rule.rule,
    title: rule.title,
    citation: rule.citation,
    standing: rule.standing,
    office: office.code,
    office_title: office.title,
    rule_version: ruleVersion,
    calendar_version: `${matter.calendar.code}@${matter.calendar.version}`,
    ...(deadline.skipped.length === 0
      ? {}
      : {
          closed_days: deadline.skipped.map((closed) => ({
            date: formatDay(closed.day),
            reason: closed.reason,
            source: closed.source,
            ...(closed.standing === 'verified' ? {} : { standing: closed.standing }),
          })),
        }),
    ...(deadline.warnings.length === 0 ? {} : { warnings: deadline.warnings }),
  };
}

function cutoffAnswer(
  deadline: PatentDeadline,
): Pick<DeadlineAnswer, 'cutoff' | 'cutoff_zone' | 'cutoff_rule' | 'cutoff_citation' | 'rescue'> {
  const cutoff = cutoffOf(deadline);
  if (cutoff === undefined) return {};
  const { office, calendar } = deadline.matter;
  const rescue = rescueOf(deadline);
  return {
    cutoff,
    cutoff_zone: calendar.zone,
    cutoff_rule: office.cutoff,
    cutoff_citation: office.cutoffCitation,
    ...(rescue === undefined ? {} : { rescue }),
  };
}

/** The first instant that is too late, as the office's clock sees it; undefined for a date that nothing can be late for. */
export function cutoffOf(deadline: PatentDeadline): string | undefined {
  const { rule, calendar } = deadline.matter;
  if (rule.formula === 'receipt' || rule.asOf !== undefined || !rule.cutoff) return undefined;
  return cutoffAt(deadline.due, calendar.zone);
}

/** Many cases of a docket end on the same days, and a zone's own arithmetic costs more than the date. */
const CUTOFFS_MAX = 20_000;
const cutoffs = new Map<string, string>();

function cutoffAt(day: Day, zone: string): string {
  const key = `${day} ${zone}`;
  const known = cutoffs.get(key);
  if (known !== undefined) return known;
  const cutoff = toRfc3339(endOfDay(day, zone));
  if (cutoffs.size >= CUTOFFS_MAX) cutoffs.clear();
  cutoffs.set(key, cutoff);
  return cutoff;
}

/** Only where the rule names it: what saves a reply does not save application papers (37 CFR 1.8(a)(2)). */
function rescueOf({ matter }: PatentDeadline): string | undefined {
  const { rescue } = matter.rule;
  if (rescue === undefined) return undefined;
  return matter.office.rescues.get(rescue) ?? (rescue.includes(' ') ? rescue : undefined);
}

/** As people read it; the machine's word has dashes. */
function sayGrade(grade: DateGrade): string {
  return grade === 'can-only-be-later' ? 'can only be later: safe to act by this date' : grade;
}

const INDENT = ' '.repeat(14);

/** The whole way to the date, for a person. */
export function explanation(deadline: PatentDeadline, ruleVersion: string): string {
  const { matter, steps = [] } = deadline;
  const { office, rule, calendar } = matter;
  const isReceipt = rule.formula === 'receipt';
  const lines = [`${rule.rule}: ${rule.title}`, `Office: ${office.title} (${office.code})`, ''];
  for (const [index, step] of steps.entries()) {
    lines.push(...stepLines(step, index + 1, deadline));
  }
  lines.push('');
  const row = (name: string, text: string): void => {
    lines.push(`${`${name}:`.padEnd(INDENT.length)}${text}`);
  };
  if (isReceipt) row('received', sayDay(deadline.due));
  else if (rule.asOf === 'loss') {
    row('as of', `${sayDay(deadline.due)}  (on this day it is too late)`);
  } else if (rule.asOf === 'state') row('as of', sayDay(deadline.due));
  else {
    row('raw', `${sayDay(deadline.raw)}  (work target: plan for this day)`);
    row('due', sayDay(deadline.due));
  }
  if (deadline.final !== undefined) {
    row('final', `${sayDay(deadline.final.day)}  (${deadline.final.condition})`);
  }
  if (deadline.projectedDue !== undefined) {
    row('projected', `${sayDay(deadline.projectedDue)}  (if the projected closings are confirmed)`);
  }
  const cutoff = cutoffOf(deadline);
  if (cutoff !== undefined) {
    row('cut-off', `midnight at the end of ${sayDay(deadline.due)} in ${calendar.zone}`);
    lines.push(
      `${INDENT}that is before ${cutoff}`,
      `${INDENT}${office.cutoff} [${office.cutoffCitation}]`,
    );
  }
  row('confidence', sayGrade(deadline.confidence));
  for (const reason of deadline.reasons) lines.push(`${INDENT}${reason}`);
  if (rule.note !== undefined) row('note', rule.note);
  const rescue = cutoff === undefined ? undefined : rescueOf(deadline);
  if (rescue !== undefined) row('rescue', rescue);
  for (const warning of deadline.warnings) row('warning', warning);
  row('rule', `${RULE_KNOWN[rule.standing]} [${rule.citation}]`);
  row('law', `rules ${ruleVersion}, calendar ${calendar.code}@${calendar.version}`);
  return lines.join('\n');
}

const RULE_KNOWN: Readonly<Record<RuleStanding, string>> = {
  ...KNOWN,
  read: 'was read in the law or in an official source',
};

/** A roll over many days is a list: which day, why closed, where that was read. */
function stepLines(step: Step, n: number, deadline: PatentDeadline): string[] {
  const number = `${String(n).padStart(2)}. `;
  const cited = step.citation === undefined ? [] : [`    [${step.citation}]`];
  if (step.act.kind !== 'roll' || step.act.skipped.length === 0) {
    return [`${number}${step.text}`, ...cited];
  }
  const { skipped } = step.act;
  const first = skipped[0]?.day ?? step.day;
  return [
    `${number}The office is closed on ${sayDay(first)}, so the date moves to the next open day, ${sayDay(step.day)}.`,
    ...cited,
    ...skipped.map((closed) => {
      const source = deadline.skipped.find((one) => one.day === closed.day)?.source ?? '';
      return `    - ${sayDay(closed.day)}: ${closed.reason} [${source}]`;
    }),
  ];
}
