/** Lanes as people see and change them. Workers change their state by compare-and-set (`writeLane`). */
import {
  FilewrightError,
  type LaneCode,
  laneCode,
  type LaneState,
  type LedgerFact,
  notFound,
  type Profile,
} from '../../core/index.ts';
import { opensAt } from '../rules/lane-rules.ts';
import { isDraining } from '../rules/recovery/lane-recovery.ts';
import { approvalAlert } from '../rules/recovery/approval-alert.ts';
import { raiseAlertRow, recordFact } from '../../ledger/index.ts';
import { laneOf, type Run, type Session, sql, text } from '../../postgres/index.ts';
import { type Destination, destinationOf, profileText } from '../rules/destination.ts';
import { freshLane, laneStateJson } from './lane-json.ts';

const ADD = sql('lane-add')`
insert into lane (tenant, code, profile, ceiling, state, longest_service_ms, effect, origin)
values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (tenant, code) do nothing returning ver`;

// The guard lets it pass where two people have agreed to this profile. A ceiling above the new one comes down with it.
const REPLACE = sql('lane-replace-profile')`
update lane set profile = $3, longest_service_ms = $4, effect = $5, origin = $6, ver = ver + 1, changed_at = now(),
  ceiling = least(ceiling, $7), version = version + case when ceiling > $7 then 1 else 0 end
where tenant = $1 and code = $2 and profile is not null returning ver`;

const SLOTS = sql('lane-ensure-slots')`
insert into lane_slot (tenant, lane, n) select $1, $2, n from generate_series(0, $3::int - 1) n on conflict do nothing`;

const LIST = sql('lane-list')`select code, version, ceiling, state, profile from lane
    where tenant = $1 and profile is not null order by code`;

const CHANGED_PROFILES = sql('lane-changed-profiles')`
select l.code, l.profile, l.profile_n from lane l
left join unnest($2::text[], $3::int[]) known(code, n) on known.code = l.code
where l.tenant = $1 and l.profile is not null and l.profile_n is distinct from known.n order by l.code`;

const FIND = sql('lane-find')`select code, version, ceiling, state from lane
    where tenant = $1 and code = $2 and profile is not null`;

const LOCK = sql('lane-lock')`${FIND.text} for update`;

const CHANGE_LANE = sql('lane-change')`
update lane set state = $4::jsonb, ceiling = $5, version = version + 1, ver = ver + $7::int, changed_at = now(),
  asks_only = $8, open_from = case when $6::double precision = 'infinity' then 'infinity'::timestamptz
    else to_timestamp($6::double precision / 1000) end
where tenant = $1 and code = $2 and version = $3 returning ver`;

interface LaneView {
  readonly state: LaneState;
  /** As stored, in JSON; the caller reads it with the profile schema before use. */
  readonly profile: string;
}

/** Adds a lane. One that exists stays as it is: another profile for it is what two people agree to. */
export async function addLane(
  session: Session,
  tenant: string,
  profile: Profile,
  fact: LedgerFact,
  /** In the same transaction, where it is new. */
  onAdded?: (run: Run) => Promise<void>,
): Promise<{ readonly added: boolean }> {
  return session.transaction(async (run) => {
    const [row] = await run(ADD, [
      tenant,
      profile.code,
      profileText(profile),
      profile.ceiling,
      laneStateJson(freshLane(profile.code, profile.ceiling)),
      profile.longestServiceMs,
      profile.effect,
      destinationOf(profile).origin,
    ]);
    if (row === undefined) return { added: false };
    await run(SLOTS, [tenant, profile.code, profile.ceiling]);
    const subject = { kind: 'lane', id: profile.code, ver: Number(row['ver']) };
    await recordFact(run, { tenant, boundary: 'filing' }, subject, fact);
    await onAdded?.(run);
    return { added: true };
  });
}

/** In the transaction that approves it. Pause and breaker stay as they are. */
export async function replaceProfile(
  run: Run,
  tenant: string,
  profile: Profile,
  fact: LedgerFact,
): Promise<void> {
  const { code, longestServiceMs, effect, ceiling } = profile;
  const [row] = await run(REPLACE, [
    tenant,
    code,
    profileText(profile),
    longestServiceMs,
    effect,
    destinationOf(profile).origin,
    ceiling,
  ]);
  if (row === undefined) throw notFound(`No lane is named ${code}; see lane list`);
  const subject = { kind: 'lane', id: code, ver: Number(row['ver']) };
  await recordFact(run, { tenant, boundary: 'filing' }, subject, fact);
}

const DESTINATIONS = sql('lane-destinations')`
select d->>'lane' as lane, d->>'profile_sha256' as profile_sha256, d->>'origin' as origin
from jsonb_array_elements(destinations_of($1, $2::text[])) d`;

/** Where these lanes lead now, in the order of their codes. */
export async function destinationsOf(
  run: Run,
  tenant: string,
  lanes: readonly string[],
): Promise<Destination[]> {
  return (await run(DESTINATIONS, [tenant, lanes])).map((row) => ({
    lane: text(row['lane']),
    profile_sha256: text(row['profile_sha256']),
    origin: text(row['origin']),
  }));
}

export async function storedLanes(
  session: Pick<Session, 'run'>,
  tenant: string,
): Promise<LaneView[]> {
  const rows = await session.run(LIST, [tenant]);
  return rows.map((row) => ({ state: laneOf(row), profile: text(row['profile']) }));
}

/** Profiles other than those whose numbers are known, so that asking often costs little. */
export async function changedProfiles(
  session: Pick<Session, 'run'>,
  tenant: string,
  known: ReadonlyMap<LaneCode, number>,
): Promise<{ readonly code: LaneCode; readonly n: number; readonly profile: string }[]> {
  const rows = await session.run(CHANGED_PROFILES, [
    tenant,
    [...known.keys()],
    [...known.values()],
  ]);
  return rows.map((row) => ({
    code: laneCode(text(row['code'])),
    n: Number(row['profile_n']),
    profile: text(row['profile']),
  }));
}

/** A person's change of a lane; repeated when a worker changed it at the same moment. */
export async function changeLaneByPerson(
  session: Session,
  tenant: string,
  code: LaneCode,
  change: (before: LaneState) => {
    readonly after: LaneState;
    readonly facts: readonly LedgerFact[];
  },
): Promise<LaneState> {
  for (let tries = 0; tries < 20; tries += 1) {
    const [row] = await session.run(FIND, [tenant, code]);
    if (row === undefined) throw notFound(`No lane is named ${text(code)}; see lane list`);
    const before = laneOf(row);
    const { after, facts } = change(before);
    if (await writeLane(session, tenant, before, after, facts)) return after;
  }
  throw new FilewrightError(
    'DATABASE_UNREACHABLE',
    `Lane ${code} changes too often to be changed now; try again`,
  );
}

/** A change that something else is committed with. Nobody else changes the lane meanwhile. */
export async function changeLockedLane(
  session: Session,
  tenant: string,
  code: LaneCode,
  change: (
    run: Run,
    before: LaneState,
  ) => Promise<{ readonly after: LaneState; readonly facts: readonly LedgerFact[] }>,
): Promise<LaneState> {
  return session.transaction(async (run) => {
    const [row] = await run(LOCK, [tenant, code]);
    if (row === undefined) throw notFound(`No lane is named ${text(code)}; see lane list`);
    const before = laneOf(row);
    const { after, facts } = await change(run, before);
    await writeIn(run, tenant, before, after, facts);
    return after;
  });
}

/** False when somebody else changed the lane meanwhile. */
export async function writeLane(
  session: Session,
  tenant: string,
  expected: LaneState,
  next: LaneState,
  facts: readonly LedgerFact[],
): Promise<boolean> {
  return session.transaction((run) => writeIn(run, tenant, expected, next, facts));
}

async function writeIn(
  run: Run,
  tenant: string,
  expected: LaneState,
  next: LaneState,
  facts: readonly LedgerFact[],
): Promise<boolean> {
  const [row] = await run(CHANGE_LANE, [
    tenant,
    expected.code,
    expected.version,
    laneStateJson(next),
    next.ceiling,
    opensAt(next),
    facts.length,
    isDraining(next),
  ]);
  if (row === undefined) return false;
  if (next.ceiling > expected.ceiling) await run(SLOTS, [tenant, next.code, next.ceiling]);
  const lastVer = Number(row['ver']);
  for (const [index, fact] of facts.entries()) {
    const ver = lastVer - facts.length + index + 1;
    const subject = { kind: 'lane', id: next.code, ver };
    await recordFact(run, { tenant, boundary: 'filing' }, subject, fact);
  }
  const [first] = facts;
  const alert = approvalAlert(expected, next);
  // Beside the fact that says so, and under its id: whoever hears of one can find the other.
  if (alert !== undefined && first !== undefined) {
    await raiseAlertRow(run, tenant, { id: first.id, ...alert });
  }
  return true;
}
