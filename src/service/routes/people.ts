import { Type } from 'typebox';
import { ROLES } from '../../access/index.ts';
import {
  addOwnKey,
  addUser,
  approveUser,
  changeRoles,
  disableUser,
  enableUser,
  listInbox,
  listUserKeys,
  listUsers,
  refuseUser,
  replaceKey,
  revokeKey,
  userProposals,
  whoami,
} from '../../oversight/index.ts';
import {
  listProgramTokens,
  listSignIns,
  makeLink,
  makeToken,
  revokeProgramToken,
  revokeSignIn,
} from '../../people/index.ts';
import { partOf } from '../paging.ts';
import { FLAG, given, HASH, ID, kit, LATEST, limitOf, NAME, PAGING, REASON, REST } from './kit.ts';

const { get, list, post, remove } = kit('people');
const closed = { additionalProperties: false };
const ROLE_LIST = Type.Array(Type.Union(ROLES.map((role) => Type.Literal(role))), {
  minItems: 1,
  maxItems: ROLES.length,
});
const DAYS = Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650 }));

export const people = [
  get('/inbox', {
    act: 'inbox.list',
    summary: 'What is open for you, the most urgent first',
    query: LATEST,
    run: ({ app, actor, query }) => listInbox(app, actor, limitOf(query)),
  }),
  get('/whoami', {
    act: 'user.whoami',
    summary: 'Who you are to others: your roles and who counts as the same person',
    run: ({ app, actor }) => whoami(app, actor),
  }),
  list('/people', {
    act: 'user.list',
    summary: 'All people, with their roles',
    query: PAGING,
    run: async ({ app, actor, query }) =>
      partOf(await listUsers(app, actor), query, ({ id }) => id),
  }),
  post('/people', {
    act: 'user.add',
    summary: 'Add a person; waits for approval by another administrator',
    body: Type.Object({ name: NAME, roles: ROLE_LIST, reason: Type.Optional(REASON) }, closed),
    run: ({ app, actor, body }) => addUser(app, actor, body),
  }),
  post('/people/{id}/disable', {
    act: 'user.disable',
    summary: 'Disable a person, by name, and all their keys, at once',
    params: ID,
    body: REST,
    run: async ({ app, actor, params }) => {
      await disableUser(app, actor, params.id);
      return { name: params.id };
    },
  }),
  post('/people/{id}/enable', {
    act: 'user.enable',
    summary: 'Enable a disabled person again, by name; waits for approval',
    params: ID,
    body: Type.Object({ reason: Type.Optional(REASON) }, closed),
    run: ({ app, actor, params, body }) =>
      enableUser(app, actor, { name: params.id, ...given({ reason: body.reason }) }),
  }),
  post('/people/{id}/roles', {
    act: 'user.role',
    summary: 'Give or take roles of a person, by name; waits for approval',
    params: ID,
    body: Type.Object(
      {
        act: Type.Union([Type.Literal('give'), Type.Literal('take')]),
        roles: ROLE_LIST,
        reason: Type.Optional(REASON),
      },
      closed,
    ),
    run: ({ app, actor, params, body }) => changeRoles(app, actor, { name: params.id, ...body }),
  }),
  list('/people/proposals', {
    act: 'user.proposals',
    summary: 'Proposals about people that wait for another administrator',
    query: { ...PAGING, all: Type.Optional(FLAG) },
    run: async ({ app, actor, query }) =>
      partOf(await userProposals(app, actor, { all: query.all === true }), query, ({ id }) => id),
  }),
  post('/people/proposals/{id}/approve', {
    act: 'user.approve',
    summary: 'Approve one as another administrator, naming its hash; may answer with a code, once',
    params: ID,
    body: Type.Object({ sha256: HASH }, closed),
    run: ({ app, actor, params, body }) =>
      approveUser(app, actor, { id: params.id, sha256: body.sha256 }),
  }),
  post('/people/proposals/{id}/refuse', {
    act: 'user.refuse',
    summary: 'Refuse one, or withdraw your own',
    params: ID,
    body: Type.Object({ reason: REASON }, closed),
    run: async ({ app, actor, params, body }) => {
      await refuseUser(app, actor, { id: params.id, reason: body.reason });
      return { id: params.id };
    },
  }),
  list('/keys', {
    act: 'user.key.list',
    summary: 'Your keys; those of everyone for an administrator',
    query: PAGING,
    run: async ({ app, actor, query }) =>
      partOf(await listUserKeys(app, actor), query, ({ id }) => id),
  }),
  post('/keys', {
    act: 'user.key.add',
    summary: 'Another key of your own, shown once',
    body: Type.Object({ name: NAME, days: DAYS }, closed),
    run: ({ app, actor, body }) => addOwnKey(app, actor, body),
  }),
  remove('/keys/{id}', {
    act: 'user.key.revoke',
    summary: 'Revoke a key at once',
    params: ID,
    run: async ({ app, actor, params }) => {
      await revokeKey(app, actor, params.id);
      return { id: params.id };
    },
  }),
  post('/people/{id}/key', {
    act: 'user.key.replace',
    summary: 'Replace the lost keys of a person, by name; waits for approval',
    params: ID,
    body: Type.Object({ reason: Type.Optional(REASON) }, closed),
    run: ({ app, actor, params, body }) =>
      replaceKey(app, actor, { name: params.id, ...given({ reason: body.reason }) }),
  }),
  post('/links', {
    act: 'user.link',
    summary: 'A link that signs you in once, within ten minutes, shown once',
    body: REST,
    run: ({ app, actor }) => makeLink(app, actor),
  }),
  list('/sessions', {
    act: 'session.list',
    summary: 'Your sessions; those of everyone for an administrator',
    query: { ...PAGING, all: Type.Optional(FLAG) },
    run: async ({ app, actor, query }) =>
      partOf(await listSignIns(app, actor, { all: query.all === true }), query, ({ id }) => id),
  }),
  remove('/sessions/{id}', {
    act: 'session.revoke',
    summary: 'End a session at once',
    params: ID,
    run: async ({ app, actor, params }) => {
      await revokeSignIn(app, actor, params.id);
      return { id: params.id };
    },
  }),
  list('/tokens', {
    act: 'token.list',
    summary: 'Your tokens; those of everyone for an administrator',
    query: PAGING,
    run: async ({ app, actor, query }) =>
      partOf(await listProgramTokens(app, actor), query, ({ id }) => id),
  }),
  post('/tokens', {
    act: 'token.add',
    summary: 'A token with which another program acts for you, in these acts alone; shown once',
    body: Type.Object(
      { name: NAME, acts: Type.Array(NAME, { minItems: 1, maxItems: 200 }), days: DAYS },
      closed,
    ),
    run: ({ app, actor, body }) => makeToken(app, actor, body),
  }),
  remove('/tokens/{id}', {
    act: 'token.revoke',
    summary: 'Revoke a token at once',
    params: ID,
    run: async ({ app, actor, params }) => {
      await revokeProgramToken(app, actor, params.id);
      return { id: params.id };
    },
  }),
];
