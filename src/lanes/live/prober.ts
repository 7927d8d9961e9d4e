/**
 * Finds out whether a portal that has failed is well again, check by check. Checks run beside the pass over the lanes, one
 * for each lane at most: a health page that hangs holds up nobody but its own lane, and is over with the profile's time-out.
 */
import {
  canonicalBytes,
  type Clock,
  type DeliveryStore,
  type Exchange,
  idempotencyKey,
  type Ids,
  isDatabaseAway,
  type LaneCode,
  type LaneRecovery,
  type Portal,
  type Profile,
  type Survey,
  type Verdict,
  type WriteGuard,
} from '../../core/index.ts';
import { classifySend, classifyStatus, isHealthy } from '../rules/classify.ts';
import { checkDueAt, transactionOf } from '../rules/recovery/lane-recovery.ts';
import { type CheckVerdict, dueCheck } from '../rules/recovery/next-recovery.ts';
import type { LaneEvent } from '../rules/lane-rules.ts';
import { mayKeepBusy } from '../rules/busy.ts';
import { ownOf } from '../rules/echoes.ts';
import type { Lanes } from './lanes.ts';
import type { Leases, LocalSlot } from './leases.ts';
import type { Unawaited } from './unawaited.ts';

/** A heartbeat tells the time again; they come every second or two. */
const CLOCK_AGAIN_MS = 50;
const CONTENT_TYPE = 'application/json; charset=utf-8';

interface ProberDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: Pick<DeliveryStore, 'leaseProbe' | 'openQuestions'>;
  readonly portal: Pick<Portal, 'probe' | 'send' | 'ask'>;
  readonly lanes: Lanes;
  readonly leases: Leases;
  readonly unawaited: Unawaited;
  readonly stopped: AbortSignal;
}

/** A check that is due on a lane, and the recovery that it is for. */
interface Due {
  readonly profile: Profile;
  readonly recovery: LaneRecovery;
  readonly step: Exclude<ReturnType<typeof dueCheck>, undefined>;
}

interface Answered {
  readonly exchange: Exchange;
  readonly event: LaneEvent;
}

export class Prober {
  readonly #deps: ProberDeps;
  readonly #probing = new Map<LaneCode, Promise<void>>();

  constructor(deps: ProberDeps) {
    this.#deps = deps;
  }

  /** Begins what is due on each lane that has failed. */
  async beginDue(survey: Survey): Promise<void> {
    for (const lane of this.#deps.lanes.codes) {
      if (!this.#probing.has(lane)) await this.#begin(lane, survey);
    }
  }

  /** Resolves when no check is under way; they are cut off when the lease is given back. */
  async ended(): Promise<void> {
    await Promise.all(this.#probing.values());
  }

  async #begin(lane: LaneCode, survey: Survey): Promise<void> {
    const due = this.#due(lane);
    const { worker } = this.#deps.leases;
    if (due === undefined || worker === undefined) return;
    // The portal is asked nothing for this one: whoever looks sees the same rows.
    if (due.step === 'drain') return this.#watch(lane, this.#drain(lane, due));
    const slot = await this.#lease(lane, survey);
    if (slot !== undefined) this.#watch(lane, this.#check(due, slot));
  }

  #due(lane: LaneCode): Due | undefined {
    const { lanes, leases } = this.#deps;
    const state = lanes.state(lane);
    const profile = lanes.profile(lane);
    const at = state && checkDueAt(state);
    if (at === undefined || at > leases.now()) return undefined;
    const recovery = state?.recovery;
    if (recovery === undefined || profile === undefined) return undefined;
    const step = dueCheck(recovery.run, at);
    return step && { profile, recovery, step };
  }

  /** The lane's first slot, once nothing else of ours or anybody's is in flight there. */
  async #lease(lane: LaneCode, survey: Survey): Promise<LocalSlot | undefined> {
    const { store, leases } = this.#deps;
    const { worker } = leases;
    const isUsed = survey.slots.some(
      (slot) => slot.lane === lane && slot.holder !== worker && slot.expiresAt > survey.now,
    );
    if (worker === undefined || isUsed || leases.slotsOf(lane).length > 0) return undefined;
    // Awaited, as all taking of slots is: one that the next survey shows and we do not know of would be given back.
    const taken = await store.leaseProbe(worker, lane);
    if (taken === undefined || leases.worker !== worker) return undefined;
    const slot = leases.addSlot(taken);
    slot.busy = true;
    return slot;
  }

  #watch(lane: LaneCode, check: Promise<void>): void {
    const probing = check
      .catch((error: unknown) => {
        // Stopped while the database was away: nobody hears of this check, and the next one finds out the same.
        if (!this.#deps.stopped.aborted || !isDatabaseAway(error)) throw error;
      })
      .finally(() => this.#probing.delete(lane));
    this.#probing.set(lane, probing);
    this.#deps.unawaited.watch(probing);
  }

  async #check(due: Due, slot: LocalSlot): Promise<void> {
    const { clock, lanes, leases } = this.#deps;
    const guard = leases.guard();
    const { exchange, event } = await this.#ask(due, guard);
    if (mayKeepBusy(exchange, due.profile)) {
      slot.restUntilMs = clock.monotonicMs() + due.profile.longestServiceMs;
    }
    slot.busy = false;
    // The machine may have been suspended since. Dated by a clock that stood still, a good probe would let the next one
    // follow at once, and two answers of one moment would close the breaker.
    while (!leases.knowsTime && !guard.signal.aborted) await clock.sleep(CLOCK_AGAIN_MS);
    // Somebody else has the lane by now, and will see for himself.
    if (guard.signal.aborted) return;
    await lanes.apply(slot.lane, event, leases.now());
  }

  async #ask(due: Due, guard: WriteGuard): Promise<Answered> {
    const { profile, recovery } = due;
    const { ids, portal, leases } = this.#deps;
    if (due.step === 'health') {
      const exchange = await portal.probe(profile, guard);
      return { exchange, event: judged(due, isHealthy(exchange), 'not healthy') };
    }
    // Of this check alone: nobody has ever filed under it.
    const key = idempotencyKey(`recovery-${ids.next()}`);
    if (transactionOf(profile, recovery) === 'filing') {
      const payload = canonicalBytes(profile.synthetic?.payload ?? {});
      const request = { profile, key, payload, contentType: CONTENT_TYPE };
      const exchange = await portal.send(request, guard);
      const verdict = classifySend(exchange, profile, ownOf({ key }, payload), leases.now());
      if (verdict.kind === 'throttled') return { exchange, event: { kind: 'sent', verdict } };
      return { exchange, event: judged(due, isTaken(verdict, profile), codeOf(verdict)) };
    }
    const exchange = await portal.ask({ profile, key, submissionId: key }, guard);
    const answer = classifyStatus(exchange, profile, ownOf({ key }, undefined), leases.now());
    if (answer.kind === 'throttled') return { exchange, event: { kind: 'asked', answer } };
    return { exchange, event: judged(due, answer.kind === 'not_found', codeOf(answer)) };
  }

  async #drain(lane: LaneCode, due: Due): Promise<void> {
    const { store, lanes, leases } = this.#deps;
    const { run } = due.recovery;
    const since = run.state === 'checking' ? run.since : leases.now();
    const left = await store.openQuestions(lane, since);
    if (!leases.knowsTime) return;
    const verdict: CheckVerdict =
      left === 0 ? { kind: 'good' } : { kind: 'wait', why: `${left} outcomes are still unknown` };
    await lanes.apply(lane, { kind: 'checked', step: 'drain', verdict, of: run }, leases.now());
  }
}

function judged({ step, recovery }: Due, isGood: boolean, why: string): LaneEvent {
  const verdict: CheckVerdict = isGood ? { kind: 'good' } : { kind: 'bad', why };
  return { kind: 'checked', step, verdict, of: recovery.run };
}

/** A portal that refuses the same filing twice works too: it remembers the one of the last recovery. */
function isTaken({ kind }: Verdict, { limits }: Profile): boolean {
  if (kind === 'rejected') return (limits?.duplicateWindowMs ?? 0) > 0;
  return kind === 'accepted' || kind === 'received' || kind === 'conflict';
}

function codeOf(said: { readonly kind: string; readonly code?: string }): string {
  return said.code ?? said.kind.toUpperCase();
}
