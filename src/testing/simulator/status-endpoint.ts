import type { Instant } from '../../core/index.ts';
import { isStatusFault } from './faults.ts';
import { type Handled, honest, type PortalState } from './portal-state.ts';
import { faultyStatus, honestStatus, type Standing, type StatusScene } from './status-answers.ts';
import { respond } from './submit-answers.ts';
import type { Submission } from './truth.ts';

export interface Asked {
  readonly number: number;
  readonly key: string;
  readonly submissionId: string;
  readonly now: Instant;
}

/** Where a client asks what became of a key. */
export class StatusEndpoint {
  private readonly state: PortalState;

  constructor(state: PortalState) {
    this.state = state;
  }

  tell(asked: Asked, latency: () => number): Handled {
    const { profile, truth, dice, behaviour, faultPlan, bodies } = this.state;
    const { status: rule } = profile;
    if (rule === undefined) return honest(respond(404, bodies.problem('NONE', 'No status.')), 0);
    const byId = asked.submissionId === '' ? undefined : truth.findById(asked.submissionId);
    const key = asked.key === '' ? (byId?.key ?? '') : asked.key;
    // Asking makes a record too, so that the nth question about a key meets the same fault in every run.
    const submission = truth.open(key);
    const nth = submission === undefined ? asked.number : ++submission.asked;
    dice.reseed(behaviour.seed, `status ${key}`, nth);
    const fault = faultPlan.choose({ endpoint: 'status', request: asked.number, key, nth }, dice);
    const scene: StatusScene = {
      bodies,
      rule,
      key,
      standing: this.standing(submission, asked.now),
      throttleMs: behaviour.timings.throttleMs,
      own: submission?.own ?? ((of) => (of === 'key' ? key : undefined)),
      another: this.state.lastTaken?.key === key ? undefined : this.state.lastTaken,
      inventReceipt: () => this.inventReceipt(),
    };
    const delayMs = latency();
    // Where answers name no key and no entity, none can name a wrong one.
    const mute =
      (fault === 'status_other_key' && rule.keyAt === undefined) ||
      (fault === 'status_other_entity' && rule.echoes === undefined);
    if (fault === undefined || !isStatusFault(fault) || mute) {
      return honest(honestStatus(scene), delayMs);
    }
    return { ...honest(faultyStatus(fault, scene), delayMs), fault };
  }

  /** Taken from the same numbers, so that no filing gets it later. */
  private inventReceipt(): string {
    const { receipts } = this.state;
    this.state.receiptsIssued = Math.min(this.state.receiptsIssued + 1, receipts.capacity - 1);
    return receipts.receipt(this.state.receiptsIssued);
  }

  /** What is visible at this moment: the lag holds back everything but "processing". */
  private standing(submission: Submission | undefined, now: Instant): Standing {
    if (submission === undefined) return { kind: 'not_found' };
    const { profile, behaviour } = this.state;
    const lagMs = behaviour.visibilityLagMs ?? profile.status?.visibilityLagMs ?? 0;
    const visible = submission.acceptances.find((acceptance) => acceptance.at + lagMs <= now);
    if (visible !== undefined) return { kind: 'accepted', receipt: visible.receipt };
    const { ruling } = submission;
    switch (ruling.kind) {
      case 'none':
        return { kind: 'not_found' };
      case 'refused':
        return ruling.at + lagMs <= now ? { kind: 'refused' } : { kind: 'not_found' };
      case 'processing':
        if (now < ruling.from) return { kind: 'not_found' };
        return ruling.end === 'refused' && now >= ruling.until + lagMs
          ? { kind: 'refused' }
          : { kind: 'processing' };
    }
  }
}
