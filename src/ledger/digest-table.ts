import { hash } from 'node:crypto';
import { overLimit } from '../core/index.ts';

const WORDS_PER_KEY = 4;
const SLOTS_FIRST = 1024;
// 2^27 slots of 20 bytes are 2.7 GB; a log of a hundred million entries is verified from tiles, in parts.
const SLOTS_MAX = 2 ** 27;
// Beyond three quarters full, the walk to a free slot grows quickly.
const LOAD_MAX = 0.75;

/**
 * A map from texts to numbers from 1 to 2^32−1 that stays small for millions of keys: 20 bytes for each slot,
 * outside the JavaScript heap. A Map of strings costs the garbage collector about ten times as much.
 *
 * Keys are the first 128 bits of the text's SHA-256. That is too many for a chance collision, and whoever writes
 * a log cannot cheaply choose ids that all fall on one slot and make its verification slow.
 */
export class DigestTable {
  private keys = new Uint32Array(SLOTS_FIRST * WORDS_PER_KEY);
  private values = new Uint32Array(SLOTS_FIRST);
  private used = 0;

  /** The number kept for a text; 0 when there is none. */
  get(text: string): number {
    return this.values[this.slotOf(keyOf(text))] ?? 0;
  }

  /** Keeps a number above 0 for a text; returns the one kept before, 0 when there was none. */
  put(text: string, value: number): number {
    const key = keyOf(text);
    const slot = this.slotOf(key);
    const before = this.values[slot] ?? 0;
    if (before === 0) this.insert(key, slot, value);
    else this.values[slot] = value;
    return before;
  }

  /** Counts a text once more; returns how often it has been counted. */
  count(text: string): number {
    const key = keyOf(text);
    const slot = this.slotOf(key);
    const counted = (this.values[slot] ?? 0) + 1;
    if (counted === 1) this.insert(key, slot, counted);
    else this.values[slot] = counted;
    return counted;
  }

  private insert(key: Uint32Array, freeSlot: number, value: number): void {
    let slot = freeSlot;
    if (this.used + 1 > this.values.length * LOAD_MAX) {
      this.grow();
      slot = this.slotOf(key);
    }
    this.used++;
    this.keys.set(key, slot * WORDS_PER_KEY);
    this.values[slot] = value;
  }

  // The slot that holds the key, or the free one where it belongs; there is always one free.
  private slotOf(key: Uint32Array): number {
    const mask = this.values.length - 1;
    let slot = (key[0] ?? 0) & mask;
    while (this.values[slot] !== 0 && !this.holds(slot, key)) slot = (slot + 1) & mask;
    return slot;
  }

  private holds(slot: number, key: Uint32Array): boolean {
    const at = slot * WORDS_PER_KEY;
    return (
      this.keys[at] === key[0] &&
      this.keys[at + 1] === key[1] &&
      this.keys[at + 2] === key[2] &&
      this.keys[at + 3] === key[3]
    );
  }

  private grow(): void {
    const { keys, values } = this;
    if (values.length >= SLOTS_MAX) {
      throw overLimit(
        `Expected at most ${SLOTS_MAX * LOAD_MAX} different ids or subjects in one log. Verify it in parts.`,
      );
    }
    this.keys = new Uint32Array(keys.length * 2);
    this.values = new Uint32Array(values.length * 2);
    for (const [slot, value] of values.entries()) {
      if (value === 0) continue;
      const key = keys.subarray(slot * WORDS_PER_KEY, (slot + 1) * WORDS_PER_KEY);
      const moved = this.slotOf(key);
      this.keys.set(key, moved * WORDS_PER_KEY);
      this.values[moved] = value;
    }
  }
}

// One text is mostly asked for several times in a row, in one table and in others.
let last: { readonly text: string; readonly key: Uint32Array } | undefined;

function keyOf(text: string): Uint32Array {
  if (last?.text !== text) last = { text, key: hashed(text) };
  return last.key;
}

function hashed(text: string): Uint32Array {
  const digest = hash('sha256', text, 'buffer');
  return Uint32Array.of(
    digest.readUInt32LE(0),
    digest.readUInt32LE(4),
    digest.readUInt32LE(8),
    digest.readUInt32LE(12),
  );
}
