/** Reads ledger entries from their bytes: own parsing, own canonical form, own hashes. */
import { createHash } from 'node:crypto';

export interface ReadEntry {
  readonly bytes: Uint8Array;
  readonly v: number;
  readonly log: string;
  readonly seq: number;
  readonly prev: string;
  readonly ts: string;
  readonly at: string;
  readonly id: string;
  readonly type: string;
  readonly subj: { readonly kind: string; readonly id: string; readonly ver: number };
  readonly trace: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly body: { readonly key: string; readonly ct: string; readonly cm: string } | null;
}

export function readEntry(bytes: Uint8Array): ReadEntry {
  // The rules that follow compare every field; a wrong shape shows there.
  const value = JSON.parse(Buffer.from(bytes).toString('utf8')) as Omit<ReadEntry, 'bytes'>;
  return { ...value, bytes };
}

/** RFC 8785 for what the ledger may contain: sorted keys, no spaces, whole numbers. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`);
  return `{${parts.join(',')}}`;
}

export function leafOf(bytes: Uint8Array): Buffer {
  return sha256(Buffer.from([0]), bytes);
}

export function genesis(origin: string): string {
  return sha256(Buffer.from(`filewright.ledger.v1\n${origin}\n`)).toString('hex');
}

/** RFC 6962 § 2.1, by its own recursive definition. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return only;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Buffer.from([1]), rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
