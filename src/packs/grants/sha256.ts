import { createHash } from 'node:crypto';
import { type Sha256Hex, sha256Hex } from '../../core/index.ts';

export function sha256Of(bytes: Uint8Array): Sha256Hex {
  return sha256Hex(createHash('sha256').update(bytes).digest('hex'));
}
