import { FilewrightError } from '../core/index.ts';
import type { LedgerEntry, SealedBody } from './entry-type.ts';
import { sameBytes, sha256 } from './hashes.ts';
import { payloadOwner } from './payload-owner.ts';
import { isOwned, openBody, type SealFault } from './seal.ts';

/** What became of one sealed body. A destroyed key is an outcome of retention, not a failure. */
export type BodyOutcome =
  | { readonly state: 'none' }
  | { readonly state: 'intact'; readonly canonical: Uint8Array }
  | { readonly state: 'shredded' }
  | { readonly state: 'broken'; readonly reason: SealFault; readonly message: string };

export interface BodyCheck {
  readonly origin: string;
  /** The rest of the entry says whose payload the body is, where it is one. */
  readonly entry: { readonly id: string; readonly body: SealedBody | null } & Partial<
    Pick<LedgerEntry, 'type' | 'subj' | 'data'>
  >;
  /** Undefined when the blob is gone. */
  readonly blob: Uint8Array | undefined;
  /** Finds the data key that the entry names, or says that it was destroyed. */
  readonly keyFor: (keyId: string) => Uint8Array | 'shredded' | Promise<Uint8Array | 'shredded'>;
}

/** Step 8 of ledger format 1, § 9 for one entry. */
export async function verifyBody(check: BodyCheck): Promise<BodyOutcome> {
  const { origin, entry, blob } = check;
  const { id, body } = entry;
  if (body === null) return { state: 'none' };
  // The hash needs no key, so a blob that outlived its key must still be the right one.
  if (blob !== undefined && !sameBytes(sha256(blob), Buffer.from(body.ct, 'hex'))) {
    return broken('BODY_HASH_MISMATCH', `Expected the blob that entry ${id} names; found another.`);
  }
  const dek = await check.keyFor(body.key);
  if (dek === 'shredded') return { state: 'shredded' };
  if (blob === undefined) {
    return broken(
      'BODY_UNREADABLE',
      `Expected a blob for entry ${id}, whose key exists; found none.`,
    );
  }
  const owner = isOwned(blob) ? payloadOwner(entry) : undefined;
  try {
    const opened = openBody({ origin, id, keyId: body.key, dek, blob, expected: body, owner });
    return { state: 'intact', canonical: opened.canonical };
  } catch (error) {
    if (!(error instanceof FilewrightError) || error.code !== 'SEAL_BROKEN') throw error;
    const reason =
      error.details.reason === 'COMMITMENT_MISMATCH' ? 'COMMITMENT_MISMATCH' : 'BODY_UNREADABLE';
    return broken(reason, error.message);
  }
}

function broken(reason: SealFault, message: string): BodyOutcome {
  return { state: 'broken', reason, message };
}
