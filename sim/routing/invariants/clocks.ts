/** Nothing is late in silence; manual items have two hours; tiers have the office's working hours, and no more than the slack. */
import { dateAtOffice } from '../../../src/calendar/office-time.ts';
import { addMs, type Instant } from '../../../src/core/time.ts';
import type { Docket } from '../../../src/dockets/rules/docket/docket.ts';
import type { Decided, Evidence, Violation } from '../evidence.ts';
import { dueOf, firstPassed, runningAt } from '../truth.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TWO_HOURS_MS = 2 * HOUR_MS;
/** A send that is under way may need its time-out, and the clock is read a moment late. */
const TOLERANCE_MS = 10_000;
const STEP_MS = 15 * 60_000;

export function clocks(evidence: Evidence): Violation[] {
  return evidence.dockets.flatMap((docket) => {
    const own = evidence.decided.filter((one) => one.docket === docket);
    return [
      ...silence(docket, own, evidence),
      ...manualClock(own, evidence),
      ...own.flatMap((one) => timer(one, evidence)),
      ...ending(docket, evidence),
    ];
  });
}

function confirmedAt(own: readonly Decided[], evidence: Evidence): Instant {
  return own.find(({ step }) => step.kind === 'done')?.at ?? addMs(evidence.endAt, 1);
}

/** A day before the due moment a person has it, or it is confirmed; after it, the ledger says so. */
function silence(docket: Docket, own: readonly Decided[], evidence: Evidence): Violation[] {
  const since = evidence.arrivedAt.get(docket.id);
  if (since === undefined) return [];
  const found: Violation[] = [];
  const confirmed = confirmedAt(own, evidence);
  const must = (kind: 'manual_required' | 'late', reserveMs: number, graceMs: number): void => {
    const passed = firstPassed(evidence, since, (law) => {
      const due = dueOf(docket, law);
      return due === undefined ? undefined : addMs(due.moment, -reserveMs);
    });
    if (passed === undefined) return;
    const by = addMs(runningAt(passed, evidence), graceMs);
    if (confirmed <= by || by > evidence.endAt) return;
    const told = own.find(({ step }) => step.facts.some((fact) => fact.kind === kind))?.at;
    if (told === undefined || told > by) {
      const text = `no ${kind} at ${new Date(by).toISOString()}; told ${told === undefined ? 'never' : new Date(told).toISOString()}`;
      found.push({ invariant: 'late_in_silence', text });
    }
  };
  must('manual_required', DAY_MS, TOLERANCE_MS);
  must('late', 0, TOLERANCE_MS);
  return found;
}

function manualClock(own: readonly Decided[], evidence: Evidence): Violation[] {
  const found: Violation[] = [];
  const say = (text: string): void => void found.push({ invariant: 'two_hour_clock', text });
  const raised = own.flatMap(({ step }) =>
    step.facts.flatMap((fact) =>
      fact.kind === 'manual_required' || fact.kind === 'manual_overdue' ? [fact] : [],
    ),
  );
  const confirmed = confirmedAt(own, evidence);
  for (const [index, { at, reviewBy }] of raised.entries()) {
    if (reviewBy - at !== TWO_HOURS_MS) say(`a clock of ${reviewBy - at} ms`);
    // Whoever runs again first looks whether a target came back meanwhile.
    const looked = runningAt(reviewBy, evidence);
    const waits = waitingFrom(own, at, looked === reviewBy ? looked : addMs(looked, TOLERANCE_MS));
    // A target that came back has it; whatever comes of that, no two hours run out meanwhile.
    if (waits === undefined) continue;
    const by = addMs(runningAt(waits, evidence), TOLERANCE_MS);
    const next = raised[index + 1];
    if (confirmed <= by || by > evidence.endAt) continue;
    if (next === undefined || next.at > by) say('ran out and nobody was told');
    else if (next.at < reviewBy) say('was raised again before it ran out');
  }
  return found;
}

/** The first moment from `by` on at which a docket that was raised at `since` waits for people. */
function waitingFrom(own: readonly Decided[], since: Instant, by: Instant): Instant | undefined {
  const later = own.filter(({ at }) => at >= since);
  const last = later.findLastIndex(({ at }) => at <= by);
  if (later[last]?.step.next.state === 'manual') return by;
  return later.slice(last + 1).find(({ step }) => step.next.state === 'manual')?.at;
}

const NOMINAL_MS: Readonly<Record<string, number>> = {
  PRIMARY: 4 * HOUR_MS,
  SECONDARY: 2 * HOUR_MS,
  TERTIARY: HOUR_MS,
};
const SHORTEST_MS = 5 * 60_000;
/** With so much slack the share of a tier is longer than any row of closed days. */
const AMPLE_MS = 14 * 3 * DAY_MS;

function timer({ at, docket, step, law, happening }: Decided, evidence: Evidence): Violation[] {
  if (step.kind !== 'wait' || step.next.state !== 'awaiting' || happening.kind !== 'outcome')
    return [];
  const { until, hop } = step.next;
  const due = dueOf(docket, law);
  const fault = (text: string): Violation[] => [{ invariant: 'tier_timer', text }];
  if (due === undefined)
    return until - at === SHORTEST_MS ? [] : fault('undated, and not the shortest');
  const lastSafe = addMs(due.moment, -DAY_MS);
  if (until > lastSafe && until > at) return fault('runs past the last safe moment');
  const nominal = NOMINAL_MS[hop.tier] ?? 0;
  const worked = workedMs(at, until, docket, { zone: due.zone, law, evidence });
  if (worked === undefined) return [];
  if (worked > nominal + STEP_MS) return fault(`${hop.tier} may keep it for ${worked} ms of work`);
  if (lastSafe - at > AMPLE_MS && worked < nominal - STEP_MS)
    return fault('shorter than its working time');
  return [];
}

const hours = new Map<string, Intl.DateTimeFormat>();

/** Undefined where the office is not known. Counted in quarters of an hour by the wall clock of the office: slow, and another way than the code's. */
function workedMs(
  from: Instant,
  to: Instant,
  docket: Docket,
  at: { readonly zone: string; readonly law: Decided['law']; readonly evidence: Evidence },
): number | undefined {
  const code =
    docket.event?.office ??
    { CTNF: 'US', A131: 'JP' }[docket.eventCode] ??
    (docket.eventCode.startsWith('EPO') ? 'EP' : undefined);
  const calendar = at.law.calendars.get(at.law.rules.offices.get(code ?? '')?.calendar ?? '');
  if (calendar === undefined) return undefined;
  const format =
    hours.get(at.zone) ??
    new Intl.DateTimeFormat('en-GB', { timeZone: at.zone, hour: '2-digit', hourCycle: 'h23' });
  hours.set(at.zone, format);
  let worked = 0;
  for (let moment = from; moment < to; moment = addMs(moment, STEP_MS)) {
    const hour = Number(format.format(moment));
    if (hour < 9 || hour >= 17) continue;
    if (calendar.closedOn(dateAtOffice(moment, at.zone))?.standing !== 'verified')
      worked += STEP_MS;
  }
  return worked;
}

function ending(docket: Docket, evidence: Evidence): Violation[] {
  const state = evidence.states.get(docket.id)?.state;
  return state === 'confirmed' ? [] : [{ invariant: 'no_end', text: `a docket is still ${state}` }];
}
