/** The grants pipeline: which entry says what of which row. */
import { canonicalText } from '../../core/index.ts';
import { at, type Fields, given, named, type Saying, type SayingsOf, type Told } from './saying.ts';

const NO_PROPOSAL = { state: 'open', decided_by: null };

/** The versions of a subject count its proposals and decisions in turn. */
function decided({ subj, actor, data }: Told, kind: string, state: string | undefined): Saying {
  return {
    kind: 'proposal',
    id: `${kind}/${subj.id}/${named(data.n)}`,
    set: { decided_by: actor.id, ...(state === undefined ? {} : { state }) },
    // Withdrawn by who proposed it, refused by another.
    ...(state === undefined ? { drop: ['state'] } : {}),
  };
}

const statement: SayingsOf = ({ type, subj, actor, data }) => {
  const restores = type === 'feed.restoration_proposed';
  const terms = canonicalText(known({ ...given(data, 'statement', 'replacement'), restores }));
  const set = { proposed_by: actor.id, ...NO_PROPOSAL, terms };
  return [{ kind: 'proposal', id: `statement/${subj.id}/${(subj.ver + 1) / 2}`, set }];
};

function known(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const awardEnd: SayingsOf = ({ subj, data }) => [
  {
    kind: 'award_end',
    id: subj.id,
    set: { exception: at(data, 'exception'), by_award: at(data, 'by') },
  },
];

/** What one word says and another does not is null in its row: an undo has no awards, a word undoes nothing. */
const resolution: SayingsOf = ({ type, subj, actor, data }) => [
  {
    kind: 'resolution',
    id: `${subj.id}/${subj.ver}`,
    set: {
      awards: type === 'line.undone' ? [] : at(data, 'awards'),
      reason: at(data, 'reason'),
      cents: at(data, 'cents'),
      fee_cents: at(data, 'fee_cents'),
      rest: at(data, 'rest'),
      rest_cents: at(data, 'rest_cents'),
      undoes: at(data, 'undoes'),
      resolved_by: actor.id,
    },
  },
];

export const grantSayings: Readonly<Record<string, SayingsOf>> = {
  'period.closed': ({ subj, data }) => [
    {
      kind: 'period',
      id: subj.id,
      set: given(
        data,
        'from',
        'to',
        'account',
        'closing_cents',
        'totals_hash',
        'matched_cents',
        'outcomes',
      ),
    },
  ],
  'period.released': ({ subj, data }) => [
    { kind: 'release', id: subj.id, set: given(data, 'received', 'cents') },
  ],
  'balance.stated': ({ subj, actor, data }) => [
    {
      kind: 'balance',
      id: `${subj.id}/${subj.ver}`,
      set: { cents: at(data, 'cents'), stated_by: actor.id },
    },
  ],
  'line.resolved': resolution,
  'line.undone': resolution,
  'exception.opened': ({ subj, data, body }) => [
    {
      kind: 'grant_exception',
      id: subj.id,
      set: {
        ...given(data, 'boundary', 'escalation_code', 'payload_hash', 'envelope_hash'),
        violation_codes: at(data, 'violation_codes'),
        amends: at(data, 'amends'),
        ct: body?.ct ?? null,
      },
    },
  ],
  'exception.resolution_proposed': ({ subj, actor, data }) => [
    {
      kind: 'proposal',
      id: `exception/${subj.id}/${subj.ver / 2}`,
      set: {
        proposed_by: actor.id,
        ...NO_PROPOSAL,
        terms: canonicalText(known(given(data, 'resolution', 'document', 'amends'))),
      },
    },
  ],
  'exception.resolution_approved': (told) => [decided(told, 'exception', 'approved')],
  'exception.resolution_withdrawn': (told) => [decided(told, 'exception', undefined)],
  'feed.withdrawal_proposed': statement,
  'feed.restoration_proposed': statement,
  'feed.withdrawal_approved': (told) => [decided(told, 'statement', 'approved')],
  'feed.withdrawal_refused': (told) => [decided(told, 'statement', undefined)],
  'document.ingested': ({ subj, data }) => [
    {
      kind: 'grant_document',
      id: subj.id,
      set: given(data, 'records', 'accepted', 'repeated', 'refused', 'format'),
    },
  ],
  'feed.ingested': ({ subj, data }) => [
    { kind: 'grant_feed', id: subj.id, set: given(data, 'format', 'statements', 'lines') },
  ],
  'registration.checked': ({ subj, actor, data }) => [
    {
      kind: 'grant_check',
      id: subj.id,
      set: { ...given(data, 'jurisdiction', 'checked_on'), attached_by: actor.id },
    },
  ],
  'report.drawn': ({ subj, data, body }) => [
    {
      kind: 'grant_report',
      id: subj.id,
      set: { ...given(data, 'kind', 'from', 'to', 'figures', 'hash'), ct: body?.ct ?? null },
    },
  ],
  'rules.evaluated': ({ subj, data, body }) => [
    {
      kind: 'grant_evaluation',
      id: subj.id,
      set: { ...given(data, 'crossings', 'obligations', 'sha256'), ct: body?.ct ?? null },
    },
  ],
  'duty.filed': ({ subj, actor, data, body }) => [
    {
      kind: 'grant_duty',
      id: `${subj.id}/${subj.ver}`,
      set: {
        ...given(data, 'filing_kind', 'period', 'filed_on', 'receipt_sha256'),
        evidence_sha256: at(data, 'evidence_sha256'),
        reason: at(data, 'reason'),
        filed_by: actor.id,
        ct: body?.ct ?? null,
      },
    },
  ],
  'award.amended': awardEnd,
  'award.cancelled': awardEnd,
};
