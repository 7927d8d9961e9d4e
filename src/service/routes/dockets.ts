import { Type } from 'typebox';
import {
  acknowledgeDocket,
  approveRouting,
  closeDocket,
  type ClosingGround,
  diagnoseRoute,
  docketReport,
  importDocketFile,
  listDockets,
  listRecoveryDifferences,
  noteAbsence,
  refuseRouting,
  reviewDifferences,
  routingProposals,
  showDocket,
  viewRouting,
} from '../../dockets/index.ts';
import { misuse } from '../../core/index.ts';
import {
  DAY,
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

const { get, list, post } = kit('dockets');
const closed = { additionalProperties: false };
const WHOSE = {
  owner: Type.Optional(NAME),
  client: Type.Optional(NAME),
  matter: Type.Optional(NAME),
};
const GROUND = {
  receipt: Type.Optional(WORDS),
  filed_at: Type.Optional(TIME),
  override: Type.Optional(REASON),
};

export const dockets = [
  list('/dockets', {
    act: 'docket.list',
    summary: 'Docket events that you may see, the most urgent first',
    query: { ...LATEST, ...WHOSE, closed: Type.Optional(FLAG) },
    run: async ({ app, actor, query }) => {
      const { owner, client, matter } = query;
      const question = { closed: query.closed === true, ...given({ owner, client, matter }) };
      const found = await listDockets(app, actor, { ...question, limit: limitOf(query) });
      return { items: found.dockets };
    },
  }),
  post('/dockets', {
    act: 'docket.import',
    summary: 'Import a file of docket events',
    query: { dry_run: Type.Optional(FLAG) },
    takesFile: true,
    run: async ({ app, actor, query, upload }) => {
      const dryRun = query.dry_run === true;
      const { errorFile: _, ...report } = await importDocketFile(app, actor, {
        path: upload.path,
        dryRun,
      });
      return report;
    },
  }),
  get('/dockets/report', {
    act: 'docket.report',
    summary: 'The docket report, row by row',
    query: { ...WHOSE, due_before: Type.Optional(DAY) },
    run: ({ app, actor, query: { owner, client, matter, due_before: dueBefore } }) =>
      docketReport(app, actor, given({ owner, client, matter, dueBefore })),
  }),
  get('/dockets/{id}', {
    act: 'docket.show',
    summary: 'One docket event with its deadline, its owner and its way',
    params: ID,
    run: ({ app, actor, params }) => showDocket(app, actor, params.id),
  }),
  get('/dockets/{id}/route', {
    act: 'diagnose.route',
    summary: 'Why it is where it is',
    params: ID,
    run: ({ app, actor, params }) => diagnoseRoute(app, actor, params.id, { allowPrivate: false }),
  }),
  post('/dockets/{id}/acknowledge', {
    act: 'docket.ack',
    summary: 'Confirm that you have it',
    params: ID,
    body: REST,
    run: ({ app, actor, params }) => acknowledgeDocket(app, actor, params.id),
  }),
  post('/dockets/{id}/close', {
    act: 'docket.close',
    summary: 'Close it, with proof of filing, with an override, or as seen',
    params: ID,
    body: Type.Object(GROUND, closed),
    run: ({ app, actor, params, body }) => closeDocket(app, actor, params.id, groundOf(body)),
  }),
  get('/routing', {
    act: 'route.show',
    summary: 'The matrix that says who gets which docket, with people and absences',
    run: ({ app, actor }) => viewRouting(app, actor),
  }),
  list('/routing/proposals', {
    act: 'route.proposals',
    summary: 'Changes of the routing that wait for a second person',
    run: async ({ app, actor }) => ({ items: await routingProposals(app, actor) }),
  }),
  post('/routing/approve', {
    act: 'route.decide',
    summary: 'Approve the proposed routing as a second person, naming its hash',
    body: Type.Object({ sha256: HASH }, closed),
    run: ({ app, actor, body }) => approveRouting(app, actor, body.sha256),
  }),
  post('/routing/refuse', {
    act: 'route.decide',
    summary: 'Refuse the proposed routing, or withdraw your own',
    body: Type.Object({ reason: REASON }, closed),
    run: async ({ app, actor, body }) => {
      await refuseRouting(app, actor, body.reason);
      return {};
    },
  }),
  post('/routing/absences', {
    act: 'route.absent',
    summary: 'Note that a person is away; it counts at once',
    body: Type.Object({ person: NAME, from: DAY, to: DAY, delegate: Type.Optional(NAME) }, closed),
    run: async ({ app, actor, body }) => {
      await noteAbsence(app, actor, body);
      return { person: body.person };
    },
  }),
  list('/recoveries/differences', {
    act: 'recovery.differences',
    summary: 'Open differences that recoveries of targets found, the most urgent first',
    query: { client: Type.Optional(NAME) },
    run: async ({ app, actor, query }) => ({
      items: await listRecoveryDifferences(app, actor, given({ client: query.client })),
    }),
  }),
  post('/dockets/{id}/differences/review', {
    act: 'recovery.review',
    summary: 'Say that its differences were looked at',
    params: ID,
    body: REST,
    run: async ({ app, actor, params }) => ({
      reviewed: await reviewDifferences(app, actor, params.id),
    }),
  }),
];

function groundOf(body: {
  readonly receipt?: string;
  readonly filed_at?: string;
  readonly override?: string;
}): ClosingGround {
  const { receipt, filed_at: filedAt, override } = body;
  if (override !== undefined) {
    if (receipt !== undefined || filedAt !== undefined) {
      throw misuse('Expected a receipt with filed_at, or an override, not both');
    }
    return { kind: 'override', reason: override };
  }
  if (receipt === undefined && filedAt === undefined) return { kind: 'seen' };
  if (receipt === undefined || filedAt === undefined) {
    throw misuse('Expected a receipt and filed_at together');
  }
  return { kind: 'proof', receipt, filedAt: timeOf('filed_at', filedAt) };
}
