import { type Claim, FilewrightError, sha256Of, type Vault } from '../../core/index.ts';

/**
 * The exact bytes that were frozen at intake. Undefined when they do not open or are not those: one filing that was
 * tampered with, or whose key is gone, goes to a person; it must not stop the worker, and the others go on.
 */
export function openPayload(vault: Vault, claim: Claim): Uint8Array | undefined {
  try {
    const payload = vault.open(claim.payload);
    const sha256 = sha256Of(payload);
    return sha256 === claim.filing.payloadSha256 ? payload : undefined;
  } catch (error) {
    if (error instanceof FilewrightError && error.code === 'SEAL_BROKEN') return undefined;
    throw error;
  }
}

/** The same, also undefined when opening it breaks in a way that nobody foresaw: that is about these bytes alone. */
export function readablePayload(vault: Vault, claim: Claim): Uint8Array | undefined {
  try {
    return openPayload(vault, claim);
  } catch (error) {
    // An error of ours is about the vault, and would meet every filing.
    if (error instanceof FilewrightError) throw error;
    return undefined;
  }
}
