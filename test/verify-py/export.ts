/**
 * Writes exports and proof packs as ledger.md § 10 lays them out. It stands on node:crypto alone, so that verify.py is
 * judged against the format and not against this product's own writer.
 */
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TILE = 256;
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A vector file; its shape is fixed by test/vectors/PROVENANCE.md and named where it is read. */
export const vector = (name: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8'));

export interface Log13 {
  readonly origin: string;
  readonly log_key: { readonly seed_hex: string; readonly vkey: string };
  readonly witness_key: { readonly seed_hex: string; readonly vkey: string };
  readonly entries: readonly { readonly utf8: string; readonly leaf_hash_hex: string }[];
  readonly roots_hex: Readonly<Record<string, string>>;
  readonly checkpoints: Readonly<Record<string, string>>;
  readonly tlog_proofs: Readonly<Record<string, string>>;
  readonly sealed_body: {
    readonly salt_hex: string;
    readonly body_jcs_utf8: string;
    readonly blob_hex: string;
    readonly ct_sha256_hex: string;
  };
}

export const sha256 = (...parts: readonly (Buffer | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const ZERO = Buffer.from([0]);
const ONE = Buffer.from([1]);
export const leafHash = (entry: Buffer | string): Buffer => sha256(ZERO, entry);

export function treeRoot(hashes: readonly Buffer[]): Buffer {
  const [first] = hashes;
  if (first === undefined) return sha256('');
  if (hashes.length === 1) return first;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return sha256(ONE, treeRoot(hashes.slice(0, split)), treeRoot(hashes.slice(split)));
}

export function write(folder: string, name: string, content: Buffer | string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

export function checkpoint(log: Log13, size: number, root: Buffer): string {
  const text = `${log.origin}\n${size}\n${root.toString('base64')}\n`;
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, Buffer.from(log.log_key.seed_hex, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });
  const keyId = Buffer.from(log.log_key.vkey.split('+')[1] ?? '', 'hex');
  const signature = Buffer.concat([keyId, sign(null, Buffer.from(text), key)]);
  return `${text}\n— ${log.origin} ${signature.toString('base64')}\n`;
}

export function tileName(number: number, width: number): string {
  const digits = String(number).padStart(Math.ceil(String(number).length / 3) * 3, '0');
  const groups = digits.match(/.../g) ?? [];
  const name = groups.map((group, i) => (i === groups.length - 1 ? group : `x${group}`)).join('/');
  return width === TILE ? name : `${name}.p/${width}`;
}

/** Entry bundles and hash tiles of every level. Returns the files written. */
export function writeTiles(folder: string, entries: readonly string[]): string[] {
  const files: string[] = [];
  for (let start = 0; start < entries.length; start += TILE) {
    const parts = entries.slice(start, start + TILE).map((entry) => {
      const bytes = Buffer.from(entry);
      return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
    });
    const name = tileName(start / TILE, parts.length);
    files.push(write(folder, `tile/entries/${name}`, Buffer.concat(parts)));
  }
  let row = entries.map(leafHash);
  for (let level = 0; row.length > 0; level++) {
    const above: Buffer[] = [];
    for (let start = 0; start < row.length; start += TILE) {
      const tile = row.slice(start, start + TILE);
      const name = tileName(start / TILE, tile.length);
      files.push(write(folder, `tile/${level}/${name}`, Buffer.concat(tile)));
      if (tile.length === TILE) above.push(treeRoot(tile));
    }
    row = above;
  }
  return files;
}

/** The reference log of 13 entries with everything an export may hold. Returns the files by their role. */
export function writeLog13(folder: string, log: Log13) {
  const body = log.sealed_body;
  const sealed: { id: string } = JSON.parse(log.entries[3]?.utf8 ?? '');
  write(
    folder,
    'policy.txt',
    `log ${log.log_key.vkey}\nwitness w1 ${log.witness_key.vkey}\nquorum w1\n`,
  );
  return {
    checkpoint: write(folder, 'checkpoint', log.checkpoints['13'] ?? ''),
    pinned: write(folder, 'pinned', log.checkpoints['8'] ?? ''),
    past: write(folder, 'checkpoints/5', log.checkpoints['5'] ?? ''),
    tiles: writeTiles(
      folder,
      log.entries.map((entry) => entry.utf8),
    ),
    body: write(folder, `bodies/${body.ct_sha256_hex}`, Buffer.from(body.blob_hex, 'hex')),
    disclosed: write(
      folder,
      `disclosed/${sealed.id}.json`,
      JSON.stringify({ id: sealed.id, salt: body.salt_hex, body: body.body_jcs_utf8 }),
    ),
  };
}

/** A log of any length in the entry format, without checkpoint. */
export function makeEntries(origin: string, count: number): string[] {
  const entries: string[] = [];
  let prev = sha256(`filewright.ledger.v1\n${origin}\n`).toString('hex');
  for (let seq = 0; seq < count; seq++) {
    const id = `01900000-0000-7000-8000-${seq.toString(16).padStart(12, '0')}`;
    const entry =
      `{"actor":{"id":"filer","kind":"service"},"at":"2026-03-02T09:00:00.000Z","body":null,"cls":"internal",` +
      `"data":{"attempt":1},"id":"${id}","log":"${origin}","prev":"${prev}","seq":${seq},` +
      `"subj":{"id":"F-${seq % 1000}","kind":"filing","ver":${Math.floor(seq / 1000) + 1}},"trace":"t",` +
      `"ts":"2026-03-02T09:00:00.000Z","type":"filing.state","v":1}`;
    prev = leafHash(entry).toString('hex');
    entries.push(entry);
  }
  return entries;
}
