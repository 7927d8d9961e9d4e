/** Reviews that send nothing: accepted as filed, rejected, assigned. One person does them, with a reason. */
import { type Actor, allow, type PersonActor } from '../../access/index.ts';
import {
  canonicalBytes,
  type FactType,
  FilewrightError,
  type Filing,
  type JsonValue,
  misuse,
  notFound,
  overLimit,
  type PayloadOwner,
  sha256Of,
  toRfc3339,
  userFact,
} from '../../core/index.ts';
import { dataKeys, type Installation, sequenceAll } from '../../ledger/index.ts';
import { acceptAsFiled, assignReview, rejectByReview } from '../store/reviews.ts';
import { type ExceptionView, findException } from '../store/filings.ts';
import { listPeople } from '../../people/index.ts';
import { checkOpen } from './reviews-rules.ts';

/** What shows that it was filed: a text, or a file (a confirmation page, a letter) kept sealed in the ledger. */
export type Evidence =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Uint8Array };

const EVIDENCE_BYTES_MAX = 8 * 1024 * 1024;
const RECEIPT = /^[^\p{Cc}\p{Surrogate}]{1,200}$/u;

export async function acceptFiling(
  app: Installation,
  actor: Actor,
  input: {
    readonly id: string;
    readonly reason: string;
    readonly receipt: string;
    readonly evidence: Evidence;
    /** The receipt stands for another filing, too: the person says so. */
    readonly isShared?: boolean;
  },
): Promise<{ readonly exception: ExceptionView; readonly evidenceSha256: string }> {
  allow(actor, 'review.accept');
  const { reason, receipt, evidence } = input;
  if (!RECEIPT.test(receipt) || receipt.trim() !== receipt) {
    throw misuse(
      '--receipt: expected the number on the receipt or confirmation, without spaces around it',
    );
  }
  const exception = await findException(app.session, app.tenant, input.id);
  checkOpen(exception);
  const { filing, n } = exception;
  const content = evidence.kind === 'text' ? Buffer.from(evidence.text, 'utf8') : evidence.bytes;
  if (content.length === 0 || content.length > EVIDENCE_BYTES_MAX) {
    throw overLimit(
      `Expected evidence of 1 to ${EVIDENCE_BYTES_MAX} bytes, found ${content.length}`,
    );
  }
  const evidenceSha256 = sha256Of(content);
  const data = {
    from: filing.status,
    to: 'accepted',
    cause: 'accept_as_filed',
    receipt,
    ...(input.isShared === true ? { shared_receipt: true } : {}),
    reason,
    evidence_sha256: evidenceSha256,
    exception: n,
    lane: filing.lane,
    key: filing.key,
    payload_sha256: filing.payloadSha256,
  };
  const fact = await sealedFact(app, actor, filing, data, {
    receipt,
    ...(evidence.kind === 'text'
      ? { evidence_text: evidence.text }
      : {
          evidence_name: evidence.name,
          evidence_base64: Buffer.from(evidence.bytes).toString('base64'),
        }),
  });
  const isShared = input.isShared === true;
  const act = { filing: filing.id, n, by: actor.id, reason, receipt, evidenceSha256, fact };
  const isFile = evidence.kind === 'file';
  await acceptAsFiled(app.session, app.tenant, { ...act, isShared, isFile });
  await sequenceAll(app);
  return { exception, evidenceSha256 };
}

export async function rejectFiling(
  app: Installation,
  actor: Actor,
  input: {
    readonly id: string;
    readonly reason: string;
    readonly notFiled: string | undefined;
  },
): Promise<ExceptionView> {
  allow(actor, 'review.reject');
  const { reason, notFiled } = input;
  const exception = await findException(app.session, app.tenant, input.id);
  checkOpen(exception);
  const { filing, n } = exception;
  if (exception.unsettled !== undefined && notFiled === undefined) {
    throw new FilewrightError(
      'MAY_BE_FILED',
      `An earlier send of filing ${filing.id} may have been accepted. Check with the portal: record it with review accept-as-filed, ` +
        'or reject it with --not-filed "<how you know>"',
    );
  }
  const fact = userFact(app, 'filing.state', actor, {
    // What the portal has refused stays rejected: that is no change of status, only the end of the matter.
    ...(filing.status === 'rejected' ? {} : { from: filing.status, to: 'rejected' }),
    cause: 'reject',
    reason,
    exception: n,
    key: filing.key,
    payload_sha256: filing.payloadSha256,
    ...(notFiled === undefined ? {} : { not_filed: notFiled }),
  });
  const evidenceSha256 = notFiled === undefined ? undefined : sha256Of(notFiled);
  await rejectByReview(app.session, app.tenant, {
    filing: filing.id,
    n,
    by: actor.id,
    reason,
    fact,
    ...(evidenceSha256 === undefined ? {} : { evidenceSha256 }),
  });
  await sequenceAll(app);
  return exception;
}

export async function assignFiling(
  app: Installation,
  actor: Actor,
  input: {
    readonly id: string;
    readonly reason: string;
    readonly to: string;
  },
): Promise<ExceptionView> {
  allow(actor, 'review.assign');
  const { reason, to } = input;
  const exception = await findException(app.session, app.tenant, input.id);
  checkOpen(exception);
  const people = await listPeople(app.session, app.tenant);
  const person = people.find((each) => each.name === to && each.disabledAt === undefined);
  if (person === undefined) throw notFound(`No active person is named "${to}"; see user list`);
  const { filing, n } = exception;
  const fact = userFact(app, 'review.assigned', actor, {
    exception: n,
    to_person: person.id,
    reason,
  });
  const act = { filing: filing.id, n, by: actor.id, reason, to: person.id, fact };
  await assignReview(app.session, app.tenant, act);
  await sequenceAll(app);
  return exception;
}

/** A fact whose body is sealed under the key of the filing's entity. */
export async function sealedFact(
  app: Installation,
  actor: PersonActor,
  filing: Filing,
  data: Readonly<Record<string, JsonValue>>,
  body: Readonly<Record<string, JsonValue>>,
  type: FactType = 'filing.state',
  owner?: PayloadOwner,
): Promise<ReturnType<typeof userFact>> {
  const fact = userFact(app, type, actor, data);
  const month = toRfc3339(app.clock.now()).slice(0, 7);
  const keys = await dataKeys(app.session, { tenant: app.tenant, month }, [filing.entityId], () =>
    app.vault.newKey(month),
  );
  const key = keys.get(filing.entityId);
  if (key === undefined) throw new Error(`no data key for ${month}`);
  const sealed = app.vault.seal({
    key,
    entry: fact.id,
    body: canonicalBytes(body),
    ...(owner === undefined ? {} : { owner }),
  });
  return { ...fact, body: sealed };
}
