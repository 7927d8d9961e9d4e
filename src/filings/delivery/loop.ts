/**
 * Claim, decide, record, send, record: the one way of a filing through this process.
 *
 *   tick()      commits the outcomes of the last group and the claims and intents of the next, in one transaction
 *   dispatch()  gives each claim a slot; the portal's answer becomes an outcome for the next tick
 *
 * A crash before a tick commits leaves the filings as they were. A crash after it leaves them `submitted` without an
 * outcome: another worker finds them by their dead holder and settles them as unknown. Nothing here holds policy;
 * `core/decide.ts` does.
 */
import {
  attemptId,
  type Claim,
  type Clock,
  type DeliveryStore,
  type FilingId,
  type Ids,
  invariant,
  isDatabaseAway,
  type LaneCode,
  type OutcomeRecord,
  type Profile,
  type TurnWant,
  type Vault,
} from '../../core/index.ts';
import {
  type Lanes,
  type LocalSlot,
  mayKeepBusy,
  needPayload,
  type Unawaited,
} from '../../lanes/index.ts';
import { BrokenClaims, unreadableStep } from './broken-claims.ts';
import { readablePayload } from './payload.ts';
import { QueuePlaces } from './queue-places.ts';
import { disputed, isOfAnother, judged, receiptIn, ReceiptsSeen } from './receipts-seen.ts';
import type { Happening, Recorder } from './recorder.ts';
import { takeTurn, type TurnPorts, type Waiting } from './turn.ts';

/** A lane that had nothing to give is asked again after this long. */
const IDLE_POLL_MS = 50;
/** Outcomes in one transaction; more would hold its locks for too long. */
const OUTCOMES_MAX = 500;

interface LoopPorts extends TurnPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: DeliveryStore;
  readonly vault: Vault;
  readonly lanes: Lanes;
  readonly recorder: Recorder;
  /** How many intents may be committed ahead for each slot, where a repeat under the same key settles an unknown. */
  readonly ahead: number;
  /** Called when there may be something to do. */
  readonly wake: () => void;
  readonly unawaited: Unawaited;
  /** Which profile of its lane it is; left out where lanes have one for ever. */
  readonly numberOf?: (profile: Profile) => number | undefined;
  /** Aborted at the very end: whatever still waits then would only keep the process alive. */
  readonly stopped: AbortSignal;
}

export class DeliveryLoop {
  readonly #ports: LoopPorts;
  /** Every claim whose outcome is not committed yet. */
  readonly #held = new Map<FilingId, Claim>();
  readonly #waiting = new Map<LaneCode, Waiting[]>();
  readonly #emptyUntilMs = new Map<LaneCode, number>();
  readonly #places = new QueuePlaces();
  readonly #receipts = new ReceiptsSeen();
  readonly #broken: BrokenClaims;
  #outcomes: Recorded[] = [];
  #inFlight = 0;
  #unsure = false;
  #claiming = true;

  constructor(ports: LoopPorts) {
    this.#ports = ports;
    this.#broken = new BrokenClaims(ports.recorder);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** True when every claim has its outcome committed, and no tick is under way that may bring new ones. */
  get isEmpty(): boolean {
    return this.#held.size === this.#broken.left && !this.#unsure;
  }

  stopClaiming(): void {
    this.#claiming = false;
  }

  /** One transaction. Returns whether it did anything; throws when the database did not answer. */
  async tick(): Promise<boolean> {
    const { store, leases, ids } = this.#ports;
    const worker = leases.worker;
    if (worker === undefined) return false;
    if (this.#unsure) await this.#adopt();
    const recorded = this.#outcomes.slice(0, OUTCOMES_MAX);
    const outcomes = recorded.map(({ outcome }) => outcome);
    const wants = this.#wants();
    const total = wants.reduce((sum, want) => sum + want.count, 0);
    if (outcomes.length === 0 && total === 0) return false;
    const attemptIds = Array.from({ length: total }, () => attemptId(ids.next()));
    // Until the answer is here nobody knows whether this committed: the outcomes are kept, and claims that we have
    // not heard of are looked for first.
    this.#unsure = true;
    const answer = await store.tick({ worker, outcomes, wants, attemptIds });
    this.#unsure = false;
    this.#outcomes = this.#outcomes.slice(outcomes.length);
    for (const { outcome, happening } of recorded) {
      if (answer.disputed.some((one) => isSameClaim(one, outcome))) {
        this.#ports.unawaited.watch(this.#dispute(happening));
        continue;
      }
      // By now we may hold the filing anew; the outcome of a former claim does not end that one.
      const claim = this.#held.get(outcome.filing);
      if (claim?.worker === outcome.worker && claim.filing.attempt === outcome.attempt) {
        this.#held.delete(outcome.filing);
      }
    }
    this.#noteEmptyLanes(wants, answer.claims);
    this.take(answer.claims);
    return true;
  }

  /** Claims that are ours now. Those whose turn it is wait for a slot; the others need only a decision. */
  take(claims: readonly Claim[]): void {
    for (const claim of claims) {
      // Handed out by a call whose answer came late, and found by `adopt` before.
      if (this.#isKnown(claim)) continue;
      this.#held.set(claim.filing.id, claim);
      const profile = this.#ports.lanes.profile(claim.filing.lane);
      const automation = profile?.automation;
      const unreadable = unreadableStep(claim);
      if (unreadable !== undefined) {
        this.#ports.unawaited.watch(
          this.#broken
            .report(claim, unreadable.code)
            .then(() => this.#record({ claim, event: unreadable })),
        );
      } else if (claim.reason === 'turn' && automation !== 'allowed') {
        // Prepared, but not ours to send: the portal's terms do not allow it, or nobody has said that they do.
        const code = automation === 'forbidden' ? 'AUTOMATION_FORBIDDEN' : 'AUTOMATION_UNKNOWN';
        this.#ports.unawaited.watch(this.#record({ claim, event: { kind: 'gated', code } }));
      } else if (claim.reason === 'turn') {
        const queue = this.#waiting.get(claim.filing.lane) ?? [];
        const asks = claim.filing.step?.action === 'ask' || claim.filing.step?.action === 'poll';
        const isNeeded = !asks || needPayload(profile?.status?.echoes);
        const payload = isNeeded ? readablePayload(this.#ports.vault, claim) : undefined;
        queue.push({ claim, payload });
        this.#waiting.set(claim.filing.lane, queue);
      } else {
        // A pending filing that somebody held was on its way to a person because its slack was gone.
        const late = claim.reason === 'late' || claim.filing.status === 'pending';
        this.#ports.unawaited.watch(
          this.#record({ claim, event: { kind: late ? 'late' : 'orphaned' } }),
        );
      }
    }
    // Claimed just before we were told to stop: nothing new is sent any more.
    if (this.#claiming) this.dispatch();
    else this.giveBackAll();
  }

  /** Before the next tick, asks the database for claims of ours that we have not heard of. */
  lookForClaims(): void {
    this.#unsure = true;
  }

  /** Gives waiting claims the slots that are free. */
  dispatch(): void {
    const { lanes, leases } = this.#ports;
    if (!leases.isLive() || leases.isSkewed) return;
    const now = leases.now();
    for (const [lane, queue] of this.#waiting) {
      const profile = lanes.profile(lane);
      const ceiling = lanes.ceiling(lane, now);
      if (profile === undefined) continue;
      while (queue.length > 0) {
        const slot = leases.idleSlot(lane, ceiling);
        if (slot === undefined) break;
        const first = queue.shift();
        invariant(first !== undefined, 'A queue that is not empty has a first claim');
        // The lane has got another profile since the claim: what was approved for the former one is not sent by it.
        if (!this.#maySendBy(profile, first.claim)) {
          this.#ports.unawaited.watch(
            this.#record({ claim: first.claim, event: { kind: 'unsent' } }),
          );
          continue;
        }
        slot.busy = true;
        this.#inFlight += 1;
        this.#ports.unawaited.watch(this.#attempt(first, slot, profile));
      }
    }
  }

  /** Gives back the claims of a lane that cannot be sent now, with proof that nothing was written. */
  giveBack(lane: LaneCode): void {
    const queue = this.#waiting.get(lane) ?? [];
    this.#waiting.delete(lane);
    for (const { claim } of queue)
      this.#ports.unawaited.watch(this.#record({ claim, event: { kind: 'unsent' } }));
  }

  giveBackAll(): void {
    for (const lane of this.#waiting.keys()) this.giveBack(lane);
  }

  async #attempt(waiting: Waiting, slot: LocalSlot, profile: Profile): Promise<void> {
    const { claim } = waiting;
    const { clock, leases } = this.#ports;
    const turn = await this.#broken.caught(claim, () => takeTurn(this.#ports, waiting, profile));
    const { exchange } = turn;
    const { event, dispute } = judged(this.#receipts, claim, turn.event);
    const isOthers = isOfAnother(event);
    if (isOthers) this.#ports.portal.distrust?.(claim.filing.lane);
    const isLost = exchange !== undefined && mayKeepBusy(exchange, profile);
    // The connection is gone, or the answer was not ours, but the portal may still be at work: its ceiling counts that
    // request. Counted from now, because a process that was stopped on the way may have written long after it began.
    if (isOthers || isLost || turn.mayBeBusy === true) {
      slot.restUntilMs = clock.monotonicMs() + profile.longestServiceMs;
      this.#ports.unawaited.watch(this.#wakeAfter(profile.longestServiceMs));
    }
    slot.busy = false;
    this.#inFlight -= 1;
    // Recording begins with the lane, before anything is awaited: after a throttle the next one must not go out.
    const recorded = this.#record({
      claim,
      event,
      ...(exchange === undefined ? {} : { exchange }),
      ...(dispute === undefined ? {} : { dispute }),
    });
    if (leases.isLive()) this.dispatch();
    await recorded;
  }

  async #record(happening: Happening): Promise<void> {
    const { lanes, leases, wake, clock, stopped } = this.#ports;
    // What is decided depends on the time: a pause or a proof dated too early would end too early. And it depends on
    // the profile: a filing of a lane that was added a moment ago may be ours before we know that lane.
    const { lane } = happening.claim.filing;
    const canDecide = (): boolean => leases.knowsTime && lanes.profile(lane) !== undefined;
    while (!canDecide() && !stopped.aborted) await clock.sleep(IDLE_POLL_MS);
    const outcome = await this.#broken
      .outcomeOf(happening, leases.now())
      .catch((error: unknown) => {
        // Stopped while the database was away: the claim stays in our name, and another worker settles it.
        if (stopped.aborted && isDatabaseAway(error)) return undefined;
        throw error;
      });
    if (outcome !== undefined) this.#outcomes.push({ outcome, happening });
    wake();
  }

  /** Another filing has this receipt: the claim is still ours, and nothing is known of it. */
  async #dispute(happening: Happening): Promise<void> {
    const { claim, event } = happening;
    const { lane } = claim.filing;
    const { recorder, portal } = this.#ports;
    portal.distrust?.(lane);
    const receipt = receiptIn(event)?.number ?? '';
    const of = await recorder.receiptOwner(lane, receipt);
    await this.#record({ ...happening, event: disputed(event), dispute: { receipt, of } });
  }

  async #adopt(): Promise<void> {
    const { store, leases } = this.#ports;
    if (leases.worker === undefined) return;
    const unheardOf = await store.adopt(leases.worker, [...this.#held.keys()]);
    this.#unsure = false;
    this.take(unheardOf);
  }

  /** Two claims of one filing differ in the attempt or, after a lost lease, in the worker; the later one stands. */
  #isKnown(claim: Claim): boolean {
    const held = this.#held.get(claim.filing.id);
    if (held === undefined) return false;
    return held.worker === claim.worker && held.filing.attempt >= claim.filing.attempt;
  }

  #wants(): TurnWant[] {
    const { lanes, leases, clock } = this.#ports;
    if (!this.#claiming || !leases.isLive() || leases.isSkewed) return [];
    const now = leases.now();
    const nowMs = clock.monotonicMs();
    const wants: TurnWant[] = [];
    for (const lane of lanes.codes) {
      if ((this.#emptyUntilMs.get(lane) ?? 0) > nowMs) continue;
      const profile = lanes.profile(lane);
      const profileN = profile && this.#ports.numberOf?.(profile);
      // Without its number nobody could tell whether the filings were approved for it.
      const isKnown = profileN !== undefined || this.#ports.numberOf === undefined;
      if (profile === undefined || !isKnown) continue;
      const ceiling = lanes.ceiling(lane, now);
      const slots = leases
        .slotsOf(lane)
        .filter((slot) => slot.n < ceiling && !slot.isLeaving && slot.restUntilMs <= nowMs);
      const idle = slots.filter((slot) => !slot.busy).length;
      const ahead = aheadOf(profile, this.#ports.ahead) * slots.length;
      const count = idle + ahead - (this.#waiting.get(lane)?.length ?? 0);
      if (count > 0) {
        const place = this.#places.of(lane, nowMs);
        wants.push({ lane, count, ...place, ...(profileN === undefined ? {} : { profileN }) });
      }
    }
    return wants;
  }

  #noteEmptyLanes(wants: readonly TurnWant[], claims: readonly Claim[]): void {
    const nowMs = this.#ports.clock.monotonicMs();
    for (const want of wants) {
      const got = claims.filter((claim) => claim.filing.lane === want.lane);
      const last = got.length < want.count ? undefined : got.at(-1)?.filing;
      this.#places.note(want.lane, last, nowMs);
      // Behind its place a lane may look empty and have work before it: then it is asked at once from its head.
      const isEmpty = got.length < want.count && want.after === undefined;
      if (isEmpty) this.#emptyUntilMs.set(want.lane, nowMs + IDLE_POLL_MS);
    }
  }

  #maySendBy(profile: Profile, { filing, profileN }: Claim): boolean {
    const { numberOf } = this.#ports;
    const asks = filing.step?.action === 'ask' || filing.step?.action === 'poll';
    return asks || numberOf === undefined || numberOf(profile) === profileN;
  }

  async #wakeAfter(ms: number): Promise<void> {
    const { clock, stopped, wake } = this.#ports;
    await clock.sleep(ms, stopped);
    if (stopped.aborted) return;
    this.dispatch();
    wake();
  }
}

/** An outcome, and what it was made of: where its receipt is another's, that is decided on anew. */
interface Recorded {
  readonly outcome: OutcomeRecord;
  readonly happening: Happening;
}

type ClaimName = Pick<OutcomeRecord, 'filing' | 'attempt'>;

function isSameClaim(one: ClaimName, other: ClaimName): boolean {
  return one.filing === other.filing && one.attempt === other.attempt;
}

/**
 * How many intents may wait committed for each slot. After a crash every one of them is unknown: harmless where a repeat
 * under the same key settles it, a wait for the visibility lag where the portal must be asked, a person elsewhere.
 */
function aheadOf(profile: Profile, ahead: number): number {
  if (profile.idempotency.honouredMs > 0 || profile.effect === 'notice') return ahead;
  return profile.status === undefined ? 0 : Math.min(ahead, 1);
}
