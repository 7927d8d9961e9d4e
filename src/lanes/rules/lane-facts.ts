import {
  BREAKER_FACT,
  type FactType,
  type Ids,
  type Instant,
  type LaneState,
  type LedgerFact,
  newFact,
  sameJson,
  toRfc3339,
} from '../../core/index.ts';

interface Said {
  readonly type: FactType;
  readonly data: LedgerFact['data'];
}

/** Every step of a way back; the newest one is in the row, and here are all of them. */
function recoveryFacts(before: LaneState, after: LaneState, now: Instant): readonly Said[] {
  const [was, is] = [before.recovery, after.recovery];
  if (is === undefined) {
    if (was === undefined) return [];
    const step = was.run.state === 'checking' ? was.run.step : 'health';
    const data = { step, verdict: 'good', evidence: {}, next: 'closed' };
    return [{ type: 'recovery.closed', data }];
  }
  const said: Said[] = [];
  if (was?.reason !== is.reason) {
    const data = { reason: is.reason, code: is.code, opened_at: toRfc3339(now) };
    said.push({ type: 'recovery.started', data });
  }
  if (is.last !== undefined && !sameJson(is.last, was?.last)) {
    const { step, verdict, why } = is.last;
    const evidence = why === undefined ? {} : { why };
    said.push({ type: 'recovery.step', data: { step, verdict, evidence, next: is.run.state } });
  }
  return said;
}

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
    const said = { lane: after.code, at: toRfc3339(now), ...data };
    facts.push(newFact(ids, type, actor, said));
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
  for (const { type, data } of recoveryFacts(before, after, now)) add(type, data);
  if (before.ceiling !== after.ceiling) {
    const isOurs = after.oneSessionSince !== before.oneSessionSince && after.ceiling === 1;
    const why = isOurs ? { reason: 'sessions' } : {};
    add('lane.ceiling', { from: before.ceiling, to: after.ceiling, ...why });
  }
  return facts;
}
