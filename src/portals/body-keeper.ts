import { createHash, type Hash } from 'node:crypto';
import { RESPONSE_BYTES_MAX, sha256Of } from '../core/index.ts';

// What goes beyond RESPONSE_BYTES_MAX is only hashed. Beyond this much it is no answer but a flood.
export const READ_BYTES_MAX = 64 * 1024 * 1024;

/** Keeps the first bytes of a body exactly, and a digest over all of them. */
export class BodyKeeper {
  private readonly chunks: Uint8Array[] = [];
  private keptBytes = 0;
  private allBytes = 0;
  // Made when the limit is passed: a whole body is hashed in one call at the end, which is several times cheaper.
  private digest: Hash | undefined;

  get isBeyondLimit(): boolean {
    return this.allBytes > this.keptBytes;
  }

  get isFlood(): boolean {
    return this.allBytes > READ_BYTES_MAX;
  }

  add(chunk: Uint8Array): void {
    this.allBytes += chunk.length;
    const room = RESPONSE_BYTES_MAX - this.keptBytes;
    if (chunk.length <= room) {
      this.chunks.push(chunk);
      this.keptBytes += chunk.length;
      return;
    }
    this.digest ??= this.digestSoFar();
    this.digest.update(chunk);
    if (room === 0) return;
    this.chunks.push(chunk.subarray(0, room));
    this.keptBytes = RESPONSE_BYTES_MAX;
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

const NOTHING = new BodyKeeper().end();

/** An answer without a body. */
export function emptyBody(): { readonly body: Uint8Array; readonly bodySha256: string } {
  return NOTHING;
}
