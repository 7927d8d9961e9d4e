/**
 * One frozen question to a lane, asked until it is answered or a person has it. What is asked, and what an answer means, is
 * the stage's business; that it is frozen, tried once at a time, on record before each try and decided by one rule, is the
 * same for all. A crash before a try leaves nothing; after it, a try on record that is made again when its lease ends.
 */
import {
  addMs,
  canonicalBytes,
  type FactType,
  type Instant,
  type JsonValue,
  ruledOut,
  sha256Hex,
  toRfc3339,
} from '../../core/index.ts';
import { afterAnswer, type Heard, QUESTION_RETRY } from '../rules/matching/retry.ts';
import { type ComplianceState, stampMetadata } from '../rules/intake/metadata.ts';
import { exceptionEnvelope } from '../rules/intake/exception-envelope.ts';
import type { Violation } from '../rules/intake/award-record.ts';
import {
  addFailure,
  addQuestion,
  claimQuestion,
  failuresOf,
  type Question,
  recordQuestion,
  waitingQuestion,
} from '../store/questions.ts';
import { escalate } from '../store/escalations.ts';
import { purposeOf } from '../../postgres/index.ts';
import type { StageStore, StageRun } from '../store/stage.ts';
import { sha256OfJson } from './bytes.ts';
import type { QuestionReport } from './contracts.ts';

interface AskingDeps {
  readonly store: StageStore;
  readonly now: () => Instant;
}

/** Longer than a lane waits for an answer; then somebody else may try. */
const TRY_LEASE_MS = 120_000;
/** A run of a queue ends, however fast it fills. */
const TRIES_MAX = 1_000;
const { totalMsMax: totalMs } = QUESTION_RETRY;

/** The question that waits for this place already, or the one that is frozen now. */
export function openQuestion(
  deps: AskingDeps,
  place: Pick<Question, 'lane' | 'subject'>,
  freeze: (at: StageRun) => Promise<{
    readonly request: JsonValue;
    /** Where it names references, so that they go when their key does. */
    readonly isSealed: boolean;
    readonly told: Readonly<Record<string, JsonValue>>;
  }>,
): Promise<Question> {
  const { store } = deps;
  return store.transaction(async (at) => {
    const known = await waitingQuestion(at, place);
    if (known !== undefined) return known;
    const { request, isSealed, told } = await freeze(at);
    const id = store.ids.next();
    const requestSha256 = sha256OfJson(request);
    const sealed = isSealed && { body: { about: id, canonical: canonicalBytes(request) } };
    const ct = await store.record(at, {
      ...factAbout(deps, { id, ver: 1 }, factFor(deps, 'begun')),
      data: { request_hash: requestSha256, ...told },
      ...sealed,
    });
    return addQuestion(at, {
      ...place,
      id,
      request: ct === undefined ? { kind: 'clear', value: request } : { kind: 'sealed', ct },
      requestSha256,
      startedAt: deps.now(),
    });
  });
}

/** Takes the question that is due, or this one if it is; the try is counted and on record when this returns. */
export function claimTry(
  deps: AskingDeps,
  lane: string,
  id?: string,
): Promise<Question | undefined> {
  const now = deps.now();
  return deps.store.transaction(async (at) => {
    const times = { now, lease: addMs(now, TRY_LEASE_MS), totalMs };
    const claimed = await claimQuestion(at, lane, times, id);
    if (claimed !== undefined) await tell(deps, at, claimed, factFor(deps, 'attempted'));
    return claimed;
  });
}

/** Tries again what is due on a lane. */
export async function askAgain<Report>(
  deps: AskingDeps,
  lane: { readonly code: string; mayRead(): boolean },
  ask: (claimed: Question) => Promise<Report>,
): Promise<readonly Report[]> {
  const reports: Report[] = [];
  while (reports.length < TRIES_MAX && lane.mayRead()) {
    const claimed = await claimTry(deps, lane.code);
    if (claimed === undefined) break;
    reports.push(await ask(claimed));
  }
  return reports;
}

/** What is asked, as it was frozen. */
export async function frozenRequest(
  deps: AskingDeps,
  at: StageRun,
  { request }: Question,
): Promise<JsonValue> {
  if (request.kind === 'clear') return request.value;
  const body = await deps.store.openBody(at, request.ct);
  // Written by `openQuestion`; the seal has just proved that it is unchanged.
  return JSON.parse(Buffer.from(body).toString('utf8')) as JsonValue;
}

export interface Answer {
  /** The frozen request, which was asked. */
  readonly request: JsonValue;
  readonly heard: Heard;
  /** What the end is called in the log, if this is one. */
  readonly facts: { readonly done: FactType; readonly person: FactType };
  /** The document that was read, where it was taken in. */
  readonly document?: string;
  readonly forPerson: {
    /** Whatever was read; where nothing was, what was asked. */
    readonly read?: { readonly payload: JsonValue; readonly sha256: string };
    readonly state: ComplianceState;
    readonly violations: readonly Violation[];
  };
}

/** Keeps what came of a try, in the transaction of whatever is taken from the answer. */
export async function keepAnswer(
  deps: AskingDeps,
  at: StageRun,
  tried: Question,
  answer: Answer,
): Promise<Question> {
  const { request, heard, facts, document } = answer;
  const now = deps.now();
  const after = afterAnswer(tried, heard, { sha256: sha256OfJson(request), now });
  if (heard.kind === 'failed') {
    await addFailure(at, tried.id, { code: heard.verdict.code, now, totalMs });
  }
  switch (after.kind) {
    case 'done': {
      const end = { nextAt: undefined, inARow: 0, lastErrorCode: undefined, document } as const;
      return keepQuestion(deps, at, { ...tried, ...end, state: 'done' }, facts.done);
    }
    case 'again': {
      const { at: nextAt, inARow, lastErrorCode } = after;
      return keepQuestion(
        deps,
        at,
        { ...tried, nextAt, inARow, lastErrorCode },
        factFor(deps, 'waiting'),
      );
    }
    case 'person': {
      const { escalationCode, inARow, lastErrorCode } = after;
      const exception = await giveUp(deps, at, tried, answer, escalationCode);
      const end = { nextAt: undefined, inARow, lastErrorCode, exception } as const;
      return keepQuestion(deps, at, { ...tried, ...end, state: 'fallback' }, facts.person);
    }
  }
}

export async function keepQuestion(
  deps: AskingDeps,
  at: StageRun,
  after: Question,
  fact: FactType,
): Promise<Question> {
  const kept = await recordQuestion(at, after);
  if (kept === undefined) {
    // Somebody took the try over when the lease ran out; throwing undoes what was written with it.
    const what = `The ${after.purpose} of ${after.subject}`;
    throw ruledOut(`${what} was taken over by another process`);
  }
  await tell(deps, at, kept, fact);
  return kept;
}

/** To a person, with everything that was tried and whatever was read. */
async function giveUp(
  deps: AskingDeps,
  at: StageRun,
  tried: Question,
  { request, forPerson }: Answer,
  escalationCode: string,
): Promise<string> {
  const { read, state, violations } = forPerson;
  const envelope = exceptionEnvelope({
    originalPayload: read?.payload ?? request,
    metadata: stampMetadata({
      tenant: at.tenant,
      sourceDocument: `${tried.purpose}:${tried.id}`,
      ordinal: 1,
      payloadHash: sha256Hex(read?.sha256 ?? tried.requestSha256),
      mappingHash: null,
      state,
      at: tried.startedAt,
    }),
    escalationCode,
    auditTrail: await failuresOf(at, tried.id),
    violations,
    at: deps.now(),
  });
  return escalate(deps.store, at, tried.id, canonicalBytes(envelope, { numbers: 'any' }));
}

/** The subject is not told: it may name a grantor or carry a number. */
async function tell(
  deps: AskingDeps,
  at: StageRun,
  question: Question,
  fact: FactType,
): Promise<void> {
  const { requestSha256, tries, lastErrorCode, seen, document, exception } = question;
  await deps.store.record(at, {
    ...factAbout(deps, question, fact),
    data: {
      request_hash: requestSha256,
      attempt_count: tries,
      ...(lastErrorCode !== undefined && { last_error_code: lastErrorCode }),
      ...(seen !== undefined && { seen_sha256: seen.sha256, seen_bytes: seen.bytes }),
      ...(document !== undefined && { document }),
      ...(exception !== undefined && { exception }),
    },
  });
}

/** What is told of every question, whatever it asks. */
function factFor({ store }: AskingDeps, word: 'begun' | 'attempted' | 'waiting'): FactType {
  return `${purposeOf(store.stage)}.${word}`;
}

function factAbout(
  { store }: AskingDeps,
  { id, ver }: Pick<Question, 'id' | 'ver'>,
  type: FactType,
) {
  const purpose = purposeOf(store.stage);
  return {
    type,
    actor: { kind: 'service', id: store.stage },
    subject: { kind: `grant_${purpose}`, id, ver },
  } as const;
}

/** What every report of a question says. */
export function reportOf(question: Question): QuestionReport {
  const { tries, nextAt, lastErrorCode, exception } = question;
  return {
    attempts: tries,
    nextAt: nextAt === undefined ? undefined : toRfc3339(nextAt),
    lastErrorCode,
    exception,
  };
}
