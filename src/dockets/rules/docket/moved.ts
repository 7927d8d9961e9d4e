/** Which open dockets move when the law or a calendar changes. Whoever changes one sees this list first. */
import { formatDay } from '../../../calendar/index.ts';
import type { DocketId, Instant } from '../../../core/index.ts';
import { byDanger, compareCase, type DateMove } from '../law-diff.ts';
import type { PatentLaw } from '../matter.ts';
import { caseOf, datesOf, type DocketDates } from './dates.ts';
import type { Docket } from './docket.ts';

export interface MovedDocket {
  readonly id: DocketId;
  /** A date that somebody has been told comes earlier, or is no longer known. */
  readonly earlier: boolean;
  readonly soft: DateMove;
  readonly due: DateMove;
  readonly final: DateMove;
  readonly why: readonly string[];
}

/** The dangerous ones first. Dates are those that count for the docket, so a date that the source states earlier stays. */
export function movedDockets(
  open: Iterable<Docket>,
  laws: { readonly before: PatentLaw; readonly after: PatentLaw },
  now: Instant,
): MovedDocket[] {
  const moved: MovedDocket[] = [];
  for (const docket of open) {
    const was = datesOf(docket, laws.before, now);
    const is = datesOf(docket, laws.after, now);
    const moves = {
      soft: { from: text(was, 'soft'), to: text(is, 'soft') },
      due: { from: text(was, 'due'), to: text(is, 'due') },
      final: { from: text(was, 'final'), to: text(is, 'final') },
    };
    const all = Object.values(moves);
    if (all.every(({ from, to }) => from === to)) continue;
    const earlier = all.some(
      ({ from, to }) => from !== undefined && (to === undefined || to < from),
    );
    moved.push({ id: docket.id, earlier, ...moves, why: reasons(docket, laws, is) });
  }
  return moved.sort((a, b) =>
    byDanger(
      { ...a, kind: 'moved', rule: '', raw: a.soft },
      { ...b, kind: 'moved', rule: '', raw: b.soft },
    ),
  );
}

function reasons(
  docket: Docket,
  laws: { readonly before: PatentLaw; readonly after: PatentLaw },
  now: DocketDates,
): readonly string[] {
  if (now.kind === 'undated') return [now.why];
  if (docket.event === undefined) return [];
  const comparison = compareCase(docket.id, caseOf(docket.event), laws);
  if (comparison.kind === 'moved') return comparison.why;
  return comparison.kind === 'unanswered' ? [comparison.message] : [];
}

function text(dates: DocketDates, name: 'soft' | 'due' | 'final'): string | undefined {
  const day = dates.kind === 'dated' ? dates[name] : undefined;
  return day === undefined ? undefined : formatDay(day);
}
