/** What a witness answered, checked before it is kept. */
import { checkSignatures, parseNote, SIGNATURE_MARK } from '../note.ts';
import type { VerifierKey } from '../verifier-key.ts';

interface Cosignature {
  /** With its newline. */
  readonly line: string;
  /** When the witness signed, by its own clock, in seconds since 1970. */
  readonly seconds: number;
}

/** The line of this witness among those that it sent; others are ignored. What is wrong is the end of a sentence. */
export function readCosignature(
  note: Uint8Array,
  answer: string,
  witness: VerifierKey,
): Cosignature | string {
  const parsed = parseNote(Buffer.from(note).toString('utf8') + answer);
  if ('kind' in parsed) return parsed.found;
  const own = answer
    .split('\n')
    .filter((line) => line.startsWith(`${SIGNATURE_MARK}${witness.name} `));
  for (const line of own) {
    const alone = parseNote(`${parsed.text}\n${line}\n`);
    if ('kind' in alone) return alone.found;
    const signed = checkSignatures(alone, [witness]);
    if ('kind' in signed) return signed.found;
    const seconds = signed[0]?.seconds;
    if (seconds !== undefined) return { line: `${line}\n`, seconds };
  }
  return `it has no signature of ${witness.name} (key ${witness.id})`;
}
