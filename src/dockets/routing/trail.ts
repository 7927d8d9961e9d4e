/** Why a docket has the dates that it has: the rule with its steps, what the source states, and what is in question. */
import { formatDay, type Step } from '../../calendar/index.ts';
import { FilewrightError, type Instant } from '../../core/index.ts';
import { maySee, type Viewer } from '../rules/access/visible.ts';
import { readPatentCase } from '../rules/case.ts';
import { computeDeadline } from '../rules/compute.ts';
import { caseOf, datesOfOne } from '../rules/docket/dates.ts';
import { differencesBetween, type ReadingDifference, withBasis } from '../rules/docket/dating.ts';
import type { DateBasis } from '../rules/docket/docket.ts';
import type { DocketEvent } from '../rules/docket/docket.ts';
import { sayDates, type SecondStanding, standingOfSecond } from '../rules/docket/second.ts';
import { secondOf, versionsOf } from '../store/datings.ts';
import type { StoredDocket } from '../store/docket-rows.ts';
import type { RoutingDeps } from './deps.ts';

type SaidDates = ReturnType<typeof sayDates>;

/** How the law computes one reading. */
interface LawTrail extends SaidDates {
  readonly rule: string;
  readonly title: string;
  readonly citation: string;
  readonly confidence: string;
  readonly steps: readonly Pick<Step, 'text' | 'citation'>[];
}

interface VersionTrail extends SaidDates {
  readonly n: number;
  readonly source: string;
  readonly receivedAt: Instant;
  readonly state: 'open' | 'accepted' | 'refused';
  readonly differences: readonly ReadingDifference[];
}

interface SecondTrail extends SaidDates {
  readonly standing: SecondStanding;
  readonly by: string;
  readonly at: Instant;
  readonly event: DateBasis;
  readonly law: LawTrail | undefined;
  readonly decision:
    | { readonly by: string; readonly reason: string; readonly at: Instant }
    | undefined;
}

export interface DateTrail {
  /** Undefined where the law cannot be asked; `why` says what is missing. */
  readonly law: LawTrail | undefined;
  readonly why: string | undefined;
  /** What the source claims by itself. */
  readonly stated: SaidDates;
  readonly versions: readonly VersionTrail[];
  readonly second: SecondTrail | undefined;
}

export async function trailOf(
  deps: RoutingDeps,
  viewer: Viewer,
  row: StoredDocket,
  now: Instant,
): Promise<DateTrail> {
  const { event } = row.docket;
  const law = event === undefined ? undefined : lawTrail(deps, event);
  const { due, final } = event?.stated ?? {};
  return {
    law: law?.ok === true ? law.trail : undefined,
    why: law?.ok === true ? undefined : (law?.why ?? 'the record could not be read'),
    stated: {
      ...(due === undefined ? {} : { due: formatDay(due) }),
      ...(final === undefined ? {} : { final: formatDay(final) }),
    },
    versions: await versionTrails(deps, viewer, row, now),
    second: await secondTrail(deps, row, now),
  };
}

type Asked =
  | { readonly ok: true; readonly trail: LawTrail }
  | { readonly ok: false; readonly why: string };

function lawTrail({ law }: RoutingDeps, event: DocketEvent): Asked {
  if (event.eventDate === undefined) {
    return { ok: false, why: 'event_date: no day from which a period runs' };
  }
  try {
    const one = readPatentCase({ ...caseOf(event), trigger_date: event.eventDate });
    const deadline = computeDeadline(one, law(), { explain: true });
    const { rule } = deadline.matter;
    const steps = (deadline.steps ?? []).map(({ text, citation }) => ({
      text,
      ...(citation === undefined ? {} : { citation }),
    }));
    const trail = {
      rule: rule.rule,
      title: rule.title,
      citation: rule.citation,
      confidence: deadline.confidence,
      due: formatDay(deadline.due),
      ...(deadline.final === undefined ? {} : { final: formatDay(deadline.final.day) }),
      steps,
    };
    return { ok: true, trail };
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return { ok: false, why: error.message };
  }
}

/** A version that names another client, or bears another label, is shown to who may see that too. */
async function versionTrails(
  { session, tenant, law }: RoutingDeps,
  viewer: Viewer,
  row: StoredDocket,
  now: Instant,
): Promise<VersionTrail[]> {
  const first = row.read.event;
  return (await versionsOf(session, tenant, row.id)).flatMap(
    ({ n, source, receivedAt, state, read }) => {
      if (!maySee(read, viewer)) return [];
      const differences =
        first === undefined || read.event === undefined
          ? []
          : differencesBetween(first, read.event, (day) =>
              formatDay(day as Parameters<typeof formatDay>[0]),
            );
      return [
        { n, source, receivedAt, state, differences, ...sayDates(datesOfOne(read, law(), now)) },
      ];
    },
  );
}

async function secondTrail(
  deps: RoutingDeps,
  row: StoredDocket,
  now: Instant,
): Promise<SecondTrail | undefined> {
  const second = await secondOf(deps.session, deps.tenant, row.id);
  if (second === undefined) return undefined;
  const { byName: by, givenAt: at, event, decision } = second;
  const docket = withBasis(row.docket, event);
  const asked = docket.event === undefined ? undefined : lawTrail(deps, docket.event);
  return {
    ...sayDates(datesOfOne(docket, deps.law(), now)),
    standing: standingOfSecond(row.docket, second, deps.law(), now),
    by,
    at,
    event,
    law: asked?.ok === true ? asked.trail : undefined,
    decision,
  };
}
