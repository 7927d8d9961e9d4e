/**
 * An award document that is read over a lane and then taken in exactly like a file. What was read is committed before
 * anything is taken from it.
 */
import {
  type ActorRef,
  FilewrightError,
  type JsonValue,
  ruledOut,
  sha256Of,
} from '../../../core/index.ts';
import { classifyFailure } from '../../rules/intake/failures.ts';
import { seenAgain } from '../../rules/intake/same-document.ts';
import type { ViolationCode } from '../../rules/intake/award-record.ts';
import type { Question } from '../../store/questions.ts';
import { sha256OfJson } from '../bytes.ts';
import type { AwardSource, DocumentLane, FetchReport, IngestionReport } from '../contracts.ts';
import {
  type Answer,
  askAgain,
  claimTry,
  keepAnswer,
  keepQuestion,
  openQuestion,
  reportOf,
} from '../questions.ts';
import { ingestAwards } from './ingest-awards.ts';
import type { IngestionDeps } from './ingestion-deps.ts';

/** Frozen when the document is first asked for. */
type Wanted = {
  readonly lane: string;
  readonly path: string;
  readonly format: AwardSource['format'];
};

const NAME_CHARACTERS_MAX = 500;
const STATES = { waiting: 'waiting', done: 'ingested', fallback: 'fallback' } as const;

/** Begins to fetch a document, or goes on with the fetch of it that waits, if it is due. */
export async function fetchAwards(
  deps: IngestionDeps,
  { path, format }: Pick<AwardSource, 'format'> & { readonly path: string },
  lane: DocumentLane,
  actor: ActorRef,
): Promise<FetchReport> {
  const request: Wanted = { lane: lane.code, path, format };
  const open = await openQuestion(deps, { lane: lane.code, subject: path }, () =>
    Promise.resolve({ request, isSealed: false, told: {} }),
  );
  if (open.requestSha256 !== sha256OfJson(request)) {
    throw ruledOut(
      `${path} of lane ${lane.code} is already queued to be read as ${wantedOf(open).format}; it cannot be read as ${format} until then`,
    );
  }
  const claimed = await claimTry(deps, lane.code, open.id);
  return claimed === undefined ? fetchReport(open) : attempt(deps, claimed, lane, actor);
}

/** Tries again what is due on a lane. */
export function runFetchQueue(
  deps: IngestionDeps,
  lane: DocumentLane,
): Promise<readonly FetchReport[]> {
  const actor = { kind: 'service', id: 'ingestion' } as const;
  return askAgain(deps, lane, (claimed) => attempt(deps, claimed, lane, actor));
}

async function attempt(
  deps: IngestionDeps,
  claimed: Question,
  lane: DocumentLane,
  actor: ActorRef,
): Promise<FetchReport> {
  const keep = async (tried: Question, answer: Answer): Promise<FetchReport> =>
    fetchReport(await deps.store.transaction((at) => keepAnswer(deps, at, tried, answer)));
  const { failure, body } = await lane.read(claimed.subject);
  const seen =
    body === undefined
      ? claimed.seen
      : seenAgain(claimed.seen, { body, isWhole: failure === undefined });
  if (body !== undefined && seen === undefined) {
    const why = 'it was read again, and its content has changed';
    return keep(claimed, refusal(claimed, { code: 'NON_DETERMINISTIC_PAYLOAD', why, body }));
  }
  if (failure !== undefined) {
    const verdict = classifyFailure(failure);
    const why = `it could not be read: ${verdict.code}`;
    const answer = refusal(claimed, { code: verdict.code, why });
    return keep({ ...claimed, seen }, { ...answer, heard: { kind: 'failed', verdict } });
  }
  const whole = body ?? new Uint8Array();
  // A crash after this finds the same document or none: bytes that changed meanwhile are not taken for it.
  const received = await deps.store.transaction((at) =>
    keepQuestion(deps, at, { ...claimed, seen }, 'fetch.received'),
  );
  try {
    return await takeIn(deps, received, whole, actor);
  } catch (error) {
    if (!(error instanceof FilewrightError) || !isOfDocument(error)) throw error;
    const { code } = classifyFailure({ kind: 'schema', codes: [error.code] });
    const reason = { code, why: error.message, violation: 'MALFORMED', body: whole } as const;
    return keep(received, refusal(received, reason));
  }
}

/** What lies in the document itself: another attempt would find the same. */
function isOfDocument({ code }: FilewrightError): boolean {
  return code.startsWith('INPUT_') || code === 'JSON_MALFORMED';
}

/** The document's awards and the end of its fetch are one transaction. */
async function takeIn(
  deps: IngestionDeps,
  received: Question,
  body: Uint8Array,
  actor: ActorRef,
): Promise<FetchReport> {
  const { lane, path, format } = wantedOf(received);
  const source: AwardSource = {
    name: `${lane} ${path}`.slice(0, NAME_CHARACTERS_MAX),
    format,
    async *open() {
      yield body;
    },
  };
  const nothing = refusal(received, { code: '', why: '' });
  const good = { ...nothing, heard: { kind: 'good' }, document: sha256Of(body) } as const;
  let after = received;
  const ingestion = await ingestAwards(deps, source, actor, {
    along: async (at) => {
      after = await keepAnswer(deps, at, received, good);
    },
  });
  return fetchReport(after, ingestion);
}

/** A document that may not be taken; a person gets whatever was read of it. */
function refusal(
  tried: Question,
  reason: {
    readonly code: string;
    readonly why: string;
    readonly violation?: ViolationCode;
    readonly body?: Uint8Array;
  },
): Answer {
  const { code, why, violation = 'NOT_ALLOWED', body } = reason;
  const request = wantedOf(tried);
  return {
    request,
    heard: { kind: 'refused', code },
    facts: { done: 'fetch.ingested', person: 'fetch.fallback' },
    forPerson: {
      ...(body !== undefined && {
        read: { payload: { ...request, ...textOf(body) }, sha256: sha256Of(body) },
      }),
      state:
        code === 'NON_DETERMINISTIC_PAYLOAD'
          ? 'quarantined_non_deterministic'
          : 'permanently_refused',
      violations: [{ code: violation, field: '', message: `${tried.subject}: ${why}` }],
    },
  };
}

function wantedOf({ request }: Question): Wanted {
  if (request.kind === 'sealed') throw new Error('the request of a fetch is not sealed');
  // Frozen by `fetchAwards`, and its hash is asked before it is used up.
  return request.value as Wanted;
}

/** As text where it is text, so that a person can read it. */
function textOf(body: Uint8Array): { readonly [name: string]: JsonValue } {
  const buffer = Buffer.from(body);
  const text = buffer.toString('utf8');
  return Buffer.from(text).equals(buffer)
    ? { document: text }
    : { document_base64: buffer.toString('base64') };
}

function fetchReport(question: Question, ingestion?: IngestionReport): FetchReport {
  const { lane, subject: path, state } = question;
  return { lane, path, state: STATES[state], ...reportOf(question), ingestion };
}
