import { Type } from 'typebox';
import {
  answerAboutBatch,
  approveCancel,
  askAboutBatch,
  cancelBatch,
  correctInBatch,
  readBatchId,
  refuseBatch,
  refuseCancel,
  reviewBatch,
  withdrawFromBatch,
} from '../../filings/index.ts';
import type { JsonValue } from '../../core/index.ts';
import { given, HASH, ID, kit, LATEST, limitOf, NAME, REASON, WORDS } from './kit.ts';

const { get, post } = kit('batches');
const closed = { additionalProperties: false };
const WHY = Type.Object({ reason: REASON }, closed);

/** What happens to a batch between its import and its approval, or instead of it. */
export const batchChanges = [
  get('/batches/{id}/review', {
    act: 'batch.review',
    summary: 'What an approver looks at, filing by filing; the ledger notes who looked',
    params: ID,
    query: { ...LATEST, after: Type.Optional(NAME) },
    run: ({ app, actor, params, query }) => {
      const wanted = { batch: readBatchId(params.id), limit: limitOf(query) };
      return reviewBatch(app, actor, { ...wanted, ...given({ after: query.after }) });
    },
  }),
  post('/batches/{id}/questions', {
    act: 'batch.ask',
    summary: 'Ask who prepared it',
    params: ID,
    body: Type.Object({ question: WORDS, filing: Type.Optional(NAME) }, closed),
    run: ({ app, actor, params, body }) =>
      askAboutBatch(app, actor, { batch: readBatchId(params.id), ...body }),
  }),
  post('/batches/{id}/answers', {
    act: 'batch.answer',
    summary: 'Answer a question about it, by the number of the question',
    params: ID,
    body: Type.Object({ n: Type.Integer({ minimum: 1 }), answer: WORDS }, closed),
    run: async ({ app, actor, params, body }) => {
      await answerAboutBatch(app, actor, { batch: readBatchId(params.id), ...body });
      return { n: body.n };
    },
  }),
  post('/batches/{id}/refuse', {
    act: 'batch.refuse',
    summary: 'Refuse to approve it',
    params: ID,
    body: WHY,
    run: async ({ app, actor, params, body }) => {
      const batch = readBatchId(params.id);
      await refuseBatch(app, actor, { batch, reason: body.reason });
      return { batch };
    },
  }),
  post('/batches/{id}/cancel', {
    act: 'batch.cancel',
    summary: 'Take it back; once it is approved a second person must agree',
    params: ID,
    body: WHY,
    run: ({ app, actor, params, body }) =>
      cancelBatch(app, actor, { batch: readBatchId(params.id), reason: body.reason }),
  }),
  post('/batches/{id}/cancel/approve', {
    act: 'batch.cancel.approve',
    summary: 'Agree that it is taken back, naming the hash',
    params: ID,
    body: Type.Object({ sha256: HASH }, closed),
    run: ({ app, actor, params, body }) =>
      approveCancel(app, actor, { batch: readBatchId(params.id), expectHash: body.sha256 }),
  }),
  post('/batches/{id}/cancel/refuse', {
    act: 'batch.cancel.refuse',
    summary: 'Refuse that it is taken back, or withdraw your own proposal of it',
    params: ID,
    body: WHY,
    run: async ({ app, actor, params, body }) => {
      const batch = readBatchId(params.id);
      await refuseCancel(app, actor, { batch, reason: body.reason });
      return { batch };
    },
  }),
  post('/filings/withdraw', {
    act: 'batch.withdraw',
    summary: 'Take filings out of their batch',
    body: Type.Object(
      { filings: Type.Array(NAME, { minItems: 1, maxItems: 500 }), reason: REASON },
      closed,
    ),
    run: ({ app, actor, body }) => withdrawFromBatch(app, actor, body),
  }),
  post('/filings/{id}/correct', {
    act: 'batch.correct',
    summary: 'Correct fields of a filing in a batch that is not approved',
    params: ID,
    body: Type.Object(
      {
        reason: REASON,
        edits: Type.Array(
          Type.Object(
            { at: Type.String({ maxLength: 1_000 }), value: Type.Optional(Type.Unknown()) },
            closed,
          ),
          { minItems: 1, maxItems: 200 },
        ),
      },
      closed,
    ),
    run: ({ app, actor, params, body }) =>
      correctInBatch(app, actor, {
        filing: params.id,
        reason: body.reason,
        // The body was read as strict JSON, so each value in it is one.
        edits: body.edits.map(({ at, value }) => ({ at, value: value as JsonValue })),
      }),
  }),
];
