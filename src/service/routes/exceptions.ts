import { Type } from 'typebox';
import {
  acceptFiling,
  approveReview,
  assignFiling,
  listProposals,
  listReviews,
  openProposal,
  openReview,
  proposeBulkReplay,
  proposeCorrection,
  proposeReplay,
  rejectFiling,
  withdrawReview,
} from '../../filings/index.ts';
import type { JsonValue } from '../../core/index.ts';
import { FLAG, given, HASH, ID, kit, LATEST, limitOf, NAME, REASON, WORDS } from './kit.ts';

const { get, list, post } = kit('exceptions');
const NOT_FILED = { not_filed: Type.Optional(WORDS) };
const FILTER = {
  lane: Type.Optional(NAME),
  batch: Type.Optional(NAME),
  reason: Type.Optional(NAME),
  status: Type.Optional(NAME),
  kind: Type.Optional(NAME),
  entity: Type.Optional(NAME),
  assigned: Type.Optional(NAME),
};
const closed = { additionalProperties: false };

export const exceptions = [
  list('/exceptions', {
    act: 'review.list',
    summary: 'Filings that need a person, the most urgent first',
    query: { ...LATEST, lane: Type.Optional(NAME), batch: Type.Optional(NAME) },
    run: async ({ app, actor, query }) => {
      const { lane, batch } = query;
      const filter = { ...given({ lane, batch }), limit: limitOf(query) };
      return { items: await listReviews(app, actor, filter) };
    },
  }),
  get('/exceptions/{id}', {
    act: 'review.show',
    summary: 'One of them, with the evidence',
    params: ID,
    run: ({ app, actor, params }) => openReview(app, actor, params.id),
  }),
  post('/exceptions/{id}/accept', {
    act: 'review.accept',
    summary: 'Record that it was filed, with its receipt and how that is known',
    params: ID,
    body: Type.Object(
      { reason: REASON, receipt: WORDS, evidence: WORDS, shared: Type.Optional(FLAG) },
      closed,
    ),
    run: ({ app, actor, params, body }) =>
      acceptFiling(app, actor, {
        id: params.id,
        reason: body.reason,
        receipt: body.receipt,
        evidence: { kind: 'text', text: body.evidence },
        isShared: body.shared === true,
      }),
  }),
  post('/exceptions/{id}/reject', {
    act: 'review.reject',
    summary: 'End it: it will not be filed',
    params: ID,
    body: Type.Object({ reason: REASON, ...NOT_FILED }, closed),
    run: ({ app, actor, params, body }) =>
      rejectFiling(app, actor, { id: params.id, reason: body.reason, notFiled: body.not_filed }),
  }),
  post('/exceptions/{id}/assign', {
    act: 'review.assign',
    summary: 'Put it on the desk of a person',
    params: ID,
    body: Type.Object({ reason: REASON, to: NAME }, closed),
    run: ({ app, actor, params, body }) => assignFiling(app, actor, { id: params.id, ...body }),
  }),
  post('/exceptions/{id}/replay', {
    act: 'review.replay',
    summary: 'Propose to send it again as it is',
    params: ID,
    body: Type.Object({ reason: REASON, ...NOT_FILED }, closed),
    run: ({ app, actor, params, body }) =>
      proposeReplay(app, actor, { id: params.id, reason: body.reason, notFiled: body.not_filed }),
  }),
  post('/exceptions/{id}/correct', {
    act: 'review.correct',
    summary: 'Propose to send it again with corrected fields',
    params: ID,
    body: Type.Object(
      {
        reason: REASON,
        ...NOT_FILED,
        edits: Type.Array(
          Type.Object(
            {
              at: Type.String({ maxLength: 1_000, description: 'a JSON pointer' }),
              value: Type.Optional(Type.Unknown()),
            },
            closed,
          ),
          { minItems: 1, maxItems: 200 },
        ),
      },
      closed,
    ),
    run: ({ app, actor, params, body }) =>
      proposeCorrection(app, actor, {
        id: params.id,
        reason: body.reason,
        notFiled: body.not_filed,
        // The body was read as strict JSON, so each value in it is one.
        wanted: { edits: body.edits.map(({ at, value }) => ({ at, value: value as JsonValue })) },
      }),
  }),
  post('/exceptions/replay', {
    act: 'review.replay-many',
    summary: 'Propose to send again all that a filter finds, naming their number',
    body: Type.Object(
      {
        filter: Type.Object(FILTER, { ...closed, minProperties: 1 }),
        expect_count: Type.Integer({ minimum: 1 }),
        reason: REASON,
      },
      closed,
    ),
    run: ({ app, actor, body }) =>
      proposeBulkReplay(app, actor, {
        filter: body.filter,
        expectCount: body.expect_count,
        reason: body.reason,
      }),
  }),
  list('/proposals', {
    act: 'review.proposals',
    summary: 'Corrections and replays that wait for a second person',
    query: { ...LATEST, all: Type.Optional(FLAG) },
    run: async ({ app, actor, query }) => ({
      items: await listProposals(app, actor, { all: query.all === true, limit: limitOf(query) }),
    }),
  }),
  get('/proposals/{id}', {
    act: 'review.proposal',
    summary: 'One of them, with what would be sent',
    params: ID,
    run: ({ app, actor, params }) => openProposal(app, actor, params.id),
  }),
  post('/proposals/{id}/approve', {
    act: 'review.approve',
    summary: 'Approve it as a second person, naming its hash',
    params: ID,
    body: Type.Object({ sha256: HASH }, closed),
    run: ({ app, actor, params, body }) =>
      approveReview(app, actor, { id: params.id, expectHash: body.sha256 }),
  }),
  post('/proposals/{id}/withdraw', {
    act: 'review.withdraw',
    summary: 'Refuse it, or withdraw your own',
    params: ID,
    body: Type.Object({ reason: REASON }, closed),
    run: ({ app, actor, params, body }) =>
      withdrawReview(app, actor, { id: params.id, reason: body.reason }),
  }),
];
