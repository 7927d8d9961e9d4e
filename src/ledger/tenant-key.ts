/**
 * A tenant's key as this process knows it, while it may be turned at any moment. What is wrapped under it begins with a label
 * of the key, so that a process can tell "wrapped under a key that I do not know" from "broken", and look again before
 * anything is lost. New keys go under the current one alone; what was read before the turn still opens for a while.
 */
import { hash } from 'node:crypto';
import { type Clock, invariant, type Random } from '../core/index.ts';
import { unwrapKey, wrapKey } from './seal.ts';

/** Enough to tell a few keys apart; it says nothing about the key, and a wrong one opens nothing. */
export const LABEL_BYTES = 8;
const KEY_BYTES = 32;
/**
 * Rows that were read before the turn are opened within one statement or one claim. Not longer: a former key may be one that
 * was stolen, and whoever has it could sign with it for as long as it is believed.
 */
export const FORMER_MS = 60_000;
/** Turned more often within a minute than people can agree to it. */
const FORMERS_MAX = 16;
/** Labels that somebody made up would otherwise cost a look each time they are read. */
const STRANGE_MAX = 1_000;

/** The key as the database has it now, and those before it under which something may have been read a moment ago. */
export interface KnownKeys {
  readonly key: Uint8Array;
  readonly formers: readonly FormerKey[];
}

export interface FormerKey {
  readonly key: Uint8Array;
  /** For so long it still opens. */
  readonly forMs: number;
}

interface Turning {
  readonly look: () => Promise<KnownKeys>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

interface Labelled {
  readonly label: string;
  readonly key: Uint8Array;
}

export class TenantKey {
  readonly #turning: Turning | undefined;
  #current: Labelled;
  /** Newest last. */
  #formers: readonly (Labelled & { readonly until: number })[] = [];
  #looking: Promise<void> | undefined;
  readonly #strange = new Set<string>();

  /** Without `turning` it stays what it is. */
  constructor(key: Uint8Array, turning?: Turning) {
    this.#current = labelled(key);
    this.#turning = turning;
  }

  get current(): Uint8Array {
    return this.#current.key;
  }

  /** Of the current key; the database compares it with what is added. */
  get label(): Uint8Array {
    return Buffer.from(this.#current.label, 'latin1');
  }

  wrap(request: {
    readonly key: Uint8Array;
    readonly context: string;
    readonly random: Random;
  }): Uint8Array {
    const { key, context, random } = request;
    const { label, key: wrapping } = this.#current;
    const blob = wrapKey({ wrapping, key, context, random: (count) => random.bytes(count) });
    return Buffer.concat([Buffer.from(label, 'latin1'), blob]);
  }

  /** Throws `SEAL_BROKEN`. */
  unwrap(request: { readonly blob: Uint8Array; readonly context: string }): Uint8Array {
    const { blob, context } = request;
    const wrapping = this.keyOf(blob) ?? this.#current.key;
    return unwrapKey({ wrapping, blob: blob.subarray(LABEL_BYTES), context });
  }

  /** The key under which something is wrapped, if this process knows it. */
  keyOf(blob: Uint8Array): Uint8Array | undefined {
    const label = labelOf(blob);
    if (label === this.#current.label) return this.#current.key;
    const former = this.#formers.find((each) => each.label === label);
    return former !== undefined && this.#nowMs() <= former.until ? former.key : undefined;
  }

  /** For a thread, which asks here instead of the database. */
  known(): KnownKeys {
    const nowMs = this.#nowMs();
    const formers = this.#formers.map(({ key, until }) => ({ key, forMs: until - nowMs }));
    return { key: this.#current.key, formers: formers.filter(({ forMs }) => forMs > 0) };
  }

  #nowMs(): number {
    return this.#turning?.clock.monotonicMs() ?? 0;
  }

  /** Undefined where nothing is to be waited for: what is shown to be wrapped under an unknown key leads to a look. */
  prepare(blobs: Iterable<Uint8Array>): Promise<void> | undefined {
    for (const blob of blobs) {
      // A destroyed key is empty.
      if (blob.length < LABEL_BYTES || this.keyOf(blob) !== undefined) continue;
      const label = labelOf(blob);
      if (this.#strange.has(label)) continue;
      if (this.#strange.size >= STRANGE_MAX) this.#strange.clear();
      return this.#find(blob, label);
    }
    return undefined;
  }

  /** Twice: the first look may be one that began before the row was read. */
  async #find(blob: Uint8Array, label: string): Promise<void> {
    await this.refresh();
    if (this.keyOf(blob) === undefined) await this.refresh();
    if (this.keyOf(blob) === undefined) this.#strange.add(label);
  }

  /** One look at a time, for all who ask meanwhile. */
  refresh(): Promise<void> {
    const turning = this.#turning;
    if (turning === undefined) return Promise.resolve();
    this.#looking ??= this.#look(turning).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look({ look }: Turning): Promise<void> {
    const { key, formers } = await look();
    const nowMs = this.#nowMs();
    const found = labelled(key);
    if (found.label !== this.#current.label) {
      this.#keep(this.#current, nowMs + FORMER_MS);
      this.#current = found;
      this.#strange.clear();
    }
    // Of two turns since the last look, the key in the middle was never the current one here, and rows may be under it.
    for (const { key: former, forMs } of formers) this.#keep(labelled(former), nowMs + forMs);
  }

  #keep(former: Labelled, until: number): void {
    const nowMs = this.#nowMs();
    const others = this.#formers.filter((each) => each.until >= nowMs);
    // Never for longer than it was given at first, however often it is heard of.
    if (others.some(({ label }) => label === former.label)) return;
    this.#formers = [...others, { ...former, until }].slice(-FORMERS_MAX);
    this.#strange.delete(former.label);
  }
}

/** Purpose-named, so that no other hash of the key can pass for it. */
function labelled(key: Uint8Array): Labelled {
  invariant(key.length === KEY_BYTES, 'A tenant key has 32 bytes');
  const name = Buffer.concat([Buffer.from('filewright.tenant-key.v1\n'), key]);
  return { key, label: hash('sha256', name, 'buffer').toString('latin1', 0, LABEL_BYTES) };
}

function labelOf(blob: Uint8Array): string {
  const { buffer, byteOffset, length } = blob;
  return Buffer.from(buffer, byteOffset, Math.min(length, LABEL_BYTES)).toString('latin1');
}
