/**
 * The body of C2SP tlog-witness `add-checkpoint`: the size that the witness is thought to know, a proof that the log has
 * only grown since, and the new checkpoint.
 */
import { fromBase64, toBase64 } from '../base64.ts';
import { HASH_BYTES } from '../hashes.ts';

/** A checkpoint with a hundred signatures of the longest kind would be larger; those of a log and its witnesses are not. */
export const ADD_CHECKPOINT_BYTES_MAX = 128 * 1024;
/** C2SP: a client must not send more; a tree of 2^63 entries needs no more. */
const PROOF_LINES_MAX = 63;
const OLD = /^old (0|[1-9][0-9]{0,15})$/;

interface AddCheckpoint {
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  /** The signed note, to the byte. */
  readonly note: string;
}

export function writeAddCheckpoint({ oldSize, proof, note }: AddCheckpoint): string {
  return [`old ${oldSize}`, ...proof.map(toBase64), '', note].join('\n');
}

/** What is wrong with it is the end of a sentence. */
export function parseAddCheckpoint(body: string): AddCheckpoint | string {
  const blank = body.indexOf('\n\n');
  if (blank < 0) return 'it has no blank line before the checkpoint';
  const [first = '', ...lines] = body.slice(0, blank).split('\n');
  const old = OLD.exec(first)?.[1];
  const oldSize = Number(old);
  if (old === undefined || !Number.isSafeInteger(oldSize)) {
    return 'its first line is not "old" and a size';
  }
  if (lines.length > PROOF_LINES_MAX) return `its proof has more than ${PROOF_LINES_MAX} lines`;
  const proof: Uint8Array[] = [];
  for (const line of lines) {
    const hash = fromBase64(line);
    if (hash?.length !== HASH_BYTES) return `line ${proof.length + 2} is not a hash in base64`;
    proof.push(hash);
  }
  return { oldSize, proof, note: body.slice(blank + 2) };
}
