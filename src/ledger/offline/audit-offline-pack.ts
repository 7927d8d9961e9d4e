/** A proof pack: some entries of a log, each with the proof that it is in the signed tree. */
import { join } from 'node:path';
import { FilewrightError } from '../../core/index.ts';
import { checkCheckpoint, type Checkpoint } from '../checkpoint.ts';
import { leafHash } from '../hashes.ts';
import { parseTlogProof } from '../tlog-proof.ts';
import type { TrustPolicy } from '../trust-policy.ts';
import { verifyInclusion } from '../verify-proof.ts';
import { demand, Failure, namesIn, readRequired } from './audit-offline-files.ts';

/** What it takes to believe a log: its folder, the signed head, and whose signature counts. */
export interface LogFolder {
  readonly folder: string;
  readonly note: Uint8Array;
  readonly origin: string;
  readonly policy: TrustPolicy;
  readonly head: Checkpoint;
}

interface ShownEntry {
  readonly seq: number;
  readonly bytes: Uint8Array;
}

/** The entries that are shown, in their order. */
export async function checkPack(log: LogFolder): Promise<readonly ShownEntry[]> {
  const { head } = log;
  const place = join(log.folder, 'entries');
  const names = await namesIn(place);
  // In the order of the log, so that the first failure is the same one for everybody.
  const stems = [...new Set(names.map((name) => name.replace(/\.[^.]*$/, '')))].sort(byNumber);
  const shown: ShownEntry[] = [];
  for (const stem of stems) {
    const proofPath = join(place, `${stem}.tlog-proof`);
    const bytes = await readRequired(join(place, `${stem}.json`));
    const proof = proofOf(await readRequired(proofPath), proofPath);
    if (proof.checkpoint !== Buffer.from(log.note).toString('utf8')) {
      const other = checkCheckpoint(proof.checkpoint, log);
      if (!other.ok) throw new Failure(other.reason, `${proofPath}: ${other.message}`);
      const { size, root } = other.checkpoint;
      const isSame = size === head.size && Buffer.compare(root, head.root) === 0;
      demand(isSame, 'INCLUSION_MISMATCH', `${proofPath} is for another checkpoint`);
    }
    const isIncluded = verifyInclusion({
      leafIndex: proof.index,
      treeSize: head.size,
      root: head.root,
      leafHash: leafHash(bytes),
      proof: proof.proof,
    });
    const holds = isIncluded && String(proof.index) === stem;
    demand(
      holds,
      'INCLUSION_MISMATCH',
      `${proofPath} does not lead from the entry to the signed root`,
    );
    shown.push({ seq: proof.index, bytes });
  }
  demand(shown.length > 0, 'FILE_MISSING', `${place} shows no entry`);
  return shown;
}

function byNumber(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function proofOf(bytes: Uint8Array, path: string): ReturnType<typeof parseTlogProof> {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    // The only thing it throws for is what is told here.
    throw new Failure('MALFORMED_PROOF', `${path}: its bytes are not UTF-8`);
  }
  try {
    return parseTlogProof(text);
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    throw new Failure('MALFORMED_PROOF', `${path}: ${error.message}`);
  }
}
