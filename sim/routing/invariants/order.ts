/** Escalation goes down one tier at a time, for a reason that is true, and at most twice to each tier. */
import { TIERS } from '../../../src/dockets/rules/routing/tiers.ts';
import type { Decided, Evidence, Violation } from '../evidence.ts';
import { nodesFor } from '../truth.ts';

const ATTEMPTS_MAX = 2;
const RETURNS_MAX = 3;

export function escalationOrder(evidence: Evidence): Violation[] {
  return evidence.dockets.flatMap((docket) => {
    const own = evidence.decided.filter((one) => one.docket === docket);
    return [...orderOf(own), ...skipsOf(own, evidence)];
  });
}

function orderOf(decided: readonly Decided[]): Violation[] {
  const found: Violation[] = [];
  const say = (text: string): void => void found.push({ invariant: 'escalation_order', text });
  const activations = new Set<string>();
  const attempts = new Map<string, number>();
  let tier: string = 'PRIMARY';
  let returns = 0;
  for (const { step, before, at, happening, breakers } of decided) {
    // What a broker alone confirmed, and nobody took, goes on from where it was confirmed.
    if (before.state === 'confirmed' && happening.kind === 'not_taken' && step.kind !== 'nothing') {
      tier = happening.activation.tier;
      attempts.clear();
      returns = 0;
    }
    // What was not made is no attempt.
    const isNotMade = happening.kind === 'outcome' && happening.result.kind === 'not_made';
    if (isNotMade && before.state === 'sending' && step.kind !== 'nothing') {
      attempts.set(tier, (attempts.get(tier) ?? 1) - 1);
    }
    for (const fact of step.facts) {
      if (fact.kind === 'returned') {
        returns += 1;
        if (before.state !== 'manual') say('goes back to a target without waiting for people');
        if (returns > RETURNS_MAX) say(`goes back for the ${returns}. time`);
        tier = fact.tier;
        attempts.clear();
        // It is sent again, so the same may be seen of it again.
        activations.clear();
      }
      if (fact.kind !== 'transition') continue;
      const { from, to, reason } = fact;
      if (from.tier !== tier) say(`leaves ${from.tier}, but stood on ${tier}`);
      if (TIERS.indexOf(to.tier) !== TIERS.indexOf(from.tier) + 1) say(`${from.tier} → ${to.tier}`);
      for (const side of [from, to]) {
        if ((side.target === undefined) !== (side.breaker === undefined)) {
          say(`a transition without the breaker of ${side.tier}`);
        }
      }
      if (reason === 'ATTEMPTS_USED' && (attempts.get(from.tier) ?? 0) < ATTEMPTS_MAX) {
        say(`${from.tier} left after ${attempts.get(from.tier) ?? 0} attempts`);
      }
      if (reason === 'BREAKER_OPEN' && from.breaker?.state === 'closed')
        say('left a closed breaker');
      if (reason === 'NOT_CONFIRMED' && !(before.state === 'awaiting' && at >= before.until)) {
        say('left before its time was over');
      }
      if (fact.activation !== undefined) {
        if (activations.has(fact.activation)) say(`activation ${fact.activation} escalates twice`);
        activations.add(fact.activation);
      }
      tier = to.tier;
    }
    if (step.kind === 'send') {
      const sent = step.message.tier;
      if (sent !== tier) say(`sent to ${sent} while on ${tier}`);
      attempts.set(sent, (attempts.get(sent) ?? 0) + 1);
      if ((attempts.get(sent) ?? 0) > ATTEMPTS_MAX)
        say(`more than ${ATTEMPTS_MAX} attempts on ${sent}`);
      if (before.state === 'queued' && before.tier === sent && at < before.notBefore)
        say('sent before the backoff was over');
    }
    if (step.kind === 'manual' && tier !== 'MANUAL') say(`manual while on ${tier}`);
    if (step.kind === 'wait' && step.next.state === 'queued' && before.state === 'sending') {
      const backoffMs = step.next.notBefore - at;
      const result = happening.kind === 'outcome' ? happening.result : undefined;
      const askedMs = result !== undefined && 'retryAfterMs' in result ? result.retryAfterMs : 0;
      // By this answer, or by one to another docket.
      const { notBefore } = step.next;
      const rests = [...breakers.values()].some(
        (one) => 'restsUntil' in one && one.restsUntil === notBefore,
      );
      const isAsked = rests || (askedMs !== undefined && askedMs > 0);
      if (backoffMs < 500 || (backoffMs > 2_000 && !isAsked)) say(`a backoff of ${backoffMs} ms`);
    }
  }
  return found;
}

/** A tier that is passed because nobody could be asked has an entry for each of its nodes. */
function skipsOf(decided: readonly Decided[], evidence: Evidence): Violation[] {
  const [first] = decided;
  if (first === undefined) return [];
  const facts = decided.flatMap(({ step }) => step.facts);
  const skipped = new Set(facts.flatMap((fact) => (fact.kind === 'skipped' ? [fact.node] : [])));
  return facts.flatMap((fact) => {
    if (fact.kind !== 'transition' || fact.reason !== 'NOBODY_TO_ASK') return [];
    return nodesFor(first.docket, evidence)
      .filter(({ tier, id }) => tier === fact.from.tier && !skipped.has(id))
      .map(({ id }) => ({ invariant: 'skip_entry', text: `${id} was passed without an entry` }));
  });
}
