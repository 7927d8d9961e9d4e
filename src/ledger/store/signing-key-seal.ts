/**
 * What makes a row of `ledger_signing_key` a key. Whoever can write the table could put a verifier key of their own there
 * and sign another history with it; so each row carries a code that only the tenant key can make, over the verifier key
 * and the sizes it signs for. A row without it is not a key, whatever else it says.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { canonicalBytes, FilewrightError, type Random } from '../../core/index.ts';
import { logSigner, type NoteSigner } from '../note-signer.ts';
import type { TenantKey } from '../tenant-key.ts';

/** What the code is over; the log's name is part of it, so that no key moves to another log. */
export interface SealedKeyRow {
  readonly origin: string;
  readonly id: string;
  readonly vkey: string;
  readonly firstSize: number;
  readonly lastSize: number | undefined;
}

/** Purpose-named, so that no other code made with the tenant key can pass for this one. */
const PURPOSE = 'filewright.signing-key.v1';

export function keyCode(tenantKey: Uint8Array, row: SealedKeyRow): Uint8Array {
  const key = new Uint8Array(hkdfSync('sha256', tenantKey, '', PURPOSE, 32));
  const said = canonicalBytes({
    first_size: row.firstSize,
    id: row.id,
    last_size: row.lastSize ?? null,
    origin: row.origin,
    vkey: row.vkey,
  });
  return createHmac('sha256', key).update(said).digest();
}

/** The private half opens only beside the verifier key and the size that it was made for. */
function contextOf({ origin, id, vkey, firstSize }: SealedKeyRow): string {
  return `signing/${origin}/${id}/${firstSize}/${vkey}`;
}

export function wrapSeed(
  tenantKey: TenantKey,
  row: SealedKeyRow,
  seed: Uint8Array,
  random: Random,
): Uint8Array {
  return tenantKey.wrap({ key: seed, context: contextOf(row), random });
}

/** The signer of a row. Throws `LEDGER_BROKEN` with the reason `SIGNING_KEY_FORGED` when the row is not a key. */
export function openSigner(
  tenantKey: TenantKey,
  row: SealedKeyRow & { readonly wrapped: Uint8Array; readonly mac: Uint8Array },
): NoteSigner {
  // Code and wrapping are of one key: the current one, or for a moment the one before it.
  const wrapping = tenantKey.keyOf(row.wrapped);
  if (wrapping === undefined) throw forged(row, 'it is wrapped under another tenant key');
  const expected = keyCode(wrapping, row);
  if (row.mac.length !== expected.length || !timingSafeEqual(row.mac, expected)) {
    throw forged(row, 'its code was not made with the tenant key');
  }
  const signer = logSigner({ name: row.origin, key: seedOf(tenantKey, row) });
  if (signer.verifierKey.text !== row.vkey) throw forged(row, 'its private half is of another key');
  return signer;
}

/** The private half, to be wrapped under another tenant key. */
export function seedOf(
  tenantKey: TenantKey,
  row: SealedKeyRow & { readonly wrapped: Uint8Array },
): Uint8Array {
  try {
    return tenantKey.unwrap({ blob: row.wrapped, context: contextOf(row) });
  } catch (error) {
    if (!(error instanceof FilewrightError) || error.code !== 'SEAL_BROKEN') throw error;
    throw forged(row, 'its private half does not open', error);
  }
}

function forged({ origin, id }: SealedKeyRow, found: string, cause?: Error): FilewrightError {
  return new FilewrightError(
    'LEDGER_BROKEN',
    `Expected the signing key ${id} of ${origin} as Filewright stored it, but ${found}. The row was changed or added by hand; nothing is signed with it.`,
    { details: { reason: 'SIGNING_KEY_FORGED', origin, id }, ...(cause && { cause }) },
  );
}
