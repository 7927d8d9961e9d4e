/**
 * Proposals of any kind, by what their entries say: that one was made, and how it ended. A kind that has entries of this
 * shape needs no rule of its own.
 */
import { at, type Fields, given, named, type Saying, type Told } from './saying.ts';

export function proposalSayings(told: Told): readonly Saying[] {
  const id = nameOf(told);
  const set = setBy(told);
  if (id === undefined || set === undefined) return [];
  return [{ kind: 'proposal', id, set, ...(set.state === undefined ? { drop: ['state'] } : {}) }];
}

/** An entry names a proposal by its id, or by what it is about; then it is made with odd versions and ends with even ones. */
function nameOf({ subj, data }: Told): string | undefined {
  if (subj.kind === 'proposal' || subj.kind === 'release') return subj.id;
  const n = Math.ceil(subj.ver / 2);
  if (subj.kind === 'quarantine_release') return `quarantine/${subj.id}/${n}`;
  if (!('kind' in data && 'subject' in data && 'sha256' in data)) return undefined;
  return `${named(data.kind)}/${named(data.subject)}/${n}`;
}

function setBy({ type, actor, data }: Told): Fields | undefined {
  const sha256 = at(data, 'sha256');
  const decided = { sha256, decided_by: actor.id };
  switch (/[._](proposed|approved|refused|withdrawn|declined)$/.exec(type)?.[1]) {
    case 'proposed': {
      const open = { state: 'open', proposed_by: actor.id, decided_by: null };
      return { ...open, ...given(data, 'reason'), sha256, computed_sha256: sha256 };
    }
    case 'approved':
      return { ...decided, state: 'approved' };
    case undefined:
      return undefined;
    default: {
      const reason = 'reason' in data ? { decision_reason: at(data, 'reason') } : {};
      if (!('proposed_by' in data)) return { ...decided, ...reason };
      const isOwn = data.proposed_by === actor.id;
      return { ...decided, ...reason, state: isOwn ? 'withdrawn' : 'refused' };
    }
  }
}
