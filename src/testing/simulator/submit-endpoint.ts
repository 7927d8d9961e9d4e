import { addMs, type Instant } from '../../core/index.ts';
import type { Own } from '../../lanes/index.ts';
import { type FaultKind, FAULTS, isSubmitFault, type SubmitFault } from './faults.ts';
import type { PortalRequest } from './plan.ts';
import {
  beyondTimeoutMs,
  type Handled,
  honest,
  type PortalState,
  worksOnMs,
} from './portal-state.ts';
import {
  acceptedAnswer,
  faultyAnswer,
  plainAnswer,
  receivedAnswer,
  respond,
  type SubmitScene,
} from './submit-answers.ts';
import { isThrottle, throttleStamp } from './throttle-stamps.ts';
import type { Acceptance, Submission } from './truth.ts';

/** One submission as the endpoint keeps it. */
export interface Submitted {
  readonly number: number;
  readonly key: string;
  readonly sha256: string;
  readonly now: Instant;
  readonly own: Own;
}

/** How a portal that would take a filing sees it. */
type Judgement =
  | { readonly kind: 'new' }
  | { readonly kind: 'repeat'; readonly of: Acceptance }
  | { readonly kind: 'undecided' }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'duplicate' };

const KEYLESS = 'payload:';

/** Where filings come in: decides what is taken, what is a repeat, and what the client is told. */
export class SubmitEndpoint {
  private readonly state: PortalState;
  private readonly keyHeader: string;

  constructor(state: PortalState) {
    this.state = state;
    this.keyHeader = state.profile.idempotency.header.toLowerCase();
  }

  /** A filing without a key is known by its payload, so that the truth still shows when it was taken twice. */
  keyOf(request: PortalRequest, sha256: string): string {
    return request.headers[this.keyHeader] ?? `${KEYLESS}${sha256}`;
  }

  take(submitted: Submitted, latency: () => number): Handled {
    const { truth, dice, behaviour, faultPlan, profile, receipts } = this.state;
    const { number, key } = submitted;
    const submission = truth.open(key);
    // Refused rather than forgotten or given the receipt of another filing: a test must be able to trust the truth.
    if (submission === undefined || this.state.receiptsIssued >= receipts.capacity - 1) {
      truth.countRefusal('full');
      return honest(respond(507, this.state.bodies.problem('FULL', 'Too many filings.')), 0);
    }
    submission.received += 1;
    const nth = submission.received;
    dice.reseed(behaviour.seed, key, nth);
    const chosen = faultPlan.choose({ endpoint: 'submit', request: number, key, nth }, dice);
    const fault = this.possible(chosen, submission, submitted);
    const usual = latency();
    const delayMs =
      fault === 'slow' ? (behaviour.timings.slowMs ?? beyondTimeoutMs(profile)) : usual;
    if (fault !== undefined && !takes(fault)) {
      return this.turnDown(submission, submitted, { fault, delayMs });
    }
    if (fault === undefined && profile.received.always === true) {
      // No misbehaviour: this portal takes every filing that way.
      const usually = 'received_202_then_accepted';
      const handled = this.takeIn(submission, submitted, { fault: usually, delayMs, usual });
      return { ...handled, fault: undefined };
    }
    return this.takeIn(submission, submitted, { fault, delayMs, usual });
  }

  /**
   * A portal that honours keys and has taken a filing does not examine it again, so it cannot refuse the repeat: a
   * refusal would be a lie that no client can see through. Gateways in front of it may still fail or deny.
   */
  private possible(
    chosen: FaultKind | undefined,
    submission: Submission,
    submitted: Submitted,
  ): SubmitFault | undefined {
    if (chosen === undefined || !isSubmitFault(chosen)) return undefined;
    if (FAULTS[chosen].fate !== 'refused') return chosen;
    const { kind } = this.judge(submission, submitted);
    return kind === 'repeat' || kind === 'undecided' ? undefined : chosen;
  }

  /** The fault keeps the filing out. */
  private turnDown(
    submission: Submission,
    submitted: Submitted,
    { fault, delayMs }: { readonly fault: SubmitFault; readonly delayMs: number },
  ): Handled {
    const { truth } = this.state;
    const { now } = submitted;
    if (FAULTS[fault].fate === 'refused' && submission.acceptances.length === 0) {
      truth.rule(submission, { kind: 'refused', at: now + delayMs });
    }
    return this.misbehave(fault, this.scene(submitted, ''), delayMs);
  }

  /** The answer of the fault; one that asks for a pause means it, whatever became of the filing. */
  private misbehave(fault: SubmitFault, scene: SubmitScene, delayMs: number): Handled {
    const { now, throttleMs } = scene;
    if (isThrottle(fault) && throttleStamp(fault, now, throttleMs).sane) {
      // From the answer on: what was under way when the portal spoke is no disobedience.
      this.state.pause = { from: now + delayMs, until: now + throttleMs };
    }
    return { ...honest(faultyAnswer(fault, scene), delayMs), fault };
  }

  /** The portal would take the filing; whether it does depends on what it knows of the key. */
  private takeIn(
    submission: Submission,
    submitted: Submitted,
    timing: {
      readonly fault: SubmitFault | undefined;
      readonly delayMs: number;
      readonly usual: number;
    },
  ): Handled {
    const { truth, bodies } = this.state;
    const { fault, delayMs, usual } = timing;
    const judgement = this.judge(submission, submitted);
    switch (judgement.kind) {
      case 'duplicate':
        truth.countRefusal('duplicate');
        return honest(respond(409, bodies.problem('DUPLICATE', 'Filed before.')), usual);
      case 'key_reused':
        truth.countRefusal('key_reused');
        return honest(plainAnswer(this.scene(submitted, ''), 422), usual);
      case 'undecided':
        return honest(receivedAnswer(this.scene(submitted, '', submission)), usual);
      case 'repeat': {
        truth.repeat(submission, addMs(submitted.now, delayMs));
        const scene = this.scene(submitted, judgement.of.receipt, submission);
        // Still being processed: the portal says again what it said first.
        if (judgement.of.at > submitted.now && submission.ruling.kind === 'processing') {
          return honest(receivedAnswer(scene), usual);
        }
        if (fault === undefined || FAULTS[fault].fate === 'processing') {
          return honest(acceptedAnswer(scene), usual);
        }
        return this.misbehave(fault, scene, delayMs);
      }
      case 'new':
        return this.takeNew(submission, submitted, { fault, delayMs });
    }
  }

  private takeNew(
    submission: Submission,
    submitted: Submitted,
    { fault, delayMs }: { readonly fault: SubmitFault | undefined; readonly delayMs: number },
  ): Handled {
    const { truth, behaviour } = this.state;
    const { now, sha256, number } = submitted;
    const from = now + delayMs;
    let acceptsAfterMs: number | undefined = delayMs;
    if (fault !== undefined && FAULTS[fault].fate === 'processing') {
      const { processingMs } = behaviour.timings;
      const end = ENDS[fault] ?? 'stuck';
      acceptsAfterMs = end === 'accepted' ? delayMs + processingMs : undefined;
      const until = end === 'stuck' ? Number.POSITIVE_INFINITY : from + processingMs;
      truth.rule(submission, { kind: 'processing', submissionId: `S${number}`, from, until, end });
    } else {
      truth.rule(submission, { kind: 'none' });
    }
    const isTaken = acceptsAfterMs !== undefined;
    const receipt = isTaken ? this.receiptFor(fault) : '';
    const { key, own } = submitted;
    if (this.state.profile.status?.echoes !== undefined) submission.own = own;
    const scene = this.scene(submitted, receipt, submission);
    const handled =
      fault === undefined
        ? honest(acceptedAnswer(scene), delayMs)
        : this.misbehave(fault, scene, delayMs);
    if (acceptsAfterMs !== undefined) {
      acceptsAfterMs += worksOnMs(handled.answer, this.state);
      const at = addMs(now, acceptsAfterMs);
      truth.accept(submission, { receipt, sha256, arrivedAt: now, at });
      this.state.lastTaken = { key, receipt, own };
    }
    return { ...handled, acceptsAfterMs };
  }

  /** A number that nobody had before, unless the fault is that somebody has. */
  private receiptFor(fault: SubmitFault | undefined): string {
    const { receipts, lastTaken } = this.state;
    if (fault === 'receipt_reissued' && lastTaken !== undefined) return lastTaken.receipt;
    return receipts.receipt(++this.state.receiptsIssued);
  }

  private judge(submission: Submission, { sha256, now }: Submitted): Judgement {
    const { profile, behaviour } = this.state;
    const { honouredMs } = profile.idempotency;
    const latest = submission.acceptances.at(-1);
    const { ruling } = submission;
    // Without a key the portal itself has nothing to recognise a filing by.
    if (submission.key.startsWith(KEYLESS)) return { kind: 'new' };
    if (latest !== undefined && honouredMs > 0 && now - latest.arrivedAt <= honouredMs) {
      return latest.sha256 === sha256 ? { kind: 'repeat', of: latest } : { kind: 'key_reused' };
    }
    if (honouredMs > 0 && ruling.kind === 'processing' && now < ruling.until) {
      return { kind: 'undecided' };
    }
    if (latest !== undefined && now - latest.at < behaviour.duplicateWindowMs) {
      return { kind: 'duplicate' };
    }
    return { kind: 'new' };
  }

  private scene(submitted: Submitted, receipt: string, submission?: Submission): SubmitScene {
    const { bodies, profile, behaviour, receipts } = this.state;
    const { timings } = behaviour;
    const ruling = submission?.ruling;
    return {
      bodies,
      now: submitted.now,
      key: submitted.key,
      receipt,
      submissionId: ruling?.kind === 'processing' ? ruling.submissionId : '',
      own: submitted.own,
      another: this.state.lastTaken?.key === submitted.key ? undefined : this.state.lastTaken,
      acceptedStatus: profile.receipt.statuses.find((status) => status !== 202) ?? 200,
      malformedReceipt: receipts.malformed(),
      throttleMs: timings.throttleMs,
      drip: { kind: 'drip', chunkBytes: timings.dripChunkBytes, everyMs: timings.dripEveryMs },
    };
  }
}

const ENDS: Partial<Record<SubmitFault, 'accepted' | 'refused' | 'stuck'>> = {
  received_202_then_accepted: 'accepted',
  received_202_then_refused: 'refused',
  received_202_stuck: 'stuck',
};

function takes(fault: SubmitFault): boolean {
  const { fate } = FAULTS[fault];
  return fate === 'accepted' || fate === 'processing';
}
