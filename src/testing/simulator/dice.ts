/**
 * The simulator's dice: sfc32, reseeded for every request from the portal's seed, the filing's key and how often that
 * key has come. A filing therefore meets the same faults whatever the order in which requests of others arrive, so a
 * run over real sockets is as reproducible as one on a virtual clock.
 */
export class Dice {
  private a = 0;
  private b = 0;
  private c = 0;
  private counter = 1;

  /** Starts the stream that belongs to these three; one object is reused, since thousands are thrown per second. */
  reseed(seed: number, scope: string, ordinal: number): void {
    this.a = seed | 0;
    this.b = hashText(scope) | 0;
    this.c = ordinal | 0;
    this.counter = 1;
    // sfc32 needs some rounds before near-equal seeds (ordinals 1, 2, 3) have parted.
    for (let round = 0; round < 12; round++) this.bits();
  }

  /** Uniform in [0, 1). */
  next(): number {
    return this.bits() / 0x1_0000_0000;
  }

  private bits(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}

/** FNV-1a over UTF-16 units: small and the same on every machine. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
