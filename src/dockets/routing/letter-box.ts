/**
 * Letters on their way out, one heap for each reader: after an outage many dockets reach one person at once, and that person
 * gets one letter with all of them and not one for each.
 */
import type { Clock } from '../../core/index.ts';
import { LETTER_HOLD_MS } from '../rules/routing/policy.ts';
import type { PendingHandover } from './pending-handover.ts';

/** As long as nothing more comes for a reader: a single docket is late by this much and no more. */
const QUIET_MS = 500;
/** In one letter at most: it is still read to its end. */
const LETTER_DOCKETS_MAX = 500;
/** Who had so many letters in a minute gets the next one at the end of the hold, with all that came meanwhile. */
const PACE_LETTERS = 3;
const PACE_MS = 60_000;
/** Left of the hold for the turn of the sender: what it promised the rules is kept. */
const SPARE_MS = 1_000;
/** Readers whose last letter is remembered; forgetting one costs one letter more. */
const READERS_MAX = 10_000;

export interface HeldLetter {
  readonly pending: PendingHandover;
  /** Of the intent: the attempt counts as unknown by this clock. */
  readonly startedMs: number;
  /** Its key was destroyed: nothing is left to write about. */
  readonly isDestroyed: boolean;
}

interface Heap {
  readonly held: HeldLetter[];
  readonly sinceMs: number;
  lastMs: number;
  readonly isPaced: boolean;
  readonly sent: Promise<void>;
  readonly close: () => void;
}

export class LetterBox {
  readonly #clock: Clock;
  readonly #send: (group: readonly HeldLetter[]) => Promise<void>;
  readonly #stopping: AbortSignal;
  readonly #heaps = new Map<string, Heap>();
  /** When each reader's last letters went. */
  readonly #lately = new Map<string, readonly number[]>();

  constructor(
    clock: Clock,
    send: (group: readonly HeldLetter[]) => Promise<void>,
    stopping: AbortSignal,
  ) {
    this.#clock = clock;
    this.#send = send;
    this.#stopping = stopping;
  }

  /** Dockets that wait here; they are under way, and take no connection. */
  get waiting(): number {
    let count = 0;
    for (const { held } of this.#heaps.values()) count += held.length;
    return count;
  }

  /** Ends when the letter that it went with has been sent and recorded. */
  add(letter: HeldLetter): Promise<void> {
    const { hop } = letter.pending;
    const reader = JSON.stringify([hop.tier, hop.target, hop.party, hop.standsInFor]);
    const nowMs = this.#clock.monotonicMs();
    const heap = this.#heaps.get(reader) ?? this.#open(reader, nowMs);
    heap.held.push(letter);
    heap.lastMs = nowMs;
    if (heap.held.length >= LETTER_DOCKETS_MAX) heap.close();
    return heap.sent;
  }

  #open(reader: string, nowMs: number): Heap {
    const full = new AbortController();
    const lately = (this.#lately.get(reader) ?? []).filter((at) => nowMs - at < PACE_MS);
    let settle: (sent: Promise<void>) => void = () => undefined;
    const sent = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const heap: Heap = {
      held: [],
      sinceMs: nowMs,
      lastMs: nowMs,
      isPaced: lately.length >= PACE_LETTERS,
      sent,
      close: () => full.abort(),
    };
    this.#heaps.set(reader, heap);
    settle(this.#empty(reader, heap, full.signal));
    return heap;
  }

  async #empty(reader: string, heap: Heap, full: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([full, this.#stopping]);
    while (!signal.aborted) {
      const endMs = heap.sinceMs + LETTER_HOLD_MS - SPARE_MS;
      const untilMs = heap.isPaced ? endMs : Math.min(endMs, heap.lastMs + QUIET_MS);
      const leftMs = untilMs - this.#clock.monotonicMs();
      if (leftMs <= 0) break;
      await this.#clock.sleep(leftMs, signal);
    }
    // From here on the next docket begins another letter.
    if (this.#heaps.get(reader) === heap) this.#heaps.delete(reader);
    if (this.#lately.size >= READERS_MAX) this.#lately.clear();
    const before = this.#lately.get(reader) ?? [];
    this.#lately.set(reader, [...before, this.#clock.monotonicMs()].slice(-PACE_LETTERS));
    await this.#send(heap.held);
  }
}
