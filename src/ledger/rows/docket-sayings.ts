/** Dockets and their routing: which entry says what of which row. */
import {
  at,
  type Fields,
  given,
  named,
  type Saying,
  type SayingsOf,
  SEALED_UNDER,
  type Told,
} from './saying.ts';

/** Each log counts a docket's entries by itself. */
function counted({ subj, boundary }: Told): Saying {
  const set = boundary === 'access' ? { access_ver: subj.ver } : { ver: subj.ver };
  return { kind: 'docket', id: subj.id, set };
}

export const docketSayings: Readonly<Record<string, SayingsOf>> = {
  'docket.received': ({ subj, actor, cls, data, body }) => [
    {
      kind: 'docket',
      id: subj.id,
      set: {
        ...(cls === 'privileged' ? {} : given(data, 'payload_sha256')),
        ...given(data, 'read_sha256'),
        payload_ct: body?.ct ?? null,
        [SEALED_UNDER]: body?.key ?? null,
        received_by: actor.kind === 'user' ? actor.id : null,
        dating_sha256: null,
        confirmed: false,
        closed: false,
      },
    },
  ],
  'docket.conflict': ({ subj, cls, data, body }) => [
    {
      kind: 'docket_version',
      id: `${subj.id}/${named(data.version)}`,
      set: {
        ...(cls === 'privileged' ? {} : given(data, 'payload_sha256')),
        ...given(data, 'read_sha256'),
        payload_ct: body?.ct ?? null,
      },
    },
  ],
  'docket.dated': ({ subj, data }) => [
    { kind: 'docket', id: subj.id, set: { dating_sha256: at(data, 'dating_sha256') } },
  ],
  'docket.seconded': ({ subj, actor, data }) => [
    {
      kind: 'docket_second',
      id: subj.id,
      set: {
        ...given(data, 'event_sha256'),
        by: actor.id,
        decided_for: null,
        decided_by: null,
        reason: null,
      },
    },
  ],
  'docket.second_decided': ({ subj, actor, data }) => [
    {
      kind: 'docket_second',
      id: subj.id,
      set: { decided_for: at(data, 'for'), decided_by: actor.id, reason: at(data, 'reason') },
    },
  ],
  'docket.revealed': ({ subj, actor, data }) => [
    {
      kind: 'docket_reveal',
      id: `${subj.id}/${actor.id}`,
      set: { ...given(data, 'reason') },
    },
  ],
  'docket.handoff': ({ subj, data }) => [
    {
      kind: 'handoff',
      id: `${subj.id}/${named(data.handoff)}`,
      set: given(data, 'tier', 'target', 'party', 'due', 'final'),
    },
  ],
  'docket.redated': ({ subj, data }) => {
    const { due = null, final = null } = Object(data.to) as Fields;
    return [{ kind: 'docket', id: subj.id, set: { due, final } }];
  },
  'docket.confirmed': ({ subj, data }) => [
    {
      kind: 'docket',
      id: subj.id,
      set: { confirmed: true, confirmed_by: at(data, 'by'), tier: at(data, 'tier') },
    },
  ],
  'docket.given': ({ subj }) => [
    {
      kind: 'docket',
      id: subj.id,
      set: { confirmed: false, confirmed_by: null },
      drop: ['tier'],
    },
  ],
  'docket.closed': ({ subj, actor, data }) => [
    {
      kind: 'docket',
      id: subj.id,
      set: {
        closed: true,
        closed_by: actor.id,
        how: at(data, 'how'),
        closing_receipt: at(data, 'receipt'),
        in_time: at(data, 'in_time'),
      },
    },
  ],
  'routing.activated': ({ subj, actor, data }) => [
    {
      kind: 'routing_setup',
      id: String(subj.ver),
      set: { ...given(data, 'matrix', 'people'), activated_by: actor.id },
    },
  ],
};

export function countedDocket(told: Told): readonly Saying[] {
  return told.subj.kind === 'docket' ? [counted(told)] : [];
}
