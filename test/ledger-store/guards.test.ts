/** What the database refuses by itself: to a fault above it, and to a session with a role that should not do this. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FilingId, PersonId } from '../../src/core/ids.ts';
import { FACTS } from '../../src/core/facts/catalogue.ts';
import { migrate } from '../../src/postgres/migrate.ts';
import { dropRoles, rolesState } from '../../src/postgres/roles.ts';
import { Session } from '../../src/postgres/session.ts';
import { mayAllMakeTemporary } from '../../src/postgres/settle-schema.ts';
import { type FreshDatabase, freshDatabase, TEST_DATABASE_URL } from '../fixtures/database.ts';
import { type PostgresWorld, postgresWorld } from '../store-contract/postgres-world.ts';
import {
  ACCEPTED,
  claimOne,
  newFiling,
  openBatch,
  outcome,
  queueFilings,
  queueMore,
  record,
  register,
} from '../store-contract/steps.ts';

const PASSED = new Error('the database let it pass');

function suite(where: 'embedded' | 'url'): void {
  let database: FreshDatabase;
  let world: PostgresWorld;
  let waiting: FilingId;
  let queued: FilingId;
  let accepted: FilingId;
  let other: PersonId;
  beforeAll(async () => {
    database = await freshDatabase(where);
    world = await postgresWorld(database);
    [queued] = (await queueFilings(world, [{}])) as [FilingId];
    const held = await claimOne(world, await register(world));
    await record(world, await outcome(world, held, ACCEPTED));
    accepted = held.filing.id;
    [queued] = (await queueMore(world, [{}])) as [FilingId];
    const batch = await openBatch(world);
    const filing = await newFiling(world, batch);
    await world.here.intake.admit([filing]);
    waiting = filing.envelope.id;
    const [person] = await world.admin.run(
      { name: '', text: 'select id from person where tenant = $1 and id <> $2' },
      [world.tenant, world.person],
    );
    other = person?.['id'] as PersonId;
  });
  afterAll(async () => {
    await world.close();
    await database.close();
  });

  /** In one transaction as this person, undone in any case. */
  const attempt = (text: string, person = '', more: readonly string[] = []) =>
    world.admin.transaction(async (run) => {
      await run({ name: '', text: `set local fw.person = '${person}'` });
      await run({ name: '', text: `set local session_replication_role = replica` });
      for (const one of [text, ...more]) await run({ name: '', text: one });
      throw PASSED;
    });
  const refused = (text: string, constraint: string, person?: string) =>
    expect(attempt(text, person), text).rejects.toMatchObject({ constraint });
  const passes = (text: string, person?: string, more?: readonly string[]) =>
    expect(attempt(text, person, more), text).rejects.toBe(PASSED);

  it('sends nothing of a batch that two people did not approve', async () => {
    const one = `where id = '${waiting}'`;
    await refused(`update filing set next_at = now() ${one}`, 'filing_approved');
    await refused(`update filing set holder = 1 ${one}`, 'filing_approved');
    const claim = `status = 'submitted', holder = 1, attempt = attempt + 1`;
    await refused(`update filing set ${claim} ${one}`, 'filing_claimed');
    await refused(`update filing set status = 'submitted', attempt = 1 ${one}`, 'filing_claimed');
    await refused(`update filing set attempt = 1 ${one}`, 'filing_claimed');
    await refused(`update filing set status = 'submitted' ${one}`, 'filing_claimed');
    await refused(`update filing set lane = lane || 'x' ${one}`, 'filing_claimed');
    const born = `insert into filing (tenant, id, lane, last_safe, status, step, next_at)
      select tenant, gen_random_uuid(), lane, last_safe, status, step, now() from filing ${one}`;
    await refused(born, 'filing_approved');
    await passes(`update filing set ${claim}, next_at = null where id = '${queued}'`);
    await refused(
      `update filing set attempt = 7, next_at = null where id = '${queued}'`,
      'filing_claimed',
    );
  });

  it('lets nothing join what was frozen', async () => {
    const copyInto = (filing: FilingId) => `insert into envelope
      select tenant, gen_random_uuid(), batch, lane, jurisdiction, effect, entity_id, filing_kind, period, revision,
        key || 'x', obligation || 'x', payload_sha256, payload_ct, not_before, due, last_safe, created_at
      from envelope where id = '${filing}'`;
    await refused(copyInto(queued), 'envelope_joins_open');
    await passes(copyInto(waiting));
  });

  it('opens, freezes and approves a batch, each once, and changes nothing else of it', async () => {
    const of = (filing: FilingId) =>
      `where id = (select batch from envelope where id = '${filing}')`;
    for (const change of [
      `state = 'open'`,
      `state = 'frozen'`,
      'count = count + 1',
      `sha256 = sha256('x')`,
      `prepared_by = '${other}'`,
      `source = 'another'`,
      'count = null, sha256 = null',
    ]) {
      await refused(`update batch set ${change} ${of(queued)}`, 'batch_states');
    }
    await refused(
      `update batch set state = 'approved', count = 1, sha256 = sha256('x') ${of(waiting)}`,
      'batch_states',
    );
    await refused(`update batch set prepared_by = '${other}' ${of(waiting)}`, 'batch_states');
    const born = `insert into batch (tenant, id, source, state, prepared_by, count, sha256)
      select tenant, gen_random_uuid(), source, 'frozen', prepared_by, 1, sha256('x') from batch ${of(waiting)}`;
    await refused(born, 'batch_states');
    await expect(attempt(`delete from batch ${of(waiting)}`)).rejects.toMatchObject({
      code: '23001',
    });
    await passes(
      `update batch set state = 'frozen', count = 1, sha256 = sha256('x') ${of(waiting)}`,
    );
  });

  it('keeps what was accepted under its own receipt', async () => {
    await refused(
      `update filing set receipt = 'another' where id = '${accepted}'`,
      'filing_receipt',
    );
    const claimed = `update filing set status = 'submitted', attempt = attempt + 1, next_at = null, holder = 1 where id = '${queued}'`;
    const accept = (receipt: string) =>
      `update filing set status = 'accepted', step = null, holder = null, receipt = ${receipt} where id = '${queued}'`;
    const stolen = `(select receipt from filing where id = '${accepted}')`;
    for (const receipt of [`'none'`, stolen]) {
      await expect(attempt(claimed, '', [accept(receipt)])).rejects.toMatchObject({
        constraint: 'filing_receipt',
      });
    }
    const own = `insert into receipt select tenant, lane, 'R-9', id from filing where id = '${queued}'`;
    await passes(claimed, '', [own, accept(`'R-9'`)]);
  });

  it('takes only steps that a worker knows, with their fields', async () => {
    const sent = { firstSentAt: 1, lastSentAt: 2 };
    const set = (step: unknown) =>
      `update filing set step = '${JSON.stringify(step)}' where id = '${queued}'`;
    for (const step of [
      'bogus',
      {},
      [],
      { action: 'bogus' },
      { action: 'send', more: 1 },
      { action: 'resend' },
      { action: 'resend', firstSentAt: 'yesterday', lastSentAt: 2 },
      { action: 'resend', ...sent, cause: 'unknown' },
      { action: 'ask', ...sent, cause: 'bogus', unclear: 0 },
      { action: 'ask', ...sent, unclear: 0 },
      { action: 'ask', ...sent, cause: 'unknown' },
      { action: 'ask', ...sent, cause: 'unknown', unclear: 0, notFoundAt: 'x' },
      { action: 'poll', ...sent, unclear: 0 },
      { action: 'poll', ...sent, unclear: 0, until: 9, submissionId: 7 },
    ]) {
      await refused(set(step), 'filing_step_known');
    }
    for (const step of [
      { action: 'send' },
      { action: 'resend', ...sent },
      { action: 'ask', ...sent, cause: 'throttled', unclear: 1, notFoundAt: 3 },
      { action: 'ask', ...sent, cause: 'conflict', unclear: 1 },
      { action: 'poll', ...sent, unclear: 0, until: 9 },
      { action: 'poll', ...sent, unclear: 0, until: 9, submissionId: 's' },
    ]) {
      await passes(set(step));
    }
  });

  it('lets nobody decide in another’s name, and a session without a person nothing', async () => {
    const propose = `insert into proposal (tenant, kind, subject, n, terms, sha256, reason, proposed_by)
      values ('${world.tenant}', 'statement', 's', 1, '{}', sha256('x'), 'because it is so', '${world.person}')`;
    const open = `alter table proposal disable trigger proposal_guard`;
    const decide = `update proposal set state = 'refused', decided_by = '${other}', decided_at = now(),
      decision_reason = 'because it is not so' where kind = 'statement'`;
    for (const person of ['', other]) await refused(propose, 'acting_person', person);
    await passes(propose, world.person);
    await expect(attempt(open, world.person, [propose, decide])).rejects.toMatchObject({
      constraint: 'acting_person',
    });
    await passes(open, world.person, [propose, `set local fw.person = '${other}'`, decide]);
    const alert = `insert into alert (tenant, id, kind, subject, severity, text, dedup)
      values ('${world.tenant}', '${world.ids.next()}', 'test', 's', 'info', 't', 'd')`;
    const acknowledge = `update alert set acknowledged_by = '${other}', acknowledged_at = now() where dedup = 'd'`;
    for (const person of ['', world.person]) {
      await expect(attempt(alert, person, [acknowledge])).rejects.toMatchObject({
        constraint: 'acting_person',
      });
    }
    await passes(alert, other, [acknowledge]);
    const hold = `insert into ledger_hold (tenant, id, reason, placed_by)
      values ('${world.tenant}', '${world.ids.next()}', 'a matter is open', '${other}')`;
    await refused(hold, 'acting_person');
    await passes(hold, other);
  });

  it('takes a fact only into its log, of its kind of actor, and of the person who acts', async () => {
    const fact = (
      type: string,
      boundary: string,
      actor: string,
      id: string,
    ) => `insert into ledger_intake
      (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
      values ('${world.tenant}', '${boundary}', gen_random_uuid(), now(), '${type}', 'k', 'i', 1, '${actor}', '${id}', 't', '{}')`;
    const no = 'fact_written_by_right';
    const approval = fact('approval.granted', 'access', 'user', world.person);
    for (const person of ['', other]) await refused(approval, no, person);
    await passes(approval, world.person);
    await refused(fact('approval.granted', 'access', 'service', 'worker/1'), no);
    await refused(fact('approval.granted', 'ingestion', 'user', world.person), no, world.person);
    await refused(fact('feed.ingested', 'filing', 'service', 'x'), no);
    await refused(fact('approval.voided', 'filing', 'user', world.person), no, world.person);
    await refused(fact('nothing.known', 'filing', 'service', 'x'), no);
    await passes(fact('filing.outcome', 'filing', 'service', 'worker/1'));
    const byParty = fact('docket.confirmed', 'filing', 'user', 'p.ortiz');
    await refused(byParty, no, world.person);
    await passes(`set local fw.party = 'p.ortiz'`, '', [byParty]);
    // One wrong one among many is found.
    const many = `${fact('filing.outcome', 'filing', 'service', 'w')}, ${fact('approval.granted', 'access', 'user', other).split('values ')[1]}`;
    await refused(many, no, world.person);
  });

  it('knows of every type of fact where it goes', async () => {
    const rows = await world.admin.run({ name: '', text: 'select distinct type from fact_right' });
    const known = new Set(rows.map(({ type }) => type));
    expect(Object.keys(FACTS).filter((type) => !known.has(type))).toEqual([]);
  });

  it('has a search path of its own in every function, and no temporary tables for everybody', async () => {
    const rows = await world.admin.run({
      name: '',
      text: `select p.proname as name, p.proconfig::text as config from pg_proc p
        where p.pronamespace = 'filewright'::regnamespace`,
    });
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter(({ config }) => config !== '{"search_path=filewright, pg_temp"}')).toEqual(
      [],
    );
    expect(await mayAllMakeTemporary(world.admin)).toBe(false);
  });

  it('calls nothing but its own tables, whatever the session puts in their place', async () => {
    // A superuser may make temporary tables always: an empty batch that is approved would let the filing go.
    await expect(
      attempt(
        `create temporary table batch as select tenant, id, 'approved'::text as state from filewright.batch`,
        '',
        [
          'set local search_path = pg_temp, filewright',
          `update filewright.filing set next_at = now() where id = '${waiting}'`,
        ],
      ),
    ).rejects.toMatchObject({ constraint: 'filing_approved' });
  });

  it('seals nothing under a data key that is not there', async () => {
    const sealed = (
      key: string,
    ) => `insert into ledger_blob (ct, tenant, boundary, entry, key, bytes)
      select sha256(gen_random_uuid()::text::bytea), tenant, boundary, entry, ${key}, bytes from ledger_blob`;
    await passes(sealed('key'));
    // One wrong one among many is found.
    const last = `case when entry = (select max(entry::text)::uuid from ledger_blob) then 'k-none' else key end`;
    await refused(sealed(last), 'ledger_blob_key');
    await refused(sealed(`'k-none'`), 'ledger_blob_key');
  });

  it('is not stopped by a stranger who may only connect and holds every advisory lock', async () => {
    const uses = await world.admin.run({
      name: '',
      text: `select proname from pg_proc where pronamespace = 'filewright'::regnamespace and prosrc like '%advisory%'`,
    });
    expect(uses).toEqual([]);
    const stranger = `fw_stranger_${randomBytes(5).toString('hex')}`;
    await world.admin.run({ name: '', text: `create role ${stranger} nologin` });
    try {
      for (const text of [
        'select * from filewright.ledger_head for update',
        'select * from filewright.named_lock for update',
        `select filewright.lock_name('${world.tenant}', 'hold')`,
        'lock table filewright.migration',
        'create temporary table t (a int)',
      ]) {
        await expect(
          attempt(`set local session_authorization = ${stranger}`, '', [text]),
          text,
        ).rejects.toMatchObject({ code: '42501' });
      }
    } finally {
      await world.admin.run({ name: '', text: `drop role ${stranger}` });
    }
  });

  it('lets two first starts at the same moment both end well', async () => {
    const schema = `fw_${randomBytes(5).toString('hex')}`;
    const sessions = ['a', 'b', 'c'].map((name) => new Session({ ...database, schema, name }));
    const made = await Promise.all(sessions.map((session) => migrate(session, schema)));
    expect(made.filter((files) => files.length > 0)).toHaveLength(1);
    await world.admin.run({ name: '', text: `drop schema ${schema} cascade` });
    for (const session of sessions) await session.close();
  });

  it('lets a start look while another one changes what it looks at, table by table', async () => {
    const schema = `fw_${randomBytes(5).toString('hex')}`;
    const [one, other] = ['a', 'b'].map((name) => new Session({ ...database, schema, name }));
    if (one === undefined || other === undefined) throw new Error('two were opened');
    await migrate(one, schema);
    const lock = (table: string) => `lock table ${schema}.${table} in access exclusive mode`;
    const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%from installation%'`;
    let looking: Promise<unknown> | undefined;
    await one.transaction(async (run) => {
      await run({ name: '', text: lock('installation') });
      looking = migrate(other, schema);
      for (let tries = 0; tries < 500; tries += 1) {
        if ((await world.admin.run({ name: '', text: waits })).length > 0) break;
      }
      // Whoever looks has read this table, and must not hold it while it waits for the other.
      await run({ name: '', text: lock('migration') });
    });
    expect(await looking).toEqual([]);
    await world.admin.run({ name: '', text: `drop schema ${schema} cascade` });
    for (const session of [one, other]) await session.close();
  });

  it('shows the role that reads no key, wrapped or hashed', async () => {
    const target = { ...database.target, settings: { 'fw.tenant': world.tenant } };
    const session = new Session({ ...database, target, name: 'reader' });
    await migrate(session, database.schema);
    const { prefix, isReady } = await rolesState(session);
    expect(isReady).toBe(true);
    const read = (text: string) =>
      session.transaction(async (run) => {
        await run({ name: '', text: `set local role ${prefix}_read` });
        return run({ name: '', text });
      });
    for (const [table, secret] of [
      ['ledger_dek', 'wrapped'],
      ['ledger_signing_key', 'wrapped'],
      ['ledger_tenant_key', 'wrapped'],
      ['person_enrollment', 'first_sha256'],
      ['person_key', 'sha256'],
      ['person_session', 'sha256'],
      ['program_token', 'sha256'],
      ['request_answer', 'sealed'],
      ['sign_in_link', 'sha256'],
      ['subscription_secret', 'sealed'],
    ] as const) {
      for (const what of [secret, '*', `${table}::text`]) {
        await expect(read(`select ${what} from ${table}`)).rejects.toMatchObject({ code: '42501' });
      }
      await read(`select tenant from ${table}`);
    }
    await dropRoles(session);
    await session.close();
  });
}

describe('the guards of the embedded PostgreSQL', () => suite('embedded'));
describe.skipIf(TEST_DATABASE_URL === undefined)(
  'the guards of the PostgreSQL of FILEWRIGHT_TEST_DATABASE_URL',
  () => suite('url'),
);
