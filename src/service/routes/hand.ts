import { Type } from 'typebox';
import {
  approveHandCorrection,
  handCorrections,
  handSheet,
  type HandSaying,
  listHand,
  refuseHandCorrection,
  renewTaking,
  sayInHand,
  takeFiling,
} from '../../filings/index.ts';
import {
  FLAG,
  given,
  HASH,
  ID,
  kit,
  LATEST,
  limitOf,
  NAME,
  REASON,
  REST,
  TIME,
  timeOf,
  WORDS,
} from './kit.ts';

const { get, list, post } = kit('hand');
const closed = { additionalProperties: false };

const FILED = Type.Object(
  {
    kind: Type.Literal('filed'),
    receipt: WORDS,
    filed_at: TIME,
    fee_cents: Type.Optional(Type.Integer({ minimum: 0 })),
    fee_reason: Type.Optional(REASON),
    evidence: WORDS,
    place: Type.Optional(WORDS),
  },
  closed,
);
const REFUSED = Type.Object({ kind: Type.Literal('refused'), code: NAME, words: WORDS }, closed);
const NOT_FILED = Type.Object(
  { kind: Type.Union([Type.Literal('not_filed'), Type.Literal('unsure')]), reason: REASON },
  closed,
);
const ABSENT = Type.Object({ kind: Type.Literal('absent'), place: WORDS, looked_at: TIME }, closed);

export const hand = [
  list('/hand', {
    act: 'hand.list',
    summary: 'Filings that a person files, by slack',
    query: {
      ...LATEST,
      lane: Type.Optional(NAME),
      all: Type.Optional(FLAG),
      mine: Type.Optional(FLAG),
    },
    run: ({ app, actor, query }) => {
      const { lane, all, mine } = query;
      return listHand(app, actor, { ...given({ lane, all, mine }), limit: limitOf(query) });
    },
  }),
  post('/hand/take', {
    act: 'hand.take',
    summary: 'Take the most urgent filing of a lane, or of all, for a time',
    body: Type.Object({ filing: Type.Optional(NAME), lane: Type.Optional(NAME) }, closed),
    run: async ({ app, actor, body }) => {
      const which = body.filing === undefined ? { lane: body.lane } : { name: body.filing };
      return { taken: (await takeFiling(app, actor, which)) ?? null };
    },
  }),
  post('/hand/{id}/renew', {
    act: 'hand.renew',
    summary: 'Keep it in hand for longer',
    params: ID,
    body: REST,
    run: ({ app, actor, params }) => renewTaking(app, actor, params.id),
  }),
  get('/hand/{id}/sheet', {
    act: 'hand.sheet',
    summary: 'What to type; the ledger notes who looked',
    params: ID,
    run: ({ app, actor, params }) => handSheet(app, actor, params.id),
  }),
  post('/hand/{id}/say', {
    act: 'hand.say',
    summary: 'Record what came of it',
    params: ID,
    body: Type.Union([FILED, REFUSED, NOT_FILED, ABSENT]),
    run: ({ app, actor, params, body }) => sayInHand(app, actor, params.id, sayingOf(body)),
  }),
  list('/hand/corrections', {
    act: 'hand.corrections',
    summary: 'Corrected receipts that wait for a second person',
    run: async ({ app, actor }) => ({ items: await handCorrections(app, actor) }),
  }),
  post('/hand/{id}/correction/approve', {
    act: 'hand.approve',
    summary: 'Approve the corrected receipt of a filing, naming its hash',
    params: ID,
    body: Type.Object({ sha256: HASH }, closed),
    run: ({ app, actor, params, body }) =>
      approveHandCorrection(app, actor, { filing: params.id, expectHash: body.sha256 }),
  }),
  post('/hand/{id}/correction/refuse', {
    act: 'hand.refuse',
    summary: 'Refuse it, or withdraw your own',
    params: ID,
    body: Type.Object({ reason: REASON }, closed),
    run: async ({ app, actor, params, body }) => {
      await refuseHandCorrection(app, actor, { filing: params.id, reason: body.reason });
      return { filing: params.id };
    },
  }),
];

function sayingOf(
  body: Type.Static<typeof FILED | typeof REFUSED | typeof NOT_FILED | typeof ABSENT>,
): HandSaying {
  switch (body.kind) {
    case 'filed': {
      const { receipt, evidence, fee_reason: feeReason, place } = body;
      return {
        kind: 'filed',
        receipt,
        filedAt: timeOf('filed_at', body.filed_at),
        feeCents: body.fee_cents,
        evidence: { kind: 'text', text: evidence },
        ...given({ feeReason, place }),
      };
    }
    case 'absent':
      return { kind: 'absent', place: body.place, lookedAt: timeOf('looked_at', body.looked_at) };
    case 'refused':
    case 'not_filed':
    case 'unsure':
      return body;
  }
}
