/** The props of a rehearsal: a portal with the lane's manners, synthetic payloads, and a vault that hides nothing. */
import { createHash } from 'node:crypto';
import {
  type Exchange,
  type Portal,
  type Profile,
  type SealedPayload,
  type Sha256Hex,
  sha256Hex,
  type Vault,
  type WrappedKey,
} from '../../core/index.ts';
import { mayKeepBusy } from '../../lanes/index.ts';
import { MemoryPortal, type MemoryPortalOptions } from '../simulator/memory-portal.ts';
import type { BehaviourChange } from '../simulator/behaviour.ts';
import { sampleProfile } from '../simulator/sample-profile.ts';

export const PAYLOAD: Uint8Array = Buffer.from('{"rehearsal":true}', 'utf8');
export const PAYLOAD_SHA256: Sha256Hex = sha256Hex(
  createHash('sha256').update(PAYLOAD).digest('hex'),
);

/** A time in which a portal cannot be reached. */
export interface Outage {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** How soon an unreachable address is known to be one. */
const CONNECT_FAILS_MS = 1_000;

/** Faults of the wire and the server, each as likely as the others; none of them is the filing's own fault. */
const PASSING_FAULTS = [
  'error_502',
  'error_504',
  'busy_503_retry_after',
  'cut_before_accept',
  'accept_then_cut',
  'slow',
] as const;

/**
 * The lane as its profile has it in everything that takes time or makes trouble (ceiling, hours, limits on waiting,
 * retries, breaker, slow start, keys); what its pages and payloads look like is a plain portal's.
 */
export function rehearsalProfile(profile: Profile): Profile {
  const { status, hours, received } = profile;
  const plain = sampleProfile();
  const { status: plainStatus, ...rest } = plain;
  return {
    ...rest,
    code: profile.code,
    jurisdiction: profile.jurisdiction,
    title: profile.title,
    automation: profile.automation,
    effect: profile.effect,
    ceiling: profile.ceiling,
    timeoutMs: profile.timeoutMs,
    longestServiceMs: profile.longestServiceMs,
    expectedServiceMs: profile.expectedServiceMs,
    personMs: profile.personMs,
    idempotency: { ...plain.idempotency, honouredMs: profile.idempotency.honouredMs },
    // Ten digits: more receipts than a rehearsal has filings.
    receipt: { ...plain.receipt, pattern: '^R-\\d{10}$' },
    received: { ...received, submissionIdAt: plain.received.submissionIdAt },
    captcha: { ...plain.captcha, threshold: profile.captcha.threshold },
    throttle: profile.throttle,
    retry: profile.retry,
    breaker: profile.breaker,
    slowStartStepMs: profile.slowStartStepMs,
    // Somebody is supposed to be there and to approve where the portal itself cannot show that it is well.
    synthetic: { payload: { rehearsal: true } },
    ...(status === undefined || plainStatus === undefined
      ? {}
      : { status: { ...plainStatus, visibilityLagMs: status.visibilityLagMs } }),
    ...(hours === undefined ? {} : { hours }),
  };
}

export function rehearsalBehaviour(options: {
  readonly requestMs: number;
  readonly faultRate: number;
  readonly seed: number;
}): BehaviourChange {
  const { requestMs, faultRate, seed } = options;
  const share = faultRate / PASSING_FAULTS.length;
  return {
    seed,
    latencyMs: { mean: requestMs, spread: requestMs / 5 },
    faults: Object.fromEntries(PASSING_FAULTS.map((kind) => [kind, share])),
  };
}

/** A memory portal that counts what is in flight and cannot be reached during outages. */
export class RehearsalPortal implements Portal {
  inFlight = 0;
  readonly #portal: MemoryPortal;
  readonly #clock: MemoryPortalOptions['clock'];
  readonly #outages: readonly Outage[];
  readonly #onChange: () => void;

  constructor(
    options: MemoryPortalOptions & {
      readonly outages: readonly Outage[];
      readonly onChange: () => void;
    },
  ) {
    this.#portal = new MemoryPortal(options);
    this.#clock = options.clock;
    this.#outages = options.outages;
    this.#onChange = options.onChange;
  }

  send(...request: Parameters<Portal['send']>): Promise<Exchange> {
    return this.#counted(request[0].profile, () => this.#portal.send(...request));
  }

  ask(...request: Parameters<Portal['ask']>): Promise<Exchange> {
    return this.#counted(request[0].profile, () => this.#portal.ask(...request));
  }

  probe(...request: Parameters<Portal['probe']>): Promise<Exchange> {
    return this.#counted(request[0], () => this.#portal.probe(...request));
  }

  async #counted(profile: Profile, exchange: () => Promise<Exchange>): Promise<Exchange> {
    this.inFlight += 1;
    const ended = await this.#exchange(exchange);
    // Where nothing shows that the portal is done, the worker lets the slot rest, until it must be.
    if (mayKeepBusy(ended, profile))
      void this.#clock.sleep(profile.longestServiceMs).then(() => this.#leave());
    else this.#leave();
    return ended;
  }

  #leave(): void {
    this.inFlight -= 1;
    this.#onChange();
  }

  async #exchange(exchange: () => Promise<Exchange>): Promise<Exchange> {
    const at = this.#clock.now();
    const isOut = this.#outages.some(({ fromMs, untilMs }) => at >= fromMs && at < untilMs);
    if (!isOut) return exchange();
    await this.#clock.sleep(CONNECT_FAILS_MS);
    return {
      kind: 'failure',
      written: false,
      code: 'connect',
      message: 'Rehearsed outage.',
      elapsedMs: CONNECT_FAILS_MS,
    };
  }
}

/**
 * Nothing in a rehearsal is secret, and nothing is kept: the one payload of all filings is stored once, and of evidence
 * only that there was some. So memory grows by rows, not by bodies.
 */
export const openVault: Vault = {
  newKey: (month) => ({ id: `rehearsal-${month}`, month, wrapped: new Uint8Array(0) }),
  seal: ({ key, body }) => {
    const isPayload = Buffer.from(body).equals(PAYLOAD);
    const name = isPayload ? 'payload' : `evidence-${key.id}`;
    return {
      sealed: { alg: 'A256GCM', key: key.id, ct: name, cm: name },
      blob: isPayload ? PAYLOAD : new Uint8Array(0),
    };
  },
  open: (payload: SealedPayload) => payload.blob,
  dataKey: (_key: WrappedKey) => new Uint8Array(32),
  // No key is kept.
  forget: () => undefined,
};
