import { Type } from 'typebox';
import {
  approvalTerms,
  approve,
  batchStatus,
  createBatch,
  importFile,
  listBatches,
  proposeAgain,
  readBatchId,
} from '../../filings/index.ts';
import { APPROVAL_DAYS } from '../../core/index.ts';
import { DAY, FLAG, given, HASH, ID, kit, LATEST, limitOf, REASON } from './kit.ts';
import { SHEET, sheetChoices } from './sheet.ts';

const { get, list, post } = kit('batches');

export const batches = [
  list('/batches', {
    act: 'batch.list',
    summary: 'The newest batches',
    query: LATEST,
    run: async ({ app, actor, query }) => ({
      items: await listBatches(app, actor, limitOf(query)),
    }),
  }),
  post('/batches', {
    act: 'batch.import',
    summary:
      'Import a file of filings as a batch; all of its good rows or, if the file breaks off, none',
    query: SHEET,
    takesFile: true,
    run: async ({ app, actor, query, upload }) => {
      const { errorFile: _, ...report } = await importFile(app, actor, {
        path: upload.path,
        dryRun: query.dry_run === true,
        choices: sheetChoices(query),
      });
      return report;
    },
  }),
  post('/batches/from-obligations', {
    act: 'batch.create',
    summary: 'Make a batch of the obligations that come due',
    body: Type.Object(
      {
        due_before: DAY,
        jurisdictions: Type.Optional(Type.Array(Type.String({ maxLength: 10 }), { maxItems: 60 })),
        as_of: Type.Optional(DAY),
        dry_run: Type.Optional(FLAG),
      },
      { additionalProperties: false },
    ),
    run: async ({ app, actor, body }) => {
      const { errorFile: _, ...report } = await createBatch(app, actor, {
        dueBefore: body.due_before,
        jurisdictions: body.jurisdictions ?? [],
        dryRun: body.dry_run === true,
        ...given({ asOf: body.as_of }),
      });
      return report;
    },
  }),
  get('/batches/{id}', {
    act: 'batch.status',
    summary: 'One batch, with its counts per lane',
    params: ID,
    run: ({ app, actor, params }) => batchStatus(app, actor, readBatchId(params.id)),
  }),
  get('/batches/{id}/terms', {
    act: 'batch.terms',
    summary: 'What an approval of it would let go: hash, count, fees, destinations',
    params: ID,
    run: ({ app, actor, params }) => approvalTerms(app, actor, readBatchId(params.id)),
  }),
  post('/batches/{id}/approve', {
    act: 'batch.approve',
    summary: 'Approve it as a second person, naming the hash that was looked at',
    params: ID,
    body: Type.Object(
      {
        sha256: HASH,
        proposal: Type.Optional(HASH),
        count: Type.Optional(Type.Integer({ minimum: 0 })),
        total_cents: Type.Optional(Type.Integer({ minimum: 0 })),
        valid_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366 })),
      },
      { additionalProperties: false },
    ),
    run: ({ app, actor, params, body }) => {
      const { sha256, proposal, count, total_cents: totalCents } = body;
      const expected = given({ sha256, proposal, count, totalCents });
      const days = body.valid_days ?? APPROVAL_DAYS;
      return approve(app, actor, readBatchId(params.id), expected, days);
    },
  }),
  post('/batches/{id}/propose', {
    act: 'batch.propose',
    summary: 'Propose it again, after its approval ended or was void',
    params: ID,
    body: Type.Object({ reason: REASON }, { additionalProperties: false }),
    run: ({ app, actor, params, body }) =>
      proposeAgain(app, actor, readBatchId(params.id), body.reason),
  }),
];
