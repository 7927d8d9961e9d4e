/** Routing facts as ledger entries hold them: plain JSON, moments in RFC 3339, nothing undefined. */
import { type BreakerState, type FactDataOf, toRfc3339 } from '../../../core/index.ts';
import type { RoutingFact, TransitionSide } from './facts.ts';
import type { KnownDates } from './state.ts';

type Type = `docket.${RoutingFact['kind']}`;

interface FactData {
  readonly type: Type;
  readonly data: FactDataOf<Type>;
}

export function factData(fact: RoutingFact): FactData {
  return { type: `docket.${fact.kind}`, data: dataOf(fact) };
}

function dataOf(fact: RoutingFact): FactDataOf<Type> {
  const at = toRfc3339(fact.at);
  switch (fact.kind) {
    case 'transition':
      return {
        at,
        from: sideData(fact.from),
        to: sideData(fact.to),
        reason: fact.reason,
        activation: fact.activation ?? null,
        trigger: fact.trigger ?? null,
        evidence: fact.evidence ?? null,
        labels: fact.labels,
        matrix: fact.matrixVersion,
      };
    case 'skipped': {
      const { tier, node, target, reason, why } = fact;
      return { at, tier, node, target, reason, why };
    }
    case 'redated':
      return { at, from: datesData(fact.from), to: datesData(fact.to) };
    case 'manual_required': {
      const { flag, reason } = fact;
      return { at, flag, reason, review_by: toRfc3339(fact.reviewBy), target: fact.target ?? null };
    }
    case 'manual_found':
      return { at, review_by: toRfc3339(fact.reviewBy), target: fact.target ?? null };
    case 'manual_told': {
      const { target, party } = fact;
      return { at, target, party };
    }
    case 'manual_unreached': {
      const { target } = fact;
      return { at, target, code: fact.code ?? null, next: fact.next ?? null };
    }
    case 'returned': {
      const { tier, target } = fact;
      return { at, tier, target };
    }
    case 'manual_overdue': {
      const { round } = fact;
      return { at, round, review_by: toRfc3339(fact.reviewBy), target: fact.target ?? null };
    }
    case 'given': {
      const { from, to, tier, reason } = fact;
      return { at, from: from ?? null, to: to ?? null, tier, reason };
    }
    case 'late':
      return { at, due: fact.due === '' ? null : fact.due };
    case 'confirmed': {
      const { tier, by } = fact;
      return { at, tier, by, target: fact.target ?? null, receipt: fact.receipt ?? null };
    }
  }
}

type Transition = FactDataOf<'docket.transition'>;

function sideData({ tier, target, breaker }: TransitionSide): Transition['from'] {
  return {
    tier,
    target: target ?? null,
    breaker: breaker === undefined ? null : breakerData(breaker),
  };
}

/** A breaker as entries hold it. */
export function breakerData(
  breaker: BreakerState,
): NonNullable<FactDataOf<'recovery.step'>['breakers']>['before'] {
  switch (breaker.state) {
    case 'closed':
      return { state: 'closed', failures: breaker.failures };
    case 'open':
      return { state: 'open', since: toRfc3339(breaker.since), until: toRfc3339(breaker.until) };
    case 'half_open':
      return {
        state: 'half_open',
        good: breaker.good,
        next_probe_at: toRfc3339(breaker.nextProbeAt),
      };
  }
}

function datesData({ due, final }: KnownDates): FactDataOf<'docket.redated'>['from'] {
  return { due: due ?? null, final: final ?? null };
}
