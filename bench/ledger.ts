/**
 * The ledger's figures: appending into PostgreSQL with signed checkpoints beside hashing alone, verifying an export of a
 * million entries on one core in little memory, and one inclusion proof in a log of that size.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFilewright } from '../src/app.ts';
import { assembleProof, inclusionPlan } from '../src/ledger/proof-plan.ts';
import { buildEntry, genesisPrev } from '../src/ledger/entry.ts';
import type { IntakeEntry } from '../src/ledger/entry-type.ts';
import { logSigner } from '../src/ledger/note-signer.ts';
import { signCheckpoint } from '../src/ledger/checkpoint.ts';
import { TILE_WIDTH, type TileName, tilePath, tileSource } from '../src/ledger/tile.ts';
import { TileBuilder } from '../src/ledger/tile-builder.ts';
import { verifyInclusion } from '../src/ledger/verify-proof.ts';
import { writeTrustPolicy } from '../src/ledger/trust-policy-file.ts';
import { ledgerHeads } from '../src/ledger/store/ledger-entries.ts';
import { latestCheckpoint } from '../src/ledger/store/checkpoints.ts';
import type { Session } from '../src/postgres/session.ts';
import { ExportFolder } from '../src/system/export-folder.ts';
import { atMost, type Figure } from './report.ts';
import { newStage, nextMessage, startRole } from './stage.ts';

const APPEND_PER_SECOND_MIN = 5_000;
const VERIFY_SECONDS_MAX = 60;
const HEAP_MB_MAX = 100;
const RSS_MB_MAX = 400;
const PROOF_MS_MAX = 5;
const PROOFS = 2_000;
const MIB = 1024 * 1024;
const ORIGIN = 'bench.example.org/bench/filing';

export interface LedgerFigures {
  readonly figures: readonly Figure[];
  readonly details: readonly string[];
}

export async function ledgerFigures(
  sizes: { readonly append: number; readonly export: number },
  say: (text: string) => void,
): Promise<LedgerFigures> {
  say(`Ledger: ${sizes.append} facts into PostgreSQL, signed`);
  const appended = await append(sizes.append);
  const alone = hashAlone(sizes.append);
  say(
    `  ${Math.round(appended.perSecond)} /s; canonicalised and hashed alone ${Math.round(alone)} /s`,
  );
  const top = await mkdtemp(join(tmpdir(), 'filewright-bench-ledger-'));
  try {
    const folder = join(top, 'export');
    say(`Ledger: an export of ${sizes.export} entries`);
    await writeExport(folder, sizes.export);
    const verified = await verifyInOneProcess(folder);
    say(`  verified in ${verified.cpuSeconds.toFixed(1)} s of one core`);
    const { wallMs, cpuMs } = proveSome(folder, sizes.export);
    const { heapBytesMax, rssBytesMax } = verified;
    return {
      figures: [
        {
          name: 'ledger entries appended into PostgreSQL with signed checkpoints, sustained',
          measured: `${Math.round(appended.perSecond)} /s`,
          limit: `≥ ${APPEND_PER_SECOND_MIN} /s`,
          met: appended.perSecond >= APPEND_PER_SECOND_MIN,
        },
        atMost(
          `verify an export of ${sizes.export} entries, one core`,
          verified.cpuSeconds,
          VERIFY_SECONDS_MAX,
          's',
          1,
        ),
        atMost('peak V8 heap, verifying it', heapBytesMax / MIB, HEAP_MB_MAX, 'MB', 1),
        atMost('peak RSS, verifying it', rssBytesMax / MIB, RSS_MB_MAX, 'MB', 0),
        atMost(
          `inclusion proof at ${sizes.export} entries, 99 of 100`,
          at(wallMs, 0.99),
          PROOF_MS_MAX,
          'ms',
        ),
      ],
      details: [
        '',
        '## Ledger',
        '',
        `${appended.entries} entries with ${appended.checkpoints} signed checkpoints in ${appended.seconds.toFixed(1)} s: ${Math.round(appended.perSecond)} /s; the same entries canonicalised and hashed by Node alone: ${Math.round(alone)} /s.`,
        `Verifying took ${verified.elapsedSeconds.toFixed(1)} s by the clock. Inclusion proofs from the tiles, ${PROOFS} of them: processor time median ${at(cpuMs, 0.5).toFixed(2)} ms, 99 of 100 within ${at(cpuMs, 0.99).toFixed(2)} ms; by the clock median ${at(wallMs, 0.5).toFixed(2)} ms, 99 of 100 within ${at(wallMs, 0.99).toFixed(2)} ms, slowest ${at(wallMs, 1).toFixed(2)} ms.`,
      ],
    };
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

/** About 600 bytes as an entry, like those of filings. */
function fact(n: number): IntakeEntry {
  const id = `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
  return {
    id,
    at: '2026-03-02T09:00:03.411Z',
    type: 'bench.happened',
    subj: { kind: 'thing', id: `T-${Math.floor(n / 4)}`, ver: (n % 4) + 1 },
    actor: { kind: 'service', id: 'worker/1' },
    trace: id,
    cls: 'internal',
    data: {
      attempt: 1,
      code: 'ACCEPTED',
      key: `fw1-${n.toString(16).padStart(32, '0')}`,
      lane: 'US-DE',
      payload_sha256: n.toString(16).padStart(64, '0'),
    },
    body: null,
  };
}

async function append(count: number): Promise<{
  readonly perSecond: number;
  readonly seconds: number;
  readonly entries: number;
  readonly checkpoints: number;
}> {
  const stage = newStage();
  try {
    const app = await createFilewright({ dataDirectory: stage.dataDirectory, tenant: 'bench' });
    try {
      await intake(app.session, count);
      const startedMs = performance.now();
      while ((await app.sequencer.sequence()) > 0);
      await app.sequencer.checkpoint();
      const seconds = (performance.now() - startedMs) / 1000;
      const log = { tenant: 'bench', boundary: 'filing' };
      const head = (await ledgerHeads(app.session, 'bench')).find((h) => h.boundary === 'filing');
      const signed = await latestCheckpoint(app.session, log);
      if (head?.size !== count || signed?.size !== count) {
        throw new Error(`${head?.size} entries, ${signed?.size} signed, expected ${count}`);
      }
      const [row] = await app.session.run({
        name: '',
        text: 'select count(*)::int as n from ledger_checkpoint',
      });
      const checkpoints = Number(row?.['n']);
      return { perSecond: count / seconds, seconds, entries: count, checkpoints };
    } finally {
      await app.close();
    }
  } finally {
    await stage.close();
  }
}

async function intake(session: Session, count: number): Promise<void> {
  const page = 5_000;
  for (let from = 0; from < count; from += page) {
    const facts = Array.from({ length: Math.min(page, count - from) }, (_, n) => fact(from + n));
    await session.run(
      {
        name: '',
        text: `insert into ledger_intake
          (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
          select 'bench', 'filing', (f->>'id')::uuid, now(), f->>'type', f->'subj'->>'kind', f->'subj'->>'id',
            (f->'subj'->>'ver')::int, f->'actor'->>'kind', f->'actor'->>'id', f->>'trace', f->'data'
          from jsonb_array_elements($1::jsonb) f`,
      },
      [JSON.stringify(facts)],
    );
  }
}

/** What the same entries cost without a database: text, leaf hash, chain. */
function hashAlone(count: number): number {
  const facts = Array.from({ length: count }, (_, n) => fact(n));
  const startedMs = performance.now();
  let prev = genesisPrev(ORIGIN);
  for (const [seq, one] of facts.entries()) {
    prev = buildEntry(one, { log: ORIGIN, seq, prev, ts: one.at }).leaf;
  }
  return count / ((performance.now() - startedMs) / 1000);
}

async function writeExport(path: string, size: number): Promise<void> {
  const folder = await ExportFolder.create(path, () => false);
  const builder = new TileBuilder();
  let prev = genesisPrev(ORIGIN);
  for (let seq = 0; seq < size; seq += 1) {
    const one = fact(seq);
    const { bytes, leaf } = buildEntry(one, { log: ORIGIN, seq, prev, ts: one.at });
    prev = leaf;
    for (const tile of builder.append(bytes)) await folder.write(tile.path, tile.bytes);
  }
  for (const tile of builder.finish()) await folder.write(tile.path, tile.bytes);
  const signer = logSigner({ name: ORIGIN, key: new Uint8Array(32).fill(7) });
  const logs = [{ key: signer.verifierKey }];
  await folder.write(
    'policy.txt',
    writeTrustPolicy({ logs, witnesses: [], groups: [], quorum: 'none' }),
  );
  const head = { origin: ORIGIN, size: builder.size, root: builder.root() };
  await folder.write('checkpoint', signCheckpoint(head, [signer]));
}

interface Verified {
  readonly ok: boolean;
  readonly entries: number;
  readonly elapsedSeconds: number;
  readonly cpuSeconds: number;
  readonly heapBytesMax: number;
  readonly rssBytesMax: number;
}

async function verifyInOneProcess(folder: string): Promise<Verified> {
  const { child } = await startRole('verify', [folder], 'silent');
  const verified = await nextMessage<Verified>(child);
  if (!verified.ok) throw new Error('the export of the bench does not verify');
  return verified;
}

/** Both from the shortest to the longest. */
interface ProofTimes {
  readonly wallMs: readonly number[];
  /** Of the processor, all threads: what a proof costs whoever else is busy on the machine. */
  readonly cpuMs: readonly number[];
}

/** As a server of an export would make them: the tiles are files, read for each proof anew. */
function proveSome(folder: string, size: number): ProofTimes {
  const note = readFileSync(join(folder, 'checkpoint'), 'utf8');
  const root = Buffer.from(note.split('\n')[2] ?? '', 'base64');
  const wallMs: number[] = [];
  const cpuMs: number[] = [];
  for (let n = 0; n < PROOFS; n += 1) {
    const index = (n * 7_919_317) % size;
    const before = process.cpuUsage();
    const startedMs = performance.now();
    // Several hashes of a proof stand in one tile.
    const tiles = new Map<string, Uint8Array>();
    const read = (path: string): Uint8Array => {
      const tile = tiles.get(path) ?? readFileSync(join(folder, path));
      tiles.set(path, tile);
      return tile;
    };
    const proof = assembleProof(
      inclusionPlan({ leafIndex: index, treeSize: size }),
      tileSource(size, read),
    );
    wallMs.push(performance.now() - startedMs);
    const { user, system } = process.cpuUsage(before);
    cpuMs.push((user + system) / 1000);
    const bytes = readFileSync(join(folder, tilePath(tileOfEntry(index, size))));
    const leaf = bytes.subarray((index % TILE_WIDTH) * 32, (index % TILE_WIDTH) * 32 + 32);
    if (!verifyInclusion({ leafIndex: index, treeSize: size, root, leafHash: leaf, proof })) {
      throw new Error(`the proof for entry ${index} does not verify`);
    }
  }
  const sorted = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);
  return { wallMs: sorted(wallMs), cpuMs: sorted(cpuMs) };
}

/** Where the leaf hash of an entry stands. */
function tileOfEntry(entry: number, size: number): TileName {
  const index = Math.floor(entry / TILE_WIDTH);
  return { level: 0, index, width: Math.min(TILE_WIDTH, size - index * TILE_WIDTH) };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
