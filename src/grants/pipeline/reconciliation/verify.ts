/** Asking a grantor's ledger about the awards it promised. */
import { FilewrightError, notFound } from '../../../core/index.ts';
import { classifyFailure, type FailureVerdict } from '../../rules/intake/failures.ts';
import type { ExpectedPayment } from '../../rules/matching/bank-line.ts';
import { readLedger } from '../../rules/matching/dataset.ts';
import type { Violation } from '../../rules/intake/award-record.ts';
import { passedAwards } from '../../store/awards.ts';
import type { Question } from '../../store/questions.ts';
import type { StageRun } from '../../store/stage.ts';
import type { GrantorAnswer, GrantorLedger, VerificationReport } from '../contracts.ts';
import {
  type Answer,
  askAgain,
  claimTry,
  frozenRequest,
  keepAnswer,
  openQuestion,
  reportOf,
} from '../questions.ts';
import { type AskedAwards, compareLedgers } from './compare-ledgers.ts';
import type { ReconciliationDeps } from './deps.ts';

const STATES = { waiting: 'waiting', done: 'verified', fallback: 'fallback' } as const;

/** Begins a verification, or goes on with the one that waits, if it is due. */
export async function verifyGrantor(
  deps: ReconciliationDeps,
  grantor: string,
  ledger: GrantorLedger,
): Promise<VerificationReport> {
  const place = { lane: ledger.code, subject: grantor };
  const open = await openQuestion(deps, place, async (at) => {
    const request = await awardsOf(deps, at, grantor);
    return { request, isSealed: true, told: { awards: request.awards.length } };
  });
  const claimed = await claimTry(deps, ledger.code, open.id);
  return claimed === undefined ? verificationReport(open) : attempt(deps, claimed, ledger);
}

export function runRetryQueue(
  deps: ReconciliationDeps,
  ledger: GrantorLedger,
): Promise<readonly VerificationReport[]> {
  return askAgain(deps, ledger, (claimed) => attempt(deps, claimed, ledger));
}

async function awardsOf(
  deps: ReconciliationDeps,
  at: StageRun,
  grantor: string,
): Promise<AskedAwards> {
  const awards: AskedAwards['awards'][number][] = [];
  for await (const group of passedAwards(deps.store, at)) {
    for (const { payload, metadata } of group) {
      if (payload['grantor_id'] !== grantor) continue;
      awards.push({
        key: metadata.idempotency_key,
        payload_hash: metadata.payload_hash,
        cents: Number(payload['award_amount']),
        reference: typeof payload['reference'] === 'string' ? payload['reference'] : null,
      });
    }
  }
  if (awards.length === 0) throw notFound(`No award of grantor ${grantor} is on file`);
  awards.sort((one, other) => (one.key < other.key ? -1 : 1));
  return { grantor, awards };
}

async function attempt(
  deps: ReconciliationDeps,
  claimed: Question,
  ledger: GrantorLedger,
): Promise<VerificationReport> {
  const result = understood(await ledger.read(claimed.subject));
  return deps.store.transaction(async (at) => {
    // Frozen by `verifyGrantor`.
    const request = (await frozenRequest(deps, at, claimed)) as AskedAwards;
    const isRead = 'expectedPayments' in result;
    const differences = isRead ? compareLedgers(request, result.expectedPayments) : [];
    const messages = isRead
      ? differences
      : [`the grantor's ledger could not be read: ${result.verdict.code}`];
    const after = await keepAnswer(deps, at, claimed, {
      request,
      heard: isRead ? heardOf(differences) : { kind: 'failed', verdict: result.verdict },
      facts: {
        done: 'verification.verified',
        person: isRead ? 'verification.differs' : 'verification.fallback',
      },
      forPerson: {
        state: 'validated_transient_retry_eligible',
        violations: messages.map(
          (message): Violation => ({ code: 'NOT_ALLOWED', field: '', message }),
        ),
      },
    });
    return verificationReport(after, differences);
  });
}

function heardOf(differences: readonly string[]): Answer['heard'] {
  return differences.length === 0
    ? { kind: 'good' }
    : { kind: 'refused', code: 'GRANTOR_LEDGER_DIFFERS' };
}

function understood(
  answer: GrantorAnswer,
):
  | { readonly verdict: FailureVerdict }
  | { readonly expectedPayments: readonly ExpectedPayment[] } {
  if (answer.kind === 'failed') return { verdict: classifyFailure(answer.failure) };
  try {
    return { expectedPayments: readLedger(answer.document, 'grantor ledger') };
  } catch (error) {
    if (!(error instanceof FilewrightError)) throw error;
    return { verdict: classifyFailure({ kind: 'schema', codes: [error.code] }) };
  }
}

function verificationReport(
  question: Question,
  differences: readonly string[] = [],
): VerificationReport {
  const { subject: grantor, state } = question;
  return {
    grantor,
    state: differences.length > 0 ? 'differs' : STATES[state],
    ...reportOf(question),
    differences,
  };
}
