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
import { laneOf, type Session, sql, text } from '../../postgres/index.ts';
import { freshLane, laneStateJson } from './lane-json.ts';

const ADD = sql('lane-add')`
insert into lane (tenant, code, profile, ceiling, state, longest_service_ms, effect) values ($1, $2, $3, $4, $5, $6, $7)
on conflict (tenant, code) do update set profile = excluded.profile, longest_service_ms = excluded.longest_service_ms,
  effect = excluded.effect, ver = lane.ver + 1
returning ver, ceiling, (xmax = 0) as added`;

const SLOTS = sql('lane-ensure-slots')`
insert into lane_slot (tenant, lane, n) select $1, $2, n from generate_series(0, $3::int - 1) n on conflict do nothing`;

const LIST = sql('lane-list')`select code, version, ceiling, state, profile from lane
    where tenant = $1 and profile is not null order by code`;

const CHANGED_PROFILES = sql('lane-changed-profiles')`
select code, profile, hash from (
  select code, profile, encode(sha256(convert_to(profile::text, 'UTF8')), 'hex') as hash from lane
  where tenant = $1 and profile is not null) l
where hash <> all ($2::text[]) order by code`;

const FIND = sql('lane-find')`select code, version, ceiling, state from lane
    where tenant = $1 and code = $2 and profile is not null`;

const CHANGE_LANE = sql('lane-change')`
update lane set state = $4::jsonb, ceiling = $5, version = version + 1, ver = ver + $7::int, changed_at = now(),
  asks_only = $8, open_from = case when $6::double precision = 'infinity' then 'infinity'::timestamptz
    else to_timestamp($6::double precision / 1000) end
where tenant = $1 and code = $2 and version = $3 returning ver`;

interface LaneView {
  readonly state: LaneState;
  /** As stored; the caller reads it with the profile schema before use. */
  readonly profile: unknown;
}

/** Adds a lane, or gives an existing one a new profile; its ceiling, pause and breaker stay as they are. */
export async function addLane(
  session: Session,
  tenant: string,
  profile: Profile,
  fact: LedgerFact,
): Promise<{ readonly added: boolean }> {
  return session.transaction(async (run) => {
    const [row] = await run(ADD, [
      tenant,
      profile.code,
      JSON.stringify(profile),
      profile.ceiling,
      laneStateJson(freshLane(profile.code, profile.ceiling)),
      profile.longestServiceMs,
      profile.effect,
    ]);
    await run(SLOTS, [tenant, profile.code, Number(row?.['ceiling'])]);
    const subject = { kind: 'lane', id: profile.code, ver: Number(row?.['ver']) };
    await recordFact(run, { tenant, boundary: 'filing' }, subject, fact);
    return { added: row?.['added'] === true };
  });
}

export async function storedLanes(session: Session, tenant: string): Promise<LaneView[]> {
  const rows = await session.run(LIST, [tenant]);
  return rows.map((row) => ({ state: laneOf(row), profile: row['profile'] }));
}

/** Profiles other than those whose hashes are known, so that asking often costs little. */
export async function changedProfiles(
  session: Pick<Session, 'run'>,
  tenant: string,
  knownHashes: readonly string[],
): Promise<{ readonly code: LaneCode; readonly hash: string; readonly profile: unknown }[]> {
  const rows = await session.run(CHANGED_PROFILES, [tenant, knownHashes]);
  return rows.map((row) => ({
    code: laneCode(text(row['code'])),
    hash: text(row['hash']),
    profile: row['profile'],
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

/** False when somebody else changed the lane meanwhile. */
export async function writeLane(
  session: Session,
  tenant: string,
  expected: LaneState,
  next: LaneState,
  facts: readonly LedgerFact[],
): Promise<boolean> {
  return session.transaction(async (run) => {
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
      await recordFact(
        run,
        { tenant, boundary: 'filing' },
        { kind: 'lane', id: next.code, ver },
        fact,
      );
    }
    const [first] = facts;
    const alert = approvalAlert(expected, next);
    // Beside the fact that says so, and under its id: whoever hears of one can find the other.
    if (alert !== undefined && first !== undefined) {
      await raiseAlertRow(run, tenant, { id: first.id, ...alert });
    }
    return true;
  });
}
