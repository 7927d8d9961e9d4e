/**
 * The blind second docketing: a date that ends a right is computed twice, by two people of whom the second has not seen what
 * the first one got.
 */
import { formatDay } from '../../../calendar/index.ts';
import type { Viewer } from '../access/visible.ts';
import type { PatentLaw } from '../matter.ts';
import type { RoutingState } from '../routing/state.ts';
import { isHard } from './closing.ts';
import { type DocketDates, datesOfOne } from './dates.ts';
import { withBasis } from './dating.ts';
import type { DateBasis } from './docket.ts';
import type { Docket } from './docket.ts';

const SECOND_DOCKETING = 'SECOND_DOCKETING';

/** Whether a wrong date could cost a right. A docket without a date has nothing yet that anybody could be blind to. */
export function needsSecond(docket: Docket, dates: DocketDates, law: PatentLaw): boolean {
  return dates.kind === 'dated' && isHard(docket, dates, law);
}

/** Who was sent the docket has read its date in the letter, or could have. */
export function wasSentTo(state: RoutingState, { party, people }: Viewer): boolean {
  return state.handed.some(({ party: id }) => {
    const asked = people.parties.get(id);
    return id === party.id || (asked?.kind === 'team' && asked.members.includes(party.id));
  });
}

export function blindDates(asOf: DocketDates['asOf'], office: string | undefined): DocketDates {
  return {
    kind: 'undated',
    asOf,
    office,
    code: SECOND_DOCKETING,
    why: 'not shown to you: it waits for its second docketing, by someone who has not seen the first date',
  };
}

export type SecondStanding =
  /** Both computed the same. */
  | { readonly kind: 'verified' }
  /** They differ, and nobody has decided: the earlier date counts. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'decided'; readonly for: 'first' | 'second' };

/** Compared by the law as it is now, so that a law that moves the one moves the other. */
export function standingOfSecond(
  docket: Docket,
  second: {
    readonly event: DateBasis;
    readonly decision?: { readonly for: 'first' | 'second' } | undefined;
  },
  law: PatentLaw,
  now: DocketDates['asOf'],
): SecondStanding {
  if (second.decision !== undefined) return { kind: 'decided', for: second.decision.for };
  const one = datesOfOne(docket, law, now);
  const two = datesOfOne(withBasis(docket, second.event), law, now);
  return sameDates(one, two) ? { kind: 'verified' } : { kind: 'blocked' };
}

function sameDates(one: DocketDates, two: DocketDates): boolean {
  if (one.kind === 'undated' || two.kind === 'undated') return false;
  return one.due === two.due && one.final === two.final;
}

export function sayDates(dates: DocketDates): { readonly due?: string; readonly final?: string } {
  if (dates.kind === 'undated') return {};
  const final = dates.final === undefined ? {} : { final: formatDay(dates.final) };
  return { due: formatDay(dates.due), ...final };
}
