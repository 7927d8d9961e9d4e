/** Filings, from the import to the receipt: which entry says what of which row. */
import { canonicalText, type JsonValue, sha256Of } from '../../core/index.ts';
import { saidByHand, takenBy } from './hand-sayings.ts';
import { at, type Fields, given, named, type Saying, type SayingsOf, type Told } from './saying.ts';

// Who the filing is and what it owes: said once, with the import.
const ADMITTED = [
  'batch',
  'lane',
  'jurisdiction',
  'effect',
  'entity',
  'filing_kind',
  'period',
  'obligation',
  'not_before',
  'due',
  'last_safe',
] as const;

export const filingSayings: Readonly<Record<string, SayingsOf>> = {
  'filing.state': (told) => [...stateOf(told), ...reviewOf(told)],
  'filing.intent': (told) => [
    ...stateOf(told),
    {
      kind: 'attempt',
      id: `${told.subj.id}/${named(told.data.attempt)}`,
      set: { action: at(told.data, 'action') },
    },
    ...takenBy(told),
  ],
  'filing.outcome': (told) => {
    const { subj, data, body } = told;
    const outcome = { ...given(data, 'verdict', 'code'), ct: body?.ct ?? null };
    const id = `${subj.id}/${named(data.attempt)}`;
    return [
      ...stateOf(told),
      { kind: 'filing', id: subj.id, set: given(data, 'verdict', 'code') },
      { kind: 'outcome', id, set: outcome },
      ...receiptOf(told),
      ...saidByHand(told),
    ];
  },
  'dlq.enveloped': ({ subj, data, body }) => [
    { kind: 'filing', id: subj.id, set: { exceptions: subj.ver }, isWeak: true },
    {
      kind: 'exception',
      id: `${subj.id}/${subj.ver}`,
      set: {
        status: at(data, 'to'),
        reason: at(data, 'reason'),
        ct: body?.ct ?? null,
        resolution: null,
        closed_by: null,
        assigned_to: null,
      },
    },
  ],
  'review.assigned': (told) => {
    const { subj, actor, data } = told;
    const id = `${subj.id}/${named(data.exception)}`;
    return [
      ...stateOf(told),
      { kind: 'exception', id, set: { assigned_to: at(data, 'to_person') } },
      actOf(told, 'assigned', { by: actor.id, to_person: at(data, 'to_person') }),
    ];
  },
  'review.proposed': ({ subj, actor, data, body }) => {
    const kind = named(data.kind);
    const ct = body?.ct ?? null;
    return [
      {
        kind: 'proposal',
        id: `${kind}/${subj.id}/1`,
        set: {
          reason: at(data, 'reason'),
          sha256: at(data, 'sha256'),
          computed_sha256: at(data, 'sha256'),
          count: at(data, 'count'),
          proposed_by: actor.id,
          state: 'open',
          decided_by: null,
        },
      },
      ...(kind === 'correct' && ct !== null
        ? [itemOf(subj.id, named(data.filing), { payload_ct: ct }, true)]
        : []),
    ];
  },
  'review.withdrawn': ({ subj, actor, data }) => [
    {
      kind: 'proposal',
      id: `${named(data.kind)}/${subj.id}/1`,
      set: { decided_by: actor.id, decision_reason: at(data, 'reason') },
      // Withdrawn by who proposed it, refused by another.
      drop: ['state'],
    },
  ],
  'approval.granted': (told) => {
    const { subj, actor, data } = told;
    if (subj.kind === 'batch') return batchApproval(told);
    // Its hash is that of the filings.
    if (subj.kind === 'release') {
      return [{ kind: 'proposal', id: subj.id, set: { state: 'approved', decided_by: actor.id } }];
    }
    const set = { state: 'approved', decided_by: actor.id, sha256: at(data, 'sha256') };
    return [{ kind: 'proposal', id: `${named(data.kind)}/${subj.id}/1`, set }];
  },
  'approval.voided': ({ subj, data }) => [
    {
      kind: 'approval_void',
      id: `${subj.id}/${subj.ver}`,
      set: given(data, 'cause', 'filings'),
    },
  ],
  'batch.opened': ({ subj, data }) => [
    {
      kind: 'batch',
      id: subj.id,
      set: { ...given(data, 'source', 'prepared_by'), state: 'open', count: null, sha256: null },
    },
  ],
  'batch.changed': ({ subj, data }) => {
    const { frozen, computed } = frozenAs(data);
    const set = { ...frozen, ...computed, state: 'frozen', ver: subj.ver };
    return [{ kind: 'batch', id: subj.id, set }];
  },
  'batch.cancelled': ({ subj, data }) => {
    // What two people had approved stays on record as it was; of what nobody approved nothing is left to be counted.
    const empty = { count: null, sha256: null, computed_count: null, computed_sha256: null };
    const left = data.approved === true ? {} : empty;
    return [
      {
        kind: 'batch',
        id: subj.id,
        set: { ...left, state: 'cancelled', ver: at(data, 'batch_ver') },
      },
    ];
  },
  'batch.asked': ({ subj, actor, data }) => [
    {
      kind: 'batch_question',
      id: subj.id,
      set: {
        question: at(data, 'question'),
        filing: at(data, 'filing'),
        asked_by: actor.id,
        answer: null,
        answered_by: null,
      },
    },
  ],
  'batch.answered': ({ subj, actor, data }) => [
    {
      kind: 'batch_question',
      id: subj.id,
      set: { answer: at(data, 'answer'), answered_by: actor.id },
    },
  ],
  'filing.held_back': ({ subj, actor, data }) => [
    { kind: 'held_back', id: subj.id, set: { ...given(data, 'batch', 'reason'), by: actor.id } },
  ],
  'batch.closed': ({ subj, actor, data }) => {
    const { frozen, computed } = frozenAs(data);
    return [
      {
        kind: 'batch',
        id: subj.id,
        set: { ...frozen, ...computed, state: 'frozen', ver: subj.ver },
      },
      {
        kind: 'proposal',
        id: `batch/${subj.id}/1`,
        set: {
          // Of very many lanes the entry has the hash alone.
          ...(Array.isArray(data.lanes ?? [])
            ? { terms: canonicalText({ ...frozen, ...given(data, 'lanes') }) }
            : {}),
          proposed_by: actor.id,
          state: 'open',
          decided_by: null,
        },
      },
    ];
  },
};

/** What was frozen; the hash over the filings that are there says the same. */
function frozenAs(data: Fields): { readonly frozen: Fields; readonly computed: Fields } {
  const frozen = { count: at(data, 'count'), sha256: at(data, 'sha256') };
  // Over no filing nothing is computed.
  const isEmpty = frozen.count === 0;
  const computed = {
    computed_count: isEmpty ? null : frozen.count,
    computed_sha256: isEmpty ? null : frozen.sha256,
  };
  return { frozen, computed };
}

function batchApproval({ subj, actor, data }: Told): readonly Saying[] {
  const { id } = subj;
  const frozen = { count: at(data, 'count'), sha256: at(data, 'sha256') };
  return [
    { kind: 'batch', id, set: { ...frozen, state: 'approved', ver: at(data, 'batch_ver') } },
    { kind: 'batch_approval', id, set: { fees: data.fees ?? [] } },
    {
      kind: 'proposal',
      id: `batch/${id}/${named(data.proposal_n ?? 1)}`,
      set: { state: 'approved', decided_by: actor.id },
    },
  ];
}

/** The filing itself, with its revisions. */
function stateOf({ subj, cls, data, body }: Told): Saying[] {
  const { id, ver } = subj;
  // Of what is privileged the payload's hash is sealed, and no row is held against it.
  const isShown = cls !== 'privileged';
  const hash = isShown ? given(data, 'payload_sha256') : {};
  const status: Fields = 'to' in data ? { status: at(data, 'to') } : {};
  const own = given(data, 'revision', 'key');
  const filing = { kind: 'filing', id } as const;
  if (data.from === null) {
    const first = { first_key: at(data, 'key'), ...(isShown ? firstHash(data) : {}) };
    const begins = { exceptions: 0, receipt: null, withdrawn: false, payload_ct: body?.ct ?? null };
    const owed = given(data, ...ADMITTED);
    return [
      { ...filing, set: { ...status, ...own, ...hash, ...owed, ...first, ...begins, ver } },
      revisionOf(id, 1, { ...given(data, 'key'), ...hash }, true),
    ];
  }
  const isCorrection = data.cause === 'correct';
  const revision = Number(data.revision);
  return [
    {
      ...filing,
      set: { ...status, ...own, ...hash, ...given(data, 'receipt'), ver },
      // The corrected payload is the body of the proposal, which is compared where the proposal is.
      ...(isCorrection ? { drop: ['payload_ct'] } : {}),
    },
    ...(isCorrection
      ? [
          revisionOf(id, revision - 1, {}, false),
          revisionOf(id, revision, { ...given(data, 'key'), ...hash }, true),
        ]
      : []),
  ];
}

function firstHash(data: Fields): Fields {
  return { first_payload_sha256: at(data, 'payload_sha256') };
}

/** What a correction replaced is kept; so the latest revision has no such row, and each one before it has. */
function revisionOf(filing: string, revision: number, set: Fields, isWeak: boolean): Saying {
  return { kind: 'revision', id: `${filing}/${revision}`, set, isWeak };
}

/** What a person did with the exception. */
function reviewOf(told: Told): readonly Saying[] {
  const { subj, actor, data } = told;
  const by = actor.id;
  const closed = (resolution: string): Saying => ({
    kind: 'exception',
    id: `${subj.id}/${named(data.exception)}`,
    set: { resolution, closed_by: by },
  });
  // Whatever else it may be is no review.
  switch (named(data.cause)) {
    case 'accept_as_filed': {
      const review = { verdict: 'review', code: 'ACCEPTED_AS_FILED' };
      const { receipt = null, evidence_sha256: evidence = null } = data;
      return [
        { kind: 'filing', id: subj.id, set: review },
        closed('accepted as filed'),
        actOf(told, 'accepted_as_filed', { by, receipt, evidence }),
        ...receiptOf(told),
      ];
    }
    case 'reject': {
      const known = data.not_filed;
      const evidence = typeof known === 'string' ? sha256Of(known) : null;
      return [closed('rejected'), actOf(told, 'rejected', { by, evidence })];
    }
    case 'replay':
    case 'correct': {
      const fields = ['action', 'revision', 'key', 'payload_sha256'] as const;
      const item = { ...given(data, ...fields), n: at(data, 'exception') };
      return [
        closed(data.cause === 'correct' ? 'corrected' : 'replayed'),
        itemOf(named(data.proposal), subj.id, { ...item, not_filed: at(data, 'not_filed') }, false),
      ];
    }
    case 'withdraw': {
      const ended = { withdrawn: true, verdict: 'withdrawn', code: 'WITHDRAWN' };
      const why = { reason: at(data, 'reason'), covered: data.covered === true };
      const links = { proposal: at(data, 'proposal'), replaced_by: at(data, 'replaced_by') };
      return [
        { kind: 'filing', id: subj.id, set: ended },
        { kind: 'withdrawal', id: subj.id, set: { by, ...why, ...links } },
      ];
    }
    // A slip that two people corrected: the number is this filing's from now on.
    case 'hand_correct':
      return receiptOf(told);
    default:
      return [];
  }
}

function itemOf(proposal: string, filing: string, set: Fields, isWeak: boolean): Saying {
  return { kind: 'review_item', id: `${proposal}/${filing}`, set, isWeak };
}

function actOf(
  { subj, data }: Told,
  act: string,
  more: { readonly by: string } & Readonly<Record<string, JsonValue>>,
): Saying {
  const n = at(data, 'exception');
  const fields = { filing: subj.id, n, act, reason: at(data, 'reason'), ...more };
  return { kind: 'review_act', id: actName(fields), set: {} };
}

/** An act has no number that the entry knows: it is named by all that it says. */
export function actName(fields: Fields): string {
  const known = Object.entries(fields).filter(([, value]) => value !== null);
  return `${named(fields.filing)}/${sha256Of(canonicalText(Object.fromEntries(known)))}`;
}

/** A receipt is the first filing's; a shared one says nothing of whose it was before. */
function receiptOf({ subj, data }: Told): readonly Saying[] {
  const { receipt, lane } = data;
  const isGiven = data.to === 'accepted' || data.cause === 'hand_correct';
  if (typeof receipt !== 'string' || !isGiven) return [];
  const id = `${named(lane)} ${receipt}`;
  if (data.shared_receipt === true) return [{ kind: 'receipt', id, set: {}, isWeak: true }];
  return [{ kind: 'receipt', id, set: { filing: subj.id } }];
}
