import { Type } from 'typebox';
import {
  diagnosePayload,
  forecastFilings,
  listFilings,
  openPayload,
  showFiling,
  unfiledOf,
  SLACK_THRESHOLDS_MS,
} from '../../filings/index.ts';
import { FILING_STATUSES } from '../../core/index.ts';
import { ledgerHistory } from '../../oversight/index.ts';
import { keyOf, pageOf } from '../paging.ts';
import { ID, kit, LATEST, limitOf, NAME, PAGING, given, TIME, timeOf } from './kit.ts';

const { get, list } = kit('filings');

export const filings = [
  list('/filings', {
    act: 'filing.list',
    summary: 'Filings, in the order of their ids',
    query: {
      ...PAGING,
      status: Type.Optional(Type.Union(FILING_STATUSES.map((status) => Type.Literal(status)))),
      lane: Type.Optional(NAME),
      batch: Type.Optional(Type.String({ format: 'uuid' })),
    },
    run: async ({ app, actor, query }) => {
      const { status, lane, batch } = query;
      const limit = limitOf(query);
      const filter = { ...given({ status, lane, batch, after: keyOf(query) }), limit: limit + 1 };
      return pageOf(await listFilings(app, actor, filter), limit, ({ id }) => id);
    },
  }),
  get('/filings/{id}', {
    act: 'filing.show',
    summary: 'One filing by its id or idempotency key, with its attempts',
    params: ID,
    run: ({ app, actor, params }) => showFiling(app, actor, params.id),
  }),
  get('/filings/{id}/payload', {
    act: 'filing.open',
    summary: 'Its payload, opened; the ledger notes who looked',
    params: ID,
    run: async ({ app, actor, params }) => {
      const { filing } = await showFiling(app, actor, params.id);
      return { payload: await openPayload(app, actor, filing) };
    },
  }),
  get('/filings/{id}/history', {
    act: 'audit.log',
    summary: 'Its entries in the ledger',
    params: ID,
    query: LATEST,
    run: ({ app, actor, params, query }) =>
      ledgerHistory(app, actor, { filing: params.id }, limitOf(query)),
  }),
  get('/filings/{id}/diagnosis', {
    act: 'diagnose.payload',
    summary: 'Why its payload is refused; shows no names',
    params: ID,
    run: ({ app, actor, params }) => diagnosePayload(app, actor, params.id),
  }),
  get('/forecast', {
    act: 'forecast.show',
    summary: 'When each lane will finish, and which filings are at risk',
    query: {
      batch: Type.Optional(Type.String({ format: 'uuid' })),
      lane: Type.Optional(NAME),
      due_before: Type.Optional(TIME),
    },
    run: ({ app, actor, query: { batch, lane, due_before: before } }) => {
      const dueBefore = before === undefined ? undefined : timeOf('due_before', before);
      return forecastFilings(app, actor, given({ batch, lane, dueBefore }));
    },
  }),
  get('/forecast/unfiled', {
    act: 'forecast.unfiled',
    summary: 'Obligations that come due and have no filing',
    run: async ({ app, actor }) => ({
      groups: await unfiledOf(app, actor, SLACK_THRESHOLDS_MS),
    }),
  }),
];
