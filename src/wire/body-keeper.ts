import { createHash, type Hash } from 'node:crypto';
import { sha256Of } from '../core/index.ts';

export interface BodyLimits {
  /** What goes beyond it is only hashed. */
  readonly keptBytesMax: number;
  /** Beyond this much it is no answer but a flood. */
  readonly readBytesMax: number;
}

/** Keeps the first bytes of a body exactly, and a digest over all of them. */
export class BodyKeeper {
  private readonly limits: BodyLimits;
  private readonly chunks: Uint8Array[] = [];
  private keptBytes = 0;
  private allBytes = 0;
  // Made when the limit is passed: a whole body is hashed in one call at the end, which is several times cheaper.
  private digest: Hash | undefined;

  constructor(limits: BodyLimits) {
    this.limits = limits;
  }

  get isBeyondLimit(): boolean {
    return this.allBytes > this.keptBytes;
  }

  get isFlood(): boolean {
    return this.allBytes > this.limits.readBytesMax;
  }

  add(chunk: Uint8Array): void {
    this.allBytes += chunk.length;
    const room = this.limits.keptBytesMax - this.keptBytes;
    if (chunk.length <= room) {
      this.chunks.push(chunk);
      this.keptBytes += chunk.length;
      return;
    }
    this.digest ??= this.digestSoFar();
    this.digest.update(chunk);
    if (room === 0) return;
    this.chunks.push(chunk.subarray(0, room));
    this.keptBytes = this.limits.keptBytesMax;
  }

  end(): { readonly body: Uint8Array; readonly bodySha256: string } {
    const [first] = this.chunks;
    const body =
      first !== undefined && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
    return { body, bodySha256: this.digest?.digest('hex') ?? sha256Of(body) };
  }

  private digestSoFar(): Hash {
    const digest = createHash('sha256');
    for (const chunk of this.chunks) digest.update(chunk);
    return digest;
  }
}

const NOTHING = new BodyKeeper({ keptBytesMax: 0, readBytesMax: 0 }).end();

/** An answer without a body. */
export function emptyBody(): { readonly body: Uint8Array; readonly bodySha256: string } {
  return NOTHING;
}
