/** C2SP `tlog-proof` files: everything that shows one entry to be in a log, to be checked offline. */
import { badInput, invariant } from '../core/index.ts';
import { fromBase64, toBase64 } from './base64.ts';
import {
  checkCheckpoint,
  type Checkpoint,
  type CheckpointFault,
  type Trust,
} from './checkpoint.ts';
import { entryBytes } from './entry.ts';
import { HASH_BYTES, leafHash } from './hashes.ts';
import { verifyInclusion } from './verify-proof.ts';

export interface TlogProof {
  /** The entry's place in the log, from 0. */
  readonly index: number;
  readonly proof: readonly Uint8Array[];
  /** The signed note, as the log gave it out. */
  readonly checkpoint: string;
  /** Anything; nobody has signed it, so it is never evidence. */
  readonly extra?: Uint8Array;
}

export type TlogProofFault = 'MALFORMED_PROOF' | CheckpointFault | 'NOT_INCLUDED';

export type TlogProofOutcome =
  | { readonly ok: true; readonly index: number; readonly checkpoint: Checkpoint }
  | { readonly ok: false; readonly reason: TlogProofFault; readonly message: string };

const HEADER = 'c2sp.org/tlog-proof@v1';
const INDEX = /^index (0|[1-9][0-9]*)$/;
const EXTRA = 'extra ';
// A tree of 2^53 leaves has 53 levels.
const PROOF_HASHES_MAX = 53;
// A checkpoint has at most a million bytes; the extra data is an aid, not an attachment.
const FILE_CHARACTERS_MAX = 2_000_000;

/** The text of a `.tlog-proof` file. */
export function writeTlogProof({ index, proof, checkpoint, extra }: TlogProof): string {
  invariant(
    Number.isSafeInteger(index) && index >= 0,
    `Expected an index from 0 to 2^53−1, found ${index}.`,
  );
  invariant(
    proof.length <= PROOF_HASHES_MAX && proof.every((hash) => hash.length === HASH_BYTES),
    `Expected at most ${PROOF_HASHES_MAX} hashes of ${HASH_BYTES} bytes.`,
  );
  const lines = [
    HEADER,
    ...(extra === undefined || extra.length === 0 ? [] : [EXTRA + toBase64(extra)]),
    `index ${index}`,
    ...proof.map(toBase64),
    '',
    checkpoint,
  ];
  return lines.join('\n');
}

/** Reads a `.tlog-proof` file strictly, without checking what it proves. Throws `INPUT_MALFORMED`. */
export function parseTlogProof(text: string): TlogProof {
  const read = readTlogProof(text);
  if (typeof read !== 'string') return read;
  throw badInput(`Expected a ${HEADER} file, but ${read}.`);
}

/**
 * Whether a proof file shows that exactly these bytes are an entry of a trusted log. The entry is hashed here;
 * nothing that the file says about it is believed.
 */
export function verifyTlogProof(request: {
  readonly proof: string;
  readonly entry: Uint8Array | string;
  readonly trust: Trust;
}): TlogProofOutcome {
  const { trust } = request;
  const read = readTlogProof(request.proof);
  if (typeof read === 'string') {
    return {
      ok: false,
      reason: 'MALFORMED_PROOF',
      message: `Expected a ${HEADER} file, but ${read}.`,
    };
  }
  const opened = checkCheckpoint(read.checkpoint, trust);
  if (!opened.ok) return opened;
  const { checkpoint } = opened;
  const isIncluded = verifyInclusion({
    leafIndex: read.index,
    treeSize: checkpoint.size,
    root: checkpoint.root,
    leafHash: leafHash(entryBytes(request.entry)),
    proof: read.proof,
  });
  if (isIncluded) return { ok: true, index: read.index, checkpoint };
  return {
    ok: false,
    reason: 'NOT_INCLUDED',
    message: `Expected the entry at index ${read.index} of ${checkpoint.origin}; the proof does not lead from it to the signed root.`,
  };
}

// The end of a sentence when it is not one.
function readTlogProof(text: unknown): TlogProof | string {
  if (typeof text !== 'string') return 'it is not a text';
  if (text.length > FILE_CHARACTERS_MAX) return 'it is too large';
  const blank = text.indexOf('\n\n');
  if (blank < 0) return 'it has no blank line before the checkpoint';
  const [header, ...rest] = text.slice(0, blank).split('\n');
  if (header !== HEADER) return 'its first line is another';
  let extra: Uint8Array | undefined;
  if (rest[0]?.startsWith(EXTRA) === true) {
    extra = fromBase64(rest[0].slice(EXTRA.length));
    if (extra === undefined || extra.length === 0) return 'its extra line is not base64';
    rest.shift();
  }
  const [indexLine = '', ...hashLines] = rest;
  const [, digits] = INDEX.exec(indexLine) ?? [];
  const index = Number(digits);
  if (!Number.isSafeInteger(index)) return 'its index line is not "index" and a decimal number';
  if (hashLines.length > PROOF_HASHES_MAX) return `it has more than ${PROOF_HASHES_MAX} hashes`;
  const proof: Uint8Array[] = [];
  for (const line of hashLines) {
    const hash = fromBase64(line);
    if (hash?.length !== HASH_BYTES) return `hash ${proof.length + 1} is not base64 of 32 bytes`;
    proof.push(hash);
  }
  const checkpoint = text.slice(blank + 2);
  return { index, proof, checkpoint, ...(extra === undefined ? {} : { extra }) };
}
