/** What a claim does with its slot: it asks the portal, or it is sent. Everything comes back as an event to decide on. */
import {
  type Claim,
  type Exchange,
  type GateAnswer,
  type Instant,
  invariant,
  type Portal,
  type Profile,
  type SendGate,
} from '../../core/index.ts';
import {
  classifySend,
  classifyStatus,
  type Leases,
  mayKeepBusy,
  ownOf,
} from '../../lanes/index.ts';
import type { FilingEvent } from '../rules/decide.ts';
import { mayRepeat } from '../rules/settle.ts';

const CONTENT_TYPE = 'application/json; charset=utf-8';

export interface TurnPorts {
  readonly portal: Portal;
  readonly leases: Leases;
  readonly gate?: SendGate;
}

/** A claim that waits for a slot. Its payload is opened meanwhile, so that a free slot is used at once. */
export interface Waiting {
  readonly claim: Claim;
  /** Undefined when it does not open, and for a question to which it does not matter. */
  readonly payload: Uint8Array | undefined;
}

export interface Turn {
  readonly event: FilingEvent;
  readonly exchange?: Exchange;
  /** A request of the gate, or a page before the filing, may still keep the portal busy. */
  readonly mayBeBusy?: true;
}

export async function takeTurn(
  ports: TurnPorts,
  { claim, payload }: Waiting,
  profile: Profile,
): Promise<Turn> {
  const { portal, leases } = ports;
  const { filing } = claim;
  const guard = leases.guard();
  const { step } = filing;
  invariant(step !== undefined, 'A claimed filing has a step', { filing: filing.id });
  if (step.action === 'ask' || step.action === 'poll') {
    // The question was planned under an earlier profile; the one of now has nobody to ask.
    if (profile.status === undefined) return { event: { kind: 'gated', code: 'NO_STATUS_RULE' } };
    const submissionId = step.action === 'poll' ? step.submissionId : undefined;
    const exchange = await portal.ask(
      { profile, key: filing.key, ...(submissionId === undefined ? {} : { submissionId }) },
      guard,
    );
    if (isUnwritten(exchange)) return unsent(exchange, profile);
    const answer = classifyStatus(exchange, profile, ownOf(filing, payload), leases.now());
    return { event: { kind: 'asked', answer }, exchange };
  }
  // The lane may have stood still for longer than the portal remembers the key; then it is asked instead.
  const isRepeatable = (): boolean =>
    step.action !== 'resend' || mayRepeat(filing, step, profile, leases.now());
  if (!isRepeatable()) return { event: { kind: 'unsent' } };
  if (payload === undefined) return { event: { kind: 'gated', code: 'PAYLOAD_UNREADABLE' } };
  // Claimed ahead, it may have waited past its last safe moment: a person gets it, early enough to act.
  const isInTime = (): boolean => leases.now() < filing.lastSafe;
  if (!isInTime()) return { event: { kind: 'late' } };
  if (step.action === 'send') {
    const held = await heldBack(ports, claim, profile, payload);
    if (held !== undefined) return held;
  }
  const startedAt = leases.now();
  const exchange = await portal.send(
    { profile, key: filing.key, payload, contentType: CONTENT_TYPE },
    // Once more at the write: this process may have been stopped since, or waited for a gate or a connection.
    { signal: guard.signal, mayWrite: () => guard.mayWrite() && isInTime() && isRepeatable() },
  );
  if (isUnwritten(exchange)) return unsent(exchange, profile);
  const verdict = classifySend(exchange, profile, ownOf(filing, payload), leases.now());
  return {
    event: { kind: 'sent', startedAt, verdict },
    exchange,
  };
}

/** What speaks against a first send at this moment; undefined when nothing does. */
async function heldBack(
  { gate, leases }: TurnPorts,
  { filing }: Claim,
  profile: Profile,
  payload: Uint8Array,
): Promise<Turn | undefined> {
  if (gate?.concerns(profile) !== true) return undefined;
  const answer = await gate.check({ filing, profile, payload, now: leases.now() }, leases.guard());
  if (answer.kind === 'pass') return undefined;
  const { mayBeBusy } = answer;
  const event = heldBackBy(answer, leases.now());
  return mayBeBusy === undefined ? { event } : { event, mayBeBusy };
}

function heldBackBy(answer: Exclude<GateAnswer, { kind: 'pass' }>, now: Instant): FilingEvent {
  switch (answer.kind) {
    case 'wait':
      return { kind: 'held_back', code: answer.code, until: answer.until };
    case 'refuse':
      return { kind: 'gated', code: answer.code };
    case 'pause':
      return { kind: 'sent', startedAt: now, verdict: answer.verdict };
    case 'halt': {
      const verdict = { kind: 'drift', code: answer.code, written: false } as const;
      return { kind: 'sent', startedAt: now, verdict };
    }
  }
}

/** The filing itself was not written; a page before it may have been asked for. */
function unsent(exchange: Exchange, profile: Profile): Turn {
  const event = { kind: 'unsent' } as const;
  return mayKeepBusy(exchange, profile) ? { event, mayBeBusy: true } : { event };
}

function isUnwritten(exchange: Exchange): boolean {
  return exchange.kind === 'failure' && exchange.code === 'lease_lost' && !exchange.written;
}
