/** Hands a committed intent to its target, and says in the words of the rules what became of it. */
import {
  addMs,
  type Clock,
  type SealedPayload,
  sha256Of,
  type WriteGuard,
} from '../../core/index.ts';
import {
  createHandoffs,
  type HandoffLoad,
  type HandoffOutcome,
  type Handoffs,
  newReference,
} from '../../people/index.ts';
import type { HandoffResult } from '../rules/routing/happening.ts';
import {
  LETTER_HOLD_MS,
  policyOfTier,
  type RoutingPolicy,
  thresholdsOfTier,
  type TierPolicy,
} from '../rules/routing/policy.ts';
import { triggersOf, type TriggerThresholds } from '../rules/routing/triggers.ts';
import type { EndedHandoff } from '../store/steps.ts';
import { linkFor } from '../store/handoffs.ts';
import type { Session } from '../../postgres/index.ts';
import { plain } from './facts.ts';
import { letterAbout, letterAboutMany } from './letters.ts';
import type { RoutingDeps } from './deps.ts';
import type { PendingHandover } from './pending-handover.ts';
import type { HandoverOptions } from './handover-options.ts';

/** Longer than any tier timer and the weekend around it. */
const LINK_VALID_MS = 30 * 24 * 3_600_000;
/** Left for the commit of the outcome, before the clock calls the attempt unknown. */
const COMMIT_MS = 1_000;

export interface Handed {
  readonly outcome: HandoffOutcome;
  readonly result: HandoffResult;
  readonly ended: Omit<EndedHandoff, 'docket'>;
}

export class HandoffSender {
  readonly #deps: RoutingDeps;
  readonly #session: Session;
  readonly #options: HandoverOptions;
  /** By their times; at most one for each tier, and made anew with the matrix. */
  readonly #wires = new Map<string, Handoffs>();
  #wiresOf: RoutingPolicy | undefined;

  constructor(deps: RoutingDeps, session: Session, options: HandoverOptions) {
    this.#deps = deps;
    this.#session = session;
    this.#options = options;
  }

  /** `startedMs` lies before the commit of the intent: nothing is written after another process may have taken over. */
  async handOver(
    pending: PendingHandover,
    payload: SealedPayload | undefined,
    at: { readonly startedMs: number; readonly signal: AbortSignal },
  ): Promise<Handed> {
    if (payload === undefined) return destroyedHanded(pending);
    return handedOf(pending, await this.#deliver(pending, this.#deps.vault.open(payload), at));
  }

  /** Several dockets in one letter to one reader; what becomes of it became of each. */
  async handOverTogether(
    group: readonly PendingHandover[],
    at: { readonly startedMs: number; readonly signal: AbortSignal },
  ): Promise<readonly Handed[]> {
    const [first] = group;
    if (first === undefined) return [];
    const named = await Promise.all(
      group.map(async (pending) => ({ pending, link: await this.#linkOf(pending) })),
    );
    const notice = letterAboutMany(named);
    const payload = Buffer.from(notice.text, 'utf8');
    const digest = sha256Of(group.map(({ message, n }) => `${message.handoff}-${n}`).join());
    const id = `fwd1-${digest.slice(0, 32)}`;
    const payloadSha256 = sha256Of(payload);
    const load = { id, handoff: id, payload, payloadSha256, contentType: 'text/plain', notice };
    const outcome = await this.#write(first, load, at);
    return group.map((pending) => handedOf(pending, outcome, id));
  }

  async #deliver(
    pending: PendingHandover,
    payload: Uint8Array,
    at: { readonly startedMs: number; readonly signal: AbortSignal },
  ): Promise<HandoffOutcome> {
    const { message, row, target } = pending;
    const isLetter = target.kind === 'mail';
    const load = {
      id: message.id,
      handoff: message.handoff,
      // The same for a letter that is tried again, another one for a reminder and for another tier.
      letter: pending.hop.tier === 'MANUAL' ? `${message.handoff}-${pending.n}` : message.handoff,
      payload,
      payloadSha256: message.payloadSha256,
      contentType: row.contentType,
      notice: isLetter ? letterAbout(pending, await this.#linkOf(pending)) : NO_LETTER,
    };
    return this.#write(pending, load, at);
  }

  async #write(
    pending: PendingHandover,
    load: HandoffLoad,
    at: { readonly startedMs: number; readonly signal: AbortSignal },
  ): Promise<HandoffOutcome> {
    const { target, routing } = pending;
    const { clock } = this.#deps;
    const times = policyOfTier(routing.matrix.policy, pending.hop.tier);
    // As long as the rules wait for the outcome: those of the manual tier wait by their own lease.
    const holdMs = target.kind === 'mail' && pending.hop.tier !== 'MANUAL' ? LETTER_HOLD_MS : 0;
    const endMs = at.startedMs + holdMs + times.outcomeMsMax - COMMIT_MS;
    const guard: WriteGuard = {
      mayWrite: () => clock.monotonicMs() < endMs,
      signal: at.signal,
    };
    if (this.#wiresOf !== routing.matrix.policy) this.#wires.clear();
    this.#wiresOf = routing.matrix.policy;
    return this.#handoffs(times, clock).deliver(target, load, guard);
  }

  /** Secure contexts are dear to make, and the times change only with the matrix. */
  #handoffs({ timeoutMs, outcomeMsMax, tlsHandshakeMsMax }: TierPolicy, clock: Clock): Handoffs {
    const { handoffs, transport, watch } = this.#options;
    if (handoffs !== undefined) return handoffs;
    const key = `${timeoutMs} ${tlsHandshakeMsMax} ${outcomeMsMax}`;
    const known = this.#wires.get(key);
    if (known !== undefined) return known;
    const totalMs = Math.max(timeoutMs, outcomeMsMax - COMMIT_MS);
    const times = { timeoutMs, handshakeMs: tlsHandshakeMsMax, totalMs };
    const made = createHandoffs({ ...transport, clock, ...times });
    const wires = watch?.(made) ?? made;
    this.#wires.set(key, wires);
    return wires;
  }

  async #linkOf({ message, row }: PendingHandover): Promise<string | undefined> {
    const { links } = this.#options;
    if (links === undefined) return undefined;
    const { clock, random, tenant } = this.#deps;
    const ticket = await linkFor(this.#session, tenant, {
      reference: newReference(random),
      docket: row.id,
      handoff: message.handoff,
      party: message.party,
      expiresAt: addMs(clock.now(), links.validMs ?? LINK_VALID_MS),
    });
    return links.links.urlFor(ticket, links.publicUrl);
  }
}

const NO_LETTER = { subject: '', text: '' };

/** Its key was destroyed: there is nothing left to hand over, and a person must know. */
export function destroyedHanded(pending: PendingHandover): Handed {
  const evidence = { code: 'PAYLOAD_DESTROYED', elapsedMs: 0 };
  return handedOf(pending, { kind: 'refused', evidence, signs: [] });
}

/** `letter`: of several dockets that went in one, which. */
function handedOf(pending: PendingHandover, outcome: HandoffOutcome, letter?: string): Handed {
  const { policy } = pending.routing.matrix;
  const result = resultOf(outcome, thresholdsOfTier(policy, pending.hop.tier));
  const receipt = outcome.kind === 'confirmed' ? outcome.receipt : undefined;
  const evidence = plain({ ...outcome.evidence, signs: outcome.signs, letter }) as object;
  return { outcome, result, ended: { n: pending.n, outcome: outcome.kind, receipt, evidence } };
}

/** The transport's words in those of the rules; the first trigger that its signs show is the evidence. */
function resultOf(outcome: HandoffOutcome, thresholds: TriggerThresholds): HandoffResult {
  switch (outcome.kind) {
    case 'confirmed':
      return { kind: 'confirmed', receipt: outcome.receipt };
    case 'sent':
      return { kind: 'sent' };
    case 'refused':
    case 'unsendable':
    case 'not_made':
      return { kind: outcome.kind, code: outcome.evidence.code };
    case 'failed':
    case 'unknown':
    case 'denied': {
      const [trigger] = outcome.signs.flatMap((sign) => triggersOf(sign, thresholds));
      const { code, retryAfterMs } = outcome.evidence;
      return {
        kind: outcome.kind,
        code,
        ...(trigger === undefined ? {} : { trigger }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      };
    }
  }
}
