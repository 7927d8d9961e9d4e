import { Type } from 'typebox';
import {
  addProfile,
  approveLane,
  approveProfile,
  hurryLane,
  proposedProfiles,
  recoveringLanes,
  refuseProfile,
} from '../../filings/index.ts';
import { changeLane, listLanes, readProfile } from '../../lanes/index.ts';
import { HASH, ID, kit, PAGING, REASON, REST } from './kit.ts';
import { partOf } from '../paging.ts';

const { list, post } = kit('lanes');
const closed = { additionalProperties: false };

export const lanes = [
  list('/lanes', {
    act: 'lane.list',
    summary: 'The connections to the portals: state, slots, pauses',
    query: PAGING,
    run: async ({ app, actor, query }) =>
      partOf(await listLanes(app, actor), query, ({ profile }) => profile.jurisdiction),
  }),
  post('/lanes', {
    act: 'lane.add',
    summary: 'Add a portal by its profile, or propose another profile for its lane',
    body: Type.Object({ profile: Type.Unknown(), reason: Type.Optional(REASON) }, closed),
    run: ({ app, actor, body }) =>
      addProfile(app, actor, readProfile(JSON.stringify(body.profile), 'profile'), body.reason),
  }),
  list('/lanes/proposals', {
    act: 'lane.proposals',
    summary: 'Profiles that wait for a second person',
    query: PAGING,
    run: async ({ app, actor, query }) =>
      partOf(await proposedProfiles(app, actor), query, ({ sha256 }) => sha256),
  }),
  post('/lanes/{id}/profile/approve', {
    act: 'lane.decide',
    summary: 'Approve the proposed profile of a lane as a second person, naming its hash',
    params: ID,
    body: Type.Object({ sha256: HASH }, closed),
    run: ({ app, actor, params, body }) =>
      approveProfile(app, actor, { lane: params.id, expectHash: body.sha256 }),
  }),
  post('/lanes/{id}/profile/refuse', {
    act: 'lane.decide',
    summary: 'Refuse the proposed profile, or withdraw your own',
    params: ID,
    body: Type.Object({ reason: REASON }, closed),
    run: async ({ app, actor, params, body }) => {
      await refuseProfile(app, actor, { lane: params.id, reason: body.reason });
      return { lane: params.id };
    },
  }),
  post('/lanes/{id}/pause', {
    act: 'lane.change',
    summary: 'Stop sending on a lane until a person resumes it',
    params: ID,
    body: REST,
    run: async ({ app, actor, params }) => ({
      lane: await changeLane(app, actor, params.id, { kind: 'paused_by_person' }),
    }),
  }),
  post('/lanes/{id}/resume', {
    act: 'lane.change',
    summary: 'Send on it again',
    params: ID,
    body: REST,
    run: async ({ app, actor, params }) => ({
      lane: await changeLane(app, actor, params.id, { kind: 'resumed_by_person' }),
    }),
  }),
  post('/lanes/{id}/ceiling', {
    act: 'lane.change',
    summary: 'How many requests it may have in flight',
    params: ID,
    body: Type.Object({ ceiling: Type.Integer({ minimum: 1, maximum: 1_000 }) }, closed),
    run: async ({ app, actor, params, body }) => ({
      lane: await changeLane(app, actor, params.id, { kind: 'ceiling', ceiling: body.ceiling }),
    }),
  }),
  list('/lanes/recoveries', {
    act: 'recovery.status',
    summary: 'Lanes that are coming back',
    run: async ({ app, actor }) => ({ items: await recoveringLanes(app, actor) }),
  }),
  post('/lanes/{id}/recovery/run', {
    act: 'recovery.run',
    summary: 'Ask for the checks of a lane now, as a proposal for a second person',
    params: ID,
    body: REST,
    run: async ({ app, actor, params }) => ({ lane: await hurryLane(app, actor, params.id) }),
  }),
  post('/lanes/{id}/recovery/approve', {
    act: 'recovery.approve',
    summary: 'Approve the recovery of a lane',
    params: ID,
    body: Type.Object({ reason: REASON }, closed),
    run: async ({ app, actor, params, body }) => ({
      lane: await approveLane(app, actor, { lane: params.id, reason: body.reason }),
    }),
  }),
];
