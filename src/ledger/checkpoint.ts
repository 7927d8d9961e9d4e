/** C2SP checkpoints: the signed tree head of a log, as three lines of a note. */
import { FilewrightError, invariant } from '../core/index.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { HASH_BYTES } from './hashes.ts';
import { type NoteSigner, signNote } from './note-signer.ts';
import {
  checkSignatures,
  NOBODY_SIGNED,
  parseNote,
  type VerifiedSignature,
  type VerifierKeys,
} from './note.ts';
import {
  logKeyFault,
  policyKeys,
  policyOf,
  quorumFault,
  type TrustPolicy,
} from './trust-policy.ts';

/** How many entries a log has and the root over them. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

export interface Checkpoint extends TreeHead {
  /** The log's name. */
  readonly origin: string;
}

export type CheckpointFault = 'MALFORMED_CHECKPOINT' | 'UNTRUSTED_SIGNATURE' | 'ORIGIN_MISMATCH';

export type CheckpointOutcome =
  | {
      readonly ok: true;
      readonly checkpoint: Checkpoint;
      readonly signatures: readonly VerifiedSignature[];
    }
  | { readonly ok: false; readonly reason: CheckpointFault; readonly message: string };

/** Whom to believe: a policy, or plain keys, of which one of the log must have signed. */
export interface Trust {
  /** The log that is asked for. */
  readonly origin: string;
  readonly verifierKeys?: VerifierKeys;
  readonly policy?: TrustPolicy;
}

const SIZE = /^(?:0|[1-9][0-9]*)$/;

/** The three lines that are signed. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  invariant(
    origin !== '' && !origin.includes('\n'),
    `Expected an origin of one line, found "${origin}".`,
  );
  invariant(
    Number.isSafeInteger(size) && size >= 0,
    `Expected a tree size from 0 to 2^53−1, found ${size}.`,
  );
  invariant(root.length === HASH_BYTES, `Expected a root of ${HASH_BYTES} bytes.`);
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/**
 * A checkpoint as it is published. Never sign two heads of one log of which the smaller is not the beginning of the
 * larger: whoever holds both can prove that the log lied.
 */
export function signCheckpoint(checkpoint: Checkpoint, signers: readonly NoteSigner[]): string {
  return signNote(checkpointText(checkpoint), signers);
}

/** Reads a checkpoint and decides whether it can be believed (ledger format 1, § 9, steps 1 and 2). */
export function checkCheckpoint(note: string | Uint8Array, trust: Trust): CheckpointOutcome {
  const policy = trust.policy ?? policyOf(trust.verifierKeys ?? []);
  const read = readCheckpoint(note, policy);
  if (!read.ok) return read;
  const { checkpoint, signatures } = read;
  if (signatures.length === 0) return untrusted(NOBODY_SIGNED);
  const unwitnessed = quorumFault(policy, signatures);
  if (unwitnessed !== undefined) return untrusted(unwitnessed);
  if (checkpoint.origin !== trust.origin) return ofAnotherLog(checkpoint, trust);
  const fault = logKeyFault(policy, checkpoint, signatures);
  return fault === undefined ? read : untrusted(fault);
}

/**
 * Reads a checkpoint that was trusted earlier. Its key may have been retired since, so a signature nobody knows is
 * no fault; one of a known key that fails is.
 */
export function checkPinned(note: string | Uint8Array, trust: Trust): CheckpointOutcome {
  const read = readCheckpoint(note, trust.policy ?? policyOf(trust.verifierKeys ?? []));
  if (!read.ok) return read;
  return read.checkpoint.origin === trust.origin ? read : ofAnotherLog(read.checkpoint, trust);
}

/** A checkpoint that can be believed; throws `INPUT_MALFORMED` or `LEDGER_BROKEN` otherwise. */
export function openCheckpoint(note: string | Uint8Array, trust: Trust): Checkpoint {
  const outcome = checkCheckpoint(note, trust);
  if (outcome.ok) return outcome.checkpoint;
  const code = outcome.reason === 'MALFORMED_CHECKPOINT' ? 'INPUT_MALFORMED' : 'LEDGER_BROKEN';
  throw new FilewrightError(code, outcome.message, { details: { reason: outcome.reason } });
}

function readCheckpoint(note: string | Uint8Array, policy: TrustPolicy): CheckpointOutcome {
  const parsed = parseNote(note);
  if ('kind' in parsed) return malformed(parsed.found);
  const checkpoint = parseCheckpointText(parsed.text);
  if (typeof checkpoint === 'string') return malformed(checkpoint);
  const signatures = checkSignatures(parsed, policyKeys(policy));
  if ('kind' in signatures) return untrusted(signatures.found);
  return { ok: true, checkpoint, signatures };
}

// The end of a sentence when it is not one. The format has no further lines, so a fourth is refused.
function parseCheckpointText(text: string): Checkpoint | string {
  const [origin = '', size = '', root = '', end, ...more] = text.split('\n');
  if (end !== '' || more.length > 0) return 'its text is not exactly three lines';
  if (origin === '') return 'its origin is empty';
  if (!SIZE.test(size) || !Number.isSafeInteger(Number(size))) {
    return 'its size is not a decimal number of at most 2^53−1 without leading zeros';
  }
  const hash = fromBase64(root);
  if (hash?.length !== HASH_BYTES) return 'its root is not base64 of 32 bytes';
  return { origin, size: Number(size), root: hash };
}

function malformed(found: string): CheckpointOutcome {
  return {
    ok: false,
    reason: 'MALFORMED_CHECKPOINT',
    message: `Expected a signed checkpoint, but ${found}.`,
  };
}

function ofAnotherLog(found: Checkpoint, trust: Trust): CheckpointOutcome {
  return {
    ok: false,
    reason: 'ORIGIN_MISMATCH',
    message: `Expected a checkpoint of ${trust.origin}, found one of ${found.origin}.`,
  };
}

function untrusted(found: string): CheckpointOutcome {
  return {
    ok: false,
    reason: 'UNTRUSTED_SIGNATURE',
    message: `Expected a checkpoint signed by a trusted key, but ${found}. Do not use it.`,
  };
}
