/** Outcomes, their evidence and exceptions, and the history of attempts. */
import {
  addMs,
  attemptId,
  type AttemptRecord,
  type FilingId,
  type Instant,
  invariant,
  type LaneCode,
  type OutcomeRecord,
  type TickAnswer,
} from '../../core/index.ts';
import { asStored, type FilingRow, type OutcomeRow } from './rows.ts';
import { assertFiling, type Tables } from './tables.ts';

/** Returns those that come with a receipt of another filing: nothing of them is recorded. */
export function recordOutcomes(
  tables: Tables,
  outcomes: readonly OutcomeRecord[],
  now: Instant,
): TickAnswer['disputed'] {
  const disputed = outcomes.filter((outcome) => !giveReceipt(tables, outcome));
  const changes = outcomes
    .filter((outcome) => !disputed.includes(outcome))
    .map((outcome) => ({ outcome, next: rowAfter(tables, outcome, now) }));
  // All checks before the first write: a statement that breaks a constraint leaves nothing behind.
  for (const { outcome, next } of changes) {
    if (next === undefined) continue;
    assertFiling(tables.filings.get(outcome.filing), next);
    const hasEnvelope = outcome.exception?.fact.body !== undefined;
    invariant(
      (next.status === 'rejected' || next.status === 'fallout') === hasEnvelope,
      'Exactly a filing that leaves automation has a sealed envelope',
      { filing: outcome.filing },
    );
  }
  for (const { outcome, next } of changes) {
    tables.addBlob(outcome.fact);
    keepEvidence(tables, outcome, { counted: next !== undefined, now });
    if (next !== undefined) tables.putFiling(next);
  }
  const counted = changes.flatMap(({ outcome, next }) =>
    next === undefined ? [] : [{ outcome, next }],
  );
  // The envelope goes before the fallout that it belongs to: the verifier asks for it.
  for (const change of counted) openException(tables, change, now);
  for (const { outcome, next } of counted) {
    const subject = { kind: 'filing', id: outcome.filing, ver: next.ver };
    tables.ledger.record('filing', subject, outcome.fact, now);
    if (next.status !== 'accepted') continue;
    tables.outbox.push({
      id: outcome.fact.id,
      type: 'COMPLIANCE_FILING_COMPLETE',
      filing: outcome.filing,
      at: now,
    });
  }
  return disputed.map(({ filing, attempt }) => ({ filing, attempt }));
}

export function receiptName(lane: LaneCode, number: string): string {
  return `${lane} ${number}`;
}

/** A receipt is one filing's. False when it is another's. */
function giveReceipt(tables: Tables, { receipt, lane, filing }: OutcomeRecord): boolean {
  if (receipt === undefined) return true;
  const name = receiptName(lane, receipt);
  const owner = tables.receipts.get(name) ?? filing;
  tables.receipts.set(name, owner);
  return owner === filing;
}

/** The filing as the outcome leaves it; undefined when the claim no longer holds. */
function rowAfter(tables: Tables, outcome: OutcomeRecord, now: Instant): FilingRow | undefined {
  const row = tables.filings.get(outcome.filing);
  if (
    row === undefined ||
    row.holder !== outcome.worker ||
    row.attempt !== outcome.attempt ||
    row.status !== outcome.from
  ) {
    return undefined;
  }
  return {
    ...row,
    status: outcome.to,
    verdict: outcome.verdict,
    code: outcome.code,
    receipt: outcome.receipt ?? row.receipt,
    holder: undefined,
    claim: undefined,
    step: asStored(outcome.next?.step),
    failures: outcome.failures,
    failingSince: outcome.failingSince,
    captchaMarks: outcome.captchaMarks,
    nextAt: outcome.next === undefined ? undefined : addMs(now, outcome.next.delayMs),
    ver: row.ver + 1,
    exceptions: row.exceptions + (outcome.exception === undefined ? 0 : 1),
  };
}

function keepEvidence(
  tables: Tables,
  outcome: OutcomeRecord,
  how: { readonly counted: boolean; readonly now: Instant },
): void {
  const rows = tables.outcomes.get(outcome.filing) ?? [];
  const isKnown = rows.some((row) => row.no === outcome.attempt && row.holder === outcome.worker);
  invariant(!isKnown || !how.counted, 'A claim has one outcome that counts', {
    filing: outcome.filing,
  });
  if (isKnown) return;
  rows.push({
    filing: outcome.filing,
    no: outcome.attempt,
    holder: outcome.worker,
    verdict: outcome.verdict,
    code: outcome.code,
    at: how.now,
    ct: outcome.fact.body?.sealed.ct,
    counted: how.counted,
  });
  tables.outcomes.set(outcome.filing, rows);
}

function openException(
  tables: Tables,
  change: { readonly outcome: OutcomeRecord; readonly next: FilingRow },
  now: Instant,
): void {
  const { outcome, next } = change;
  const { exception } = outcome;
  if (exception?.fact.body === undefined) return;
  if (next.status !== 'rejected' && next.status !== 'fallout') return;
  tables.addBlob(exception.fact);
  tables.exceptions.push({
    filing: outcome.filing,
    n: next.exceptions,
    status: next.status,
    reason: exception.reason,
    unsettled: asStored(exception.unsettled),
    ct: exception.fact.body.sealed.ct,
    openedAt: now,
  });
  const subject = { kind: 'exception', id: outcome.filing, ver: next.exceptions };
  tables.ledger.record('filing', subject, exception.fact, now);
}

/** One record for each number that has an intent or an outcome that counted. */
export function history(tables: Tables, filing: FilingId): AttemptRecord[] {
  const attempts = tables.attempts.get(filing) ?? [];
  const counted = (tables.outcomes.get(filing) ?? []).filter((row) => row.counted);
  const numbers = new Set([...attempts, ...counted].map((row) => row.no));
  return [...numbers]
    .sort((a, b) => a - b)
    .map((no) => {
      const attempt = attempts.find((row) => row.no === no);
      const outcome = counted.find((row) => row.no === no);
      return {
        attempt: no,
        id: attempt?.id ?? attemptId(''),
        action: attempt?.action ?? 'none',
        intentAt: attempt?.intentAt ?? outcome?.at ?? tables.now(),
        outcome: outcome === undefined ? undefined : outcomeOf(tables, outcome),
      };
    });
}

function outcomeOf(tables: Tables, row: OutcomeRow): NonNullable<AttemptRecord['outcome']> {
  return {
    at: row.at,
    verdict: row.verdict,
    code: row.code,
    sealed: row.ct === undefined ? undefined : tables.sealed(row.ct),
  };
}
