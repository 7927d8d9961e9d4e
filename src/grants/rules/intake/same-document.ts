import { sha256Of } from '../../../core/index.ts';
/** Whether a document that is read again is still the one that was read before. */

/** The most that was ever read of it. */
interface SeenDocument {
  readonly bytes: number;
  readonly sha256: string;
  /** False when the connection ended before its end. */
  readonly isWhole: boolean;
}

/** Undefined when the bytes contradict what was seen: then nobody can say which of the two is the document. */
export function seenAgain(
  before: SeenDocument | undefined,
  now: { readonly body: Uint8Array; readonly isWhole: boolean },
): SeenDocument | undefined {
  const { body, isWhole } = now;
  if (before === undefined) return seenOf(body, isWhole);
  // Shorter, and cut again: nothing new is known, and what is there cannot be compared with a hash of more.
  if (body.length < before.bytes) return isWhole ? undefined : before;
  if (before.isWhole && body.length > before.bytes) return undefined;
  const start = sha256Of(body.subarray(0, before.bytes));
  if (start !== before.sha256) return undefined;
  return before.isWhole ? before : seenOf(body, isWhole);
}

function seenOf(body: Uint8Array, isWhole: boolean): SeenDocument {
  const sha256 = sha256Of(body);
  return { bytes: body.length, sha256, isWhole };
}
