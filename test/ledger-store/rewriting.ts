/**
 * What somebody can do who may write every table: rewrite a log with all that hangs on it, under a key of their own, or
 * under the log's own key where they have that too. Everything that is stored then agrees with itself.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../../src/core/canonical-json.ts';
import { CompactRange } from '../../src/ledger/compact-range.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { parseEntry } from '../../src/ledger/entry-chain.ts';
import type { LedgerEntry } from '../../src/ledger/entry-type.ts';
import { genesisPrev } from '../../src/ledger/entry.ts';
import { leafHash } from '../../src/ledger/hashes.ts';
import { logSigner } from '../../src/ledger/note-signer.ts';
import { canonicalBytes } from '../../src/ledger/plain-json.ts';

export interface Tables {
  sql(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

export interface Rewriting {
  readonly origin: string;
  readonly boundary: string;
  /** Undefined leaves the entry out. */
  readonly change: (entry: LedgerEntry) => LedgerEntry | undefined;
  /** The seed of the log's own key; a fresh key unless told. */
  readonly seed?: Uint8Array;
  /** The folder of the copies outside, to be rewritten too. */
  readonly copies?: string;
}

export interface Rewritten {
  readonly size: number;
  readonly root: Uint8Array;
}

export async function rewriteLog(tables: Tables, rewriting: Rewriting): Promise<Rewritten> {
  const { origin, boundary, change, seed } = rewriting;
  const rows = await tables.sql(
    `select id, bytes from ledger_entry where boundary = '${boundary}' order by seq`,
  );
  const range = CompactRange.empty();
  let prev = genesisPrev(origin);
  const entries: { id: unknown; bytes: Uint8Array; leaf: Uint8Array }[] = [];
  for (const row of rows) {
    // The column is bytea, which the driver reads as a Buffer.
    const changed = change(parseEntry(row['bytes'] as Buffer));
    if (changed === undefined) continue;
    const entry = { ...changed, seq: range.size, prev: Buffer.from(prev).toString('hex') };
    const bytes = canonicalBytes(entry as unknown as JsonValue); // An entry is one.
    prev = leafHash(bytes);
    range.append(prev);
    entries.push({ id: row['id'], bytes, leaf: prev });
  }
  const head = { size: range.size, root: range.root() };
  await tables.sql(`delete from ledger_entry where boundary = '${boundary}'`);
  for (const [seq, { id, bytes, leaf }] of entries.entries()) {
    await tables.sql(
      'insert into ledger_entry (tenant, boundary, seq, id, bytes, leaf) values ($1, $2, $3, $4, $5, $6)',
      ['main', boundary, seq, id, bytes, leaf],
    );
  }
  await tables.sql(
    `update ledger_head set size = $1, range = $2, last_leaf = $3, signed_size = $1, signed_root = $4 where boundary = $5`,
    [head.size, range.toBytes(), prev, head.root, boundary],
  );
  const note = await signHead(tables, rewriting, head, seed);
  if (rewriting.copies !== undefined) {
    const folder = join(rewriting.copies, origin);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const name of [String(head.size), 'latest']) writeFileSync(join(folder, name), note);
  }
  return head;
}

async function signHead(
  tables: Tables,
  { origin, boundary }: Rewriting,
  head: Rewritten,
  seed: Uint8Array | undefined,
): Promise<string> {
  const signer = logSigner({ name: origin, key: seed ?? randomBytes(32) });
  if (seed === undefined) {
    const { id, text } = signer.verifierKey;
    const [hasCode] = await tables.sql(
      `select 1 from information_schema.columns where table_name = 'ledger_signing_key' and column_name = 'mac'`,
    );
    await tables.sql(`delete from ledger_signing_key where boundary = '${boundary}'`);
    await tables.sql(
      `insert into ledger_signing_key (tenant, boundary, id, vkey, wrapped, first_size${hasCode ? ', mac' : ''})
       values ('main', $1, $2, $3, $4, 1${hasCode ? ', $5' : ''})`,
      [boundary, id, text, randomBytes(61), ...(hasCode ? [randomBytes(32)] : [])],
    );
  }
  const note = signCheckpoint({ origin, ...head }, [signer]);
  await tables.sql(`delete from ledger_checkpoint where boundary = '${boundary}'`);
  await tables.sql(
    `insert into ledger_checkpoint (tenant, boundary, size, root, note, signed_at) values ('main', $1, $2, $3, $4, now())`,
    [boundary, head.size, head.root, Buffer.from(note)],
  );
  return note;
}

/** The spine, made to name this head alone of a log, or none. */
export function spineNaming(
  origin: string,
  head: Rewritten | undefined,
): (entry: LedgerEntry) => LedgerEntry | undefined {
  return (entry) => {
    if (entry.subj.id !== origin) return entry;
    if (head === undefined || entry.subj.ver > 1) return undefined;
    const root = Buffer.from(head.root).toString('hex');
    return { ...entry, data: { origin, size: head.size, root } };
  };
}
