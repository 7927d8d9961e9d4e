/** What the rules say to the ledger, as entries. */
import { formatDay } from '../../calendar/index.ts';
import {
  BREAKER_FACT,
  type BreakerState,
  type FactDataOf,
  type FactType,
  type Ids,
  type Instant,
  type JsonValue,
  type LedgerFact,
  newFact,
  type TargetId,
  toRfc3339,
} from '../../core/index.ts';
import type { DocketDates } from '../rules/docket/dates.ts';
import { breakerData, factData } from '../rules/routing/fact-data.ts';
import type { HandoffMessage } from '../rules/routing/message.ts';
import type { RoutingFact } from '../rules/routing/facts.ts';
import type { Actor } from './deps.ts';

export function factOf<Type extends FactType>(
  ids: Ids,
  type: Type,
  actor: Actor,
  data: FactDataOf<Type>,
): LedgerFact {
  return newFact(ids, type, actor, plain(data) as LedgerFact['data']);
}

/** Who lacks which right is for the log of access; everything else belongs to the docket's own way. */
export function boundaryOf(fact: RoutingFact): 'filing' | 'access' {
  return fact.kind === 'skipped' && fact.reason === 'no_right' ? 'access' : 'filing';
}

export function routingFact(ids: Ids, actor: Actor, fact: RoutingFact): LedgerFact {
  const { type, data } = factData(fact);
  return factOf(ids, type, actor, data);
}

export function breakerFact(
  ids: Ids,
  actor: Actor,
  change: {
    readonly target: TargetId;
    readonly at: Instant;
    readonly from: BreakerState['state'];
    readonly to: BreakerState;
    /** The run that moved it. */
    readonly recovery?: string;
  },
): LedgerFact {
  const { target, at, from, recovery } = change;
  const { state: to, ...details } = breakerData(change.to);
  const data = { target, at: toRfc3339(at), from, to, ...details, recovery };
  return factOf(ids, BREAKER_FACT[change.to.state], actor, data);
}

/** The intent, before anything is sent: to whom, by which dates. */
export function handoffFact(
  ids: Ids,
  actor: Actor,
  message: HandoffMessage,
  attempt: number,
): LedgerFact {
  const { id, handoff, tier, target, party, labels, dates } = message;
  const days = dates.kind === 'dated' ? dates : undefined;
  return factOf(ids, 'docket.handoff', actor, {
    id,
    handoff,
    tier,
    target,
    party,
    stands_in_for: message.standsInFor,
    attempt,
    labels,
    payload_sha256: message.payloadSha256,
    matrix: message.matrixVersion,
    due: days === undefined ? undefined : formatDay(days.due),
    final: days?.final === undefined ? undefined : formatDay(days.final),
    law: lawOf(dates),
    unverified: days?.unverified.length,
  });
}

function lawOf(dates: DocketDates): FactDataOf<'docket.handoff'>['law'] {
  return dates.kind === 'dated' ? dates.law : { undated: dates.code };
}

/** Halves of a character have no UTF-8, and no database keeps a NUL; a stranger's answer may hold both. */
const NOT_KEPT = /[\p{Surrogate}\0]/gu;

/** Canonical JSON knows neither `undefined` nor fractions. */
export function plain(value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value) : null;
  if (typeof value === 'string') return value.replaceAll(NOT_KEPT, '\ufffd');
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, one]) =>
        one === undefined ? [] : [[name.replaceAll(NOT_KEPT, '\ufffd'), plain(one)]],
      ),
    );
  }
  throw new TypeError(`a fact cannot hold a ${typeof value}`);
}

/** A value of the rules as it is stored: `undefined` is absent, everything else as it is. */
export function stored(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
