import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptId, type WorkerId } from '../../src/core/ids.ts';
import type { OutcomeRecord } from '../../src/core/ports.ts';
import { PLANNER } from '../../src/postgres/planner.ts';
import { Session } from '../../src/postgres/session.ts';
import { TICK, tickValues } from '../../src/filings/store/tick.ts';
import type { FreshDatabase } from '../fixtures/database.ts';
import { type PostgresWorld, postgresWorld } from './postgres-world.ts';
import { claim, fact, LANE, openBatch, outcome, queueFilings, register, RETRY } from './steps.ts';

const FILINGS = 5_000;
const GROUP = 10;
const LARGE = new Set([
  'filing',
  'envelope',
  'ledger_blob',
  'attempt',
  'outcome',
  'ledger_intake',
  'receipt',
]);

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Copies of one filing, as an import would have left them: every tenth claimed once before. */
const LOAD = [
  // The batch is approved by now, and takes no more.
  'alter table envelope disable trigger envelope_joins_open',
  `insert into envelope
    select tenant, md5(n::text || tenant)::uuid, batch, lane, jurisdiction, effect, entity_id, filing_kind, period,
      revision, 'k' || n, 'o' || n, payload_sha256, sha256(n::text::bytea || tenant::bytea), not_before, due,
      last_safe + n * interval '1 second', created_at
    from (select * from envelope where tenant = $1 limit 1) e, generate_series(1, ${FILINGS}) n`,
  `insert into ledger_blob
    select e.payload_ct, b.tenant, b.boundary, b.entry, b.key, b.bytes
    from envelope e, (select * from ledger_blob where tenant = $1 limit 1) b where e.tenant = $1 on conflict do nothing`,
  `insert into filing (tenant, id, lane, last_safe, status, step, next_at, attempt, profile_n, approved_until)
    select e.tenant, e.id, e.lane, e.last_safe, 'pending', '{"action":"send"}', now(), 1, 1, now() + interval '1 day'
    from envelope e where e.tenant = $1 on conflict do nothing`,
  `insert into attempt
    select tenant, id, 1, id, 'send', 1, now() from filing where tenant = $1 and attempt = 1 on conflict do nothing`,
  `insert into outcome
    select tenant, id, 1, 1, 'transient', 'X', now(), null, true from filing where tenant = $1 and attempt = 1
    on conflict do nothing`,
  'alter table envelope enable always trigger envelope_joins_open',
];

export function plansContract(database: () => FreshDatabase): void {
  describe('the plan of a tick', () => {
    let world: PostgresWorld;
    let session: Session;
    let worker: WorkerId;
    let outcomes: OutcomeRecord[];
    beforeAll(async () => {
      world = await postgresWorld(database());
      const { target, schema } = database();
      session = new Session({ target, schema, name: 'plan', settings: PLANNER });
      await session.run({
        name: '',
        text: `prepare tick_plan (text, bigint, json, text[], int[], uuid[]) as ${TICK.text}`,
      });
      // Planned while the tables are empty, and again while they are all but empty, as on a new installation.
      await explain(await register(world), []);
      await queueFilings(world, [{}, {}, {}]);
      await explain(await register(world), []);
      for (const text of LOAD) {
        const values = text.includes('$1') ? [world.tenant] : [];
        await world.admin.run({ name: '', text }, values);
      }
      worker = await register(world);
      outcomes = [];
      for (const held of await claim(world, worker, GROUP)) {
        outcomes.push(await outcome(world, held, RETRY));
      }
    });
    afterAll(async () => {
      await session.close();
      await world.close();
    });

    /** Carried out and undone. */
    async function explain(by: WorkerId, done: readonly OutcomeRecord[]): Promise<PlanNode[]> {
      const input = {
        worker: by,
        outcomes: done,
        wants: [{ lane: LANE, count: GROUP }],
        attemptIds: Array.from({ length: GROUP }, () => attemptId(world.ids.next())),
      };
      const literals = tickValues(world.tenant, input).map(literal).join(', ');
      const undo = new Error('undo');
      let nodes: PlanNode[] = [];
      await session
        .transaction(async (run) => {
          const text = `explain (analyze, format json) execute tick_plan (${literals})`;
          const [row] = await run({ name: '', text });
          // The driver has parsed the JSON; the shape is PostgreSQL's.
          const plans = (row?.['QUERY PLAN'] ?? []) as { Plan: PlanNode }[];
          nodes = plans.flatMap((plan) => flatten(plan.Plan));
          throw undo;
        })
        .catch((error: unknown) => {
          if (error !== undo) throw error;
        });
      return nodes;
    }

    function assertNarrow(nodes: readonly PlanNode[]): void {
      const scans = nodes.filter(
        (node) => node['Node Type'].includes('Scan') && LARGE.has(node['Relation Name'] ?? ''),
      );
      expect(scans.length).toBeGreaterThanOrEqual(5);
      for (const node of scans) {
        expect(node['Node Type'], node['Relation Name']).toMatch(/^Index (Only )?Scan$/);
        const perLoop = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
        const read = perLoop * (node['Actual Loops'] ?? 1);
        expect(read, `rows read of ${node['Relation Name']}`).toBeLessThanOrEqual(2 * GROUP);
      }
    }

    it('reads a few rows by their indexes, also when it was made for three filings', async () => {
      assertNarrow(await explain(worker, outcomes));
    });

    it('does so as well when every outcome brings a receipt', async () => {
      const accepted: OutcomeRecord[] = outcomes.map((one, n) => ({
        ...one,
        to: 'accepted',
        next: undefined,
        receipt: `R-${n}`,
      }));
      assertNarrow(await explain(worker, accepted));
    });

    it('does so as well after the next import', async () => {
      const batch = await openBatch(world);
      await world.here.intake.closeBatch(batch, fact(world, 'batch.closed'));
      assertNarrow(await explain(worker, outcomes));
    });
  });
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

function literal(value: unknown): string {
  // Arrays here hold only codes, counts and ids, which need no escaping.
  const text = Array.isArray(value) ? `{${value.join(',')}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}
