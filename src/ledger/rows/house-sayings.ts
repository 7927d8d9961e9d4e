/** Holds, lanes, quarantine, retention, webhooks and alerts: which entry says what of which row. */
import { canonicalText } from '../../core/index.ts';
import { at, given, named, type SayingsOf } from './saying.ts';

/** Every entry about a lane counts it up; only some say more. */
const lane: SayingsOf = ({ type, subj, data }) => {
  const ceiling = type === 'lane.ceiling' ? { ceiling: at(data, 'to') } : {};
  return [{ kind: 'lane', id: subj.id, set: { ...ceiling, ver: subj.ver }, isWeak: true }];
};

const removed: SayingsOf = ({ subj }) => [
  { kind: 'subscription', id: subj.id, set: { removed: true } },
];

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
        stored_origin: at(data, 'origin'),
        // A later profile leaves the ceiling as people have set it, or lowers it.
        ...(subj.ver === 1 ? given(data, 'ceiling') : {}),
        ver: subj.ver,
      },
      ...(subj.ver === 1 ? {} : { drop: ['ceiling'] }),
    },
  ],
  'lane.paused': lane,
  'lane.resumed': lane,
  'lane.ceiling': lane,
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
      set: { ...given(data, 'host', 'types', 'allow_private'), removed: false },
    },
  ],
  'subscription.removed': removed,
  'alert.acknowledged': ({ subj, actor }) => [
    { kind: 'alert', id: subj.id, set: { acknowledged_by: actor.id } },
  ],
};
