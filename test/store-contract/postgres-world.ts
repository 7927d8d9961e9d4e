import { randomBytes } from 'node:crypto';
import type { FilingStatus, Step } from '../../src/core/filing.ts';
import { entryId, filingId, type PersonId, personId, workerId } from '../../src/core/ids.ts';
import { instant } from '../../src/core/time.ts';
import type { FactType } from '../../src/core/facts/catalogue.ts';
import type { LedgerFact, Random } from '../../src/core/ports.ts';
import { TenantKey } from '../../src/ledger/tenant-key.ts';
import { KeyVault } from '../../src/ledger/vault.ts';
import { logOrigin } from '../../src/ledger/entry.ts';
import { founded } from '../fixtures/founded.ts';
import { approveBatch, releaseBatch } from '../../src/filings/store/batches.ts';
import { PostgresDeliveryStore } from '../../src/filings/store/delivery-store.ts';
import { PostgresIntakeStore } from '../../src/filings/store/intake-store.ts';
import { PostgresSequencer } from '../../src/ledger/store/sequencer.ts';
import { LEDGER_BOUNDARIES } from '../../src/core/boundary.ts';
import { Session } from '../../src/postgres/session.ts';
import { SeededIds } from '../../src/testing/virtual-clock.ts';
import type { FreshDatabase } from '../fixtures/database.ts';
import { LEASE_MS, type Ports, type World } from './world.ts';

const INSTANCE = 'ledger.example.org';

const random: Random = { bytes: (count) => randomBytes(count) };

export interface PostgresWorld extends World {
  /** Approves what `person` of the world prepared. */
  readonly second: PersonId;
  readonly tenant: string;
  readonly admin: Session;
}

/** Text columns and bigints come as texts. */
function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error('expected a text from the database');
  return value;
}

/** Facts here are the test's own: of any type in any log, except in a person's name. */
export async function allowTestFacts(session: Session, ...types: readonly string[]): Promise<void> {
  const text = `insert into fact_right
    select type, boundary, 'system' from (select distinct type from fact_right union select unnest($1::text[])) known,
      unnest($2::text[]) boundary on conflict do nothing`;
  await session.run({ name: '', text }, [['test.happened', ...types], LEDGER_BOUNDARIES]);
}

/** Each world is a tenant of its own, so that all tests of a file share one database without seeing each other. */
export async function postgresWorld(database: FreshDatabase): Promise<PostgresWorld> {
  const { target, schema } = database;
  const tenant = `t-${randomBytes(6).toString('hex')}`;
  const admin = new Session({ target, schema, name: 'test' });
  const sessions = [admin];
  const ids = new SeededIds({ now: () => instant(Date.now()) }, random);
  const fact = (type: FactType): LedgerFact => ({
    id: entryId(ids.next()),
    type,
    actor: { kind: 'system', id: 'test' },
    trace: 'test',
    data: {},
  });
  const run = (text: string, values: readonly unknown[] = [tenant]) =>
    admin.run({ name: '', text }, values);

  await run('insert into tenant (id, instance) values ($1, $2)', [tenant, INSTANCE]);
  await allowTestFacts(admin);
  const [preparer, approver] = [personId(ids.next()), personId(ids.next())];
  for (const id of [preparer, approver]) {
    await founded(admin, tenant, { id, name: id }, fact);
  }

  const stores: PostgresDeliveryStore[] = [];
  const ports = (): Ports => {
    const delivery = new PostgresDeliveryStore({ target, schema, tenant, leaseMs: LEASE_MS });
    const session = new Session({
      target,
      schema,
      name: 'intake',
      acting: () => ({ person: preparer, party: '' }),
    });
    const sequencing = new Session({ target, schema, name: 'sequencer' });
    stores.push(delivery);
    sessions.push(session, sequencing);
    return {
      delivery,
      intake: new PostgresIntakeStore(session, tenant),
      sequencer: new PostgresSequencer({ session: sequencing, tenant, instance: INSTANCE }),
    };
  };
  const origin = logOrigin(INSTANCE, tenant, 'filing');

  return {
    here: ports(),
    there: ports(),
    admin,
    tenant,
    ids,
    vault: new KeyVault({ origin, tenantKey: new TenantKey(random.bytes(32)), random }),
    person: preparer,
    second: approver,
    origin,
    async now() {
      const [row] = await run(
        `select date_trunc('milliseconds', clock_timestamp()) as now where $1 <> ''`,
      );
      return instant(Number(row?.['now']));
    },
    // The server's clock cannot be set, so the rows are moved into the past instead.
    advance: (ms) =>
      admin.transaction(async (inside) => {
        for (const text of [
          `update worker set expires_at = expires_at - $2::interval, ended_at = ended_at - $2::interval where tenant = $1`,
          `update lane_slot set expires_at = expires_at - $2::interval where tenant = $1`,
          `update lane set open_from = open_from - $2::interval where tenant = $1`,
          `update filing set next_at = next_at - $2::interval, last_safe = last_safe - $2::interval where tenant = $1`,
        ]) {
          await inside({ name: '', text }, [tenant, `${ms} milliseconds`]);
        }
      }),
    async addLane({ code, ceiling, longestServiceMs }) {
      const state = { pause: { kind: 'none' }, breaker: { state: 'closed', failures: 0 } };
      await run(
        `insert into lane (tenant, code, profile, ceiling, state, longest_service_ms, effect, origin, ver)
         values ($1, $2, '{}', $3, $4, $5, 'filing', 'https://portal.example.org', 0)`,
        [tenant, code, ceiling, { ...state, throttles: 0, missing: 0 }, longestServiceMs],
      );
      await run(
        `insert into lane_slot (tenant, lane, n) select $1, $2, n from generate_series(0, $3::int - 1) n`,
        [tenant, code, ceiling],
      );
    },
    async release(batch) {
      await admin.remember({ 'fw.person': approver });
      await approveBatch(admin, tenant, batch, approver, fact('approval.granted'));
      await admin.remember({ 'fw.person': '' });
      await releaseBatch(admin, tenant, batch);
    },
    async filing(id) {
      const [row] = await run('select * from filing where tenant = $1 and id = $2', [tenant, id]);
      if (row === undefined) throw new Error(`no filing ${id}`);
      return {
        // The columns are held to their words by the database.
        status: row['status'] as FilingStatus,
        step: (row['step'] as Step | null) ?? undefined,
        attempt: Number(row['attempt']),
        holder: row['holder'] === null ? undefined : workerId(text(row['holder'])),
        isQueued: row['next_at'] !== null,
        receipt: row['receipt'] === null ? undefined : text(row['receipt']),
        ver: Number(row['ver']),
      };
    },
    async outcomes(id) {
      const query = 'select * from outcome where tenant = $1 and filing = $2 order by at, no';
      return (await run(query, [tenant, id])).map((row) => ({
        no: Number(row['no']),
        holder: workerId(text(row['holder'])),
        verdict: String(row['verdict']),
        counted: row['counted'] === true,
      }));
    },
    async exceptions(id) {
      const query = 'select n, reason from exception where tenant = $1 and filing = $2 order by n';
      return (await run(query, [tenant, id])).map((row) => ({
        n: Number(row['n']),
        reason: String(row['reason']),
      }));
    },
    async outbox() {
      const rows = await run(
        `select body->>'filing' as filing from work where tenant = $1 and kind = 'event' order by created_at`,
      );
      return rows.map((row) => filingId(text(row['filing'])));
    },
    async waiting() {
      const [row] = await run(
        `select count(*) as n from ledger_intake where tenant = $1 and boundary = 'filing'`,
      );
      return Number(row?.['n']);
    },
    async entries() {
      const rows = await run(
        `select bytes from ledger_entry where tenant = $1 and boundary = 'filing' order by seq`,
      );
      return rows.map((row) => {
        if (!(row['bytes'] instanceof Uint8Array)) throw new Error('expected bytes');
        return row['bytes'];
      });
    },
    async close() {
      await Promise.all([...stores, ...sessions].map((each) => each.close()));
    },
  };
}

/** From here on the intake asks nobody: a database may hold facts that somebody else wrote past every guard. */
export async function takeAnyFact(session: Session): Promise<void> {
  const text = 'alter table ledger_intake disable trigger ledger_intake_guard';
  await session.run({ name: '', text });
}

/** From here on a routing needs no second person. */
export async function takeAnyRouting(session: Session): Promise<void> {
  for (const text of [
    'alter table routing_setup disable trigger routing_setup_guard',
    `insert into fact_right values ('routing.activated', 'access', 'service') on conflict do nothing`,
  ]) {
    await session.run({ name: '', text });
  }
}
