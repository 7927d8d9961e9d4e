/** Of which days of a report the money is there: no figure knows of what is not closed and released. */
import { addDays, type Day, formatDay, parseDay } from '../../../calendar/index.ts';
import { invariant } from '../../../core/index.ts';

/** Days as YYYY-MM-DD, both included. */
interface DaySpan {
  readonly from: string;
  readonly to: string;
}

interface MissingDays {
  /** One for each account and each span of days that no released period covers. */
  readonly remarks: readonly string[];
  /** No day is covered: what the report says of received money is zero for want of it, not because none came. */
  readonly isNothingReleased: boolean;
}

export function missingDays(
  asked: DaySpan,
  released: readonly (DaySpan & { readonly account: string })[],
): MissingDays {
  const [from, to] = [dayOf(asked.from), dayOf(asked.to)];
  const spans = released.map((one) => ({ ...one, from: dayOf(one.from), to: dayOf(one.to) }));
  if (!spans.some((span) => span.from <= to && span.to >= from)) {
    const remark = `nothing from ${asked.from} to ${asked.to} is closed and released: money received shows as zero; run grants close first, and grants release if a registration check was missing`;
    return { remarks: [remark], isNothingReleased: true };
  }
  const accounts = [...new Set(spans.map(({ account }) => account))].sort();
  const remarks = accounts.flatMap((account) => {
    const own = spans.filter((span) => span.account === account);
    return uncovered({ from, to }, own).map(
      (gap) =>
        `account ${account}: ${formatDay(gap.from)} to ${formatDay(gap.to)} is not closed and released; money received then is not in any figure`,
    );
  });
  return { remarks, isNothingReleased: false };
}

interface Span {
  readonly from: Day;
  readonly to: Day;
}

function uncovered(asked: Span, spans: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let next = asked.from;
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    if (to < next) continue;
    if (from > asked.to) break;
    if (from > next) gaps.push({ from: next, to: addDays(from, -1) });
    next = addDays(to, 1);
  }
  if (next <= asked.to) gaps.push({ from: next, to: asked.to });
  return gaps;
}

function dayOf(text: string): Day {
  const day = parseDay(text);
  invariant(day !== undefined, 'days of reports and periods exist');
  return day;
}
