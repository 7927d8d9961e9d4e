/**
 * Every statement of the store that takes rows nobody else has: how fifty due rows are made for it, and how it is asked.
 * The test compares the names with the sources, so that none is left out.
 */
import { attemptId, batchId, entryId, laneCode, type WorkerId } from '../../src/core/ids.ts';
import { instant } from '../../src/core/time.ts';
import type { LedgerFact } from '../../src/core/ports.ts';
import { claimQuestion } from '../../src/grants/store/questions.ts';
import { type ConnectionTarget, Session } from '../../src/postgres/session.ts';
import { claimWork } from '../../src/work/store/queue.ts';
import { takeEvents } from '../../src/people/store/events.ts';
import { lockDueDockets } from '../../src/dockets/store/steps.ts';
import { PostgresDeliveryStore } from '../../src/filings/store/delivery-store.ts';
import { releaseBatch } from '../../src/filings/store/batches.ts';
import { shredDue } from '../../src/oversight/store/retention.ts';
import { systemIds } from '../../src/system/clock.ts';
import { randomBytes } from 'node:crypto';

export const DUE_ROWS = 50;
export const LANE = laneCode('US-DE');
const BATCH = '01900000-0000-7000-8000-000000000001';
const WORDS = { kind: 'system', id: 'test' } as const;
const ids = systemIds(
  { now: () => instant(Date.now()), monotonicMs: () => 0, sleep: () => Promise.resolve() },
  { bytes: (count) => randomBytes(count) },
);

/** One process: its own connections, and a worker where the statement asks for one. */
export class Claimer {
  readonly session: Session;
  readonly delivery: PostgresDeliveryStore;
  readonly tenant: string;
  #worker: WorkerId | undefined;

  constructor(target: ConnectionTarget, schema: string, tenant: string) {
    this.tenant = tenant;
    this.session = new Session({ target, schema, name: 'claimer' });
    this.delivery = new PostgresDeliveryStore({ target, schema, tenant });
  }

  async worker(): Promise<WorkerId> {
    const process = { host: 'host', pid: 1, pidStartedAt: '1' };
    this.#worker ??= (await this.delivery.registerWorker(process)).id;
    return this.#worker;
  }

  async close(): Promise<void> {
    await Promise.all([this.session.close(), this.delivery.close()]);
  }
}

export interface ClaimCase {
  /** The name of the statement. */
  readonly name: string;
  /** Statements with the tenant as $1. */
  readonly seed: readonly string[];
  /** Rows taken by one call that was asked for `count`; `hold` runs while they are in hand. */
  take(by: Claimer, count: number, hold: () => Promise<void>): Promise<readonly string[] | number>;
  /** What one call takes of fifty when it takes its bound and not what was asked for. */
  readonly atOnce?: number;
  /** How many of the fifty can be taken at all, one call after the other; all of them unless told. */
  readonly inAll?: number;
  /** How many rows carry the mark of a claim. */
  readonly marked: string;
}

const SERIES = `generate_series(1, ${DUE_ROWS}) n`;
/** Like those of version 7, which the ledger asks for. */
const uuid = (of: string): string =>
  `overlay(overlay(md5(${of} || n || $1) placing '7' from 13) placing '8' from 17)::uuid`;

const DOCKETS = `insert into docket (tenant, id, message_id, identity, source, content_type, payload_sha256, payload_ct, docket, state,
    phase, tier, next_at)
  select $1, 'D' || n, 'm' || n, 'i' || n, 'test', 'application/json', sha256('a'), sha256('b'), '{}', '{}', 'queued', 'PRIMARY',
    now() - n * interval '1 minute' from ${SERIES} on conflict do nothing`;
const LANES = [
  `insert into lane (tenant, code, profile, ceiling, state, longest_service_ms, effect, origin, ver)
    select $1, code, '{}', ${DUE_ROWS}, '{"pause":{"kind":"none"},"breaker":{"state":"closed","failures":0}}', 1000,
      'filing', 'https://portal.example.org', 0
    from unnest(array['US-DE', 'US-CA', 'US-NY']) code on conflict do nothing`,
  `insert into lane_slot (tenant, lane, n) select $1, 'US-DE', n - 1 from ${SERIES} on conflict do nothing`,
];
const PERSON = `insert into person (tenant, id, name, skeleton, party)
  select $1, id, p, p, id from unnest(array['a', 'b']) p, lateral (select md5('person' || p || $1)::uuid as id) made
  where not exists (select 1 from person where tenant = $1)`;
const PERSON_ROLES = `insert into person_role (tenant, person, role, n)
  select tenant, id, role, 1 from person, unnest(array['preparer', 'approver']) role where tenant = $1 on conflict do nothing`;
const FILINGS = [
  ...LANES,
  PERSON,
  PERSON_ROLES,
  `select set_config('fw.person', md5('persona' || $1)::uuid::text, false)`,
  `insert into proposal (tenant, id, kind, subject, n, terms, sha256, reason, proposed_by)
    select (r).tenant, (r).id, (r).kind, (r).subject, 1, (r).terms, proposal_hash(r), (r).reason, md5('persona' || $1)::uuid
    from (select jsonb_populate_record(null::proposal, jsonb_build_object('tenant', $1::text, 'id', '${BATCH}',
      'kind', 'batch', 'subject', '${BATCH}', 'reason', 'send what was frozen',
      'terms', jsonb_build_object('count', ${DUE_ROWS}, 'sha256', encode(sha256('x'), 'hex'),
        'lanes', destinations_of($1, array['US-DE']))::text)) as r) made
    on conflict do nothing`,
  `insert into batch (tenant, id, source, prepared_by)
    select $1, '${BATCH}', 'test', md5('persona' || $1)::uuid on conflict do nothing`,
  `insert into ledger_dek (tenant, id, subject, month, wrapped, retain_until)
    values ($1, 'k', 'E-1', '2026-01', 'w', '2999-01-01') on conflict do nothing`,
  `insert into ledger_blob (ct, tenant, boundary, entry, key, bytes)
    select sha256((n || $1)::bytea), $1, 'filing', ${uuid("'blob'")}, 'k', 'b' from ${SERIES} on conflict do nothing`,
  `insert into envelope (tenant, id, batch, lane, jurisdiction, effect, entity_id, filing_kind, period, revision, key,
      obligation, payload_sha256, payload_ct, not_before, due, last_safe)
    select $1, ${uuid("'filing'")}, '${BATCH}', 'US-DE', 'US-DE', 'filing', 'E-1', 'annual_report', '2025', 1, 'k' || n,
      'o' || n, sha256('p'), sha256((n || $1)::bytea), now() - interval '1 day', now() + interval '1 day',
      now() + interval '1 day' from ${SERIES} on conflict do nothing`,
  `select set_config('fw.person', md5('personb' || $1)::uuid::text, false)`,
  `update proposal set state = 'approved', decided_by = md5('personb' || $1)::uuid, decided_at = now(),
      valid_until = now() + interval '1 day'
    where tenant = $1 and state = 'open'`,
  ...['frozen', 'approved'].map(
    (state) =>
      `update batch set state = '${state}', count = ${DUE_ROWS}, sha256 = sha256('x') where tenant = $1`,
  ),
];

function filings(columns: string, values: string): readonly string[] {
  return [
    ...FILINGS,
    `insert into filing (tenant, id, lane, last_safe, status, step, profile_n, approved_until, ${columns})
      select $1, id, lane, last_safe, 'pending', '{"action":"send"}', 1, now() + interval '1 day', ${values} from envelope where tenant = $1`,
    `insert into ledger_intake
        (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
      select $1, 'filing', id, now(), 'filing.state', 'filing', id::text, 1, 'system', 'test', 'test',
        '{"from":null,"to":"pending"}' from envelope where tenant = $1`,
  ];
}

function fact(): LedgerFact {
  const id = entryId(ids.next());
  return { id, type: 'retention.shredded', actor: WORDS, trace: id, data: {} };
}

const times = { now: instant(Date.now()), lease: instant(Date.now() + 60_000), totalMs: 900_000 };

export const CLAIMS: readonly ClaimCase[] = [
  {
    name: 'grants-question-claim',
    seed: [
      `insert into question (tenant, id, purpose, lane, subject, request, request_sha256, started_at, next_at)
        select $1, ${uuid("'fetch'")}, 'fetch', 'US-DE', '/a/' || n, '{}', sha256('r'), now(), now() - n * interval '1 hour'
        from ${SERIES}`,
    ],
    atOnce: 1,
    take: (by) =>
      by.session.transaction(async (run) => {
        const at = { run, tenant: by.tenant, stage: 'ingestion', keys: new Map() } as const;
        const one = await claimQuestion(at, LANE, times);
        return one === undefined ? [] : [one.id];
      }),
    // Every try that is counted is on record.
    marked: `select sum(tries) as n from question where tenant = $1
      having sum(tries) = (select count(*) from question_try where tenant = $1)`,
  },
  {
    name: 'event-take',
    seed: [
      `insert into work (tenant, id, kind, target, body)
        select $1, ${uuid("'out'")}, 'event', 'all', '{"type":"TEST"}' from ${SERIES}`,
    ],
    take: (by, count) => takeEvents(by.session, by.tenant, count),
    marked: `select count(*) as n from event where tenant = $1 and filing is null`,
  },
  {
    name: 'work-claim',
    seed: [
      `insert into work (tenant, id, kind, target, body, next_at)
        select $1, ${uuid("'mail'")}, 'mail', 'mail',
          '{"origin":"test","recipient":"a@example.org","subject":"s","text":"t"}', now() - n * interval '1 minute'
        from ${SERIES}`,
    ],
    take: async (by, count) => {
      const wish = { tenant: by.tenant, kind: 'mail', target: 'mail', limit: count } as const;
      const run = by.session.run.bind(by.session);
      return (await claimWork(run, { ...wish, claimMs: 60_000 })).map((one) => one.id);
    },
    // Every try that is counted is on record.
    marked: `select sum(tries) as n from work where tenant = $1
      having sum(tries) = (select count(*) from work_try where tenant = $1)`,
  },
  {
    name: 'docket-due',
    seed: [DOCKETS],
    take: (by, count, hold) =>
      by.session.transaction(async (run) => {
        const { dockets } = await lockDueDockets(run, by.tenant, count);
        await hold();
        const taken = dockets.map((one) => one.id);
        const text = `update docket set next_at = 'infinity' where tenant = $1 and id = any ($2::text[])`;
        await run({ name: '', text }, [by.tenant, taken]);
        return taken;
      }),
    marked: `select count(*) as n from docket where tenant = $1 and next_at = 'infinity'`,
  },
  {
    name: 'batch-release',
    seed: filings('next_at', 'null'),
    // Releases all there is, in groups.
    atOnce: DUE_ROWS,
    take: (by) => releaseBatch(by.session, by.tenant, batchId(BATCH)),
    marked: `select count(next_at) as n from filing where tenant = $1`,
  },
  {
    name: 'filing-take-orphans',
    seed: filings('holder', '999'),
    take: async (by, count) =>
      (await by.delivery.takeOrphans(await by.worker(), count)).map((one) => one.filing.id),
    marked: `select count(*) as n from filing where tenant = $1 and claim = 'orphan'`,
  },
  {
    name: 'filing-take-late',
    seed: [
      ...filings('next_at', `now() - interval '1 day'`),
      `update filing set last_safe = now() - interval '1 hour' where tenant = $1`,
    ],
    take: async (by, count) =>
      (await by.delivery.takeLate(await by.worker(), count)).map((one) => one.filing.id),
    marked: `select sum(attempt) as n from filing where tenant = $1`,
  },
  {
    name: 'tick',
    seed: filings('next_at', `now() - interval '1 day'`),
    take: async (by, count) =>
      (
        await by.delivery.tick({
          worker: await by.worker(),
          outcomes: [],
          wants: [{ lane: LANE, count }],
          // More ids than wanted, so that the number of ids is not what bounds the claim.
          attemptIds: Array.from({ length: DUE_ROWS }, () => attemptId(ids.next())),
        })
      ).claims.map((one) => one.filing.id),
    marked: `select sum(attempt) as n from filing where tenant = $1`,
  },
  {
    name: 'slot-acquire',
    seed: LANES,
    take: async (by, count) =>
      (
        await by.delivery.acquireSlots(await by.worker(), [
          { lane: LANE, count, ceiling: DUE_ROWS },
        ])
      ).map((one) => String(one.n)),
    marked: `select count(holder) as n from lane_slot where tenant = $1`,
  },
  {
    name: 'slot-lease-probe',
    seed: LANES,
    // The one probe of a lane at rest, whoever asks.
    atOnce: 1,
    inAll: 1,
    take: async (by) => {
      const slot = await by.delivery.leaseProbe(await by.worker(), LANE);
      return slot === undefined ? [] : [String(slot.n)];
    },
    marked: `select count(holder) as n from lane_slot where tenant = $1`,
  },
  {
    name: 'retention-due',
    seed: [
      `insert into ledger_dek (tenant, id, subject, month, wrapped, retain_until)
        select $1, 'key' || n, 's' || n, '2010-01', 'w', '2020-01-01' from ${SERIES}`,
    ],
    // Takes up to 500 at once.
    atOnce: DUE_ROWS,
    take: async (by) => (await shredDue(by.session, by.tenant, fact())).keys,
    marked: `select count(*) as n from ledger_dek where tenant = $1 and state = 'shredded'`,
  },
];
