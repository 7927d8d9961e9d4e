/** Labels travel unchanged, nobody reads without the right, and only who was given a docket can confirm it. */
import { formatDay } from '../../../src/calendar/day.ts';
import type { HandoffMessage } from '../../../src/dockets/rules/routing/message.ts';
import { subjectOf } from '../dockets-of-seed.ts';
import type { Decided, Evidence, Violation } from '../evidence.ts';
import { dueOf, mayRead } from '../truth.ts';

export function access(evidence: Evidence): Violation[] {
  return evidence.decided.flatMap((decided) => {
    const { step } = decided;
    const message = step.kind === 'send' || step.kind === 'manual' ? step.message : undefined;
    return [
      ...(message === undefined ? [] : messageFaults(message, decided)),
      ...step.facts.flatMap((fact) =>
        fact.kind === 'transition' &&
        JSON.stringify(fact.labels) !== JSON.stringify(decided.docket.labels)
          ? [{ invariant: 'labels', text: 'a transition lost labels' }]
          : [],
      ),
      ...(step.kind === 'done' ? confirmationFaults(decided, evidence) : []),
    ];
  });
}

function messageFaults(message: HandoffMessage, { at, docket, law, people }: Decided): Violation[] {
  const found: Violation[] = [];
  const say = (invariant: string, text: string): void => void found.push({ invariant, text });
  if (JSON.stringify(message.labels) !== JSON.stringify(docket.labels))
    say('labels', 'labels differ');
  const party = people.parties.get(message.party);
  if (party === undefined || !mayRead(docket, party, people)) {
    say('rights', `${message.party} got a docket without the right to it`);
  }
  if (message.id !== docket.messageId || message.payloadSha256 !== docket.payloadSha256) {
    say('single_effect', 'another message id or payload');
  }
  const due = dueOf(docket, law);
  const { dates } = message;
  const told = dates.kind === 'dated' ? formatDay(dates.due) : undefined;
  const right = due === undefined ? undefined : formatDay(due.day);
  if (dates.asOf !== at || told !== right) {
    say('fresh_dates', `handed over with ${told}, but the law of that moment says ${right}`);
  }
  return found;
}

function confirmationFaults({ step, docket, people }: Decided, evidence: Evidence): Violation[] {
  if (step.kind !== 'done') return [];
  const { by, hop } = step.next;
  const fault = (text: string): Violation[] => [{ invariant: 'confirmation', text }];
  const target = evidence.matrix.targets.get(by);
  if (target !== undefined) {
    const arrived = evidence.arrivals.some((one) => one.target === by && one.docket === docket.id);
    if (!arrived) return fault(`${by} confirms what never arrived`);
    return target.confirmedBy === 'delivery' && hop?.tier !== 'MANUAL'
      ? []
      : fault(`${by} is no person`);
  }
  const person = people.parties.get(by);
  const wasGiven = evidence.decided.some(({ step: other, docket: its }) => {
    const message = other.kind === 'send' || other.kind === 'manual' ? other.message : undefined;
    const party = people.parties.get(message?.party ?? '');
    return (
      its === docket &&
      (party?.id === by || (party?.kind === 'team' && party.members.some((id) => id === by)))
    );
  });
  if (!wasGiven) return fault(`${by} confirms and was never given it`);
  return person !== undefined && mayRead(docket, person, people) ? [] : fault(`${by} has no right`);
}

/** One docket, one message id; confirmed once, manual once, and silence afterwards. */
export function singleEffect(evidence: Evidence): Violation[] {
  const found: Violation[] = [];
  const say = (text: string): void => void found.push({ invariant: 'single_effect', text });
  const ids = new Set(evidence.dockets.map(({ messageId }) => messageId));
  if (ids.size !== evidence.dockets.length) say('two dockets share a message id');
  for (const docket of evidence.dockets) {
    if (docket.messageId === subjectOf(docket).plainId) continue;
    say(`an event is another one under another spelling: ${docket.applicationNumber}`);
  }
  const effects = new Set<string>();
  for (const { target, messageId, docket, isFirst } of evidence.arrivals) {
    const key = `${target} ${docket}`;
    // The receiver deduplicates by message id; by docket, the truth, there must be one effect as well.
    if (isFirst && effects.has(key)) say(`${target} acted twice, on ${messageId}`);
    effects.add(key);
  }
  for (const docket of evidence.dockets) {
    const own = evidence.decided.filter((one) => one.docket === docket);
    const facts = own.flatMap(({ step }) => step.facts);
    const untaken = facts.filter(
      (fact) => fact.kind === 'transition' && fact.reason === 'NOT_TAKEN',
    ).length;
    for (const [kind, max] of [
      ['confirmed', 1 + untaken],
      ['manual_required', 1 + untaken],
      ['late', 1],
    ] as const) {
      if (facts.filter((fact) => fact.kind === kind).length > max) say(`${kind} twice`);
    }
    for (const { before, step, happening } of own) {
      if (before.state !== 'confirmed' || step.kind === 'nothing') continue;
      // A person, or an endpoint that keeps what it has, confirms for good.
      if (happening.kind !== 'not_taken' || before.by !== before.hop?.target)
        say('acts after the end');
    }
  }
  return found;
}
