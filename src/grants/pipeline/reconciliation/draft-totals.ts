/**
 * Figures of a matching that nothing is closed by yet. Outcomes come batch by batch, and how they are packed into batches is
 * nobody's business: the hash is made of the sorted hashes of the outcomes, so that only what they say counts.
 */
import { createHash } from 'node:crypto';
import { canonicalBytes } from '../../../core/index.ts';
import type { MatchOutcome } from '../../rules/matching/outcome.ts';
import { OutcomeFigures, type PeriodTotals } from '../../rules/matching/period.ts';

const HASH_BYTES = 32;

export class DraftTotals {
  readonly #figures = new OutcomeFigures();
  #hashes = Buffer.alloc(HASH_BYTES * 1024);
  #count = 0;

  add(outcome: MatchOutcome): void {
    this.#figures.add(outcome);
    const start = this.#count * HASH_BYTES;
    if (start === this.#hashes.length) {
      this.#hashes = Buffer.concat([this.#hashes, Buffer.alloc(this.#hashes.length)]);
    }
    const canonical = canonicalBytes(outcome);
    createHash('sha256').update(canonical).digest().copy(this.#hashes, start);
    this.#count += 1;
  }

  totals(): PeriodTotals {
    const { matchedCents, outcomes } = this.#figures;
    return { matchedCents, outcomes, hash: this.#hash() };
  }

  #hash(): string {
    const all = this.#hashes;
    const start = (place: number): number => place * HASH_BYTES;
    // By place: a Buffer for each hash would be larger than the hashes.
    const order = Uint32Array.from({ length: this.#count }, (_, place) => place).sort(
      (one, other) => all.compare(all, start(other), start(other + 1), start(one), start(one + 1)),
    );
    const hash = createHash('sha256');
    for (const place of order) hash.update(all.subarray(start(place), start(place + 1)));
    return hash.digest('hex');
  }
}
