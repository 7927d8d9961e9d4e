/** Everybody who must be told is told, is said to have been told only then, and a target that is down is looked at often. */
import { addMs, type Instant } from '../../../src/core/time.ts';
import type { Docket } from '../../../src/dockets/rules/docket/docket.ts';
import type { BreakerNote, Decided, Evidence, Violation } from '../evidence.ts';
import { isAway, mayRead, nodesFor, runningAt } from '../truth.ts';

/** A notice that fails is tried again for a minute, then the next of the manual tier is asked: nobody waits for a new round. */
const TRIED_MS = 75_000;
const HOUR_MS = 3_600_000;

export function people(evidence: Evidence): Violation[] {
  return [
    ...evidence.dockets.flatMap((docket) => {
      const own = evidence.decided.filter((one) => one.docket === docket);
      return [...toldTruly(docket, own, evidence), ...everyCaseTold(docket, own, evidence)];
    }),
    ...probePace(evidence),
  ];
}

/** "Was told" stands in the ledger only after a message came in there. */
function toldTruly(docket: Docket, own: readonly Decided[], evidence: Evidence): Violation[] {
  return own.flatMap(({ at, step }) =>
    step.facts.flatMap((fact) => {
      if (fact.kind !== 'manual_told') return [];
      const isTrue = evidence.arrivals.some(
        (one) => one.docket === docket.id && one.target === fact.target && one.at <= at,
      );
      const text = `${fact.target} is said to have been told and was not`;
      return isTrue ? [] : [{ invariant: 'told_truly', text }];
    }),
  );
}

/** Where somebody of the manual tier could be reached all the time, somebody was. */
function everyCaseTold(docket: Docket, own: readonly Decided[], evidence: Evidence): Violation[] {
  const found: Violation[] = [];
  for (const { at, step, people: persons } of own) {
    if (!step.facts.some(({ kind }) => kind === 'manual_required')) continue;
    const readers = readersOf(docket, evidence, persons, at);
    const by = addMs(at, TRIED_MS * (readers.length + 1));
    if (by > evidence.endAt || isInterrupted(at, by, evidence)) continue;
    // Whatever changes who may see it, or takes it from people, begins something new.
    const isLeft = own.some((one) => one.at > at && one.at <= by && hasLeft(one));
    // A mailbox that is well may refuse one letter all the same.
    const refused = own
      .filter((one) => one.at >= at && one.at <= by)
      .flatMap((one) => one.step.facts)
      .flatMap((fact) => (fact.kind === 'manual_unreached' ? [fact.target] : []));
    const reachable = readers.filter(
      (target) => evidence.isWell(target, at, by) && !refused.some((id) => id === target),
    );
    if (isLeft || reachable.length === 0) continue;
    const isTold = evidence.arrivals.some(
      (one) => one.docket === docket.id && one.tier === 'MANUAL' && one.at >= at && one.at <= by,
    );
    const text = `${reachable[0]} could be reached, and nobody was told of ${docket.id}`;
    if (!isTold) found.push({ invariant: 'manual_told', text });
  }
  return found;
}

function hasLeft({ step, before, people: now }: Decided): boolean {
  return step.next.state !== 'manual' || before.state === 'confirmed' || now === undefined;
}

function isInterrupted(from: Instant, to: Instant, evidence: Evidence): boolean {
  return (
    evidence.down.some((span) => span.from < to && span.to > from) ||
    runningAt(from, evidence) !== from
  );
}

/** Mailboxes and desks of the manual tier whose readers are here and may see it. */
function readersOf(
  docket: Docket,
  evidence: Evidence,
  persons: Decided['people'],
  at: Instant,
): string[] {
  const { matrix } = evidence;
  const desks = nodesFor(docket, evidence).flatMap(({ tier, target }) =>
    tier === 'MANUAL' ? [target] : [],
  );
  const privileged = matrix.privileged.flatMap((id) => {
    const party = persons.parties.get(id);
    return party?.kind === 'person' && party.target !== undefined ? [party.target] : [];
  });
  return [...desks, ...privileged].filter((target) => {
    const party = persons.parties.get(matrix.targets.get(target)?.party ?? '');
    if (party === undefined || !mayRead(docket, party, persons)) return false;
    return !isAway(party, persons, at) && !isAway(party, persons, addMs(at, HOUR_MS));
  });
}

const PROBE_MS = 15_000;
/** Two processes look at moments of their own, and an answer takes its time. */
const PROBE_SLACK_MS = 5_000;

/** After a bad probe the next one comes within 15 s, as long as our processes run. */
function probePace(evidence: Evidence): Violation[] {
  const last = new Map<string, BreakerNote>();
  return evidence.breakers.flatMap((note) => {
    if (note.what !== 'probe_good' && note.what !== 'probe_bad') return [];
    const before = last.get(note.target);
    last.set(note.target, note);
    if (before?.what !== 'probe_bad' || before.stored.state !== 'open') return [];
    // A machine that goes off while the next one is due looks when it is on again.
    const dueAt = addMs(before.at, PROBE_MS + PROBE_SLACK_MS);
    const by = addMs(runningAt(dueAt, evidence), PROBE_SLACK_MS);
    if (note.at <= by) return [];
    const text = `${note.target} was down and not looked at for ${note.at - before.at} ms`;
    return [{ invariant: 'probe_pace', text }];
  });
}
