/**
 * Asking a grantor's ledger about the awards it promised. The question is frozen and hashed when it is first asked; each
 * attempt is committed before it is made, so that a crash leaves no attempt without a record.
 */
import {
  addMs,
  canonicalBytes,
  FilewrightError,
  type JsonValue,
  sha256Hex,
  toRfc3339,
} from '../../core/index.ts';
import {
  classifyFailure,
  decideRetry,
  exceptionEnvelope,
  type ExpectedReceipt,
  type FailureVerdict,
  readLedger,
  RETRY_TOTAL_MS,
  stampMetadata,
  type Violation,
} from '../../packs/grants/index.ts';
import {
  addSnapshot,
  addVerification,
  claimVerification,
  escalate,
  handedAwards,
  lockVerification,
  recordVerification,
  snapshotsOf,
  type StageRun,
  type Verification,
  waitingVerification,
} from '../../store/index.ts';
import { sha256OfJson } from '../bytes.ts';
import type { GrantorAnswer, GrantorLedger, VerificationReport } from '../contracts.ts';
import { ATTEMPT_LEASE_MS, ATTEMPTS_MAX, auditTrail, failureSnapshot } from '../retry-record.ts';
import { compareLedgers, type Question } from './compare-ledgers.ts';
import type { ReconciliationParts } from './parts.ts';

const ACTOR = { kind: 'service', id: 'reconciliation' } as const;

/** Begins a verification, or goes on with the one that waits, if it is due. */
export async function verifyGrantor(
  parts: ReconciliationParts,
  grantor: string,
  ledger: GrantorLedger,
): Promise<VerificationReport> {
  const waiting = await parts.desk.transaction(async (at) => {
    // One at a time begins: the question is sealed in the log before the table names it.
    await lockVerification(at, grantor);
    const known = await waitingVerification(at, grantor);
    if (known !== undefined) return known;
    const question = await questionAbout(parts, at, grantor);
    const id = parts.desk.ids.next();
    const payloadSha256 = sha256OfJson(question as unknown as JsonValue);
    const startedAt = parts.now();
    // It names references: sealed, so that they go when their key does.
    const questionCt = await parts.desk.record(at, {
      type: 'verification.begun',
      actor: ACTOR,
      subject: { kind: 'grant_verification', id, ver: 1 },
      data: { payload_hash: payloadSha256, awards: question.awards.length },
      body: { about: id, canonical: canonicalBytes(question as unknown as JsonValue) },
    });
    const frozen = { id, grantor, questionCt: questionCt ?? '', payloadSha256 };
    await addVerification(at, { ...frozen, startedAt });
    return waitingVerification(at, grantor);
  });
  if (waiting === undefined) throw new Error(`no verification of ${grantor}`);
  const claimed = await claim(parts, waiting.id);
  return claimed === undefined ? reportOf(waiting) : attempt(parts, claimed, ledger);
}

export async function runRetryQueue(
  parts: ReconciliationParts,
  ledger: GrantorLedger,
): Promise<readonly VerificationReport[]> {
  const reports: VerificationReport[] = [];
  while (reports.length < ATTEMPTS_MAX && ledger.mayRead()) {
    const claimed = await claim(parts);
    if (claimed === undefined) break;
    reports.push(await attempt(parts, claimed, ledger));
  }
  return reports;
}

async function questionAbout(
  parts: ReconciliationParts,
  at: StageRun,
  grantor: string,
): Promise<Question> {
  const awards: Question['awards'][number][] = [];
  for await (const group of handedAwards(parts.desk, at)) {
    for (const item of group) {
      // Written by ingestion; its schema has let only such payloads through.
      const { payload, metadata } = item as unknown as {
        readonly payload: Readonly<Record<string, JsonValue>>;
        readonly metadata: { readonly idempotency_key: string; readonly payload_hash: string };
      };
      if (payload['grantor_id'] !== grantor) continue;
      awards.push({
        key: metadata.idempotency_key,
        payload_hash: metadata.payload_hash,
        cents: Number(payload['award_amount']),
        reference: typeof payload['reference'] === 'string' ? payload['reference'] : null,
      });
    }
  }
  if (awards.length === 0) {
    throw new FilewrightError('NOT_FOUND', `No award of grantor ${grantor} was ingested`);
  }
  awards.sort((one, other) => (one.key < other.key ? -1 : 1));
  return { grantor, awards };
}

function claim(parts: ReconciliationParts, id?: string): Promise<Verification | undefined> {
  const now = parts.now();
  return parts.desk.transaction(async (at) => {
    const claimed = await claimVerification(at, { now, lease: addMs(now, ATTEMPT_LEASE_MS) }, id);
    if (claimed === undefined) return undefined;
    await addSnapshot(at, claimed.id, {
      kind: 'attempt',
      attemptCount: claimed.attempts,
      lastErrorCode: claimed.lastErrorCode ?? 'NONE',
      retryDeadline: addMs(claimed.startedAt, RETRY_TOTAL_MS),
      payloadHash: claimed.payloadSha256,
      at: now,
    });
    await parts.desk.record(at, {
      type: 'verification.attempted',
      actor: ACTOR,
      subject: { kind: 'grant_verification', id: claimed.id, ver: claimed.ver },
      data: { attempt_count: claimed.attempts, payload_hash: claimed.payloadSha256 },
    });
    return claimed;
  });
}

async function attempt(
  parts: ReconciliationParts,
  claimed: Verification,
  ledger: GrantorLedger,
): Promise<VerificationReport> {
  const answer = await ledger.read(claimed.grantor);
  const result = understood(answer);
  return parts.desk.transaction(async (at) => {
    const after =
      'verdict' in result
        ? await afterFailure(parts, at, claimed, result.verdict)
        : await afterReading(parts, at, claimed, result.receipts);
    const isOurs = await recordVerification(at, after);
    if (!isOurs) {
      // Somebody took the attempt over when the lease ran out; throwing undoes what was written above.
      throw new FilewrightError('REFUSED_BY_RULE', `Verification ${claimed.id} was taken over`);
    }
    await parts.desk.record(at, {
      type: `verification.${after.state}`,
      actor: ACTOR,
      subject: { kind: 'grant_verification', id: claimed.id, ver: claimed.ver + 1 },
      data: {
        attempt_count: after.attempts,
        payload_hash: after.payloadSha256,
        ...(after.lastErrorCode !== undefined && { last_error_code: after.lastErrorCode }),
        ...(after.exception !== undefined && { exception: after.exception }),
      },
    });
    return reportOf(after);
  });
}

function understood(
  answer: GrantorAnswer,
): { readonly verdict: FailureVerdict } | { readonly receipts: readonly ExpectedReceipt[] } {
  if (answer.kind === 'failed') return { verdict: classifyFailure(answer.failure) };
  try {
    return { receipts: readLedger(answer.document, 'grantor ledger') };
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return { verdict: classifyFailure({ kind: 'schema', codes: [error.code] }) };
  }
}

async function afterFailure(
  parts: ReconciliationParts,
  at: StageRun,
  claimed: Verification,
  verdict: FailureVerdict,
): Promise<Verification> {
  const now = parts.now();
  const decision = decideRetry(
    {
      payloadHash: claimed.payloadSha256,
      startedAt: claimed.startedAt,
      // The attempt that has just failed is counted already.
      attempts: claimed.attempts - 1,
      transientInARow: claimed.inARow,
    },
    {
      verdict,
      payloadHash: sha256OfJson(await frozenQuestion(parts, at, claimed)),
      now,
      dice: parts.random,
    },
  );
  await addSnapshot(at, claimed.id, failureSnapshot(decision.snapshot, now));
  const common = {
    ...claimed,
    inARow: decision.state.transientInARow,
    lastErrorCode: verdict.code,
  };
  if (decision.kind === 'retry') return { ...common, nextAt: decision.at };
  const exception = await giveUp(parts, at, claimed, decision.escalationCode, [
    {
      code: 'NOT_ALLOWED',
      field: '',
      message: `the grantor's ledger could not be read: ${verdict.code}`,
    },
  ]);
  return { ...common, state: 'fallback', nextAt: undefined, exception };
}

async function afterReading(
  parts: ReconciliationParts,
  at: StageRun,
  claimed: Verification,
  receipts: readonly ExpectedReceipt[],
): Promise<Verification> {
  // Frozen by `verifyGrantor`.
  const question = (await frozenQuestion(parts, at, claimed)) as unknown as Question;
  const differences = compareLedgers(question, receipts);
  const common = {
    ...claimed,
    nextAt: undefined,
    inARow: 0,
    lastErrorCode: undefined,
    differences,
  };
  if (differences.length === 0) return { ...common, state: 'verified' };
  const violations = differences.map(
    (message): Violation => ({ code: 'NOT_ALLOWED', field: '', message }),
  );
  const exception = await giveUp(parts, at, claimed, 'GRANTOR_LEDGER_DIFFERS', violations);
  return { ...common, state: 'differs', exception };
}

/** What was asked when the verification began. */
async function frozenQuestion(
  parts: ReconciliationParts,
  at: StageRun,
  { questionCt, clearQuestion }: Verification,
): Promise<JsonValue> {
  if (questionCt === undefined) return clearQuestion;
  const body = await parts.desk.openBody(at, questionCt);
  // Written by `verifyGrantor`; the seal has just proved that it is unchanged.
  return JSON.parse(Buffer.from(body).toString('utf8')) as JsonValue;
}

/** To a person, with everything that was tried. */
async function giveUp(
  parts: ReconciliationParts,
  at: StageRun,
  claimed: Verification,
  escalationCode: string,
  violations: readonly Violation[],
): Promise<string> {
  const now = parts.now();
  const envelope = exceptionEnvelope({
    originalPayload: await frozenQuestion(parts, at, claimed),
    metadata: stampMetadata({
      tenant: at.tenant,
      sourceDocument: `verification:${claimed.id}`,
      ordinal: 1,
      payloadHash: sha256Hex(claimed.payloadSha256),
      mappingHash: null,
      state: 'validated_transient_retry_eligible',
      at: claimed.startedAt,
    }),
    escalationCode,
    auditTrail: auditTrail(await snapshotsOf(at, claimed.id)),
    violations,
    at: now,
  });
  const canonical = canonicalBytes(envelope as unknown as JsonValue, { numbers: 'any' });
  return escalate(parts.desk, at, claimed.id, canonical);
}

function reportOf(one: Verification): VerificationReport {
  return {
    grantor: one.grantor,
    state: one.state,
    attempts: one.attempts,
    nextAt: one.nextAt === undefined ? undefined : toRfc3339(one.nextAt),
    lastErrorCode: one.lastErrorCode,
    differences: one.differences,
    exception: one.exception,
  };
}
