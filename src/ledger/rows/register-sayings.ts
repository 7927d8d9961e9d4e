/** Entities and obligations: which entry says what of which row. */
import { at, given, type SayingsOf } from './saying.ts';

const entity: SayingsOf = ({ subj, data, body }) => [
  {
    kind: 'entity',
    id: subj.id,
    set: {
      ...given(data, 'jurisdiction', 'registry_number', 'kind', 'origin'),
      ct: body?.ct ?? null,
      ver: subj.ver,
    },
  },
];

const OWED = [
  'entity',
  'jurisdiction',
  'filing_kind',
  'period',
  'state',
  'as_of',
  'rule_version',
  'calendar_version',
  'due',
  'raw',
  'fee_cents',
] as const;

const owed: SayingsOf = ({ subj, data }) => [
  {
    kind: 'obligation',
    id: subj.id,
    set: { ...given(data, ...OWED), rule: at(data, 'rule'), ver: subj.ver },
    // One that is not open has dates in its row that are nobody's duty.
    drop: ['due', 'raw', 'fee_cents'],
  },
];

const ended =
  (state: string): SayingsOf =>
  ({ subj }) => [{ kind: 'obligation', id: subj.id, set: { state, ver: subj.ver } }];

export const registerSayings: Readonly<Record<string, SayingsOf>> = {
  'entity.recorded': entity,
  'entity.changed': entity,
  'obligation.computed': owed,
  'obligation.moved': owed,
  'obligation.restated': owed,
  'obligation.met': ended('met'),
  'obligation.superseded': ended('superseded'),
};
