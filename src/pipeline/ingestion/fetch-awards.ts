/**
 * An award document that is read over a lane and then taken in exactly like a file. What is asked for is frozen when it is
 * first asked; each attempt is committed before it is made, and so is what was read, before anything is taken from it.
 */
import {
  type ActorRef,
  addMs,
  canonicalBytes,
  FilewrightError,
  type JsonValue,
  type Random,
  sha256Hex,
  sha256Of,
  toRfc3339,
} from '../../core/index.ts';
import {
  classifyFailure,
  decideRetry,
  exceptionEnvelope,
  type FailureVerdict,
  RETRY_TOTAL_MS,
  seenAgain,
  stampMetadata,
  type ViolationCode,
} from '../../packs/grants/index.ts';
import {
  addFetchSnapshot,
  claimFetch,
  escalate,
  type Fetch,
  fetchSnapshots,
  openFetch,
  recordFetch,
  type StageRun,
} from '../../store/index.ts';
import { sha256OfJson } from '../bytes.ts';
import type { AwardSource, DocumentLane, FetchReport, IngestionReport } from '../contracts.ts';
import { ATTEMPT_LEASE_MS, ATTEMPTS_MAX, auditTrail, failureSnapshot } from '../retry-record.ts';
import { ingestAwards } from './ingest-awards.ts';
import type { IngestionParts } from './ingestion-parts.ts';

export interface FetchParts extends IngestionParts {
  readonly random: Random;
}

const ACTOR = { kind: 'service', id: 'ingestion' } as const;
const NAME_CHARACTERS_MAX = 500;

/** Begins to fetch a document, or goes on with the fetch of it that waits, if it is due. */
export async function fetchAwards(
  parts: FetchParts,
  wanted: Pick<AwardSource, 'format'> & { readonly path: string },
  lane: DocumentLane,
  actor: ActorRef,
): Promise<FetchReport> {
  const { path, format } = wanted;
  const request = { lane: lane.code, path, format };
  const open = await parts.desk.transaction(async (at) => {
    const id = parts.desk.ids.next();
    const requestSha256 = sha256OfJson(request);
    const fetch = await openFetch(at, { id, ...request, requestSha256, startedAt: parts.now() });
    if (fetch.id === id) await tell(parts, at, fetch, 'fetch.begun');
    return fetch;
  });
  if (open.format !== format) {
    throw new FilewrightError(
      'REFUSED_BY_RULE',
      `${path} of lane ${lane.code} waits to be read again as ${open.format}; it cannot be read as ${format} meanwhile`,
    );
  }
  const claimed = await claim(parts, lane, open.id);
  return claimed === undefined ? reportOf(open) : attempt(parts, claimed, lane, actor);
}

/** Tries again what is due on a lane. */
export async function runFetchQueue(
  parts: FetchParts,
  lane: DocumentLane,
): Promise<readonly FetchReport[]> {
  const reports: FetchReport[] = [];
  while (reports.length < ATTEMPTS_MAX && lane.mayRead()) {
    const claimed = await claim(parts, lane);
    if (claimed === undefined) break;
    reports.push(await attempt(parts, claimed, lane, ACTOR));
  }
  return reports;
}

function claim(parts: FetchParts, lane: DocumentLane, id?: string): Promise<Fetch | undefined> {
  const now = parts.now();
  return parts.desk.transaction(async (at) => {
    const times = { now, lease: addMs(now, ATTEMPT_LEASE_MS) };
    const claimed = await claimFetch(at, lane.code, times, id);
    if (claimed === undefined) return undefined;
    await addFetchSnapshot(at, claimed.id, {
      kind: 'attempt',
      attemptCount: claimed.attempts,
      lastErrorCode: claimed.lastErrorCode ?? 'NONE',
      retryDeadline: addMs(claimed.startedAt, RETRY_TOTAL_MS),
      payloadHash: claimed.requestSha256,
      at: now,
    });
    await tell(parts, at, claimed, 'fetch.attempted');
    return claimed;
  });
}

async function attempt(
  parts: FetchParts,
  claimed: Fetch,
  lane: DocumentLane,
  actor: ActorRef,
): Promise<FetchReport> {
  const { failure, body } = await lane.read(claimed.path);
  const seen =
    body === undefined
      ? claimed.seen
      : seenAgain(claimed.seen, { body, isWhole: failure === undefined });
  if (body !== undefined && seen === undefined) {
    const why = 'it was read again, and its bytes are others than before';
    return giveUp(parts, claimed, { code: 'NON_DETERMINISTIC_PAYLOAD', why, body });
  }
  if (failure !== undefined)
    return afterFailure(parts, { ...claimed, seen }, classifyFailure(failure));
  const whole = body ?? new Uint8Array();
  // A crash after this finds the same document or none: bytes that changed meanwhile are not taken for it.
  const received = await update(parts, { ...claimed, seen }, 'fetch.received');
  try {
    return await takeIn(parts, received, whole, actor);
  } catch (error) {
    if (!(error instanceof FilewrightError) || !isOfDocument(error)) throw error;
    const { code } = classifyFailure({ kind: 'schema', codes: [error.code] });
    const reason = { code, why: error.message, violation: 'MALFORMED', body: whole } as const;
    return giveUp(parts, received, reason);
  }
}

/** What lies in the document itself: another attempt would find the same. */
function isOfDocument({ code }: FilewrightError): boolean {
  return code.startsWith('INPUT_') || code === 'JSON_MALFORMED';
}

/** The document's awards and the end of its fetch are one transaction. */
async function takeIn(
  parts: FetchParts,
  received: Fetch,
  body: Uint8Array,
  actor: ActorRef,
): Promise<FetchReport> {
  const source: AwardSource = {
    name: `${received.lane} ${received.path}`.slice(0, NAME_CHARACTERS_MAX),
    // A check constraint holds the column to these words.
    format: received.format as AwardSource['format'],
    async *open() {
      yield body;
    },
  };
  const common = { nextAt: undefined, inARow: 0, lastErrorCode: undefined } as const;
  const document = sha256Of(body);
  const after: Fetch = { ...received, ...common, state: 'ingested', document };
  const ingestion = await ingestAwards(parts, source, actor, {
    along: (at) => record(parts, at, after, 'fetch.ingested'),
  });
  return reportOf(after, ingestion);
}

async function afterFailure(
  parts: FetchParts,
  failed: Fetch,
  verdict: FailureVerdict,
): Promise<FetchReport> {
  const now = parts.now();
  const { lane, path, format } = failed;
  const decision = decideRetry(
    {
      payloadHash: failed.requestSha256,
      startedAt: failed.startedAt,
      // The attempt that has just failed is counted already.
      attempts: failed.attempts - 1,
      transientInARow: failed.inARow,
    },
    { verdict, payloadHash: sha256OfJson({ lane, path, format }), now, dice: parts.random },
  );
  const after = {
    ...failed,
    inARow: decision.state.transientInARow,
    lastErrorCode: verdict.code,
  };
  const snapshot = failureSnapshot(decision.snapshot, now);
  if (decision.kind === 'fallback') {
    const why = `it could not be read: ${verdict.code}`;
    return giveUp(parts, after, { code: decision.escalationCode, why, snapshot });
  }
  const waiting = await parts.desk.transaction(async (at) => {
    await addFetchSnapshot(at, failed.id, snapshot);
    const next = { ...after, nextAt: decision.at };
    await record(parts, at, next, 'fetch.waiting');
    return next;
  });
  return reportOf(waiting);
}

/** To a person, with everything that was tried and whatever was read. */
async function giveUp(
  parts: FetchParts,
  failed: Fetch,
  reason: {
    readonly code: string;
    readonly why: string;
    readonly violation?: ViolationCode;
    readonly body?: Uint8Array;
    readonly snapshot?: ReturnType<typeof failureSnapshot>;
  },
): Promise<FetchReport> {
  const { code, why, violation = 'NOT_ALLOWED', body, snapshot } = reason;
  const after = await parts.desk.transaction(async (at) => {
    if (snapshot !== undefined) await addFetchSnapshot(at, failed.id, snapshot);
    const envelope = exceptionEnvelope({
      originalPayload: payloadOf(failed, body),
      metadata: stampMetadata({
        tenant: at.tenant,
        sourceDocument: `fetch:${failed.id}`,
        ordinal: 1,
        payloadHash: sha256Hex(body === undefined ? failed.requestSha256 : sha256Of(body)),
        mappingHash: null,
        state:
          code === 'NON_DETERMINISTIC_PAYLOAD'
            ? 'quarantined_non_deterministic'
            : 'permanently_refused',
        at: failed.startedAt,
      }),
      escalationCode: code,
      auditTrail: auditTrail(await fetchSnapshots(at, failed.id)),
      violations: [{ code: violation, field: '', message: `${failed.path}: ${why}` }],
      at: parts.now(),
    });
    const canonical = canonicalBytes(envelope as unknown as JsonValue, { numbers: 'any' });
    const exception = await escalate(parts.desk, at, failed.id, canonical);
    const lastErrorCode = failed.lastErrorCode ?? code;
    const end: Fetch = {
      ...failed,
      state: 'fallback',
      nextAt: undefined,
      lastErrorCode,
      exception,
    };
    await record(parts, at, end, 'fetch.fallback');
    return end;
  });
  return reportOf(after);
}

/** As text where it is text, so that a person can read it. */
function payloadOf({ lane, path, format }: Fetch, body: Uint8Array | undefined): JsonValue {
  if (body === undefined) return { lane, path, format };
  const buffer = Buffer.from(body);
  const text = buffer.toString('utf8');
  return Buffer.from(text).equals(buffer)
    ? { lane, path, format, document: text }
    : { lane, path, format, document_base64: buffer.toString('base64') };
}

async function update(parts: FetchParts, after: Fetch, fact: string): Promise<Fetch> {
  await parts.desk.transaction((at) => record(parts, at, after, fact));
  return { ...after, ver: after.ver + 1 };
}

async function record(parts: FetchParts, at: StageRun, after: Fetch, fact: string): Promise<void> {
  if (!(await recordFetch(at, after))) {
    // Somebody took the attempt over when the lease ran out; throwing undoes what was written with it.
    throw new FilewrightError('REFUSED_BY_RULE', `The fetch of ${after.path} was taken over`);
  }
  await tell(parts, at, { ...after, ver: after.ver + 1 }, fact);
}

/** The path is not told: it may name a grantor or carry a number. */
async function tell(parts: FetchParts, at: StageRun, fetch: Fetch, type: string): Promise<void> {
  await parts.desk.record(at, {
    type,
    actor: ACTOR,
    subject: { kind: 'grant_fetch', id: fetch.id, ver: fetch.ver },
    data: {
      request_hash: fetch.requestSha256,
      attempt_count: fetch.attempts,
      ...(fetch.lastErrorCode !== undefined && { last_error_code: fetch.lastErrorCode }),
      ...(fetch.seen !== undefined && {
        seen_sha256: fetch.seen.sha256,
        seen_bytes: fetch.seen.bytes,
      }),
      ...(fetch.document !== undefined && { document: fetch.document }),
      ...(fetch.exception !== undefined && { exception: fetch.exception }),
    },
  });
}

function reportOf(fetch: Fetch, ingestion?: IngestionReport): FetchReport {
  const { lane, path, state, attempts, nextAt, lastErrorCode, exception } = fetch;
  return {
    lane,
    path,
    state,
    attempts,
    nextAt: nextAt === undefined ? undefined : toRfc3339(nextAt),
    lastErrorCode,
    exception,
    ingestion,
  };
}
