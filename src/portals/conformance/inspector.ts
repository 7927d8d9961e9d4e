import {
  canonicalBytes,
  classifySend,
  classifyStatus,
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
import type { SessionCollision } from '../collision-watch.ts';
import { createPortal, type LanePortal } from '../portal.ts';
import type { PortalOptions } from '../exchanger.ts';

export interface InspectorOptions
  extends Pick<PortalOptions, 'environment' | 'certificateAuthorities'> {
  readonly profile: Profile;
  readonly clock: Clock;
  /** Part of every key of this run, so that a second run does not meet the first one's filings. */
  readonly run: string;
  /** The longest wait for a lagging status or a filing in process. */
  readonly waitMsMax: number;
}

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** Asks the portal through the very drivers that will file, and remembers what every check may want to know. */
export class Inspector {
  readonly profile: Profile;
  readonly clock: Clock;
  readonly waitMsMax: number;
  readonly portal: LanePortal;
  readonly collisions: SessionCollision[] = [];
  /** A stamp that asks for a pause and cannot be read. */
  strangeStamp: string | undefined;
  readonly guard: WriteGuard = { mayWrite: () => true, signal: new AbortController().signal };
  private readonly run: string;

  constructor(options: InspectorOptions) {
    const { environment, clock, certificateAuthorities } = options;
    this.profile = options.profile;
    this.clock = clock;
    this.run = options.run;
    this.waitMsMax = options.waitMsMax;
    this.portal = createPortal({
      environment,
      clock,
      onCollision: (collision) => this.collisions.push(collision),
      ...(certificateAuthorities === undefined ? {} : { certificateAuthorities }),
    });
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
    const exchange = await this.portal.send(
      {
        profile,
        key: idempotencyKey(key),
        payload: canonicalBytes(payload),
        contentType: CONTENT_TYPE,
      },
      this.guard,
    );
    this.noteStamp(exchange);
    return { exchange, verdict: classifySend(exchange, profile, this.clock.now()) };
  }

  async ask(key: string, submissionId?: string, profile = this.profile): Promise<StatusAnswer> {
    const of = idempotencyKey(key);
    // Where the path names a submission and there is none yet, our own key stands in: no portal has issued it.
    const named = submissionId ?? key;
    const exchange = await this.portal.ask({ profile, key: of, submissionId: named }, this.guard);
    this.noteStamp(exchange);
    return classifyStatus(exchange, profile, of, this.clock.now());
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
