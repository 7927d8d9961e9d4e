/** Looking at an exception: its sealed envelope, every attempt with the exact bytes, and what the portal complained of. */
import { type Actor, allow } from '../../access/index.ts';
import {
  FilewrightError,
  type JsonValue,
  parseStrictJson,
  pointer,
  type SealedPayload,
} from '../../core/index.ts';
import { lanes, requireLane, type Violation, violationsOf } from '../../lanes/index.ts';
import type { Installation } from '../../ledger/index.ts';
import { noteOpened } from '../../people/index.ts';
import { assignedPeople } from '../store/reviews.ts';
import { allowOnDesk } from './desk.ts';
import {
  countExceptions,
  type ExceptionFilter,
  type ExceptionView,
  findException,
  listExceptions,
} from '../store/filings.ts';
import { type FormerRevision, formerRevisions } from '../store/review-proposals.ts';
import { history } from '../store/delivery-store.ts';

type OpenedJson = { readonly [name: string]: JsonValue };

interface OpenedException {
  readonly exception: ExceptionView;
  readonly envelope: OpenedJson;
}

/** A response is kept up to 8 MiB and stands in the envelope as base64. */
const ENVELOPE_BYTES_MAX = 64 * 1024 * 1024;

interface ReviewedAttempt {
  readonly attempt: number;
  readonly action: string;
  readonly trace: string;
  readonly intentAt: number;
  readonly verdict: string | undefined;
  readonly code: string | undefined;
  /** The exact response or failure; undefined when nothing was recorded, or its key is gone. */
  readonly exchange: OpenedJson | undefined;
}

export interface ReviewFile extends OpenedException {
  readonly attempts: readonly ReviewedAttempt[];
  readonly violations: readonly Violation[];
  /** Payloads that a correction has replaced; each is still kept. */
  readonly revisions: readonly FormerRevision[];
  readonly assignedTo: string | undefined;
}

interface ListedException extends ExceptionView {
  /** Who was asked to look at it. */
  readonly assignedTo: string | undefined;
}

/** Open exceptions, the most urgent first. */
export async function listReviews(
  app: Installation,
  actor: Actor,
  filter: ExceptionFilter,
): Promise<readonly ListedException[]> {
  allow(actor, 'review.list');
  if (filter.lane !== undefined) requireLane(await lanes(app), filter.lane);
  const found = await listExceptions(app.session, app.tenant, filter);
  const ids = found.map(({ filing }) => filing.id);
  const assigned = await assignedPeople(app.session, app.tenant, ids);
  return found.map((one) => ({ ...one, assignedTo: assigned.get(one.filing.id) }));
}

/** How many the filter finds in all. */
export async function countReviews(
  app: Installation,
  actor: Actor,
  filter: Omit<ExceptionFilter, 'limit'>,
): Promise<number> {
  allow(actor, 'review.list');
  return countExceptions(app.session, app.tenant, filter);
}

/** Everything there is about an exception, for the person who decides. */
export async function openReview(app: Installation, actor: Actor, id: string): Promise<ReviewFile> {
  allow(actor, 'review.show');
  const found = await findException(app.session, app.tenant, id);
  await allowOnDesk(app, actor, 'review.show', { kind: 'filing', id: found.filing.id });
  await noteOpened(app, actor, 'review.show', found.filing.id);
  const opened = { exception: found, envelope: openedJson(app, found.envelope) };
  const { filing } = opened.exception;
  const records = await history(app.session, app.tenant, filing.id);
  const attempts = records.map((record) => ({
    attempt: record.attempt,
    action: record.action,
    trace: record.id,
    intentAt: record.intentAt,
    verdict: record.outcome?.verdict,
    code: record.outcome?.code,
    exchange:
      record.outcome?.sealed === undefined ? undefined : openable(app, record.outcome.sealed),
  }));
  const revisions = await formerRevisions(app.session, app.tenant, filing.id);
  const assigned = await assignedPeople(app.session, app.tenant, [filing.id]);
  return {
    ...opened,
    attempts,
    revisions,
    assignedTo: assigned.get(filing.id),
    violations: violationsOf(bodyOf(opened.envelope['response'])),
  };
}

/** The bytes of a response as they came; undefined when there was none. */
export function bodyOf(response: JsonValue | undefined): Buffer | undefined {
  const body = pointer(response, '/body_base64');
  return typeof body === 'string' ? Buffer.from(body, 'base64') : undefined;
}

export function openedJson(app: Installation, sealed: SealedPayload): OpenedJson {
  const opened = parseStrictJson(app.vault.open(sealed), { bytesMax: ENVELOPE_BYTES_MAX });
  // Payloads, envelopes and exchanges are written as objects; the seal has just proved that they are unchanged.
  return opened as OpenedJson;
}

/** One attempt whose key is gone must not hide the others. */
function openable(app: Installation, sealed: SealedPayload): OpenedJson | undefined {
  try {
    return openedJson(app, sealed);
  } catch (error) {
    if (error instanceof FilewrightError && error.code === 'SEAL_BROKEN') return undefined;
    throw error;
  }
}
