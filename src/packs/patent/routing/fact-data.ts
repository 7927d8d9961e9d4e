/** Routing facts as ledger entries hold them: plain JSON, moments in RFC 3339, nothing undefined. */
import { type BreakerState, type JsonValue, toRfc3339 } from '../../../core/index.ts';
import type { RoutingFact, TransitionSide } from './facts.ts';
import type { KnownDates } from './state.ts';

export interface FactData {
  /** `docket.transition`, `docket.skipped`, … */
  readonly type: string;
  readonly data: Readonly<Record<string, JsonValue>>;
}

export function factData(fact: RoutingFact): FactData {
  return { type: `docket.${fact.kind}`, data: { at: toRfc3339(fact.at), ...dataOf(fact) } };
}

function dataOf(fact: RoutingFact): Record<string, JsonValue> {
  switch (fact.kind) {
    case 'transition':
      return {
        from: sideData(fact.from),
        to: sideData(fact.to),
        reason: fact.reason,
        activation: fact.activation ?? null,
        trigger: fact.trigger === undefined ? null : { ...fact.trigger },
        evidence: fact.evidence === undefined ? null : { ...fact.evidence },
        labels: { ...fact.labels },
        matrix: fact.matrixVersion,
      };
    case 'skipped': {
      const { tier, node, target, reason, why } = fact;
      return { tier, node, target, reason, why };
    }
    case 'redated':
      return { from: datesData(fact.from), to: datesData(fact.to) };
    case 'manual_required': {
      const { flag, reason } = fact;
      return { flag, reason, review_by: toRfc3339(fact.reviewBy), target: fact.target ?? null };
    }
    case 'manual_found':
      return { review_by: toRfc3339(fact.reviewBy), target: fact.target ?? null };
    case 'manual_told': {
      const { target, party } = fact;
      return { target, party };
    }
    case 'manual_unreached': {
      const { target } = fact;
      return { target, code: fact.code ?? null, next: fact.next ?? null };
    }
    case 'returned': {
      const { tier, target } = fact;
      return { tier, target };
    }
    case 'manual_overdue': {
      const { round } = fact;
      return { round, review_by: toRfc3339(fact.reviewBy), target: fact.target ?? null };
    }
    case 'late':
      return { due: fact.due };
    case 'confirmed': {
      const { tier, by } = fact;
      return { tier, by, target: fact.target ?? null, receipt: fact.receipt ?? null };
    }
  }
}

function sideData({ tier, target, breaker }: TransitionSide): JsonValue {
  return {
    tier,
    target: target ?? null,
    breaker: breaker === undefined ? null : breakerData(breaker),
  };
}

function breakerData(breaker: BreakerState): JsonValue {
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

function datesData({ due, final }: KnownDates): JsonValue {
  return { due: due ?? null, final: final ?? null };
}
