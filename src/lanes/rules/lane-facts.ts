import {
  BREAKER_FACT,
  entryId,
  type FactType,
  type Ids,
  type Instant,
  type LaneState,
  type LedgerFact,
  toRfc3339,
} from '../../core/index.ts';

/** What a change of a lane says in the ledger. Counters alone say nothing. */
export function laneFacts(
  before: LaneState,
  after: LaneState,
  ids: Ids,
  now: Instant,
  actor: LedgerFact['actor'] = { kind: 'service', id: 'worker' },
): readonly LedgerFact[] {
  const facts: LedgerFact[] = [];
  const add = (type: FactType, data: LedgerFact['data']): void => {
    const id = entryId(ids.next());
    facts.push({
      id,
      type,
      actor,
      trace: id,
      data: { lane: after.code, at: toRfc3339(now), ...data },
    });
  };
  if (before.breaker.state !== after.breaker.state) {
    add(BREAKER_FACT[after.breaker.state], { from: before.breaker.state, to: after.breaker.state });
  }
  const [was, is] = [before.pause, after.pause];
  if (is.kind === 'none' && was.kind !== 'none') add('lane.resumed', { reason: was.reason });
  if (is.kind === 'held' && (was.kind !== 'held' || was.reason !== is.reason)) {
    add('lane.paused', { reason: is.reason, until: null });
  }
  if (is.kind === 'until' && (was.kind !== 'until' || was.until !== is.until)) {
    add('lane.paused', { reason: is.reason, until: toRfc3339(is.until) });
  }
  if (before.ceiling !== after.ceiling) {
    const isOurs = after.oneSessionSince !== before.oneSessionSince && after.ceiling === 1;
    const why = isOurs ? { reason: 'sessions' } : {};
    add('lane.ceiling', { from: before.ceiling, to: after.ceiling, ...why });
  }
  return facts;
}
