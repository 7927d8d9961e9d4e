/** Filings in people's hands: which entry says what of a taking, of a look and of the office's confirmation. */
import { at, given, named, type Saying, type Told } from './saying.ts';

/** Who has it; until when is renewed without an entry. */
export function takenBy({ subj, actor, data }: Told): readonly Saying[] {
  if (data.action !== 'file') return [];
  const id = `${subj.id}/${named(data.attempt)}`;
  return [{ kind: 'taking', id, set: { by: actor.id, ended: null } }];
}

/** What a person said has come of it, or that nobody said anything in time. */
export function saidByHand({ subj, actor, data }: Told): readonly Saying[] {
  const { action } = data;
  if (action !== 'file' && action !== 'look') return [];
  const id = `${subj.id}/${named(data.attempt)}`;
  const found = data.verdict !== 'transient';
  const row: Saying =
    action === 'file'
      ? { kind: 'taking', id, set: { ended: endOf(data) } }
      : {
          kind: 'look',
          id,
          set: { by: actor.id, found, ...given(data, 'place', 'looked_at') },
        };
  return [{ kind: 'attempt', id, set: { action } }, row, ...confirmationOf(id, data)];
}

function endOf({ verdict, code }: Told['data']): string {
  switch (named(verdict)) {
    case 'accepted':
      return 'filed';
    case 'rejected':
      return 'refused';
    case 'transient':
      return 'not_filed';
    default:
      return code === 'UNSURE' ? 'unsure' : 'lost';
  }
}

/** Words in the place of a file have no row of their own. */
function confirmationOf(id: string, data: Told['data']): readonly Saying[] {
  const { evidence_type: type = null } = data;
  if (type === null || type === 'text') return [];
  const set = {
    kind: type,
    sha256: at(data, 'evidence_sha256'),
    shared: data.shared_evidence === true,
  };
  return [{ kind: 'confirmation', id, set }];
}
