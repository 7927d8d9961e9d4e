import { Type } from 'typebox';
import {
  importRegister,
  listObligations,
  recompute,
  viewEntities,
  viewEntity,
} from '../../entities/index.ts';
import { keyOf, pageOf, partOf } from '../paging.ts';
import { DAY, FLAG, given, ID, kit, limitOf, NAME, PAGING } from './kit.ts';
import { SHEET, sheetChoices } from './sheet.ts';

const { get, list, post } = kit('entities');
const STATES = ['open', 'record_needed', 'nothing_owed', 'met', 'superseded'] as const;
const LISTED = {
  ...PAGING,
  jurisdiction: Type.Optional(NAME),
  kind: Type.Optional(NAME),
  q: Type.Optional(NAME),
};

export const entities = [
  list('/entities', {
    act: 'entity.list',
    summary: 'The register of entities, in the order of their ids; sealed fields stay sealed',
    query: LISTED,
    run: async ({ app, actor, query }) => {
      const { jurisdiction, kind, q } = query;
      const limit = limitOf(query);
      const after = keyOf(query);
      const filter = { ...given({ jurisdiction, kind, q, after }), limit: limit + 1 };
      return pageOf(await viewEntities(app, actor, filter, false), limit, ({ id }) => id);
    },
  }),
  post('/entities', {
    act: 'entity.import',
    summary:
      'Import a file of entities into the register; all good rows, or none if the file breaks off',
    query: { ...SHEET, as_of: Type.Optional(DAY) },
    takesFile: true,
    run: async ({ app, actor, query, upload }) => {
      const { errorFile: _, ...report } = await importRegister(app, actor, {
        path: upload.path,
        dryRun: query.dry_run === true,
        choices: sheetChoices(query),
        ...given({ asOf: query.as_of }),
      });
      return report;
    },
  }),
  get('/entities/{id}', {
    act: 'entity.show',
    summary: 'One entity with its obligations',
    params: ID,
    run: ({ app, actor, params }) => viewEntity(app, actor, params.id, false),
  }),
  get('/entities/{id}/record', {
    act: 'entity.open',
    summary: 'The same with its sealed fields opened; the ledger notes who looked',
    params: ID,
    run: ({ app, actor, params }) => viewEntity(app, actor, params.id, true),
  }),
  list('/obligations', {
    act: 'obligation.list',
    summary: 'What the entities owe, in the order of the dates; those without a date first',
    query: {
      ...PAGING,
      state: Type.Optional(
        Type.Array(Type.Union(STATES.map((state) => Type.Literal(state))), { maxItems: 5 }),
      ),
      jurisdiction: Type.Optional(Type.Array(NAME, { maxItems: 60 })),
      due_before: Type.Optional(DAY),
    },
    run: async ({ app, actor, query }) => {
      const all = await listObligations(app, actor, {
        states: query.state ?? ['open', 'record_needed'],
        jurisdictions: query.jurisdiction ?? [],
        ...given({ dueBefore: query.due_before }),
      });
      return partOf(all, query, ({ id }) => id);
    },
  }),
  post('/obligations/foresee', {
    act: 'obligation.foresee',
    summary: 'What a recomputation would move; writes nothing',
    body: Type.Object(
      { as_of: Type.Optional(DAY), jurisdiction: Type.Optional(NAME) },
      { additionalProperties: false },
    ),
    run: ({ app, actor, body: { as_of: asOf, jurisdiction } }) =>
      recompute(app, actor, { dryRun: true, ...given({ asOf, jurisdiction }) }),
  }),
  post('/obligations/recompute', {
    act: 'obligation.recompute',
    summary: 'Compute all obligations anew, by the law of today',
    body: Type.Object(
      {
        as_of: Type.Optional(DAY),
        jurisdiction: Type.Optional(NAME),
        dry_run: Type.Optional(FLAG),
      },
      { additionalProperties: false },
    ),
    run: ({ app, actor, body: { as_of: asOf, jurisdiction, dry_run: dry } }) =>
      recompute(app, actor, { dryRun: dry === true, ...given({ asOf, jurisdiction }) }),
  }),
];
