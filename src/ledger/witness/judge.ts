/**
 * What a witness answers (C2SP tlog-witness), decided from what it was sent and the last head that it cosigned. Pure: the
 * caller keeps the new head durably before it hands out the signature, and lets no second request of the same log in
 * between.
 */
import { checkCheckpoint, type Checkpoint, type TreeHead } from '../checkpoint.ts';
import { sha256 } from '../hashes.ts';
import type { TrustedLog } from '../trust-policy.ts';
import { verifyConsistency } from '../verify-proof.ts';
import { parseAddCheckpoint } from './add-checkpoint.ts';

/** A request of a log that this witness knows, signed by it. */
export interface WitnessQuestion {
  readonly checkpoint: Checkpoint;
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  readonly note: string;
}

export interface WitnessRefusal {
  readonly status: 400 | 403 | 404 | 409 | 422;
  readonly message: string;
  /** With 409: of the head that the witness cosigned last. */
  readonly size?: number;
  /** The log has signed two histories: what it sent is evidence, and is kept. */
  readonly isContradiction?: true;
}

/** Who asks: everything that can be told without knowing what was cosigned before. */
export function readQuestion(
  body: string,
  logs: readonly TrustedLog[],
): WitnessQuestion | WitnessRefusal {
  const request = parseAddCheckpoint(body);
  if (typeof request === 'string') return refused(400, `The request cannot be read: ${request}.`);
  const { note, oldSize, proof } = request;
  const origin = note.slice(0, Math.max(0, note.indexOf('\n')));
  const keys = logs.filter(({ key }) => key.name === origin);
  const policy = { logs: keys, witnesses: [], groups: [], quorum: 'none' };
  const read = checkCheckpoint(note, { origin, policy });
  if (!read.ok && read.reason === 'MALFORMED_CHECKPOINT') return refused(400, read.message);
  if (keys.length === 0) return refused(404, 'This witness does not know the log.');
  if (!read.ok) return refused(403, read.message);
  const { checkpoint } = read;
  if (oldSize > checkpoint.size) return refused(400, 'The old size is larger than the checkpoint.');
  return { checkpoint, oldSize, proof, note };
}

/** Undefined when the head may be cosigned: it is the one known, or grew out of it. */
export function judge(
  { checkpoint, oldSize, proof }: WitnessQuestion,
  known: TreeHead | undefined,
): WitnessRefusal | undefined {
  const last = known ?? { size: 0, root: sha256(new Uint8Array(0)) };
  if (oldSize !== last.size) {
    return { status: 409, size: last.size, message: 'Another size was cosigned last.' };
  }
  const isSame = Buffer.compare(checkpoint.root, last.root) === 0;
  if (checkpoint.size === last.size) {
    if (proof.length > 0) return refused(422, 'Two equal sizes need no proof.');
    if (isSame) return undefined;
    const message = 'Another root was cosigned for this size.';
    return { status: 409, size: last.size, message, isContradiction: true };
  }
  // Everything grows out of the empty tree, so nothing is to be shown.
  const holds =
    oldSize === 0
      ? proof.length === 0
      : verifyConsistency({
          size1: oldSize,
          size2: checkpoint.size,
          root1: last.root,
          root2: checkpoint.root,
          proof,
        });
  if (holds) return undefined;
  const message = 'The proof does not show that the log only grew.';
  return { ...refused(422, message), isContradiction: true };
}

function refused(status: WitnessRefusal['status'], message: string): WitnessRefusal {
  return { status, message };
}
