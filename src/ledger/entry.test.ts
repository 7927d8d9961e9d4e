import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FilewrightError } from '../core/errors.ts';
import { buildEntry, ENTRY_BYTES_MAX, genesisPrev, logOrigin } from './entry.ts';
import type { EntryPlace, IntakeEntry } from './entry-type.ts';
import { LEDGER_BOUNDARIES } from '../core/boundary.ts';
import { leafHash } from './hashes.ts';
import { parseEntry } from './entry-chain.ts';

const log: {
  origin: string;
  genesis_prev_hex: string;
  entries: { utf8: string; leaf_hash_hex: string }[];
} = JSON.parse(
  readFileSync(new URL('../../test/vectors/filewright/log-13.json', import.meta.url), 'utf8'),
);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const intake: IntakeEntry = {
  id: '01900000-0000-7000-8000-000000000001',
  at: '2026-03-02T09:00:00.000Z',
  type: 'filing.state',
  subj: { kind: 'filing', id: 'F-1', ver: 1 },
  actor: { kind: 'service', id: 'filer' },
  trace: 't-1',
  cls: 'internal',
  data: { from: null, to: 'pending' },
  body: null,
};
const place: EntryPlace = {
  log: log.origin,
  seq: 0,
  prev: genesisPrev(log.origin),
  ts: '2026-03-02T09:00:00.001Z',
};
const hash = 'a'.repeat(64);

describe('ledger entries', () => {
  it('starts the chain of a log at a hash of its origin', () => {
    expect(hex(genesisPrev(log.origin))).toBe(log.genesis_prev_hex);
  });

  it('builds the reference log to the byte, each entry chained to the one before', () => {
    let prev = genesisPrev(log.origin);
    for (const [seq, vector] of log.entries.entries()) {
      const {
        v,
        log: origin,
        seq: _,
        prev: __,
        ts,
        ...rest
      } = parseEntry(Buffer.from(vector.utf8));
      expect(v).toBe(1);
      const { bytes, leaf } = buildEntry(rest, { log: origin, seq, prev, ts });
      expect(Buffer.from(bytes).toString('utf8')).toBe(vector.utf8);
      expect(hex(leaf)).toBe(vector.leaf_hash_hex);
      expect(hex(leafHash(bytes))).toBe(vector.leaf_hash_hex);
      prev = leaf;
    }
  });

  it.each<[string, Partial<IntakeEntry>, Partial<EntryPlace>]>([
    ['type is not dotted', { type: 'filing' }, {}],
    ['type is not dotted', { type: 'Filing.state' }, {}],
    ['type is not dotted', { type: 'filing.' }, {}],
    ['at is not', { at: '2026-03-02T09:00:00Z' }, {}],
    ['at is not', { at: '2026-03-02T09:00:00.000+00:00' }, {}],
    ['at is not', { at: '2026-02-29T09:00:00.000Z' }, {}],
    ['ts is not', {}, { ts: '2026-04-31T09:00:00.000Z' }],
    ['ts is not', {}, { ts: '2026-03-02T24:00:00.000Z' }],
    ['id is not', { id: '01900000-0000-4000-8000-000000000001' }, {}],
    ['id is not', { id: '01900000-0000-7000-8000-00000000000A' }, {}],
    ['cls is not', { cls: 'secret' as 'public' }, {}],
    ['actor.kind', { actor: { kind: 'robot' as 'user', id: 'x' } }, {}],
    ['subj.ver', { subj: { kind: 'filing', id: 'F-1', ver: 1.5 } }, {}],
    ['subj is not', { subj: { kind: 'filing', id: 'F-1', ver: 1, extra: 1 } as never }, {}],
    ['seq is not', {}, { seq: -1 }],
    ['prev is not', {}, { prev: new Uint8Array(31) }],
    ['body.ct', { body: { alg: 'A256GCM', key: 'k', ct: 'AA', cm: hash } }, {}],
    ['body.alg', { body: { alg: 'none' as 'A256GCM', key: 'k', ct: hash, cm: hash } }, {}],
    ['data is not', { data: [] as never }, {}],
  ])('refuses to write an entry that would not verify: %s %o %o', (fault, wrong, misplaced) => {
    expect(() => buildEntry({ ...intake, ...wrong }, { ...place, ...misplaced })).toThrow(fault);
  });

  it('takes the last days of months that have them', () => {
    for (const at of ['2024-02-29T23:59:59.999Z', '2026-01-31T00:00:00.000Z']) {
      expect(buildEntry({ ...intake, at }, place).bytes.length).toBeGreaterThan(0);
    }
  });

  it('refuses data outside the canonical profile and names the place', () => {
    expect(() => buildEntry({ ...intake, data: { fee: 1.5 } }, place)).toThrow('/data/fee');
  });

  it('writes an entry of exactly 65,535 bytes and refuses one more', () => {
    const spare = ENTRY_BYTES_MAX - buildEntry({ ...intake, trace: '' }, place).bytes.length;
    const full = { ...intake, trace: 'x'.repeat(spare) };
    expect(buildEntry(full, place).bytes).toHaveLength(ENTRY_BYTES_MAX);
    const over = { ...intake, trace: 'x'.repeat(spare + 1) };
    expect(() => buildEntry(over, place)).toThrow(expect.objectContaining({ code: 'INPUT_LIMIT' }));
  });

  it('refuses to read bytes that are not an entry', () => {
    for (const text of ['{}', '[]', '{"v":2}', ' {}', '\ufeff{}', '']) {
      expect(() => parseEntry(Buffer.from(text))).toThrow(FilewrightError);
    }
  });
});

describe('log origins', () => {
  it('joins instance, tenant and boundary', () => {
    expect(logOrigin('ledger.example.org', 'acme', 'filing')).toBe(log.origin);
    for (const boundary of LEDGER_BOUNDARIES) {
      expect(logOrigin('localhost:8080', 't', boundary)).toBe(`localhost:8080/t/${boundary}`);
    }
  });

  it.each([
    ['https://ledger.example.org', 'acme'],
    ['', 'acme'],
    ['ledger example', 'acme'],
    ['ledger+x', 'acme'],
    ['ledger.example.org/', 'acme'],
    ['ledger.example.org', ''],
    ['ledger.example.org', 'a/b'],
    ['ledger.example.org', 'a+b'],
    ['ledger.example.org', 'a\n'],
  ])('refuses %j with tenant %j', (instance, tenant) => {
    expect(() => logOrigin(instance, tenant, 'filing')).toThrow(FilewrightError);
  });
});
