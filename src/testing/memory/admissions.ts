/** Batches, the admission of filings and data keys: src/filings/store/intake-store.ts and data-keys.ts in memory. */
import { createHash } from 'node:crypto';
import {
  type Admission,
  type BatchId,
  type Instant,
  instant,
  type IntakeStore,
  invariant,
  type LedgerFact,
  type NewFiling,
  ruledOut,
  type Sha256Hex,
  sha256Hex,
  type WrappedKey,
} from '../../core/index.ts';
import type { FilingRow } from './rows.ts';
import type { Tables } from './tables.ts';

export function openBatch(tables: Tables, input: Parameters<IntakeStore['openBatch']>[0]): void {
  const { id, source, preparedBy } = input;
  invariant(!tables.batches.has(id), 'A batch is opened once', { batch: id });
  tables.batches.set(id, { id, source, preparedBy, state: 'open', frozen: undefined, ver: 1 });
  recordBatchFact(tables, id, 1, input.fact);
}

export function admit(tables: Tables, filings: readonly NewFiling[]): Admission[] {
  // All refusals before the first write: a transaction that is refused leaves nothing behind.
  const obligations = new Set(filings.map((filing) => filing.obligation));
  invariant(obligations.size === filings.length, 'All obligations in a call differ');
  for (const filing of filings) {
    if (!tables.obligations.has(filing.obligation)) assertAdmissible(tables, filing);
  }
  return filings.map((filing) => {
    const existing = existingAs(tables, filing.obligation, filing.envelope.payloadSha256);
    if (existing !== undefined) return existing;
    addFiling(tables, filing);
    return { kind: 'created' };
  });
}

export function preview(
  tables: Tables,
  filings: Parameters<IntakeStore['preview']>[0],
): Admission[] {
  return filings.map(
    ({ obligation, payloadSha256 }) =>
      existingAs(tables, obligation, payloadSha256) ?? { kind: 'created' },
  );
}

function existingAs(
  tables: Tables,
  obligation: string,
  payloadSha256: Sha256Hex,
): Admission | undefined {
  const filing = tables.obligations.get(obligation);
  if (filing === undefined) return undefined;
  const row = tables.filing(filing);
  if (row.envelope.payloadSha256 === payloadSha256) {
    const { notBefore, due, batch } = row.envelope;
    const isOpen = tables.batches.get(batch)?.state === 'open';
    return {
      kind: 'unchanged',
      filing,
      dates: { notBefore, due },
      ...(isOpen ? { openIn: batch } : {}),
    };
  }
  return { kind: 'conflict', filing, existing: tables.payload(row) };
}

function assertAdmissible(tables: Tables, filing: NewFiling): void {
  const { id, key, batch, lane } = filing.envelope;
  const state = tables.batches.get(batch)?.state;
  if (state !== 'open') throw ruledOut(`Batch ${batch} is not open`);
  invariant(!tables.keys.has(key), 'The key is taken by no other obligation', { filing: id });
  invariant(!tables.filings.has(id), 'A filing has an id of its own', { filing: id });
  invariant(tables.lanes.has(lane), 'The lane exists', { lane });
  invariant(filing.fact.body !== undefined, 'The payload is sealed', { filing: id });
}

function addFiling(tables: Tables, filing: NewFiling): void {
  const { envelope, obligation, fact } = filing;
  invariant(fact.body !== undefined, 'The payload is sealed', { filing: envelope.id });
  // nextAt stays empty: nothing is sent before a second person has approved the batch.
  const row: FilingRow = {
    envelope,
    obligation,
    payloadCt: fact.body.sealed.ct,
    status: 'pending',
    attempt: 0,
    attemptId: undefined,
    step: { action: 'send' },
    failures: 0,
    failingSince: undefined,
    captchaMarks: 0,
    holder: undefined,
    claim: undefined,
    nextAt: undefined,
    verdict: undefined,
    code: undefined,
    receipt: undefined,
    ver: 1,
    exceptions: 0,
  };
  tables.putFiling(row);
  tables.obligations.set(obligation, envelope.id);
  tables.keys.set(envelope.key, envelope.id);
  tables.addBlob(fact);
  const subject = { kind: 'filing', id: envelope.id, ver: 1 };
  tables.ledger.record('filing', subject, fact, tables.now());
}

export function closeBatch(
  tables: Tables,
  id: BatchId,
  fact: LedgerFact,
): { count: number; sha256: Sha256Hex } {
  const batch = tables.batches.get(id);
  if (batch?.state !== 'open') throw ruledOut(`Batch ${id} is not open`);
  const rows = filingsOf(tables, id);
  const lines = rows.map(({ envelope }) => `${envelope.key} ${envelope.payloadSha256}\n`).sort();
  const sha256 = sha256Hex(createHash('sha256').update(lines.join('')).digest('hex'));
  const frozen = { count: rows.length, sha256 };
  const ver = batch.ver + 1;
  tables.batches.set(id, { ...batch, state: 'frozen', frozen, ver });
  recordBatchFact(tables, id, ver, { ...fact, data: { ...fact.data, ...frozen } });
  return frozen;
}

/**
 * What approveBatch and releaseBatch (src/filings/store/batches.ts) do: the filings of a frozen batch are queued, each from its
 * first moment on. Safe to repeat.
 */
export function release(tables: Tables, id: BatchId, fact?: LedgerFact): void {
  const now = tables.now();
  const batch = tables.batches.get(id);
  invariant(batch !== undefined && batch.state !== 'open', 'Only a frozen batch is approved', {
    batch: id,
  });
  if (batch.state === 'frozen') {
    tables.batches.set(id, { ...batch, state: 'approved', ver: batch.ver + 1 });
    // Who approved what stands in the log of access, where this is the batch's first entry.
    if (fact !== undefined)
      tables.ledger.record('access', { kind: 'batch', id, ver: 1 }, fact, now);
  }
  for (const row of filingsOf(tables, id)) {
    const waits = row.nextAt === undefined && row.holder === undefined;
    if (row.status !== 'pending' || row.attempt > 0 || !waits) continue;
    tables.putFiling({ ...row, nextAt: later(now, row.envelope.notBefore) });
  }
}

export function dataKeys(
  tables: Tables,
  subjects: readonly string[],
  month: string,
  make: () => WrappedKey,
): Map<string, WrappedKey> {
  const found = new Map<string, WrappedKey>();
  for (const key of tables.dataKeys.values()) {
    if (key.month === month) found.set(key.subject, keyOf(key));
  }
  const wanted = [...new Set(subjects)];
  return new Map(
    wanted.map((subject) => {
      const known = found.get(subject);
      if (known !== undefined) return [subject, known];
      const made = { ...make(), month };
      tables.dataKeys.set(made.id, { ...made, subject });
      return [subject, keyOf(made)];
    }),
  );
}

function keyOf({ id, month, wrapped }: WrappedKey): WrappedKey {
  return { id, month, wrapped };
}

function filingsOf(tables: Tables, batch: BatchId): FilingRow[] {
  return [...tables.filings.values()].filter((row) => row.envelope.batch === batch);
}

function recordBatchFact(tables: Tables, id: BatchId, ver: number, fact: LedgerFact): void {
  tables.addBlob(fact);
  tables.ledger.record('filing', { kind: 'batch', id, ver }, fact, tables.now());
}

function later(a: Instant, b: Instant): Instant {
  return instant(Math.max(a, b));
}
