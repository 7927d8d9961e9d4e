/** What the ledger is told is true and whole: dates that moved, breakers, and everybody who could be asked or confirmed. */
import { formatDay } from '../../../src/calendar/day.ts';
import type { Party } from '../../../src/dockets/rules/access/people.ts';
import { breakerOf } from '../../../src/dockets/rules/routing/breakers.ts';
import type { Decided, Evidence, Violation } from '../evidence.ts';
import { dueOf, isAway, mayRead, nodesFor } from '../truth.ts';

export function told(evidence: Evidence): Violation[] {
  return evidence.dockets.flatMap((docket) => {
    const own = evidence.decided.filter((one) => one.docket === docket);
    return [
      ...movedDates(own),
      ...own.flatMap((one) => [
        ...breakersOf(one),
        ...absent(one),
        ...nobodyAsked(one, evidence),
        ...lostConfirmation(one, evidence),
      ]),
    ];
  });
}

/** Between two looks at an open docket, a due date that moved has its entry, with both dates. */
function movedDates(own: readonly Decided[]): Violation[] {
  return own.flatMap(({ docket, law, step, before }, index) => {
    const earlier = own[index - 1];
    if (earlier === undefined || before.state === 'confirmed') return [];
    const [was, is] = [dueOf(docket, earlier.law), dueOf(docket, law)].map((due) =>
      due === undefined ? undefined : formatDay(due.day),
    );
    if (was === is) return [];
    const isTold = step.facts.some(
      (fact) => fact.kind === 'redated' && fact.from.due === was && fact.to.due === is,
    );
    return isTold ? [] : [{ invariant: 'redated_told', text: `${was} became ${is} in silence` }];
  });
}

function breakersOf({ step, breakers }: Decided): Violation[] {
  return step.facts.flatMap((fact) => {
    if (fact.kind !== 'transition') return [];
    return [fact.from, fact.to].flatMap(({ target, breaker }) => {
      if (target === undefined) return [];
      const truth = JSON.stringify(breakerOf(breakers, target));
      if (JSON.stringify(breaker) === truth) return [];
      const text = `${target} is told as ${JSON.stringify(breaker)} and is ${truth}`;
      return [{ invariant: 'breakers_told', text }];
    });
  });
}

function absent({ step, people, at }: Decided): Violation[] {
  const message = step.kind === 'send' || step.kind === 'manual' ? step.message : undefined;
  const party = people.parties.get(message?.party ?? '');
  if (party === undefined || !isAway(party, people, at)) return [];
  return [{ invariant: 'absence', text: `${party.id} is away and was asked` }];
}

/** A docket that waits for people without one of them, though somebody of the manual tier is here and may read it. */
function nobodyAsked({ step, docket, people, at }: Decided, evidence: Evidence): Violation[] {
  const { next } = step;
  if (next.state !== 'manual' || next.hop !== undefined) return [];
  const { matrix } = evidence;
  const desks = nodesFor(docket, evidence).flatMap(({ tier, target }) =>
    tier === 'MANUAL' ? [matrix.targets.get(target)?.party ?? ''] : [],
  );
  const isThere = (party: Party | undefined): party is Party =>
    party !== undefined && !isAway(party, people, at) && mayRead(docket, party, people);
  const left = [...desks, ...matrix.privileged].map((id) => people.parties.get(id)).find(isThere);
  if (left === undefined || step.kind === 'nothing') return [];
  return [{ invariant: 'somebody_asked', text: `${left.id} could be asked, and nobody was` }];
}

/** Whoever was given it and confirms has it, wherever it went meanwhile. */
function lostConfirmation(decided: Decided, evidence: Evidence): Violation[] {
  const { happening, before, step, docket, people } = decided;
  if (before.state === 'confirmed' || step.kind === 'done') return [];
  const lost = (text: string): Violation[] => [{ invariant: 'confirmation', text }];
  if (happening.kind === 'outcome' && happening.result.kind === 'confirmed') {
    const { tier, target } = happening.hop;
    const isReceipt = evidence.matrix.targets.get(target)?.confirmedBy === 'delivery';
    return isReceipt && tier !== 'MANUAL' ? lost(`the receipt of ${target} was not heard`) : [];
  }
  if (happening.kind !== 'acknowledged') return [];
  const person = people.parties.get(happening.by);
  const wasGiven = before.handed.some(({ party }) => {
    const asked = people.parties.get(party);
    return party === person?.id || (asked?.kind === 'team' && asked.members.includes(happening.by));
  });
  return person !== undefined && wasGiven && mayRead(docket, person, people)
    ? lost(`${person.id} acknowledged and was not heard`)
    : [];
}
