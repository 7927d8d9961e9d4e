/** Holds, lanes, quarantine, retention, webhooks and alerts: which entry says what of which row. */
import { canonicalText } from '../../core/index.ts';
import { at, type Fields, given, named, type Saying, type SayingsOf } from './saying.ts';

/** Every entry about a lane counts it up; only some say more. */
const lane: SayingsOf = ({ type, subj, data }) => {
  if (subj.kind !== 'lane') return [];
  const set = { ...standing(type, data), ver: subj.ver };
  return [{ kind: 'lane', id: subj.id, set, isWeak: true }];
};

function standing(type: string, data: Fields): Fields {
  switch (type) {
    case 'lane.ceiling':
      return { ceiling: at(data, 'to') };
    case 'lane.paused':
      return { paused: at(data, 'reason'), until: at(data, 'until') };
    case 'lane.resumed':
      return SENDS;
    default:
      return typeof data.to === 'string' ? { breaker: data.to } : {};
  }
}

const SENDS = { paused: null, until: null };

const removed: SayingsOf = ({ subj }) => [
  { kind: 'subscription', id: subj.id, set: { removed: true } },
];

const recipient = (isRemoved: boolean): SayingsOf =>
  function said({ subj }): readonly Saying[] {
    return [{ kind: 'recipient', id: subj.id, set: { removed: isRemoved, ver: subj.ver } }];
  };

export const houseSayings: Readonly<Record<string, SayingsOf>> = {
  'hold.placed': ({ subj, actor, data }) => [
    {
      kind: 'hold',
      id: subj.id,
      set: {
        subject: at(data, 'subject'),
        placed_by: actor.id,
        released_by: null,
        sha256: at(data, 'sha256'),
        ver: subj.ver,
      },
    },
    {
      kind: 'proposal',
      id: `hold/${subj.id}/1`,
      set: {
        terms: canonicalText({ act: 'release' }),
        sha256: at(data, 'sha256'),
        computed_sha256: at(data, 'sha256'),
        proposed_by: actor.id,
        state: 'open',
        decided_by: null,
      },
    },
  ],
  'hold.released': ({ subj, actor }) => [
    { kind: 'hold', id: subj.id, set: { released_by: actor.id, ver: subj.ver } },
    {
      kind: 'proposal',
      id: `hold/${subj.id}/1`,
      set: { state: 'approved', decided_by: actor.id },
    },
  ],
  'lane.profiled': ({ subj, data }) => [
    {
      kind: 'lane',
      id: subj.id,
      set: {
        ...given(data, 'profile_sha256', 'origin', 'effect'),
        stored_sha256: at(data, 'profile_sha256'),
        numbered_sha256: at(data, 'profile_sha256'),
        stored_origin: at(data, 'origin'),
        // A later profile leaves the ceiling as people have set it, or lowers it.
        ...(subj.ver === 1 ? { ...given(data, 'ceiling'), ...SENDS, breaker: 'closed' } : {}),
        ver: subj.ver,
      },
      ...(subj.ver === 1 ? {} : { drop: ['ceiling'] }),
    },
    {
      kind: 'lane_profile',
      id: `${subj.id} ${named(data.profile_sha256)}`,
      set: { origin: at(data, 'origin') },
    },
  ],
  'lane.paused': lane,
  'lane.resumed': lane,
  'lane.ceiling': lane,
  'breaker.opened': lane,
  'breaker.half_open': lane,
  'breaker.closed': lane,
  'quarantine.entered': ({ subj }) => [
    { kind: 'quarantine', id: subj.id, set: { state: 'in', left_by: null, ver: subj.ver } },
  ],
  'quarantine.left': ({ subj, actor, data }) => [
    { kind: 'quarantine', id: subj.id, set: { state: 'out', left_by: actor.id, ver: subj.ver } },
    {
      kind: 'proposal',
      // It was proposed while the quarantine had the version before.
      id: `quarantine/${subj.id}#${subj.ver - 1}/${named(data.release)}`,
      set: { state: 'approved', decided_by: actor.id, proposed_by: at(data, 'proposed_by') },
    },
  ],
  'retention.shredded': ({ data }) =>
    (Array.isArray(data.keys) ? data.keys : []).map((key) => ({
      kind: 'shredded_key' as const,
      id: named(key),
      set: { state: 'shredded' },
    })),
  'subscription.added': ({ subj, data }) => [
    {
      kind: 'subscription',
      id: subj.id,
      set: { ...given(data, 'host', 'types', 'allow_private'), removed: false, approved: false },
    },
  ],
  'subscription.enabled': ({ subj }) => [
    { kind: 'subscription', id: subj.id, set: { approved: true } },
  ],
  // Its entry comes in the same moment as the row of the webhook, which it covers by its hash.
  'change.proposed': ({ data }) => {
    if (data.kind !== 'webhook') return [];
    return [{ kind: 'subscription', id: named(data.subject), set: given(data, 'sha256') }];
  },
  'recipient.added': recipient(false),
  'recipient.removed': recipient(true),
  'mail.set': ({ subj, data }) => [
    {
      kind: 'mail_setting',
      id: subj.id,
      set: { ...given(data, 'smtp', 'sender', 'allow_private'), ver: subj.ver },
    },
  ],
  'subscription.removed': removed,
  'alert.acknowledged': ({ subj, actor }) => [
    { kind: 'alert', id: subj.id, set: { acknowledged_by: actor.id } },
  ],
};
