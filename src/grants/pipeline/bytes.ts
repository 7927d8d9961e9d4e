/** Bytes on their way through, with their hash. */
import { createHash, type Hash } from 'node:crypto';
import { badInput, canonicalBytes, type JsonValue, sha256Of } from '../../core/index.ts';
import type { ByteSource } from './contracts.ts';

export async function hashOfSource(source: ByteSource): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of source.open()) hash.update(chunk);
  return hash.digest('hex');
}

/** The same bytes a second time; throws at their end when they are others than the first time. */
export async function* sameBytes(
  source: ByteSource,
  expected: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash: Hash = createHash('sha256');
  for await (const chunk of source.open()) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest('hex');
  if (found === expected) return;
  throw badInput(`${source.name}: the file changed while it was being read; import it again`);
}

export function sha256OfJson(value: JsonValue): string {
  return sha256Of(canonicalBytes(value, { numbers: 'any' }));
}
