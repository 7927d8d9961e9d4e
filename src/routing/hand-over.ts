/** Hands a committed intent to its target, and says in the words of the rules what became of it. */
import { formatDay } from '../calendar/index.ts';
import { addMs, type Clock, type SealedPayload, type WriteGuard } from '../core/index.ts';
import {
  type AcknowledgementLinks,
  createHandoffs,
  type HandoffOutcome,
  type HandoffParts,
  type Handoffs,
  newReference,
} from '../notify/index.ts';
import type { DocketDates } from '../packs/patent/docket/index.ts';
import {
  type HandoffResult,
  type RoutingPolicy,
  triggersOf,
  type TriggerThresholds,
} from '../packs/patent/routing/index.ts';
import { type EndedHandoff, linkFor, type Session } from '../store/index.ts';
import { docketOfRow } from './decide.ts';
import { plain } from './facts.ts';
import type { RoutingParts } from './parts.ts';
import type { PendingHandover } from './step.ts';

export interface LinkOptions {
  readonly links: AcknowledgementLinks;
  /** Where the acknowledgement page is reached. */
  readonly publicUrl: string;
  readonly validMs?: number;
}

export interface HandoverOptions {
  /** Without the times, which the matrix states. */
  readonly transport: Omit<HandoffParts, 'clock' | 'timeoutMs' | 'totalMs'>;
  readonly links?: LinkOptions;
  /** In place of the real wires. */
  readonly handoffs?: Handoffs;
}

/** Longer than any tier timer and the weekend around it. */
const LINK_VALID_MS = 30 * 24 * 3_600_000;
/** Left for the commit of the outcome, before the clock calls the attempt unknown. */
const COMMIT_MS = 1_000;

export interface Handed {
  readonly outcome: HandoffOutcome;
  readonly result: HandoffResult;
  readonly ended: Omit<EndedHandoff, 'docket'>;
}

export class HandoverDesk {
  readonly #parts: RoutingParts;
  readonly #session: Session;
  readonly #options: HandoverOptions;
  #wires: { readonly key: string; readonly handoffs: Handoffs } | undefined;

  constructor(parts: RoutingParts, session: Session, options: HandoverOptions) {
    this.#parts = parts;
    this.#session = session;
    this.#options = options;
  }

  /** `startedMs` lies before the commit of the intent: nothing is written after another process may have taken over. */
  async handOver(
    pending: PendingHandover,
    payload: SealedPayload | undefined,
    at: { readonly startedMs: number; readonly signal: AbortSignal },
  ): Promise<Handed> {
    const outcome =
      payload === undefined
        ? // Its key was destroyed: there is nothing left to hand over, and a person must know.
          ({
            kind: 'refused',
            evidence: { code: 'PAYLOAD_DESTROYED', elapsedMs: 0 },
            signs: [],
          } as const)
        : await this.#deliver(pending, this.#parts.vault.open(payload), at);
    const result = resultOf(outcome, pending.routing.matrix.policy.thresholds);
    const receipt = outcome.kind === 'confirmed' ? outcome.receipt : undefined;
    const evidence = plain({ ...outcome.evidence, signs: outcome.signs }) as object;
    return { outcome, result, ended: { n: pending.n, outcome: outcome.kind, receipt, evidence } };
  }

  async #deliver(
    pending: PendingHandover,
    payload: Uint8Array,
    at: { readonly startedMs: number; readonly signal: AbortSignal },
  ): Promise<HandoffOutcome> {
    const { message, target, row, routing } = pending;
    const { clock } = this.#parts;
    const endMs = at.startedMs + routing.matrix.policy.outcomeMsMax - COMMIT_MS;
    const guard: WriteGuard = {
      mayWrite: () => clock.monotonicMs() < endMs,
      signal: at.signal,
    };
    const load = {
      id: message.id,
      handoff: message.handoff,
      payload,
      payloadSha256: message.payloadSha256,
      contentType: row.contentType,
      notice: await this.#notice(pending),
    };
    return this.#handoffs(routing.matrix.policy, clock).deliver(target, load, guard);
  }

  /** Secure contexts are dear to make, and the times change only with the matrix. */
  #handoffs({ timeoutMs, outcomeMsMax, thresholds }: RoutingPolicy, clock: Clock): Handoffs {
    const { handoffs, transport } = this.#options;
    if (handoffs !== undefined) return handoffs;
    const handshakeMs = thresholds.tlsHandshakeMsMax;
    const key = `${timeoutMs} ${handshakeMs} ${outcomeMsMax}`;
    if (this.#wires?.key !== key) {
      const totalMs = Math.max(timeoutMs, outcomeMsMax - COMMIT_MS);
      const made = createHandoffs({ ...transport, clock, timeoutMs, handshakeMs, totalMs });
      this.#wires = { key, handoffs: made };
    }
    return this.#wires.handoffs;
  }

  async #notice(pending: PendingHandover): Promise<{ subject: string; text: string }> {
    const { message, target, routing } = pending;
    if (target.kind !== 'mail') return { subject: '', text: '' };
    const docket = docketOfRow(pending.row);
    const { labels } = message;
    const isLabelled = labels.classification.length + labels.privilege.length > 0;
    const party = routing.people.parties.get(message.party)?.name ?? message.party;
    const lines = [
      `${party}: a docket event waits for you (${message.tier}).`,
      ...(message.standsInFor.length === 0
        ? []
        : [`You stand in for ${message.standsInFor.join(', ')}.`]),
      '',
      `Docket ${docket.id}`,
      // Mail lies on servers that no right was ever asked for: what bears a label is looked up, not mailed.
      ...(isLabelled
        ? []
        : [`${docket.eventCode} in ${docket.applicationNumber ?? 'an unread record'}`]),
      ...datesLines(message.dates),
      ...(await this.#linkLines(pending)),
      `Acknowledge on the command line: filewright docket ack ${docket.id}`,
    ];
    const { dates } = message;
    const due = dates.kind === 'dated' ? `due ${formatDay(dates.due)}` : 'no date known';
    return { subject: `[${message.tier}] Docket event, ${due}`, text: lines.join('\n') };
  }

  async #linkLines({ message, row }: PendingHandover): Promise<string[]> {
    const { links } = this.#options;
    if (links === undefined) return [];
    const { clock, random, tenant } = this.#parts;
    const ticket = await linkFor(this.#session, tenant, {
      reference: newReference(random),
      docket: row.id,
      handoff: message.handoff,
      party: message.party,
      expiresAt: addMs(clock.now(), links.validMs ?? LINK_VALID_MS),
    });
    return ['', `Acknowledge: ${links.links.urlFor(ticket, links.publicUrl)}`];
  }
}

function datesLines(dates: DocketDates): string[] {
  if (dates.kind === 'undated')
    return [`No date is known: ${dates.code}. It may be due at any time.`];
  return [
    `Due ${formatDay(dates.due)}${dates.unverified.length > 0 ? ' (unverified)' : ''}`,
    ...(dates.final === undefined ? [] : [`Final ${formatDay(dates.final)}`]),
  ];
}

/** The transport's words in those of the rules; the first trigger that its signs show is the evidence. */
export function resultOf(outcome: HandoffOutcome, thresholds: TriggerThresholds): HandoffResult {
  switch (outcome.kind) {
    case 'confirmed':
      return { kind: 'confirmed', receipt: outcome.receipt };
    case 'sent':
    case 'refused':
      return { kind: outcome.kind };
    case 'failed':
    case 'unknown':
    case 'denied': {
      const [trigger] = outcome.signs.flatMap((sign) => triggersOf(sign, thresholds));
      return trigger === undefined ? { kind: outcome.kind } : { kind: outcome.kind, trigger };
    }
  }
}
