/** Keys and enrollment codes: random, shown once, stored as a hash. */
import { createHash } from 'node:crypto';
import type { LedgerFact } from '../../core/index.ts';
import type { Filewright } from '../../filewright.ts';
import { KEY_DAYS_DEFAULT, keyHash, type NewKey } from '../../people/index.ts';

const KEY_PREFIX = 'fwk_';
const CODE_PREFIX = 'fwe_';

interface KeyOptions {
  /** What its owner calls it; "first" unless told. */
  readonly name?: string;
  readonly days?: number;
}

export function makeKey(
  app: Filewright,
  { name = 'first', days = KEY_DAYS_DEFAULT }: KeyOptions = {},
): { readonly key: string; readonly stored: NewKey } {
  const key = `${KEY_PREFIX}${Buffer.from(app.random.bytes(32)).toString('base64url')}`;
  return { key, stored: { id: app.ids.next(), name, sha256: keyHash(key), days } };
}

/** What the ledger keeps of a key. */
export function keyFact({ id, name, sha256, days }: NewKey): LedgerFact['data'] {
  return { key: id, name, key_sha256: Buffer.from(sha256).toString('hex'), days };
}

export function makeCode(app: Filewright): { readonly code: string; readonly sha256: string } {
  const code = `${CODE_PREFIX}${Buffer.from(app.random.bytes(32)).toString('base64url')}`;
  return { code, sha256: codeHash(code) };
}

export function codeHash(code: string): string {
  return createHash('sha256').update(code.trim()).digest('hex');
}
