import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { RowComparison } from './row-comparison.ts';
import type { Told } from './saying.ts';

// Enough that more is told than is held in memory. Set to see that more rows need no more of it.
const FILINGS = Number(process.env['FILEWRIGHT_ROWS'] ?? 6_000);
const LOOKS = 12;
// A share of what is told, far below all of it.
const HELD_BYTES_MAX = 1024 * 1024;
// What is alive after a collection, above the start: one share of lines, and one part of them while it is compared.
const ALIVE_BYTES_MAX = 8 * HELD_BYTES_MAX;

function aliveBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('Expected a way to collect garbage.');
  collect();
  return process.memoryUsage().heapUsed;
}

const HASH = 'ab'.repeat(32);
const idOf = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

function toldOf(n: number, type: string, ver: number, data: Told['data']): Told {
  const own = { key: `fw1-${n}`, payload_sha256: HASH, revision: 1 };
  return {
    boundary: 'filing',
    type,
    subj: { kind: 'filing', id: idOf(n), ver },
    actor: { kind: 'service', id: 'worker/1' },
    cls: 'internal',
    data: { ...own, ...data },
    body: null,
  };
}

it('many filings are compared in a bounded heap, and the one that differs is found', async () => {
  const comparison = new RowComparison(HELD_BYTES_MAX);
  const before = aliveBytes();
  let most = 0;
  const look = (n: number): void => {
    if (n % Math.ceil(FILINGS / LOOKS) === 0) most = Math.max(most, aliveBytes() - before);
  };
  for (let n = 0; n < FILINGS; n += 1) {
    look(n);
    await comparison.tell(toldOf(n, 'filing.state', 1, { from: null, to: 'pending' }));
    await comparison.tell(
      toldOf(n, 'filing.intent', 2, { to: 'submitted', attempt: 1, action: 'send' }),
    );
    const accepted = { to: 'accepted', attempt: 1, verdict: 'accepted', code: 'HTTP_201' };
    const receipt = { lane: 'US-DE', receipt: `R-${n}` };
    await comparison.tell(toldOf(n, 'filing.outcome', 3, { ...accepted, ...receipt }));
  }
  for (let n = 0; n < FILINGS; n += 1) {
    look(n);
    const [id, receipt] = [idOf(n), `R-${n}`];
    const status = n === FILINGS - 7 ? 'rejected' : 'accepted';
    const revision = { revision: 1, key: `fw1-${n}`, payload_sha256: HASH };
    const verdict = { verdict: 'accepted', code: 'HTTP_201' };
    const first = { first_key: `fw1-${n}`, first_payload_sha256: HASH, exceptions: 0, ver: 3 };
    const stands = { status, withdrawn: false };
    const fields = { batch: 'b', ...stands, receipt, ...revision, ...verdict, ...first };
    await comparison.find({ kind: 'filing', id, fields });
    await comparison.find({ kind: 'attempt', id: `${id}/1`, fields: { action: 'send' } });
    await comparison.find({ kind: 'outcome', id: `${id}/1`, fields: verdict });
    await comparison.find({ kind: 'receipt', id: `US-DE ${receipt}`, fields: { filing: id } });
  }
  const found: string[] = [];
  for await (const one of comparison.differences()) {
    most = Math.max(most, aliveBytes() - before);
    found.push(`${one.reason} ${one.table}.${one.field ?? ''} ${one.id}`);
  }
  await comparison.close();
  expect(comparison.rows).toBe(FILINGS * 4);
  expect(found).toEqual([`ROW_DIFFERS filing.status ${idOf(FILINGS - 7)}`]);
  expect(Math.round(most / 1024 / 1024)).toBeLessThan(ALIVE_BYTES_MAX / 1024 / 1024);
  if (process.env['FILEWRIGHT_ROWS'] !== undefined) {
    process.stderr.write(
      `${FILINGS} filings: ${Math.round(most / 1024 / 1024)} MB alive at most\n`,
    );
  }
}, 300_000);
