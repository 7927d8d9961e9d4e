/** The delivery port on PostgreSQL. One instance belongs to one process and one tenant. */
import {
  attemptId,
  type AttemptRecord,
  type Claim,
  type ClaimFault,
  type DeliveryStore,
  FilewrightError,
  filingId,
  type FilingId,
  instant,
  type Instant,
  type LaneCode,
  type LaneState,
  type LedgerFact,
  type SlotRef,
  type Survey,
  type TickAnswer,
  type TickInput,
  type WorkerId,
  type WrappedKey,
} from '../../core/index.ts';
import { dataKey, settleQuarantine } from '../../ledger/index.ts';
import {
  claimsOf,
  type ConnectionTarget,
  FILING_COLUMNS,
  lockedOnce,
  optional,
  PLANNER,
  type Row,
  SEALED_COLUMNS,
  sealedOf,
  Session,
  sql,
  text,
  when,
} from '../../postgres/index.ts';
import { Slots, writeLane } from '../../lanes/index.ts';
import { reportFault } from './claim-faults.ts';
import { receiptOwner } from './receipts.ts';
import { tick } from './tick.ts';

const JOINS = `
join envelope e on e.tenant = f.tenant and e.id = f.id
join ledger_blob b on b.ct = e.payload_ct
join ledger_dek k on k.tenant = f.tenant and k.id = b.key`;

const ADOPT = sql('filing-adopt')`
select ${FILING_COLUMNS}, ${SEALED_COLUMNS} from filing f ${JOINS}
where f.tenant = $1 and f.holder = $2 and f.id <> all ($3::uuid[])
order by f.last_safe, f.id`;

// Who is dead is found first, by number. A row that changed between our look and our lock is judged again, but by our old
// look at the other tables: a worker that registered since and took the row would not be found there, and lose it to us.
const TAKE_ORPHANS = sql('filing-take-orphans')`
with gone as materialized (
  select distinct f.holder from filing f
  where f.tenant = $1 and f.holder is not null and not exists (
    select 1 from worker w
    where w.tenant = $1 and w.id = f.holder and w.ended_at is null and w.expires_at > clock_timestamp())),
${lockedOnce(
  'dead',
  `
  select f.id from filing f where f.tenant = $1 and f.holder = any (array(select holder from gone))
  order by f.holder, f.id limit $3`,
)},
f as (
  update filing f set holder = $2, claim = 'orphan' from dead
  where f.tenant = $1 and f.id = dead.id and exists (
    select 1 from worker w
    where w.tenant = $1 and w.id = $2 and w.ended_at is null and w.expires_at > clock_timestamp())
  returning f.*)
select ${FILING_COLUMNS}, ${SEALED_COLUMNS} from f ${JOINS}
order by f.last_safe, f.id`;

// A lane that is held has no known end, so there only the moment itself counts. The number rises, although nothing is
// tried: the pair (attempt, holder) must name one claim only, or an outcome of the claim before, repeated after its
// answer was lost, would count for this one. What people file by hand is in their hands already, late or not.
const TAKE_LATE = sql('filing-take-late')`
with late as materialized (
  select f.id from lane l
  cross join lateral (
    select f.id, f.last_safe from filing f
    where f.tenant = $1 and f.lane = l.code and f.next_at is not null
      and f.last_safe <= case when l.open_from = 'infinity' then now() else greatest(now(), l.open_from) end
    order by f.last_safe, f.id limit $3 for update skip locked) f
  where l.tenant = $1 and not l.by_hand order by f.last_safe, f.id limit $3),
f as (
  update filing f set holder = $2, claim = 'late', attempt = f.attempt + 1, next_at = null from late
  where f.tenant = $1 and f.id = late.id and exists (
    select 1 from worker w
    where w.tenant = $1 and w.id = $2 and w.ended_at is null and w.expires_at > clock_timestamp())
  returning f.*)
select ${FILING_COLUMNS}, ${SEALED_COLUMNS} from f ${JOINS}
order by f.last_safe, f.id`;

const OPEN_QUESTIONS = sql('filing-open-questions')`
select count(*) as n from filing
where tenant = $1 and lane = $2 and status = 'submitted' and step->>'action' in ('ask', 'poll')
  and (next_at <= to_timestamp($3::double precision / 1000) or holder is not null)`;

const HISTORY = sql('attempt-history')`
select n.no, a.id, a.action, coalesce(a.intent_at, o.at) as intent_at, o.at, o.verdict, o.code, ${SEALED_COLUMNS}
from (select no from attempt where tenant = $1 and filing = $2
  union select no from outcome where tenant = $1 and filing = $2 and counted) n
left join attempt a on a.tenant = $1 and a.filing = $2 and a.no = n.no
left join outcome o on o.tenant = $1 and o.filing = $2 and o.no = n.no and o.counted
left join ledger_blob b on b.ct = o.ct
left join ledger_dek k on k.tenant = $1 and k.id = b.key
order by n.no`;

export class PostgresDeliveryStore implements DeliveryStore {
  readonly #tenant: string;
  /** Ticks have their own connection with a pinned planner; heartbeats too, so that nothing can delay them. */
  readonly #ticks: Session;
  readonly #general: Session;
  readonly #beats: Session;
  readonly #slots: Slots;
  readonly #leases: Slots;
  /** As many as there are broken rows. */
  readonly #reported = new Set<string>();
  readonly #mayTakePart: (() => Promise<boolean>) | undefined;

  constructor(options: {
    readonly target: ConnectionTarget;
    readonly schema: string;
    readonly tenant: string;
    readonly leaseMs?: number;
    /** Asked before every registration: a database that was put back to an older state must not send. */
    readonly mayTakePart?: () => Promise<boolean>;
  }) {
    const { schema } = options;
    // Row security shows a session its own tenant's rows only.
    const settings = { ...options.target.settings, 'fw.tenant': options.tenant };
    const target = { ...options.target, settings };
    this.#tenant = options.tenant;
    this.#ticks = new Session({ target, schema, name: 'tick', settings: PLANNER, role: 'filing' });
    this.#mayTakePart = options.mayTakePart;
    this.#general = new Session({ target, schema, name: 'worker' });
    this.#beats = new Session({ target, schema, name: 'beat', statementMsMax: 2_000 });
    this.#slots = new Slots(this.#general, options.tenant, options.leaseMs);
    this.#leases = new Slots(this.#beats, options.tenant, options.leaseMs);
  }

  async close(): Promise<void> {
    await Promise.all([this.#ticks.close(), this.#general.close(), this.#beats.close()]);
  }

  async registerWorker(
    input: Parameters<DeliveryStore['registerWorker']>[0],
  ): ReturnType<DeliveryStore['registerWorker']> {
    if (this.#mayTakePart !== undefined && !(await this.#mayTakePart())) {
      throw new FilewrightError(
        'QUARANTINED',
        'The ledger contradicts the checkpoints kept outside the database',
      );
    }
    return this.#slots.register(input);
  }

  beat(worker: WorkerId): ReturnType<DeliveryStore['beat']> {
    return this.#leases.beat(worker);
  }

  endWorker(worker: WorkerId): Promise<void> {
    return this.#slots.end(worker);
  }

  async survey(): Promise<Survey> {
    await settleQuarantine(this.#general, this.#tenant);
    return this.#slots.survey();
  }

  acquireSlots(
    worker: WorkerId,
    wants: Parameters<DeliveryStore['acquireSlots']>[1],
  ): ReturnType<DeliveryStore['acquireSlots']> {
    return this.#slots.acquire(worker, wants);
  }

  releaseSlots(
    worker: WorkerId,
    slots: Parameters<DeliveryStore['releaseSlots']>[1],
  ): Promise<void> {
    return this.#slots.release(worker, slots);
  }

  async tick(input: TickInput): Promise<TickAnswer> {
    const { unreadable, ...answer } = await tick(this.#ticks, this.#tenant, input);
    await this.#report(unreadable);
    return answer;
  }

  async reportFault(fault: ClaimFault): Promise<void> {
    await reportFault((...args) => this.#general.run(...args), this.#tenant, fault);
  }

  async #readable(rows: readonly Row[]): Promise<readonly Claim[]> {
    const { claims, unreadable } = claimsOf(rows);
    await this.#report(unreadable);
    return claims;
  }

  /** Rows that are no claims stay in our name, and come again with every look for claims. */
  async #report(unreadable: readonly string[]): Promise<void> {
    for (const id of unreadable) {
      if (this.#reported.has(id)) continue;
      this.#reported.add(id);
      await this.reportFault({ filing: filingId(id), code: 'CLAIM_UNREADABLE', what: 'left' });
    }
  }

  async adopt(worker: WorkerId, known: readonly FilingId[]): Promise<readonly Claim[]> {
    return this.#readable(await this.#general.run(ADOPT, [this.#tenant, worker, known]));
  }

  async takeOrphans(worker: WorkerId, limit: number): Promise<readonly Claim[]> {
    return this.#readable(await this.#general.run(TAKE_ORPHANS, [this.#tenant, worker, limit]));
  }

  async takeLate(worker: WorkerId, limit: number): Promise<readonly Claim[]> {
    return this.#readable(await this.#general.run(TAKE_LATE, [this.#tenant, worker, limit]));
  }

  changeLane(expected: LaneState, next: LaneState, facts: readonly LedgerFact[]): Promise<boolean> {
    return writeLane(this.#general, this.#tenant, expected, next, facts);
  }

  leaseProbe(worker: WorkerId, lane: LaneCode): Promise<SlotRef | undefined> {
    return this.#slots.leaseProbe(worker, lane);
  }

  async history(filing: FilingId): Promise<readonly AttemptRecord[]> {
    return history(this.#general, this.#tenant, filing);
  }

  async openQuestions(lane: LaneCode, since: Instant): Promise<number> {
    const [row] = await this.#general.run(OPEN_QUESTIONS, [this.#tenant, lane, since]);
    return Number(row?.['n']);
  }

  receiptOwner(lane: LaneCode, number: string): Promise<FilingId | undefined> {
    return receiptOwner((...args) => this.#general.run(...args), this.#tenant, lane, number);
  }

  dataKey(subject: string, month: string, make: () => WrappedKey): Promise<WrappedKey> {
    return dataKey(this.#general, { tenant: this.#tenant, subject, month }, make);
  }
}

export async function history(
  session: Session,
  tenant: string,
  filing: FilingId,
): Promise<AttemptRecord[]> {
  const rows = await session.run(HISTORY, [tenant, filing]);
  return rows.map((row) => ({
    attempt: Number(row['no']),
    id: attemptId(optional(row['id'], text) ?? ''),
    action: optional(row['action'], text) ?? 'none',
    intentAt: when(row['intent_at']),
    outcome: optional(row['at'], (at) => ({
      at: instant(Number(at)),
      verdict: text(row['verdict']),
      code: text(row['code']),
      sealed: row['blob'] === null ? undefined : sealedOf(row),
    })),
  }));
}
