import { Type } from 'typebox';
import {
  acknowledge,
  inspectQuarantine,
  ledgerHistory,
  listAlerts,
  listMails,
  listSetAside,
  retentionStatus,
  holdData,
  releaseData,
  showSetAside,
} from '../../oversight/index.ts';
import { signedLogs } from '../../ledger/index.ts';
import {
  approveMail,
  approveWebhook,
  changeWebhook,
  listEvents,
  listWebhooks,
  mailSettings,
  proposedMail,
  proposedWebhooks,
  refuseMail,
  refuseWebhook,
  webhookLog,
} from '../../people/index.ts';
import { LEDGER_BOUNDARIES } from '../../core/index.ts';
import { partOf } from '../paging.ts';
import {
  FLAG,
  given,
  HASH,
  ID,
  kit,
  LATEST,
  limitOf,
  NAME,
  PAGING,
  REASON,
  REST,
  TIME,
  timeOf,
} from './kit.ts';

const { get, list, post } = kit('house');
const closed = { additionalProperties: false };

const told = [
  list('/alerts', {
    act: 'alert.list',
    summary: 'Warnings that wait for someone to acknowledge them',
    query: { ...LATEST, all: Type.Optional(FLAG) },
    run: async ({ app, actor, query }) => ({
      items: await listAlerts(app, actor, { all: query.all === true, limit: limitOf(query) }),
    }),
  }),
  post('/alerts/{id}/acknowledge', {
    act: 'alert.ack',
    summary: 'Acknowledge a warning',
    params: ID,
    body: REST,
    run: async ({ app, actor, params }) => {
      await acknowledge(app, actor, params.id);
      return { id: params.id };
    },
  }),
  list('/events', {
    act: 'event.list',
    summary: 'What happened, the latest first; GET /stream tells it as it happens',
    query: { ...LATEST, type: Type.Optional(NAME) },
    run: async ({ app, actor, query }) => ({
      items: await listEvents(app, actor, {
        ...given({ type: query.type }),
        limit: limitOf(query),
      }),
    }),
  }),
  list('/mails', {
    act: 'mail.log',
    summary: 'Emails that were sent or wait',
    query: LATEST,
    run: async ({ app, actor, query }) => ({ items: await listMails(app, actor, limitOf(query)) }),
  }),
  get('/mail', {
    act: 'mail.show',
    summary: 'The mail server and the recipients',
    run: ({ app, actor }) => mailSettings(app, actor),
  }),
  list('/mail/proposals', {
    act: 'mail.proposals',
    summary: 'Recipients and servers that wait for a second person',
    run: async ({ app, actor }) => ({ items: await proposedMail(app, actor) }),
  }),
  post('/mail/approve', {
    act: 'mail.decide',
    summary: 'Approve one as a second person, naming its hash',
    body: Type.Object({ subject: NAME, sha256: HASH }, closed),
    run: async ({ app, actor, body }) => {
      await approveMail(app, actor, { subject: body.subject, expectHash: body.sha256 });
      return { subject: body.subject };
    },
  }),
  post('/mail/refuse', {
    act: 'mail.decide',
    summary: 'Refuse one, or withdraw your own',
    body: Type.Object({ subject: NAME, reason: REASON }, closed),
    run: async ({ app, actor, body }) => {
      await refuseMail(app, actor, body);
      return { subject: body.subject };
    },
  }),
];

const webhooks = [
  list('/webhooks', {
    act: 'webhook.list',
    summary: 'Receivers of events',
    query: PAGING,
    run: async ({ app, actor, query }) =>
      partOf(await listWebhooks(app, actor), query, ({ id }) => id),
  }),
  list('/webhooks/proposals', {
    act: 'webhook.proposals',
    summary: 'Addresses that wait for a second person',
    run: async ({ app, actor }) => ({ items: await proposedWebhooks(app, actor) }),
  }),
  list('/webhooks/{id}/attempts', {
    act: 'webhook.log',
    summary: 'What was sent to one, with every attempt',
    params: ID,
    query: LATEST,
    run: async ({ app, actor, params, query }) => ({
      items: await webhookLog(app, actor, { id: params.id, limit: limitOf(query) }),
    }),
  }),
  post('/webhooks/{id}/approve', {
    act: 'webhook.decide',
    summary: 'Approve its address as a second person, naming its hash',
    params: ID,
    body: Type.Object({ sha256: HASH }, closed),
    run: async ({ app, actor, params, body }) => {
      await approveWebhook(app, actor, { id: params.id, expectHash: body.sha256 });
      return { id: params.id };
    },
  }),
  post('/webhooks/{id}/refuse', {
    act: 'webhook.decide',
    summary: 'Refuse it, or withdraw your own',
    params: ID,
    body: Type.Object({ reason: REASON }, closed),
    run: async ({ app, actor, params, body }) => {
      await refuseWebhook(app, actor, { id: params.id, reason: body.reason });
      return { id: params.id };
    },
  }),
  post('/webhooks/{id}/change', {
    act: 'webhook.change',
    summary: 'Enable, disable or remove it',
    params: ID,
    body: Type.Object(
      {
        to: Type.Union([Type.Literal('enable'), Type.Literal('disable'), Type.Literal('remove')]),
      },
      closed,
    ),
    run: async ({ app, actor, params, body }) => {
      await changeWebhook(app, actor, params.id, body.to);
      return { id: params.id };
    },
  }),
];

const proof = [
  list('/ledger/heads', {
    act: 'audit.heads',
    summary: 'The signed heads of the logs, with the keys that sign them',
    run: async ({ app, actor }) => ({ items: await signedLogs(app, actor) }),
  }),
  get('/ledger/{id}/entries', {
    act: 'audit.log',
    summary: 'Entries of one log, between two times',
    params: { id: Type.Union(LEDGER_BOUNDARIES.map((boundary) => Type.Literal(boundary))) },
    query: { ...LATEST, from: TIME, to: TIME },
    run: ({ app, actor, params, query }) => {
      const [from, to] = [timeOf('from', query.from), timeOf('to', query.to)];
      return ledgerHistory(app, actor, { boundary: params.id, from, to }, limitOf(query));
    },
  }),
  get('/ledger/quarantine', {
    act: 'audit.quarantine',
    summary: 'Whether the database contradicts the heads kept outside it',
    run: ({ app, actor }) => inspectQuarantine(app, actor),
  }),
  get('/ledger/set-aside', {
    act: 'audit.set-aside.list',
    summary: 'Facts that no entry can hold',
    run: ({ app, actor }) => listSetAside(app, actor),
  }),
  get('/ledger/set-aside/{id}', {
    act: 'audit.set-aside.show',
    summary: 'One of them',
    params: ID,
    run: ({ app, actor, params }) => showSetAside(app, actor, params.id),
  }),
  get('/retention', {
    act: 'retention.status',
    summary: 'What is kept until when, and the legal holds',
    run: ({ app, actor }) => retentionStatus(app, actor),
  }),
  post('/holds', {
    act: 'retention.hold',
    summary: 'Place a legal hold on one subject, or on everything',
    body: Type.Object({ subject: Type.Optional(NAME), reason: REASON }, closed),
    run: ({ app, actor, body }) =>
      holdData(app, actor, { subject: body.subject, reason: body.reason }),
  }),
  post('/holds/{id}/release', {
    act: 'retention.release',
    summary: 'Release a legal hold as a second person',
    params: ID,
    body: REST,
    run: async ({ app, actor, params }) => {
      await releaseData(app, actor, params.id);
      return { id: params.id };
    },
  }),
];

export const house = [...told, ...webhooks, ...proof];
