/**
 * Workers, slots and the survey. Leases are given and judged by the database's clock alone. A slot whose holder died
 * rests until the portal must have finished what that holder may have sent: otherwise a portal slower than the lease
 * would see one request too many.
 */
import {
  type DeliveryStore,
  type Instant,
  type LaneCode,
  laneCode,
  type SlotRef,
  type Survey,
  type WorkerId,
  workerId,
} from '../../core/index.ts';
import { laneOf, optional, type Row, type Session, sql, text, when } from '../../postgres/index.ts';

/** Long enough for three heartbeats, short enough that a dead worker's slots are back in use within ten seconds. */
export const LEASE_MS = 5_000;

/**
 * Beyond expiry, for a holder whose death nobody on its own host has confirmed. The local deadline of a worker lies
 * before expiry, so only a process that slept between that check and the write can still send; it gets this long.
 */
const UNCONFIRMED_MS = 15_000;

const NOW = `date_trunc('milliseconds', clock_timestamp())`;

const REGISTER = sql('worker-register')`
insert into worker (tenant, id, host, pid, pid_started_at, expires_at, wants)
values ($1, nextval('worker_fence'), $2, $3, $4, clock_timestamp() + $5 * interval '1 millisecond', $6)
returning id, ${NOW} as now`;

const BEAT = sql('worker-beat')`
with me as (
  update worker set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
  where tenant = $1 and id = $2 and ended_at is null and expires_at > clock_timestamp()
  returning id),
slots as (
  update lane_slot s set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
  from me where s.tenant = $1 and s.holder = me.id and s.expires_at > clock_timestamp())
select exists (select 1 from me) as alive, ${NOW} as now`;

const END = sql('worker-end')`
update worker set ended_at = clock_timestamp(), expires_at = least(expires_at, clock_timestamp())
where tenant = $1 and id = $2 and ended_at is null`;

const EXPIRE_SLOTS = sql('worker-expire-slots')`
update lane_slot set expires_at = clock_timestamp()
where tenant = $1 and holder = $2 and expires_at > clock_timestamp()`;

const LANES = sql('survey-lanes')`
select code, version, ceiling, state from lane where tenant = $1 and profile is not null order by code`;

// A resting slot is shown as expiring when its rest ends, so that nobody plans to take it earlier.
const SLOTS = sql('survey-slots')`
select s.lane, s.n, s.holder, s.fence,
  case when s.holder is null or s.expires_at > clock_timestamp() then s.expires_at else ${restEnds('s', 'w', 'l')} end
    as expires_at
from lane_slot s
join lane l on l.tenant = s.tenant and l.code = s.lane
left join worker w on w.tenant = s.tenant and w.id = s.holder
where s.tenant = $1
order by s.lane, s.n`;

const WORKERS = sql('survey-workers')`
select id, host, pid, pid_started_at, wants, expires_at > clock_timestamp() as alive
from worker where tenant = $1 and ended_at is null
order by id`;

const READ_CLOCK = sql('survey-clock')`select ${NOW} as now`;

const ACQUIRE = sql('slot-acquire')`
with me as (
  select id from worker
  where tenant = $1 and id = $2 and ended_at is null and expires_at > clock_timestamp()
    -- After a restored backup nobody knows what was sent: without a slot nothing is, until a person says so.
    and not exists (select 1 from quarantine q where q.tenant = $1 and q.state = 'in') for key share),
free as materialized (
  select f.lane, f.n from me, unnest($3::text[], $4::int[], $5::int[]) want(lane, count, ceiling)
  cross join lateral (
    select s.lane, s.n from lane_slot s
    join lane l on l.tenant = s.tenant and l.code = s.lane and want.ceiling <= l.ceiling and l.open_from <= now()
    left join worker w on w.tenant = s.tenant and w.id = s.holder
    where s.tenant = $1 and s.lane = want.lane and s.n < want.ceiling and s.expires_at <= clock_timestamp()
      and (s.holder is null or ${restEnds('s', 'w', 'l')} <= clock_timestamp())
    order by s.n limit want.count for update of s skip locked) f)
update lane_slot s set holder = $2, fence = nextval('slot_fence'),
  expires_at = clock_timestamp() + $6 * interval '1 millisecond'
from free where s.tenant = $1 and s.lane = free.lane and s.n = free.n
returning s.lane, s.n, s.fence`;

// The lane may be held, which is why it is probed. Its first slot, because that one is below every ceiling.
const LEASE_PROBE = sql('slot-lease-probe')`
with me as (
  select id from worker
  where tenant = $1 and id = $2 and ended_at is null and expires_at > clock_timestamp()
    and not exists (select 1 from quarantine q where q.tenant = $1 and q.state = 'in') for key share),
free as materialized (
  select s.lane, s.n from me, lane_slot s
  where s.tenant = $1 and s.lane = $3 and s.n = 0 and s.expires_at <= clock_timestamp() and not exists (
    select 1 from lane_slot o
    join lane l on l.tenant = o.tenant and l.code = o.lane
    left join worker w on w.tenant = o.tenant and w.id = o.holder
    where o.tenant = $1 and o.lane = $3 and (o.expires_at > clock_timestamp()
      or (o.holder is not null and ${restEnds('o', 'w', 'l')} > clock_timestamp())))
  for update of s skip locked)
update lane_slot s set holder = $2, fence = nextval('slot_fence'),
  expires_at = clock_timestamp() + $4 * interval '1 millisecond'
from free where s.tenant = $1 and s.lane = free.lane and s.n = free.n
returning s.lane, s.n, s.fence`;

const RELEASE = sql('slot-release')`
update lane_slot s set holder = null, expires_at = clock_timestamp()
from unnest($3::text[], $4::int[], $5::bigint[]) r(lane, n, fence)
where s.tenant = $1 and s.lane = r.lane and s.n = r.n and s.fence = r.fence and s.holder = $2`;

/** When a slot whose lease ran out may be used again; the worker's row is gone only in a restored database. */
function restEnds(slot: string, worker: string, lane: string): string {
  return `(coalesce(${worker}.ended_at, ${slot}.expires_at + interval '${UNCONFIRMED_MS} milliseconds')
    + ${lane}.longest_service_ms * interval '1 millisecond')`;
}

export class Slots {
  readonly #session: Session;
  readonly #tenant: string;
  readonly #leaseMs: number;

  constructor(session: Session, tenant: string, leaseMs = LEASE_MS) {
    this.#session = session;
    this.#tenant = tenant;
    this.#leaseMs = leaseMs;
  }

  async register(
    input: Parameters<DeliveryStore['registerWorker']>[0],
  ): Promise<{ id: WorkerId; now: Instant }> {
    const { host, pid, pidStartedAt, wants } = input;
    const [row] = await this.#session.run(REGISTER, [
      this.#tenant,
      host,
      pid,
      pidStartedAt,
      this.#leaseMs,
      wants ?? null,
    ]);
    return { id: workerId(text(row?.['id'])), now: when(row?.['now']) };
  }

  async beat(worker: WorkerId): Promise<{ alive: boolean; now: Instant }> {
    const [row] = await this.#session.run(BEAT, [this.#tenant, worker, this.#leaseMs]);
    return { alive: row?.['alive'] === true, now: when(row?.['now']) };
  }

  async end(worker: WorkerId): Promise<void> {
    // Two statements, in this order: a slot must not look released while its worker still looks alive.
    await this.#session.run(END, [this.#tenant, worker]);
    await this.#session.run(EXPIRE_SLOTS, [this.#tenant, worker]);
  }

  async survey(): Promise<Survey> {
    const [lanes, slots, workers, clock] = await Promise.all([
      this.#session.run(LANES, [this.#tenant]),
      this.#session.run(SLOTS, [this.#tenant]),
      this.#session.run(WORKERS, [this.#tenant]),
      // Last: what the others show as expired is expired by this moment too.
      this.#session.run(READ_CLOCK),
    ]);
    return {
      now: when(clock[0]?.['now']),
      lanes: lanes.map(laneOf),
      slots: slots.map((row) => ({
        lane: laneCode(text(row['lane'])),
        n: Number(row['n']),
        fence: text(row['fence']),
        holder: optional(row['holder'], (value) => workerId(text(value))),
        expiresAt: when(row['expires_at']),
      })),
      workers: workers.map((row) => ({
        id: workerId(text(row['id'])),
        host: text(row['host']),
        pid: Number(row['pid']),
        pidStartedAt: text(row['pid_started_at']),
        wants: optional(row['wants'], (lane) => laneCode(text(lane))),
        alive: row['alive'] === true,
      })),
    };
  }

  async acquire(
    worker: WorkerId,
    wants: readonly { readonly lane: LaneCode; readonly count: number; readonly ceiling: number }[],
  ): Promise<SlotRef[]> {
    const rows = await this.#session.run(ACQUIRE, [
      this.#tenant,
      worker,
      wants.map((want) => want.lane),
      wants.map((want) => want.count),
      wants.map((want) => want.ceiling),
      this.#leaseMs,
    ]);
    return rows.map(slotOf);
  }

  async leaseProbe(worker: WorkerId, lane: LaneCode): Promise<SlotRef | undefined> {
    const rows = await this.#session.run(LEASE_PROBE, [this.#tenant, worker, lane, this.#leaseMs]);
    return rows.map(slotOf)[0];
  }

  async release(worker: WorkerId, slots: readonly SlotRef[]): Promise<void> {
    await this.#session.run(RELEASE, [
      this.#tenant,
      worker,
      slots.map((slot) => slot.lane),
      slots.map((slot) => slot.n),
      slots.map((slot) => slot.fence),
    ]);
  }
}

function slotOf(row: Row): SlotRef {
  return { lane: laneCode(text(row['lane'])), n: Number(row['n']), fence: text(row['fence']) };
}
