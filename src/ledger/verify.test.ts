import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, type JsonValue } from '../core/canonical-json.ts';
import { buildEntry, genesisPrev } from './entry.ts';
import { CompactRange } from './compact-range.ts';
import type { IntakeEntry } from './entry-type.ts';
import { leafHash } from './hashes.ts';
import type { TreeHead } from './checkpoint.ts';
import { verifyEntries } from './verify.ts';
import type { VerifyRequest } from './log-verifier.ts';

interface TamperCase {
  readonly name: string;
  readonly origin: string;
  readonly entries: readonly string[];
  readonly checkpoint: string;
  readonly pinned_checkpoint?: string;
  readonly expect: 'accept' | 'reject';
  readonly reason: string | null;
}
const cases: readonly TamperCase[] = JSON.parse(
  readFileSync(new URL('../../test/vectors/filewright/tamper-cases.json', import.meta.url), 'utf8'),
);
// What is wrong with these is in the note or its signatures, which come before the entries are looked at.
const byCheckpoint = cases.filter(
  (one) =>
    one.reason === 'MALFORMED_CHECKPOINT' ||
    one.reason === 'UNTRUSTED_SIGNATURE' ||
    !one.checkpoint.startsWith(`${one.origin}\n`),
);
const byEntries = cases.filter((one) => !byCheckpoint.includes(one));

function headOf(checkpoint: string): TreeHead {
  const [, size = '', root = ''] = checkpoint.split('\n');
  return { size: Number(size), root: Buffer.from(root, 'base64') };
}

const origin = 'ledger.example.org/acme/filing';
function intake(seq: number, wrong: Partial<IntakeEntry> = {}): IntakeEntry {
  return {
    id: `01900000-0000-7000-8000-${String(seq).padStart(12, '0')}`,
    at: '2026-03-02T09:00:00.000Z',
    type: 'filing.state',
    subj: { kind: 'filing', id: `F-${seq}`, ver: 1 },
    actor: { kind: 'service', id: 'filer' },
    trace: `t-${seq}`,
    cls: 'internal',
    data: { from: null, to: 'pending' },
    body: null,
    ...wrong,
  };
}

function logOf(intakes: Iterable<IntakeEntry>): { entries: Uint8Array[]; head: TreeHead } {
  const range = CompactRange.empty();
  const entries: Uint8Array[] = [];
  let prev = genesisPrev(origin);
  for (const one of intakes) {
    const place = { log: origin, seq: range.size, prev, ts: '2026-03-02T09:00:01.000Z' };
    const { bytes, leaf } = buildEntry(one, place);
    entries.push(bytes);
    range.append(leaf);
    prev = leaf;
  }
  return { entries, head: { size: range.size, root: range.root() } };
}

async function reasonOf(
  entries: Iterable<Uint8Array>,
  request: Partial<VerifyRequest> = {},
): Promise<string | undefined> {
  const outcome = await verifyEntries(entries, { origin, ...request });
  return outcome.ok ? undefined : outcome.reason;
}

const five = logOf([0, 1, 2, 3, 4].map((seq) => intake(seq)));

describe('verifying entries', () => {
  it('leaves out only the seven tamper cases that a checkpoint decides', () => {
    expect(cases).toHaveLength(32);
    expect(byCheckpoint).toHaveLength(7);
  });

  it.each(byEntries)('tamper case: $name', async ({ entries, checkpoint, ...one }) => {
    const request: VerifyRequest = {
      origin: one.origin,
      head: headOf(checkpoint),
      ...(one.pinned_checkpoint === undefined ? {} : { pinned: headOf(one.pinned_checkpoint) }),
    };
    const outcome = await verifyEntries(
      entries.map((text) => Buffer.from(text)),
      request,
    );
    expect(outcome.ok ? null : outcome.reason).toBe(one.reason);
    expect(outcome.ok).toBe(one.expect === 'accept');
  });

  it('gives size, root and the last time of a log that holds', async () => {
    const outcome = await verifyEntries(five.entries, { origin, head: five.head });
    expect(outcome).toEqual({ ok: true, ...five.head, lastTs: '2026-03-02T09:00:01.000Z' });
  });

  it('reads an async stream, and an empty one', async () => {
    async function* stream(): AsyncGenerator<Uint8Array> {
      yield* five.entries;
    }
    expect(await verifyEntries(stream(), { origin, head: five.head })).toMatchObject({ ok: true });
    const empty = await verifyEntries([], { origin });
    expect(empty).toEqual({ ok: true, size: 0, root: CompactRange.empty().root() });
  });

  it('finds a change of any one byte, with a head and, but for the last entry, without', async () => {
    const anywhere = fc.tuple(fc.nat(4), fc.nat(10_000), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(anywhere, async ([which, at, mask]) => {
        const entries = five.entries.map((bytes) => Uint8Array.from(bytes));
        const bytes = entries[which] ?? new Uint8Array();
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ mask;
        expect(await reasonOf(entries, { head: five.head })).toBe('ROOT_MISMATCH');
        if (which < 4) expect(await reasonOf(entries)).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });

  it('lets a wrong root win over a broken entry that came earlier', async () => {
    const entries = five.entries.with(1, Buffer.from('{}'));
    expect(await reasonOf(entries)).toBe('UNSUPPORTED_VERSION');
    expect(await reasonOf(entries, { head: five.head })).toBe('ROOT_MISMATCH');
    expect(await reasonOf(entries.slice(0, 3), { head: five.head })).toBe('SIZE_MISMATCH');
  });

  it('names the entry and stops reading when no head could change the answer', async () => {
    let read = 0;
    function* counted(): Generator<Uint8Array> {
      for (const bytes of five.entries.with(1, Buffer.from('{}'))) {
        read++;
        yield bytes;
      }
    }
    expect(await verifyEntries(counted(), { origin })).toMatchObject({ ok: false, seq: 1 });
    expect(read).toBe(2);
  });

  it('stops reading a stream that is longer than its head', async () => {
    function* endless(): Generator<Uint8Array> {
      for (;;) yield* five.entries;
    }
    expect(await reasonOf(endless(), { head: five.head })).toBe('SIZE_MISMATCH');
  });

  it('needs no head to notice that a pinned log has shrunk or changed', async () => {
    const { head: pinned } = five;
    expect(await reasonOf(five.entries, { pinned })).toBeUndefined();
    expect(await reasonOf(five.entries.slice(0, 4), { pinned })).toBe('ROLLBACK');
    const other = logOf([0, 1, 2, 3, 4, 5].map((seq) => intake(seq, { trace: 'other' })));
    expect(await reasonOf(other.entries, { pinned })).toBe('INCONSISTENT_WITH_PINNED');
    const wrongEmpty = { size: 0, root: new Uint8Array(32) };
    expect(await reasonOf(five.entries, { pinned: wrongEmpty })).toBe('INCONSISTENT_WITH_PINNED');
  });

  const good = JSON.parse(Buffer.from(five.entries[0] ?? []).toString('utf8'));
  it.each<[string, string, JsonValue]>([
    ['an unknown key', 'UNSUPPORTED_VERSION', { ...good, extra: 1 }],
    [
      'an unknown key of the subject',
      'UNSUPPORTED_VERSION',
      { ...good, subj: { ...good.subj, x: 1 } },
    ],
    [
      'a missing key',
      'UNSUPPORTED_VERSION',
      Object.fromEntries(Object.entries(good).filter(([key]) => key !== 'cls')),
    ],
    ['a value that is not an object', 'UNSUPPORTED_VERSION', [good]],
    ['a time without milliseconds', 'UNSUPPORTED_VERSION', { ...good, ts: '2026-03-02T09:00:01Z' }],
    ['an id that is no UUID', 'UNSUPPORTED_VERSION', { ...good, id: 'x' }],
    ['a version as text', 'UNSUPPORTED_VERSION', { ...good, v: '1' }],
    ['another version with unknown keys', 'UNSUPPORTED_VERSION', { ...good, v: 2, extra: 1 }],
    [
      'a subject that starts at 2',
      'SUBJECT_VERSION_GAP',
      { ...good, subj: { ...good.subj, ver: 2 } },
    ],
    [
      'a subject that starts at 0',
      'SUBJECT_VERSION_GAP',
      { ...good, subj: { ...good.subj, ver: 0 } },
    ],
  ])('refuses %s as %s', async (_name, reason, value) => {
    expect(await reasonOf([canonicalBytes(value)])).toBe(reason);
  });

  it.each<[string, Uint8Array]>([
    ['bytes that are not UTF-8', Uint8Array.of(0x22, 0x80, 0x22)],
    ['a byte order mark', Buffer.from(`\ufeff${JSON.stringify(good)}`)],
    ['65,000 levels', Buffer.from('['.repeat(32_500) + ']'.repeat(32_500))],
    ['more than 65,535 bytes', canonicalBytes({ ...good, trace: 'x'.repeat(65_536) })],
    ['nothing', new Uint8Array(0)],
  ])('refuses %s as not canonical', async (_name, bytes) => {
    expect(await reasonOf([bytes])).toBe('NOT_CANONICAL');
  });

  it('counts versions of a subject by kind and id together', async () => {
    const subjects = [
      { kind: 'a', id: 'b', ver: 1 },
      { kind: 'b', id: 'a', ver: 1 },
      { kind: 'a","b', id: 'c', ver: 1 },
      { kind: 'a', id: 'b","c', ver: 1 },
      { kind: 'a', id: 'b', ver: 2 },
    ];
    const { entries } = logOf(subjects.map((subj, seq) => intake(seq, { subj, data: {} })));
    expect(await reasonOf(entries)).toBeUndefined();
  });

  it('replays the state machine only when asked, and after everything else', async () => {
    const twice = [
      intake(0),
      intake(1, { subj: { kind: 'filing', id: 'F-0', ver: 2 } }),
      intake(2, { subj: { kind: 'filing', id: 'F-2', ver: 1 } }),
    ];
    const { entries, head } = logOf(twice);
    expect(await reasonOf(entries, { head })).toBeUndefined();
    const outcome = await verifyEntries(entries, { origin, head, states: true });
    expect(outcome).toMatchObject({ ok: false, reason: 'ILLEGAL_TRANSITION', seq: 1 });
    const gap = logOf([...twice, intake(3, { subj: { kind: 'filing', id: 'F-3', ver: 9 } })]);
    expect(await reasonOf(gap.entries, { states: true })).toBe('SUBJECT_VERSION_GAP');
  });

  it('uses the hash of the bytes as they came, not of what they say', () => {
    expect(leafHash(Buffer.from('{}'))).not.toEqual(leafHash(Buffer.from('{ }')));
  });
});
