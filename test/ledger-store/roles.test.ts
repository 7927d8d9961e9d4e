import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER_BOUNDARIES, type LedgerBoundary } from '../../src/core/boundary.ts';
import { FACTS, type FactType } from '../../src/core/facts/catalogue.ts';
import { factWriters } from '../../src/core/facts/writers.ts';
import { attemptId } from '../../src/core/ids.ts';
import type { OutcomeRecord } from '../../src/core/ports.ts';
import { verifyEntries } from '../../src/ledger/verify.ts';
import { ROLE_NAMES, type RoleName } from '../../src/postgres/role-rights.ts';
import { dropRoles, rolesState } from '../../src/postgres/roles.ts';
import { latestCheckpoint } from '../../src/ledger/store/checkpoints.ts';
import { ledgerEntries } from '../../src/ledger/store/ledger-entries.ts';
import { migrate } from '../../src/postgres/migrate.ts';
import { PLANNER } from '../../src/postgres/planner.ts';
import { Session } from '../../src/postgres/session.ts';
import { TICK, tickValues } from '../../src/filings/store/tick.ts';
import { type FreshDatabase, freshDatabase, TEST_DATABASE_URL } from '../fixtures/database.ts';
import {
  ACCEPTED,
  claimOne,
  LANE,
  outcome,
  queueFilings,
  queueMore,
  record,
  register,
} from '../store-contract/steps.ts';
import { collect, ledgerWorld, type LedgerWorld } from './ledger-world.ts';

const REFUSED = { code: '42501' };
const SERVICES = [
  'ingestion',
  'reconciliation',
  'rules',
  'reporting',
  'fallback',
  'filing',
  'access',
] as const;
const KEPT = ['ledger_entry', 'ledger_checkpoint', 'ledger_tile'] as const;
const UNDO = new Error('undo');
const REAL_RIGHTS = `
delete from fact_right where not (type || ' ' || boundary || ' ' || actor_kind) = any ($1::text[])`;

/** Into which logs a role may write which facts at all; the guard then asks for type and actor. */
function mayWrite(role: RoleName, type: FactType, boundary: LedgerBoundary): boolean {
  if (role === 'owner' || role === 'migrate') return true;
  if (role === 'app' || role === 'read') return false;
  if (role === 'shred') return boundary === 'access' && type === 'retention.shredded';
  if (role === boundary || role === `seq_${boundary}`) return true;
  return role.startsWith('seq_') && boundary === 'spine' && type === 'spine.head';
}

/**
 * A world on a database with row security. The world chooses its tenant by itself, so the setting follows it: the
 * connections that are opened later read it from here, and the one that is open is told.
 */
async function tenantWorld(
  database: FreshDatabase,
  fixed: Record<string, string> = {},
): Promise<LedgerWorld> {
  const settings: Record<string, string> = { ...fixed, 'fw.tenant': 'x' };
  const target = { ...database.target, settings };
  const session = new Session({ target, schema: database.schema, name: 'migrate' });
  await migrate(session, database.schema);
  await session.run({
    name: '',
    text: `create function follow_tenant() returns trigger language plpgsql as $$
      begin perform set_config('fw.tenant', new.id, false); return new; end $$`,
  });
  await session.run({
    name: '',
    text: 'create trigger follow before insert on tenant for each row execute function follow_tenant()',
  });
  await session.close();
  const world = await ledgerWorld({ ...database, target });
  settings['fw.tenant'] = world.tenant;
  await world.admin.remember({ 'fw.tenant': world.tenant });
  return world;
}

function suite(where: 'embedded' | 'url'): void {
  let plain: FreshDatabase;
  let world: LedgerWorld;
  beforeAll(async () => {
    plain = await freshDatabase(where);
    world = await tenantWorld(plain);
    await queueFilings(world, [{}]);
    const held = await claimOne(world, await register(world));
    await record(world, await outcome(world, held, ACCEPTED));
    await world.sequencer.checkpoint();
  });
  afterAll(async () => {
    await world.close();
    const session = new Session({ ...plain, name: 'drop' });
    await dropRoles(session);
    await session.close();
    await plain.close();
  });

  /** One statement in a role, undone in any case. */
  async function attempt(role: RoleName, text: string, tenant = world.tenant): Promise<number> {
    const { prefix } = await rolesState(world.admin);
    let rows = 0;
    await world.admin
      .transaction(async (run) => {
        await run({ name: '', text: `set local fw.tenant = '${tenant}'` });
        await run({ name: '', text: `set local role ${prefix}_${role}` });
        rows = (await run({ name: '', text })).length;
        throw UNDO;
      })
      .catch((error: unknown) => {
        if (error !== UNDO) throw error;
      });
    return rows;
  }

  /** Which facts the role gets into the intake, as `type log actor`. */
  async function writtenBy(role: RoleName, types: readonly string[]): Promise<string[]> {
    const { prefix } = await rolesState(world.admin);
    const rights = factWriters().map(
      ({ type, boundary, actorKind }) => `${type} ${boundary} ${actorKind}`,
    );
    let written: string[] = [];
    await world.admin
      .transaction(async (run) => {
        // This world may write any type as "system", so that tests can record what they like; here it may not.
        await run({ name: '', text: REAL_RIGHTS }, [rights]);
        await run({ name: '', text: `set local fw.tenant = '${world.tenant}'` });
        await run({ name: '', text: `set local fw.person = '${world.person}'` });
        await run({ name: '', text: `set local role ${prefix}_${role}` });
        const text = 'select written_facts($1, $2, $3, $4) as fact';
        const values = [world.tenant, types, LEDGER_BOUNDARIES, world.person];
        written = (await run({ name: '', text }, values)).map(({ fact }) => String(fact));
        throw UNDO;
      })
      .catch((error: unknown) => {
        if (error !== UNDO) throw error;
      });
    return written;
  }

  const intake = (boundary: string, tenant = world.tenant) =>
    `insert into ledger_intake (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
     values ('${tenant}', '${boundary}', gen_random_uuid(), now(), 'test.happened', 'k', 'i', 1, 'system', 's', 't', '{}')`;

  it('stand after a migration that knows its tenant', async () => {
    expect(await rolesState(world.admin)).toMatchObject({ isReady: true, reason: '' });
  });

  it.each(ROLE_NAMES)('%s may not change, remove or empty what is written once', async (role) => {
    for (const table of KEPT) {
      for (const text of [
        `update ${table} set tenant = tenant`,
        `delete from ${table}`,
        `truncate ${table}`,
      ]) {
        await expect(attempt(role, text), `${role}: ${text}`).rejects.toMatchObject(REFUSED);
      }
    }
  });

  it.each(SERVICES)(
    'the service %s adds facts of its own boundary and nothing else of the ledger',
    async (role) => {
      for (const boundary of [...SERVICES, 'spine']) {
        if (boundary === role) await attempt(role, intake(boundary));
        else await expect(attempt(role, intake(boundary)), boundary).rejects.toMatchObject(REFUSED);
      }
      for (const text of [
        'select * from ledger_intake',
        'delete from ledger_intake',
        'update ledger_intake set trace = trace',
        'select * from ledger_entry',
        `insert into ledger_entry select * from ledger_entry where false`,
        'select * from ledger_head',
        'update ledger_head set size = size + 1',
        'select * from ledger_checkpoint',
        'insert into ledger_checkpoint select * from ledger_checkpoint where false',
        'select wrapped from ledger_tenant_key',
        'select * from ledger_signing_key',
        `update ledger_dek set wrapped = ''`,
        'delete from ledger_dek',
        'delete from ledger_blob',
        `update ledger_blob set bytes = ''`,
        'delete from ledger_hold',
        'update ledger_hold set reason = reason',
        `update quarantine set state = 'out'`,
        `update installation set roles = 'x'`,
        'create table mine (a int)',
      ]) {
        await expect(attempt(role, text), `${role}: ${text}`).rejects.toMatchObject(REFUSED);
      }
    },
  );

  it.each(SERVICES)('the sequencer of %s can touch no other log', async (boundary) => {
    const role = `seq_${boundary}` as const;
    const others = SERVICES.filter((each) => each !== boundary);
    const seen = `select 1 from ledger_entry where boundary <> '${boundary}'`;
    expect(await attempt(role, seen)).toBe(0);
    for (const other of others) {
      const entry = `insert into ledger_entry values ('${world.tenant}', '${other}', 9999, gen_random_uuid(), 'x', sha256('x'))`;
      await expect(attempt(role, entry)).rejects.toMatchObject(REFUSED);
      await expect(attempt(role, intake(other))).rejects.toMatchObject(REFUSED);
      const head = `update ledger_head set size = size + 1 where boundary = '${other}' returning 1`;
      expect(await attempt(role, head)).toBe(0);
    }
    for (const text of [
      `update ledger_dek set wrapped = ''`,
      'delete from ledger_blob',
      'select * from ledger_blob',
      'select * from filing',
      'update filing set ver = ver',
    ]) {
      await expect(attempt(role, text), text).rejects.toMatchObject(REFUSED);
    }
  });

  it('reading reads and writes nothing; only shredding destroys keys and bodies', async () => {
    expect(await attempt('read', 'select * from ledger_entry')).toBeGreaterThan(0);
    for (const table of [
      'ledger_entry',
      'ledger_intake',
      'ledger_dek',
      'ledger_blob',
      'filing',
      'person',
      'quarantine',
    ]) {
      await expect(attempt('read', `delete from ${table}`)).rejects.toMatchObject(REFUSED);
      await expect(
        attempt('read', `insert into ${table} select * from ${table}`),
      ).rejects.toMatchObject(REFUSED);
    }
    for (const role of ROLE_NAMES) {
      if (role === 'shred' || role === 'owner' || role === 'migrate') continue;
      for (const text of [`update ledger_dek set wrapped = ''`, 'delete from ledger_blob']) {
        await expect(attempt(role, text), `${role}: ${text}`).rejects.toMatchObject(REFUSED);
      }
    }
    // Allowed by right, and refused by the rule about dates.
    const doom = `update ledger_dek set wrapped = '', state = 'shredded', shredded_at = now()`;
    await expect(attempt('shred', doom)).rejects.toMatchObject({ code: '23001' });
    for (const text of [
      'update filing set ver = ver',
      'update ledger_head set size = size',
      'delete from ledger_intake',
    ]) {
      await expect(attempt('shred', text)).rejects.toMatchObject(REFUSED);
    }
  });

  // The adversary has one login with one role, and writes facts as a program, as the person who acts, and as somebody else.
  it('takes each type of fact from exactly the roles, into the logs and for the actors that may write it', async () => {
    await world.admin.run({
      name: '',
      text: `create function written_facts(tenant text, types text[], logs text[], person text) returns setof text
        language plpgsql as $$
        declare fact text; log text; kind text; who text;
        begin
          foreach fact in array types loop foreach log in array logs loop
            foreach kind in array array['service', 'system', 'user', 'another'] loop
              who := case kind when 'user' then person when 'another' then gen_random_uuid()::text else 'x' end;
              begin
                insert into ledger_intake (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
                values (tenant, log, gen_random_uuid(), now(), fact, 'k', 'i', 1, replace(kind, 'another', 'user'), who, 't', '{}');
                raise exception 'taken' using errcode = 'FW001';
              exception when sqlstate 'FW001' then return next fact || ' ' || log || ' ' || kind;
                when insufficient_privilege or restrict_violation then null;
              end;
            end loop;
          end loop; end loop;
        end $$`,
    });
    await world.admin.run({ name: '', text: 'grant execute on function written_facts to public' });
    const types = Object.keys(FACTS);
    const rights = factWriters();
    for (const role of ROLE_NAMES) {
      const expected = rights
        .filter(({ type, boundary }) => mayWrite(role, type, boundary))
        .map(({ type, boundary, actorKind }) => `${type} ${boundary} ${actorKind}`);
      const taken = await writtenBy(role, types);
      expect([role, taken.toSorted()]).toEqual([role, expected.toSorted()]);
    }
  });

  it('show a tenant its own rows, another tenant none, and no rows without a tenant', async () => {
    for (const table of [
      'filing',
      'envelope',
      'ledger_entry',
      'ledger_blob',
      'ledger_dek',
      'person',
    ]) {
      for (const role of ['read', 'owner'] as const) {
        const all = `select 1 from ${table}`;
        expect(await attempt(role, all), table).toBeGreaterThan(0);
        expect(await attempt(role, all, 'somebody-else'), table).toBe(0);
        expect(await attempt(role, all, ''), table).toBe(0);
      }
    }
    await expect(attempt('filing', intake('filing', 'somebody-else'))).rejects.toMatchObject(
      REFUSED,
    );
  });

  it('carry a whole tick as the service of filings, whose facts end in its log', async () => {
    const [id] = await queueMore(world, [{}]);
    const worker = await register(world);
    const session = new Session({
      target: { ...plain.target, settings: { 'fw.tenant': world.tenant } },
      schema: plain.schema,
      name: 'tick',
      settings: PLANNER,
      role: 'filing',
    });
    const ticks = (outcomes: readonly OutcomeRecord[], count: number) =>
      session.run(
        TICK,
        tickValues(world.tenant, {
          worker,
          outcomes,
          wants: [{ lane: LANE, count }],
          attemptIds: [attemptId(world.ids.next())],
        }),
      );
    const [who] = await session.run({ name: '', text: 'select current_user as role' });
    expect(who?.['role']).toMatch(/^fw_[0-9a-f]{8}_filing$/);
    expect(await ticks([], 1)).toMatchObject([{ id }]);
    const [held] = await world.here.delivery.adopt(worker, []);
    if (held === undefined) throw new Error('no claim');
    await ticks([await outcome(world, held, { to: 'fallout' })], 0);
    expect(await world.filing(held.filing.id)).toMatchObject({ status: 'fallout' });
    await session.close();
    await world.sequencer.checkpoint();
    expect(await world.waiting()).toBe(0);
  });

  it('the public has no rights at all', async () => {
    const rows = await world.admin.run({
      name: '',
      text: `select table_name from information_schema.role_table_grants where table_schema = 'filewright' and grantee = 'PUBLIC'`,
    });
    expect(rows).toEqual([]);
  });

  it('let the whole product work where the login may create roles but is no superuser', async () => {
    await withLogin('createrole', async (other) => {
      expect(await rolesState(other.admin)).toMatchObject({ isReady: true });
      await runs(other);
      // Bound by row security itself.
      const [row] = await other.admin.run({
        name: '',
        text: `select count(*)::int as n from ledger_entry where tenant <> current_setting('fw.tenant')`,
      });
      expect(row).toEqual({ n: 0 });
    });
  });

  it('are done without, with a reason, where the login may not create any', async () => {
    await withLogin('nocreaterole', async (other) => {
      const state = await rolesState(other.admin);
      expect(state.isReady).toBe(false);
      expect(state.reason).toContain('CREATEROLE');
      await runs(other);
      const text = 'delete from ledger_entry';
      await expect(other.admin.run({ name: '', text })).rejects.toMatchObject({ code: '23001' });
    });
  });

  async function runs(other: LedgerWorld): Promise<void> {
    await queueFilings(other, [{}, {}]);
    const worker = await register(other);
    await record(other, await outcome(other, await claimOne(other, worker), ACCEPTED));
    await other.sequencer.checkpoint();
    const entries = ledgerEntries(other.admin, other.tenant, 'filing');
    const { origin } = other.log('filing');
    expect(await verifyEntries(entries, { origin, states: true })).toMatchObject({ ok: true });
    expect((await latestCheckpoint(other.admin, other.log('filing')))?.size).toBe(
      (await collect(ledgerEntries(other.admin, other.tenant, 'filing'))).length,
    );
  }

  /** A database of a login with fewer rights; the superuser becomes that login for good on each connection. */
  async function withLogin(
    right: 'createrole' | 'nocreaterole',
    work: (other: LedgerWorld) => Promise<void>,
  ): Promise<void> {
    const login = `fw_login_${randomBytes(5).toString('hex')}`;
    const schema = `fw_${randomBytes(5).toString('hex')}`;
    const admin = new Session({ target: plain.target, schema: 'public', name: 'test' });
    await admin.run({ name: '', text: `create role ${login} nologin ${right}` });
    await admin.run({ name: '', text: `create schema ${schema} authorization ${login}` });
    const [row] = await admin.run({ name: '', text: `select current_database() as name` });
    await admin.run({
      name: '',
      text: `grant create on database ${String(row?.['name'])} to ${login}`,
    });
    const other = await tenantWorld({ ...plain, schema }, { session_authorization: login });
    try {
      await work(other);
    } finally {
      await other.close();
      const session = new Session({ target: plain.target, schema, name: 'drop' });
      await dropRoles(session);
      await session.close();
      await admin.run({ name: '', text: `drop schema ${schema} cascade` });
      await admin.run({ name: '', text: `drop owned by ${login}` });
      await admin.run({ name: '', text: `drop role ${login}` });
      await admin.close();
    }
  }
}

describe('the roles on the embedded PostgreSQL', () => suite('embedded'));
describe.skipIf(TEST_DATABASE_URL === undefined)(
  'the roles on the PostgreSQL of FILEWRIGHT_TEST_DATABASE_URL',
  () => suite('url'),
);
