/** Lanes as they are held against the ledger: the profile by its hash, which is made from the row and not read from it. */
import { type LaneState, type Pause, sha256Of, toRfc3339 } from '../../core/index.ts';
import type { FoundRow } from '../../ledger/index.ts';
import { cursorRows, hex, laneOf, type Row, type Run, sql, text } from '../../postgres/index.ts';
import { isDraining } from '../rules/recovery/lane-recovery.ts';
import { opensAt } from '../rules/lane-rules.ts';

const LANES = sql('compared-lanes')`
select l.code, l.version, l.state, l.profile, l.profile_sha256, l.origin, l.effect, l.ceiling, l.ver, l.asks_only, l.by_hand,
  case l.open_from when 'infinity' then 'Infinity' when '-infinity' then 0
    else round(extract(epoch from l.open_from) * 1000) end::float8 as opens_at,
  p.sha256 as numbered_sha256
from lane l left join lane_profile p on p.tenant = l.tenant and p.lane = l.code and p.n = l.profile_n
where l.tenant = $1`;

const PROFILES = sql('compared-lane-profiles')`
select lane, sha256, origin from lane_profile where tenant = $1`;

export async function* comparedLanes(run: Run, tenant: string): AsyncGenerator<FoundRow> {
  for await (const row of cursorRows(run, LANES, [tenant])) yield laneRow(row);
  for await (const row of cursorRows(run, PROFILES, [tenant])) {
    const id = `${text(row['lane'])} ${hex(row['sha256'])}`;
    yield { kind: 'lane_profile', id, fields: { origin: text(row['origin']) } };
  }
}

function laneRow(row: Row): FoundRow {
  const { profile, profile_sha256: stored, numbered_sha256: numbered, origin } = row;
  const isPortal = typeof profile === 'string';
  return {
    kind: 'lane',
    id: text(row['code']),
    // A target of dockets and a webhook have no profile; the ledger hears of them when something happens.
    isQuiet: !isPortal,
    fields: {
      profile_sha256: isPortal ? sha256Of(profile) : null,
      stored_sha256: stored === null ? null : hex(stored),
      // Approvals and filings name the profile by its number.
      numbered_sha256: numbered === null ? null : hex(numbered),
      origin: isPortal ? originOf(profile) : null,
      stored_origin: origin === null ? null : text(origin),
      effect: text(row['effect']),
      ceiling: Number(row['ceiling']),
      ver: Number(row['ver']),
      breaker: breakerOf(row['state']),
      ...(isPortal ? standing(row, profile, laneOf(row)) : {}),
    },
  };
}

/** Whether it sends. Claims go by columns made from the state: where one differs, the lane is not what was said. */
function standing(row: Row, profile: string, state: LaneState): FoundRow['fields'] {
  const isByHand = fieldOf(profile, 'driver') === 'person';
  // A lane of people never opens to a program.
  const opens = isByHand ? Number.POSITIVE_INFINITY : Number(opensAt(state));
  const isOne =
    row['by_hand'] === isByHand &&
    row['asks_only'] === isDraining(state) &&
    Number(row['opens_at']) === opens;
  const [paused, until] = pauseOf(state.pause);
  return { paused: isOne ? paused : 'differs', until };
}

/** A webhook has none. */
function breakerOf(state: unknown): string | null {
  const { breaker } = Object(state) as { readonly breaker?: { readonly state?: unknown } };
  return typeof breaker?.state === 'string' ? breaker.state : null;
}

function pauseOf(pause: Pause): readonly [string | null, string | null] {
  if (pause.kind === 'none') return [null, null];
  return [pause.reason, pause.kind === 'until' ? toRfc3339(pause.until) : null];
}

function originOf(profile: string): string | null {
  const url = String(fieldOf(profile, 'baseUrl'));
  return URL.canParse(url) ? new URL(url).origin : null;
}

function fieldOf(profile: string, name: string): unknown {
  // An object by a check constraint.
  return (JSON.parse(profile) as Readonly<Record<string, unknown>>)[name];
}
