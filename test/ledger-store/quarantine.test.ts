import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PersonId } from '../../src/core/ids.ts';
import { checkCheckpoint } from '../../src/ledger/checkpoint.ts';
import { parseEntry } from '../../src/ledger/entry-chain.ts';
import { decideProposal, propose } from '../../src/people/store/proposals.ts';
import { type ConnectionTarget, type Run, Session } from '../../src/postgres/session.ts';
import { latestCheckpoint } from '../../src/ledger/store/checkpoints.ts';
import { leaveQuarantine, mayTakePart, readQuarantine } from '../../src/ledger/store/quarantine.ts';
import { ledgerEntries } from '../../src/ledger/store/ledger-entries.ts';
import { PLANNER } from '../../src/postgres/planner.ts';
import { PostgresDeliveryStore } from '../../src/filings/store/delivery-store.ts';
import { PostgresSequencer } from '../../src/ledger/store/sequencer.ts';
import { signingKeys } from '../../src/ledger/store/signing-keys.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import {
  ACCEPTED,
  askStep,
  claim,
  claimOne,
  HOUR_MS,
  LANE,
  newFiling,
  openBatch,
  outcome,
  queueFilings,
  record,
  register,
  WORKER,
} from '../store-contract/steps.ts';
import { collect, INSTANCE, ledgerWorld, type LedgerWorld, random } from './ledger-world.ts';

describe('a database that was put back to an older state', () => {
  let database: FreshDatabase;
  let world: LedgerWorld;
  let backup: { readonly target: ConnectionTarget; drop(): Promise<void> } | undefined;
  let people: readonly PersonId[];
  let backups = 0;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    world = await ledgerWorld(database);
    people = world.people;
  });
  afterEach(async () => {
    await world.close();
    await backup?.drop();
    backup = undefined;
  });

  /** A second database with everything as it is now: what a backup of this moment gives back. */
  async function backUp(): Promise<void> {
    const name = `${String(database.target.database)}_${(backups += 1)}`;
    const { database: original, ...server } = database.target;
    const admin = new Session({
      target: { ...server, database: 'postgres' },
      schema: 'public',
      name: 'test',
    });
    await admin.run({
      name: '',
      text: `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${String(original)}'`,
    });
    await admin.run({ name: '', text: `create database ${name} template ${String(original)}` });
    backup = {
      target: { ...server, database: name },
      async drop() {
        await admin.run({ name: '', text: `drop database ${name} with (force)` });
        await admin.close();
      },
    };
  }

  const restored = (): {
    session: Session;
    sequencer: PostgresSequencer;
    store: PostgresDeliveryStore;
  } => {
    const { schema } = database;
    if (backup === undefined) throw new Error('nothing was backed up');
    const session = new Session({ target: backup.target, schema, name: 'test' });
    const sequencing = new Session({ target: backup.target, schema, name: 's', settings: PLANNER });
    const { tenant, signing, copies } = world;
    opened.push(session, sequencing);
    const store = new PostgresDeliveryStore({ target: backup.target, schema, tenant });
    opened.push(store);
    return {
      session,
      sequencer: new PostgresSequencer({
        session: sequencing,
        tenant,
        instance: INSTANCE,
        signing,
        copies,
      }),
      store,
    };
  };
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });

  const tenant = () => ({ id: world.tenant, instance: INSTANCE });

  const ACT_FOR = { name: '', text: `select set_config('fw.person', $1, true)` };

  /** One person proposes the release, and another approves it, as leaving asks for. */
  const approved =
    () =>
    async (run: Run, { ver }: { readonly ver: number }): Promise<PersonId> => {
      const [first = '' as PersonId, second = '' as PersonId] = people;
      const subject = `${world.tenant}#${ver}`;
      const reason = 'restored on purpose';
      await run(ACT_FOR, [first]);
      await propose(run, world.tenant, {
        kind: 'quarantine',
        subject,
        terms: {},
        reason,
        by: first,
      });
      const about = { kinds: ['quarantine'], subject, what: 'The release' } as const;
      await run(ACT_FOR, [second]);
      await decideProposal(run, world.tenant, about, { approves: true, by: second });
      return first;
    };

  it('is noticed before anything is sent or signed, and let go only by a person, after which all ask first', async () => {
    // Two sent and open, one pending, one waiting for approval, one accepted, one exception.
    const ids = await queueFilings(world, [{}, {}, {}, {}, {}]);
    const worker = await register(world);
    const accepted = await claimOne(world, worker);
    const polling = await claimOne(world, worker);
    const rejected = await claimOne(world, worker);
    const held = await claimOne(world, worker);
    await record(world, await outcome(world, accepted, ACCEPTED));
    await record(world, await outcome(world, rejected, { to: 'rejected' }));
    const asks = { to: 'submitted', step: askStep(await world.now()) } as const;
    await record(world, await outcome(world, polling, asks));
    const batch = await openBatch(world);
    const unapproved = await newFiling(world, batch);
    await world.here.intake.admit([unapproved]);
    await world.sequencer.checkpoint();
    const before = await latestCheckpoint(world.admin, world.log('filing'));
    await backUp();

    // Life goes on for a while: this is what the backup does not know.
    await world.addFacts(20);
    await world.sequencer.checkpoint();
    const lost = await latestCheckpoint(world.admin, world.log('filing'));
    expect(await mayTakePart(world.admin, tenant(), world.copies, random)).toBe(true);

    const { session, sequencer, store } = restored();
    expect(await mayTakePart(session, tenant(), world.copies, random)).toBe(false);
    const state = await readQuarantine(session, world.tenant);
    if (state.state !== 'in') throw new Error('not in quarantine');
    expect(state.contradictions).toContainEqual(
      expect.objectContaining({
        origin: world.log('filing').origin,
        boundary: 'filing',
        reason: 'behind',
        keptSize: lost?.size,
        keptNote: Buffer.from(lost?.note ?? '').toString('utf8'),
        size: before?.size,
        note: Buffer.from(before?.note ?? '').toString('utf8'),
      }),
    );
    expect(state.cause).toBe('older database');
    // No slot, so no request of any kind.
    const id = (await store.registerWorker(WORKER)).id;
    const wants = [{ lane: LANE, count: 4, ceiling: 4 }];
    await world.admin.run({ name: '', text: 'select 1' });
    expect(await store.acquireSlots(id, wants)).toEqual([]);
    // Facts are still sequenced; nothing is signed.
    await sequencer.checkpoint();
    expect((await latestCheckpoint(session, world.log('filing')))?.size).toBe(before?.size);
    expect((await latestCheckpoint(session, world.log('access')))?.size ?? 0).toBeLessThan(
      (await collect(ledgerEntries(session, world.tenant, 'access'))).length,
    );

    const means = {
      ...world.signing,
      copies: world.copies,
      fact: (type: string) => world.fact(type),
      approve: approved(),
    };
    const left = await leaveQuarantine(session, tenant(), people[1] ?? ('' as PersonId), means);
    expect(left.mustSettle).toBe(4);
    await expect(
      leaveQuarantine(session, tenant(), people[1] ?? ('' as PersonId), means),
    ).rejects.toMatchObject({ code: 'REFUSED_BY_RULE' });
    const steps = new Map(
      (
        await session.run(
          {
            name: '',
            text: 'select id, status, step, holder, next_at from filing where tenant = $1',
          },
          [world.tenant],
        )
      ).map((row) => [String(row['id']), row]),
    );
    const open = ids.filter((each) => each !== accepted.filing.id && each !== rejected.filing.id);
    for (const each of open) {
      expect(steps.get(each)).toMatchObject({
        step: { action: 'ask', cause: 'unknown' },
        holder: null,
      });
      expect(steps.get(each)?.['next_at']).not.toBeNull();
      expect(Number(Object(steps.get(each)?.['step']).lastSentAt)).toBe(state.enteredAt);
    }
    expect(open).toContain(held.filing.id);
    // Not approved as of the backup: it stays unqueued, and asks as well.
    expect(steps.get(unapproved.envelope.id)).toMatchObject({
      step: { action: 'ask' },
      next_at: null,
    });
    expect(steps.get(accepted.filing.id)).toMatchObject({ status: 'accepted', step: null });
    const [exception] = await session.run(
      { name: '', text: 'select unsettled from exception where tenant = $1 and filing = $2' },
      [world.tenant, rejected.filing.id],
    );
    expect(exception?.['unsettled']).toMatchObject({ lastSentAt: state.enteredAt });

    // The logs go on from the older state with keys that never signed the lost one.
    await sequencer.checkpoint();
    const after = await latestCheckpoint(session, world.log('filing'));
    expect(after?.size).toBeGreaterThan(before?.size ?? 0);
    const origin = world.log('filing').origin;
    const keys = await signingKeys(session, world.log('filing'));
    expect(keys).toHaveLength(2);
    const [old, fresh] = keys.map(({ vkey }) => vkey);
    const signedBy = (vkey = '') =>
      checkCheckpoint(after?.note ?? '', { origin, verifierKeys: [vkey] }).ok;
    expect([signedBy(old), signedBy(fresh)]).toEqual([false, true]);
    expect(await mayTakePart(session, tenant(), world.copies, random)).toBe(true);
    expect(await readdir(join(world.folder, INSTANCE, world.tenant))).toContain('filing.aside-1');
    expect((await store.acquireSlots(id, wants)).length).toBeGreaterThan(0);
    const types = (await collect(ledgerEntries(session, world.tenant, 'access')))
      .map(parseEntry)
      .filter(({ subj }) => subj.kind === 'quarantine')
      .map(({ type, subj }) => [type, subj.ver]);
    expect(types).toEqual([
      ['quarantine.entered', 1],
      ['quarantine.left', 2],
    ]);
  });

  it('makes a filing that is imported again ask its portal before it is sent', async () => {
    await queueFilings(world, [{}]);
    await world.sequencer.checkpoint();
    await backUp();
    await world.addFacts(5);
    await world.sequencer.checkpoint();
    const { session } = restored();
    await mayTakePart(session, tenant(), world.copies, random);
    const row = { id: world.ids.next(), lane: LANE };
    const text = 'alter table envelope disable trigger envelope_joins_open';
    await session.run({ name: '', text });
    const add = async () => {
      const copy = `insert into envelope select tenant, $2, batch, lane, jurisdiction, effect, entity_id, filing_kind, period,
        revision, $3, $3, payload_sha256, payload_ct, not_before, due, last_safe, created_at from envelope where tenant = $1 limit 1`;
      await session.run({ name: '', text: copy }, [world.tenant, row.id, row.id]);
      const [filing] = await session.run(
        {
          name: '',
          text: `insert into filing (tenant, id, lane, last_safe, status, step) values ($1, $2, $3, now(), 'pending', '{"action":"send"}') returning step`,
        },
        [world.tenant, row.id, row.lane],
      );
      return filing?.['step'];
    };
    expect(await add()).toMatchObject({ action: 'ask', firstSentAt: 0 });
    const means = {
      ...world.signing,
      copies: world.copies,
      askNewDays: 1,
      fact: (type: string) => world.fact(type),
      approve: approved(),
    };
    await leaveQuarantine(session, tenant(), people[1] ?? ('' as PersonId), means);
    row.id = world.ids.next();
    expect(await add()).toMatchObject({ action: 'ask' });
    await session.run(
      {
        name: '',
        text: `update quarantine set ask_new_until = now() - interval '1 day' where tenant = $1`,
      },
      [world.tenant],
    );
    row.id = world.ids.next();
    expect(await add()).toEqual({ action: 'send' });
  });

  it('is noticed when a log has as many entries, but others', async () => {
    await world.addFacts(3);
    await world.sequencer.checkpoint();
    await backUp();
    await world.addFacts(4);
    await world.sequencer.checkpoint();
    const { session } = restored();
    // The restored database grew past the lost head before anybody compared, by a program without copies.
    const { tenant: id, signing } = world;
    const blind = new PostgresSequencer({ session, tenant: id, instance: INSTANCE, signing });
    await session.run(
      {
        name: '',
        text: `insert into ledger_intake
          (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id, trace, data)
          select $1, 'filing', i, now(), 'test.happened', 'thing', i::text, 1, 'system', 'test', 'test', '{"n":2}'
          from unnest($2::uuid[]) i`,
      },
      [id, Array.from({ length: 9 }, () => world.ids.next())],
    );
    while ((await blind.sequence()) > 0);
    expect(await mayTakePart(session, tenant(), world.copies, random)).toBe(false);
    expect(await readQuarantine(session, id)).toMatchObject({
      contradictions: expect.arrayContaining([
        expect.objectContaining({
          boundary: 'filing',
          reason: 'forged',
          root: expect.stringMatching(/=$/),
        }),
      ]),
      cause: 'forgery',
    });
    const [alert] = await session.run(
      {
        name: '',
        text: `select severity, text from alert where tenant = $1 and kind = 'quarantine'`,
      },
      [id],
    );
    expect(alert).toMatchObject({
      severity: 'critical',
      text: expect.stringContaining('not an older backup'),
    });
  });

  it('is noticed by the sequencer of a process that ran through it', async () => {
    await world.addFacts(3);
    await world.sequencer.checkpoint();
    await world.admin.transaction(async (run) => {
      for (const text of [
        'alter table ledger_head disable trigger all',
        'alter table ledger_entry disable trigger all',
        `delete from ledger_entry where tenant = '${world.tenant}' and boundary = 'filing'`,
        `update ledger_head set size = 0, range = '', last_leaf = null, signed_size = 0, signed_root = null
          where tenant = '${world.tenant}' and boundary = 'filing'`,
        'alter table ledger_head enable always trigger ledger_head_grows',
        'alter table ledger_entry enable always trigger ledger_entry_once',
      ]) {
        await run({ name: '', text });
      }
    });
    await world.addFacts(1);
    await expect(world.sequencer.sequence()).rejects.toMatchObject({ code: 'LEDGER_BROKEN' });
  });

  it('answers on a log whose stored hashes are damaged, and does not end in an assertion', async () => {
    await world.addFacts(300);
    await world.sequencer.checkpoint();
    await backUp();
    const { session } = restored();
    await session.transaction(async (run) => {
      await run({ name: '', text: 'alter table ledger_tile disable trigger all' });
      await run({ name: '', text: 'delete from ledger_tile' });
    });
    expect(await mayTakePart(session, tenant(), world.copies, random)).toBe(false);
    expect(await readQuarantine(session, world.tenant)).toMatchObject({
      state: 'in',
      contradictions: [expect.objectContaining({ boundary: 'filing', reason: 'damaged' })],
    });
  });

  it('is not left without a second person, whoever asks the database', async () => {
    await world.addFacts(2);
    await world.sequencer.checkpoint();
    await backUp();
    await world.addFacts(2);
    await world.sequencer.checkpoint();
    const { session } = restored();
    await mayTakePart(session, tenant(), world.copies, random);
    const [first = '' as PersonId] = people;
    const means = {
      ...world.signing,
      copies: world.copies,
      fact: (type: string) => world.fact(type),
    };
    const alone = leaveQuarantine(session, tenant(), first, {
      ...means,
      approve: async () => first,
    });
    await expect(alone).rejects.toThrow('is not approved');
    expect(await readQuarantine(session, world.tenant)).toMatchObject({ state: 'in' });
  });

  it('a new, empty database beside old copies counts as put back', async () => {
    await world.addFacts(3);
    await world.sequencer.checkpoint();
    await backUp();
    const other = await mkdtemp(join(tmpdir(), 'fw-empty-'));
    const { session } = restored();
    await session.transaction(async (run) => {
      for (const text of [
        'alter table ledger_head disable trigger all',
        `delete from ledger_head where tenant = '${world.tenant}'`,
      ]) {
        await run({ name: '', text });
      }
    });
    expect(await mayTakePart(session, tenant(), world.copies, random)).toBe(false);
    await rm(other, { recursive: true });
  });

  it('sends nothing until the last filing that must be settled has heard from its portal', async () => {
    await queueFilings(world, [{}, {}, { notBeforeInMs: HOUR_MS }]);
    await world.sequencer.checkpoint();
    await backUp();
    await world.addFacts(1);
    await world.sequencer.checkpoint();
    const { session, store } = restored();
    await mayTakePart(session, tenant(), world.copies, random);
    const means = {
      ...world.signing,
      copies: world.copies,
      fact: (type: string) => world.fact(type),
      approve: approved(),
    };
    // The third cannot have been sent: its time had not come.
    const left = await leaveQuarantine(session, tenant(), people[1] ?? ('' as PersonId), means);
    expect(left.mustSettle).toBe(2);

    const there = { ...world, here: { ...world.here, delivery: store } };
    const worker = await register(there);
    const asked = await claim(there, worker, 5);
    expect(asked.map(({ filing }) => filing.step?.action)).toEqual(['ask', 'ask']);
    const [first, second] = asked;
    if (first === undefined || second === undefined) throw new Error('expected two claims');
    // The first is proven unsent; it waits for the second all the same.
    const unsent = { to: 'pending', step: { action: 'send' } } as const;
    await claim(there, worker, 0, [await outcome(there, first, unsent)]);
    await store.survey();
    expect(await claim(there, worker, 5)).toEqual([]);
    await claim(there, worker, 0, [await outcome(there, second, ACCEPTED)]);
    await store.survey();
    const sent = await claim(there, worker, 5);
    expect(sent.map(({ filing }) => [filing.id, filing.step?.action])).toEqual([
      [first.filing.id, 'send'],
    ]);
  });

  it('lets no claims through while it lasts, and counts what must be settled', async () => {
    await queueFilings(world, [{}, {}]);
    const worker = await register(world);
    await claim(world, worker, 1);
    await world.sequencer.checkpoint();
    await backUp();
    await world.addFacts(1);
    await world.sequencer.checkpoint();
    const { session } = restored();
    await mayTakePart(session, tenant(), world.copies, random);
    expect(await readQuarantine(session, world.tenant)).toMatchObject({
      state: 'in',
      mustSettle: 2,
    });
    expect(await readQuarantine(world.admin, world.tenant)).toEqual({ state: 'never' });
  });
});
