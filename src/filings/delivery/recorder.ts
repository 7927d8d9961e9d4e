/**
 * From "this happened" to an outcome ready to be committed: lane first, then the decision, then the evidence.
 *
 * The lane goes first because a pause must be known before the filing that caused it is queued again. A crash between
 * the two leaves the lane paused and the filing held by a dead worker, which settles as unknown.
 */
import {
  canonicalBytes,
  type Claim,
  type ClaimFault,
  type Clock,
  type Decision,
  type DeliveryStore,
  type EntryId,
  entryId,
  type Exchange,
  type FactType,
  type FilingId,
  type FilingStatus,
  type Ids,
  type Instant,
  isDatabaseAway,
  type JsonValue,
  type LaneCode,
  type LaneState,
  type LedgerFact,
  type Log,
  type OutcomeRecord,
  type Profile,
  type Vault,
  type WrappedKey,
} from '../../core/index.ts';
import { decide, type FilingEvent } from '../rules/decide.ts';
import {
  inLaneContext,
  type LaneEvent,
  type Lanes,
  mayBeRivals,
  opensAt,
  RIVALS,
} from '../../lanes/index.ts';
import { exceptionEnvelope, exchangeJson } from './evidence.ts';
import { readablePayload } from './payload.ts';
import type { Dispute } from './receipts-seen.ts';

/** While the database is away an outcome waits; it is not lost, and asking more often would not bring it back. */
const RETRY_MS = 200;

export interface Happening {
  readonly claim: Claim;
  readonly event: FilingEvent;
  readonly exchange?: Exchange;
  /** The receipt in the answer is another filing's. */
  readonly dispute?: Dispute;
}

type RecorderStore = Pick<DeliveryStore, 'history' | 'dataKey' | 'receiptOwner' | 'reportFault'>;

export class Recorder {
  readonly #store: RecorderStore;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #vault: Vault;
  readonly #log: Log;
  readonly #lanes: Lanes;
  readonly #stopped: AbortSignal;

  constructor(options: {
    readonly store: RecorderStore;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly vault: Vault;
    readonly log: Log;
    readonly lanes: Lanes;
    readonly stopped: AbortSignal;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#ids = options.ids;
    this.#vault = options.vault;
    this.#log = options.log;
    this.#lanes = options.lanes;
    this.#stopped = options.stopped;
  }

  /** Undefined when the lane's profile is not known here; the claim then stays until another worker takes it. */
  async outcomeOf(happening: Happening, now: Instant): Promise<OutcomeRecord | undefined> {
    const { claim, exchange } = happening;
    const profile = this.#lanes.profile(claim.filing.lane);
    if (profile === undefined) return undefined;
    const event = await this.#complete(await this.#afterLane(happening, profile, now), claim);
    // Answers come in bursts. Those behind this one are read, and their slots used again, before anything is sealed:
    // with that done first, a request took 9.1 ms where the portal took 5.4.
    await this.#clock.sleep(0);
    const decision = decide(claim.filing, event, profile, now);
    const verdict = verdictName(event);
    const to = statusAfter(decision);
    const code = decision.kind === 'accept' ? 'ACCEPTED' : decision.code;
    const key = await this.#keyFor(claim, now);
    const id = entryId(this.#ids.next());
    const data = {
      ...factsOf(happening, verdict, code),
      from: claim.filing.status,
      to,
      ...(decision.kind === 'accept' ? { receipt: decision.receipt.number } : {}),
    };
    const fact = this.#fact(
      claim,
      { id, type: 'filing.outcome', data },
      key,
      exchange && canonicalBytes(exchangeJson(exchange)),
    );
    const exception = await this.#exception(happening, decision, key);
    this.#write(claim, verdict, code, to);
    return {
      filing: claim.filing.id,
      worker: claim.worker,
      attempt: claim.filing.attempt,
      verdict,
      code,
      from: claim.filing.status,
      to,
      next:
        decision.kind === 'wait' ? { step: decision.step, delayMs: decision.delayMs } : undefined,
      failures: decision.kind === 'wait' ? decision.failures : 0,
      failingSince: decision.kind === 'wait' ? decision.failingSince : undefined,
      captchaMarks:
        decision.kind === 'wait' ? (decision.captchaMarks ?? claim.filing.captchaMarks) : 0,
      receipt: decision.kind === 'accept' ? decision.receipt.number : undefined,
      lane: claim.filing.lane,
      fact,
      exception,
    };
  }

  /** The event as the lane sees it: the third 404 is drift, and a throttle knows how long the lane will wait. */
  async #afterLane(happening: Happening, profile: Profile, now: Instant): Promise<FilingEvent> {
    const { claim } = happening;
    const before = this.#lanes.state(claim.filing.lane);
    const event =
      before === undefined ? happening.event : this.#amongRivals(happening, before, now);
    if (before === undefined || (event.kind !== 'sent' && event.kind !== 'asked')) return event;
    const seen: FilingEvent & LaneEvent =
      event.kind === 'sent' ? { ...event, verdict: inLaneContext(event.verdict, before) } : event;
    const after = await this.#lanes.apply(claim.filing.lane, seen, now);
    const opens = after === undefined ? now : opensAt(after);
    if (opens <= now || opens === Number.POSITIVE_INFINITY) return seen;
    return { ...seen, laneWaitMs: Math.min(opens - now, profile.throttle.pauseMsMax) };
  }

  /** A login that looks refused, while another process of ours is signed in, was ended by that one's. */
  #amongRivals({ event, exchange, claim }: Happening, lane: LaneState, now: Instant): FilingEvent {
    const isLost = exchange?.kind === 'failure' && exchange.mayBeRivals === true;
    if (!isLost || !mayBeRivals(lane, this.#lanes.isShared(claim.filing.lane), now)) return event;
    if (event.kind === 'asked') return { ...event, answer: { kind: 'unclear', code: RIVALS } };
    if (event.kind !== 'sent') return event;
    return { ...event, verdict: { kind: 'session', code: RIVALS, written: false } };
  }

  /** A key's age counts from the intent, not from the moment at which the orphan was found. */
  async #complete(event: FilingEvent, claim: Claim): Promise<FilingEvent> {
    if (event.kind !== 'orphaned') return event;
    const history = await this.#untilAnswered(() => this.#store.history(claim.filing.id));
    const lost = history.find((attempt) => attempt.attempt === claim.filing.attempt);
    return lost === undefined ? event : { ...event, intentAt: lost.intentAt };
  }

  async #exception(
    happening: Happening,
    decision: Decision,
    key: WrappedKey,
  ): Promise<OutcomeRecord['exception']> {
    if (decision.kind !== 'reject' && decision.kind !== 'give_up') return undefined;
    const { claim, exchange } = happening;
    const history = await this.#untilAnswered(() => this.#store.history(claim.filing.id));
    const envelope = exceptionEnvelope({
      filing: claim.filing,
      payload: readablePayload(this.#vault, claim),
      reason: decision.code,
      exchange,
      dispute: happening.dispute,
      history,
      trace: claim.attempt,
    });
    const id = entryId(this.#ids.next());
    const data = {
      filing: claim.filing.id,
      revision: claim.filing.revision,
      reason: decision.code,
      to: statusAfter(decision),
      payload_sha256: claim.filing.payloadSha256,
    };
    return {
      reason: decision.code,
      unsettled: decision.kind === 'give_up' ? decision.unsettled : undefined,
      fact: this.#fact(claim, { id, type: 'dlq.enveloped', data }, key, envelope),
    };
  }

  /** Tells people of a claim that could not be handled. */
  async reportFault(fault: ClaimFault): Promise<void> {
    const { filing, code } = fault;
    this.#log.write({ level: 'error', event: 'claim.broken', filing_id: filing, error: code });
    await this.#untilAnswered(() => this.#store.reportFault(fault));
  }

  /** The filing that has a receipt already. */
  receiptOwner(lane: LaneCode, number: string): Promise<FilingId | undefined> {
    return this.#untilAnswered(() => this.#store.receiptOwner(lane, number));
  }

  #fact(
    claim: Claim,
    fact: {
      readonly id: EntryId;
      readonly type: FactType;
      readonly data: Readonly<Record<string, JsonValue>>;
    },
    key: WrappedKey,
    body: Uint8Array | undefined,
  ): LedgerFact {
    return {
      ...fact,
      actor: { kind: 'service', id: `worker/${claim.worker}` },
      trace: claim.attempt,
      ...(body === undefined ? {} : { body: this.#vault.seal({ key, entry: fact.id, body }) }),
    };
  }

  /** Bodies are sealed under the key of the month in which they are written. */
  async #keyFor(claim: Claim, now: Instant): Promise<WrappedKey> {
    const month = monthOf(now);
    if (claim.payload.key.month === month) return claim.payload.key;
    return this.#untilAnswered(() =>
      this.#store.dataKey(claim.filing.entityId, month, () => this.#vault.newKey(month)),
    );
  }

  async #untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!isDatabaseAway(error) || this.#stopped.aborted) throw error;
        // The claim is ours and durable; if this process dies while it waits, another settles it.
        await this.#clock.sleep(RETRY_MS);
      }
    }
  }

  #write(claim: Claim, verdict: string, code: string, to: FilingStatus): void {
    const failed = to === 'rejected' || to === 'fallout';
    this.#log.write({
      level: failed ? 'error' : 'info',
      event: 'filing.outcome',
      trace_id: claim.attempt,
      filing_id: claim.filing.id,
      entity_id: claim.filing.entityId,
      jurisdiction: claim.filing.jurisdiction,
      lane: claim.filing.lane,
      status: to,
      payload_sha256: claim.filing.payloadSha256,
      verdict,
      attempt: claim.filing.attempt,
      ...(code === 'ACCEPTED' ? {} : { error: code }),
    });
  }
}

function monthOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 7);
}

function factsOf(
  { claim, dispute }: Happening,
  verdict: string,
  code: string,
): Record<string, JsonValue> {
  return {
    attempt: claim.filing.attempt,
    verdict,
    code,
    lane: claim.filing.lane,
    key: claim.filing.key,
    payload_sha256: claim.filing.payloadSha256,
    ...(dispute === undefined ? {} : { receipt_of: dispute.of ?? null }),
  };
}

function verdictName(event: FilingEvent): string {
  if (event.kind === 'sent') return event.verdict.kind;
  if (event.kind === 'asked') return `status_${event.answer.kind}`;
  return event.kind;
}

function statusAfter(decision: Decision): FilingStatus {
  switch (decision.kind) {
    case 'accept':
      return 'accepted';
    case 'reject':
      return 'rejected';
    case 'give_up':
      return 'fallout';
    case 'wait':
      return decision.to;
  }
}
