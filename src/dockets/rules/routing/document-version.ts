import { canonicalText, parseStrictJson, sha256Of } from '../../../core/index.ts';

/** As it is kept: the same rules are the same text, however they are laid out. */
export function canonicalDocument(body: string): string {
  return canonicalText(parseStrictJson(body), { numbers: 'any' });
}

/** SHA-256 of the canonical JSON. */
export function documentVersion(body: string): string {
  return sha256Of(canonicalDocument(body));
}
