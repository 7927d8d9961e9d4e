/** What the ledger's checks share: vectors, spellings of bytes, and a whole signed log made on the spot. */
import { readFileSync } from 'node:fs';
import type * as ledgerRoom from '../../src/ledger/pure.ts';
import type { IntakeEntry } from '../../src/ledger/entry-type.ts';

/** The room under test, as its users import it; the planted mutations hand in broken copies. */
export type Ledger = typeof ledgerRoom;

/** A claim about the ledger that throws when it does not hold. */
export interface Check {
  readonly name: string;
  readonly run: (ledger: Ledger) => void | Promise<void>;
}

export function vectorText(name: string): string {
  return readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8');
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const fromHex = (text: string): Uint8Array => Buffer.from(text, 'hex');
export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
export const unbase64 = (text: string): Uint8Array => Buffer.from(text, 'base64');

export function numberedLeaves(ledger: Ledger, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) =>
    ledger.leafHash(Buffer.from(`entry-${index}`)),
  );
}

/** Changes one bit; `place` counts bits from the first byte's lowest. */
export function flipped(bytes: Uint8Array, place: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = Math.floor(place / 8);
  copy[at] = (copy[at] ?? 0) ^ (1 << (place % 8));
  return copy;
}

/** Numbers that are the same on every run. */
export function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export const ORIGIN = 'ledger.example.org/acme/filing';
// Test keys, made of repeated bytes.
export const LOG_SEED = new Uint8Array(32).fill(7);
export const NEXT_LOG_SEED = new Uint8Array(32).fill(8);
export const WITNESS_SEEDS = [11, 12, 13, 14].map((byte) => new Uint8Array(32).fill(byte));

export function intakeOf(seq: number, changed: Partial<IntakeEntry> = {}): IntakeEntry {
  return {
    id: `01900000-0000-7000-8000-${String(seq).padStart(12, '0')}`,
    at: '2026-03-02T09:00:00.000Z',
    type: 'filing.state',
    subj: { kind: 'filing', id: `F-${seq % 7}`, ver: Math.floor(seq / 7) + 1 },
    actor: { kind: 'service', id: 'filer' },
    trace: `t-${seq}`,
    cls: 'internal',
    data: { attempt: 1, jurisdiction: seq % 2 === 0 ? 'US-NY' : 'DE-BÜ', note: `n\t${seq}` },
    body: null,
    ...changed,
  };
}

export interface SignedLog {
  readonly origin: string;
  readonly verifierKeys: readonly string[];
  readonly entries: readonly Uint8Array[];
  readonly leaves: readonly Uint8Array[];
  readonly checkpoint: string;
}

/** A log that verifies, signed by its key and by one witness; another `trace` gives other bytes everywhere. */
export function signedLog(ledger: Ledger, count: number, trace = 't'): SignedLog {
  const range = ledger.CompactRange.empty();
  const entries: Uint8Array[] = [];
  const leaves: Uint8Array[] = [];
  let prev = ledger.genesisPrev(ORIGIN);
  for (let seq = 0; seq < count; seq++) {
    const ts = `2026-03-02T09:00:${String(Math.floor(seq / 20) % 60).padStart(2, '0')}.000Z`;
    const { bytes, leaf } = ledger.buildEntry(intakeOf(seq, { trace }), {
      log: ORIGIN,
      seq,
      prev,
      ts,
    });
    entries.push(bytes);
    leaves.push(leaf);
    range.append(leaf);
    prev = leaf;
  }
  const log = ledger.logSigner({ name: ORIGIN, key: LOG_SEED });
  const witness = witnessOf(ledger, 0);
  const head = { origin: ORIGIN, size: count, root: range.root() };
  return {
    origin: ORIGIN,
    verifierKeys: [log.verifierKey.text, witness.verifierKey.text],
    entries,
    leaves,
    checkpoint: ledger.signCheckpoint(head, [log, witness]),
  };
}

export function witnessOf(ledger: Ledger, which: number) {
  const key = WITNESS_SEEDS[which] ?? new Uint8Array(32);
  return ledger.witnessSigner({
    name: `witness.example.net/w${which}`,
    key,
    seconds: 1_772_442_003,
  });
}
