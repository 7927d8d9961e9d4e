/** A deadline as machines and people get it. */
import { type Confidence, endOfDay, formatDay, type Step } from '../../calendar/index.ts';
import { toRfc3339 } from '../../core/index.ts';
import type { PatentDeadline } from './compute.ts';
import { sayDay } from './words.ts';

interface DeadlineAnswer {
  readonly raw: string;
  /** Absent for the day as of which a right is lost: whoever acts on it is late. */
  readonly due?: string;
  /** Instead of a day by which somebody must act; of a term or a window `due` is the same, for readers of before. */
  readonly as_of?: string;
  readonly final?: string;
  readonly projected_due?: string;
  readonly steps?: readonly AnswerStep[];
  readonly confidence: Confidence;
  readonly confidence_reasons?: readonly string[];
  readonly rule: string;
  readonly office: string;
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
}

export function deadlineAnswer(deadline: PatentDeadline, ruleVersion: string): DeadlineAnswer {
  const { matter, steps } = deadline;
  return {
    raw: formatDay(deadline.raw),
    ...(matter.rule.asOf === 'loss' ? {} : { due: formatDay(deadline.due) }),
    ...(matter.rule.asOf === undefined ? {} : { as_of: formatDay(deadline.due) }),
    ...(deadline.final === undefined ? {} : { final: formatDay(deadline.final.day) }),
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
    confidence: deadline.confidence,
    ...(deadline.reasons.length === 0 ? {} : { confidence_reasons: deadline.reasons }),
    rule: matter.rule.rule,
    office: matter.office.code,
    rule_version: ruleVersion,
    calendar_version: `${matter.calendar.code}@${matter.calendar.version}`,
    ...(deadline.skipped.length === 0
      ? {}
      : {
          closed_days: deadline.skipped.map((closed) => ({
            date: formatDay(closed.day),
            reason: closed.reason,
            source: closed.source,
          })),
        }),
    ...(deadline.warnings.length === 0 ? {} : { warnings: deadline.warnings }),
  };
}

/** The first instant that is too late, as the office's clock sees it; undefined for a date that nothing can be late for. */
export function cutoffOf(deadline: PatentDeadline): string | undefined {
  const { rule, calendar } = deadline.matter;
  if (rule.formula === 'receipt' || rule.asOf !== undefined) return undefined;
  return toRfc3339(endOfDay(deadline.due, calendar.zone));
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
    row('final', `${sayDay(deadline.final.day)}  (${deadline.final.reason})`);
  }
  if (deadline.projectedDue !== undefined) {
    row('projected', `${sayDay(deadline.projectedDue)}  (if the projected closings are confirmed)`);
  }
  const cutoff = rule.roll ? cutoffOf(deadline) : undefined;
  if (cutoff !== undefined) {
    row('cut-off', `midnight at the end of ${sayDay(deadline.due)} in ${calendar.zone}`);
    lines.push(
      `${INDENT}that is before ${cutoff}`,
      `${INDENT}${office.cutoff} [${office.cutoffCitation}]`,
    );
  }
  row('confidence', deadline.confidence);
  for (const reason of deadline.reasons) lines.push(`${INDENT}${reason}`);
  if (rule.note !== undefined) row('note', rule.note);
  const rescue = rule.rescue ?? office.rescue;
  if (cutoff !== undefined && rescue !== undefined) row('rescue', rescue);
  for (const warning of deadline.warnings) row('warning', warning);
  row('law', `rules ${ruleVersion}, calendar ${calendar.code}@${calendar.version}`);
  return lines.join('\n');
}

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
