import { countedDocket, docketSayings } from './docket-sayings.ts';
import { filingSayings } from './filing-sayings.ts';
import { grantSayings } from './grant-sayings.ts';
import { houseSayings } from './house-sayings.ts';
import { countedPerson, peopleSayings } from './people-sayings.ts';
import { proposalSayings } from './proposal-sayings.ts';
import { registerSayings } from './register-sayings.ts';
import {
  type Fields,
  named,
  ROW_KINDS,
  type RowKind,
  type Saying,
  type SayingsOf,
  type Told,
} from './saying.ts';

const SAYINGS: Readonly<Record<string, SayingsOf>> = {
  ...filingSayings,
  ...houseSayings,
  ...peopleSayings,
  ...registerSayings,
  ...docketSayings,
  ...grantSayings,
};

/** Everything that an entry says about rows. Of most entries that is one row, of many nothing. */
export function sayingsOf(told: Told): readonly Saying[] {
  // In its place stands the hash of a fact that no entry could hold: what it said of its row is not known here.
  if ('set_aside' in told.data) return unknownFrom(told);
  const known = SAYINGS[told.type];
  const own = known === undefined ? countedLane(told) : known(told);
  const counted = told.subj.kind === 'docket' ? countedDocket(told) : countedPerson(told);
  return [...own, ...proposalSayings(told), ...counted];
}

/** Breakers and recoveries too are entries about a lane. */
function countedLane({ subj }: Told): readonly Saying[] {
  if (subj.kind !== 'lane') return [];
  return [{ kind: 'lane', id: subj.id, set: { ver: subj.ver }, isWeak: true }];
}

function unknownFrom({ boundary, subj, data }: Told): readonly Saying[] {
  const { sha256, bytes, reason } = Object(data.set_aside) as Fields;
  const kept: Saying = {
    kind: 'set_aside',
    id: `${boundary}/${named(sha256)}`,
    set: { bytes: bytes ?? null, reason: reason ?? null },
  };
  const kind = ROW_KINDS.find((name): name is RowKind => name === subj.kind);
  if (kind === undefined) return [kept];
  return [kept, { kind, id: subj.id, set: {}, drop: ['*'], isWeak: true }];
}
