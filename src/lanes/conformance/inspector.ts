import {
  canonicalBytes,
  type Clock,
  type Exchange,
  hasStamp,
  idempotencyKey,
  type JsonValue,
  type Profile,
  stampWaitMs,
  type StatusAnswer,
  type Verdict,
  type WriteGuard,
} from '../../core/index.ts';
import { classifySend, classifyStatus } from '../rules/classify.ts';
import { ownOf } from '../rules/echoes.ts';
import type { SessionCollision } from '../portals/collision-watch.ts';
import { createPortal } from '../portals/portal.ts';
import type { PortalOptions } from '../portals/exchanger.ts';
import { PacedPortal } from './paced-portal.ts';

export interface InspectorOptions
  extends Pick<PortalOptions, 'environment' | 'certificateAuthorities'> {
  readonly profile: Profile;
  readonly clock: Clock;
  /** Part of every key of this run, so that a second run does not meet the first one's filings. */
  readonly run: string;
  /** The longest wait for a lagging status or a filing in process. */
  readonly waitMsMax: number;
  /** Where others use the lane too: what this check has of it. Otherwise it has the lane for itself. */
  readonly slots?: CheckSlots;
}

interface CheckSlots {
  readonly count: number;
  readonly guard: WriteGuard;
  /** Set when the check leaves the portal perhaps at work: its slots rest then. */
  isBusy: boolean;
}

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** Asks the portal through the very drivers that will file, and remembers what every check may want to know. */
export class Inspector {
  readonly profile: Profile;
  readonly clock: Clock;
  readonly waitMsMax: number;
  readonly portal: PacedPortal;
  readonly collisions: SessionCollision[] = [];
  /** A stamp that asks for a pause and cannot be read. */
  strangeStamp: string | undefined;
  readonly guard: WriteGuard;
  /** How many requests may be in flight. */
  readonly width: number;
  private readonly run: string;

  constructor(options: InspectorOptions) {
    const { environment, clock, certificateAuthorities, slots } = options;
    const { signal } = new AbortController();
    this.guard = slots?.guard ?? { mayWrite: () => true, signal };
    this.width = Math.min(slots?.count ?? options.profile.ceiling, options.profile.ceiling);
    this.profile = options.profile;
    this.clock = clock;
    this.run = options.run;
    this.waitMsMax = options.waitMsMax;
    const portal = createPortal({
      environment,
      clock,
      onCollision: (collision) => this.collisions.push(collision),
      ...(certificateAuthorities === undefined ? {} : { certificateAuthorities }),
    });
    this.portal = new PacedPortal(portal, clock);
  }

  key(name: string): string {
    return `check-${this.run}-${name}`;
  }

  /** The synthetic filing, changed where a check wants it. */
  payload(changes: Readonly<Record<string, JsonValue>> = {}): Readonly<Record<string, JsonValue>> {
    return { ...this.profile.synthetic?.payload, ...changes };
  }

  async file(
    key: string,
    payload: Readonly<Record<string, JsonValue>>,
  ): Promise<{ readonly verdict: Verdict; readonly exchange: Exchange }> {
    const { profile } = this;
    const filed = { key: idempotencyKey(key), payload: canonicalBytes(payload) };
    const exchange = await this.portal.send(
      { profile, ...filed, contentType: CONTENT_TYPE },
      this.guard,
    );
    this.noteStamp(exchange);
    const own = ownOf(filed, filed.payload);
    return { exchange, verdict: classifySend(exchange, profile, own, this.clock.now()) };
  }

  async ask(key: string, submissionId?: string, profile = this.profile): Promise<StatusAnswer> {
    const of = idempotencyKey(key);
    // Where the path names a submission and there is none yet, our own key stands in: no portal has issued it.
    const named = submissionId ?? key;
    const exchange = await this.portal.ask({ profile, key: of, submissionId: named }, this.guard);
    this.noteStamp(exchange);
    const own = ownOf({ key: of }, canonicalBytes(this.payload()));
    return classifyStatus(exchange, profile, own, this.clock.now());
  }

  /** Asks until the answer satisfies, or the time that the profile or this run allows is over. */
  async askUntil(
    key: string,
    submissionId: string | undefined,
    isEnd: (answer: StatusAnswer) => boolean,
    withinMs: number,
  ): Promise<StatusAnswer> {
    const stepMs = Math.max(50, Math.min(this.profile.received.pollMs, this.waitMsMax / 20));
    const until = this.clock.monotonicMs() + Math.min(withinMs, this.waitMsMax);
    for (;;) {
      const answer = await this.ask(key, submissionId);
      if (isEnd(answer) || this.clock.monotonicMs() >= until) return answer;
      await this.clock.sleep(stepMs);
    }
  }

  private noteStamp(exchange: Exchange): void {
    const answer = exchange.kind === 'failure' ? exchange.answer : exchange;
    if (answer === undefined || ![403, 429, 503].includes(answer.status)) return;
    if (!hasStamp(answer.headers)) return;
    if (stampWaitMs(answer.headers, this.clock.now()) !== undefined) return;
    const { headers } = answer;
    this.strangeStamp = (headers['retry-after'] ?? headers['x-ratelimit-reset'] ?? '').slice(0, 80);
  }
}
