/** A log that is never in memory as a whole. */
import { expect, it } from 'vitest';
import { buildEntry, genesisPrev } from '../../src/ledger/entry.ts';
import { CompactRange } from '../../src/ledger/compact-range.ts';
import { inspectLogStream, type LogStreamRequest, verifyLog } from '../../src/ledger/verify-log.ts';
import { leafHash } from '../../src/ledger/hashes.ts';
import { logSigner } from '../../src/ledger/note-signer.ts';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { tileFiles } from '../../src/ledger/tile-builder.ts';
import { intakeOf, LOG_SEED, ORIGIN } from './support.ts';

const COUNT = 20_000;
const signer = logSigner({ name: ORIGIN, key: LOG_SEED });

function* freshEntries(count: number): Generator<Uint8Array> {
  let prev = genesisPrev(ORIGIN);
  for (let seq = 0; seq < count; seq++) {
    const { bytes, leaf } = buildEntry(intakeOf(seq), {
      log: ORIGIN,
      seq,
      prev,
      ts: '2026-03-02T09:00:00.000Z',
    });
    prev = leaf;
    yield bytes;
  }
}

async function* streamed(
  count: number,
  seen: { read: number },
  change: (bytes: Uint8Array, seq: number) => Uint8Array = (bytes) => bytes,
): AsyncGenerator<Uint8Array> {
  for (const bytes of freshEntries(count)) yield change(bytes, seen.read++);
}

function requestOf(count: number): Omit<LogStreamRequest, 'entries'> {
  const range = CompactRange.empty();
  for (const bytes of freshEntries(count)) range.append(leafHash(bytes));
  const head = { origin: ORIGIN, size: count, root: range.root() };
  return {
    origin: ORIGIN,
    verifierKeys: [signer.verifierKey],
    checkpoint: signCheckpoint(head, [signer]),
  };
}

it('a long stream verifies, and one changed entry near its end does not', async () => {
  const request = requestOf(COUNT);
  const seen = { read: 0 };
  const entries = streamed(COUNT, seen);
  expect(await verifyLog({ ...request, entries })).toEqual({ ok: true });
  expect(seen.read).toBe(COUNT);
  const changed = streamed(COUNT, { read: 0 }, (bytes, seq) =>
    seq === COUNT - 2
      ? Buffer.from(Buffer.from(bytes).toString().replace('US-NY', 'US-NJ'))
      : bytes,
  );
  expect(await inspectLogStream({ ...request, entries: changed })).toMatchObject({
    ok: false,
    reason: 'ROOT_MISMATCH',
  });
});

it('a stream behind a forged checkpoint is not read at all', async () => {
  const request = requestOf(3);
  const seen = { read: 0 };
  const forged = { ...request, checkpoint: String(request.checkpoint).replace('\n3\n', '\n4\n') };
  const verdict = await verifyLog({ ...forged, entries: streamed(3, seen) });
  expect(verdict).toEqual({ ok: false, reason: 'UNTRUSTED_SIGNATURE' });
  expect(seen.read).toBe(0);
});

it('an endless stream ends one entry after the checkpoint', async () => {
  const request = requestOf(300);
  const seen = { read: 0 };
  const verdict = await verifyLog({ ...request, entries: streamed(1_000_000, seen) });
  expect(verdict).toEqual({ ok: false, reason: 'SIZE_MISMATCH' });
  expect(seen.read).toBe(301);
});

it('tiles leave as soon as they are full', async () => {
  const seen = { read: 0 };
  const paths: string[] = [];
  for await (const { path } of tileFiles(streamed(1000, seen))) {
    paths.push(path);
    if (path === 'tile/entries/000') expect(seen.read).toBe(256);
  }
  expect(paths).toEqual([
    'tile/entries/000',
    'tile/0/000',
    'tile/entries/001',
    'tile/0/001',
    'tile/entries/002',
    'tile/0/002',
    'tile/entries/003.p/232',
    'tile/0/003.p/232',
    'tile/1/000.p/3',
  ]);
});
