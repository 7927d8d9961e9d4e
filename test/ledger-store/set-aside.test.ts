/** A fact that no entry can hold is set aside, kept and told; everything behind it goes on. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LEDGER_BOUNDARIES } from '../../src/core/boundary.ts';
import { openSetAside, setAsideFacts } from '../../src/ledger/store/kept-facts.ts';
import { PostgresSequencer } from '../../src/ledger/store/sequencer.ts';
import { type FreshDatabase, freshDatabase } from '../fixtures/database.ts';
import { verifyLogs } from '../fixtures/verify-logs.ts';
import { INSTANCE, type LedgerWorld, ledgerWorld } from './ledger-world.ts';
import { takeAnyFact } from '../store-contract/postgres-world.ts';

let database: FreshDatabase;
let world: LedgerWorld;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database?.close());
beforeEach(async () => {
  world = await ledgerWorld(database);
  await takeAnyFact(world.admin);
});
afterEach(() => world.close());

interface Columns {
  readonly id?: string;
  readonly at?: string;
  readonly type?: string;
  readonly subjectId?: string;
  readonly ver?: number;
  readonly actorKind?: string;
  readonly actorId?: string;
  readonly trace?: string;
  readonly data?: string;
  readonly body?: string;
}

/** Straight into the intake, as it stands there once committed. */
async function add(boundary: string, columns: Columns): Promise<string> {
  const id = columns.id ?? world.ids.next();
  await world.run(
    {
      name: '',
      text: `insert into ledger_intake (tenant, boundary, id, at, type, subj_kind, subj_id, subj_ver, actor_kind, actor_id,
          trace, data, body) values ($1, $2, $3, $4, $5, 'thing', $6, $7, $8, $9, $10, $11, $12)`,
    },
    [
      world.tenant,
      boundary,
      id,
      columns.at ?? '2026-03-02T09:00:00Z',
      columns.type ?? 'thing.happened',
      columns.subjectId ?? 'T-1',
      columns.ver ?? 1,
      columns.actorKind ?? 'system',
      columns.actorId ?? 'test',
      columns.trace ?? 'test',
      columns.data ?? '{}',
      columns.body ?? null,
    ],
  );
  return id;
}

/** As somebody with the tenant's key reads it. */
async function opened(id: string): Promise<{ readonly fact: string; readonly message: string }> {
  const by = { tenant: world.tenant, instance: INSTANCE, ...world.signing };
  const found = await openSetAside(world.admin, by, id);
  if (found?.state !== 'kept') throw new Error(`the fact ${id} was expected to be kept`);
  return found;
}

const deep = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const long = 'x'.repeat(80_000);

const IMPOSSIBLE: Readonly<Record<string, Columns>> = {
  'too large by its data': { data: JSON.stringify({ reason: long }) },
  'too large by many small parts': {
    data: JSON.stringify({
      labels: Array.from({ length: 150 }, (_, n) => `${n}`.padEnd(450, 'l')),
    }),
  },
  'too large only when it is escaped': {
    data: JSON.stringify({ reason: '\u0001'.repeat(12_000) }),
  },
  'too large in UTF-8': { data: JSON.stringify({ reason: '漢'.repeat(22_000) }) },
  'too large by its trace': { trace: long },
  'too large by its actor': { actorId: long },
  'too large by its subject': { subjectId: long },
  // Of which no index of the database could hold the name.
  'too large by a subject that does not compress': {
    subjectId: randomBytes(40_000).toString('hex'),
  },
  'a fraction': { data: '{"rate":0.5}' },
  'a number beyond 2^53': { data: '{"n":9007199254740993}' },
  'a number that no double holds': { data: '{"n":1e400}' },
  'too deep': { data: deep(70) },
  'no object': { data: '[1]' },
  'a type that is no word': { type: 'Thing happened' },
  'an unknown kind of actor': { actorKind: 'robot' },
  'an id of another version': { id: '5b3f1c1e-2222-4222-8222-222222222222' },
  'a subject before its first version': { ver: 0 },
  'a moment without end': { at: 'infinity' },
  'a moment beyond year 9999': { at: '12026-03-02T09:00:00Z' },
  'a body that is none': { body: '{"key":"k"}' },
};

describe('a fact that no entry can hold', () => {
  it.each(Object.entries(IMPOSSIBLE))('%s', async (_, columns) => {
    await add('filing', { subjectId: 'before' });
    const id = await add('filing', columns);
    // The same thing again, one version later, where the impossible one had its own right version.
    const isOfThing = columns.ver === undefined && columns.subjectId === undefined;
    await add('filing', { ver: isOfThing ? 2 : 1 });
    await add('filing', { subjectId: 'behind' });
    const logs = await verifyLogs(world.admin, world.tenant, INSTANCE, world.signing);
    expect(logs).toMatchObject({ faults: [], waiting: 0 });
    const things = logs.entries.filter(({ log }) => String(log).endsWith('/filing'));
    expect(things).toHaveLength(4);
    const [, instead] = things as { data: { set_aside: { sha256: string; bytes: number } } }[];

    const [kept, ...others] = await setAsideFacts(world.admin, world.tenant);
    expect(others).toEqual([]);
    expect(kept?.id).toBe(id);
    const { fact } = await opened(id);
    expect(instead?.data.set_aside).toEqual({
      reason: kept?.reason,
      sha256: createHash('sha256').update(fact).digest('hex'),
      bytes: Buffer.byteLength(fact),
    });
    expect(JSON.parse(fact)).toMatchObject({ id, subj_kind: 'thing' });
    if (columns.data !== undefined && !columns.data.includes('1e400')) {
      expect(fact).toContain(columns.data.slice(0, 10).replace(':', ': '));
    }

    const alerts = await world.run(
      { name: '', text: `select kind, severity, raised, text from alert where tenant = $1` },
      [world.tenant],
    );
    expect(alerts).toMatchObject([{ kind: 'ledger_set_aside', severity: 'critical', raised: 1 }]);
    expect(String(alerts[0]?.['text'])).not.toContain('xxxx');
  });

  it.each(LEDGER_BOUNDARIES)('stops no log: %s', async (boundary) => {
    await add(boundary, { data: JSON.stringify({ reason: long }) });
    await add(boundary, { ver: 2 });
    expect(await verifyLogs(world.admin, world.tenant, INSTANCE, world.signing)).toMatchObject({
      faults: [],
      waiting: 0,
    });
  });

  it('keeps what the machine of filings asks of the log', async () => {
    const subject = { subjectId: 'F-1' };
    const of = (ver: number, type: string, data: object): Promise<string> =>
      add('filing', { ...subject, ver, type, data: JSON.stringify(data) });
    await of(1, 'filing.state', { from: null, to: 'pending' });
    await of(2, 'filing.intent', { from: 'pending', to: 'submitted' });
    await of(3, 'filing.outcome', { from: 'submitted', to: 'accepted', receipt: long });
    await world.run(
      { name: '', text: `update ledger_intake set subj_kind = 'filing' where tenant = $1` },
      [world.tenant],
    );
    expect(await verifyLogs(world.admin, world.tenant, INSTANCE, world.signing)).toMatchObject({
      faults: [],
    });
  });

  it('is set aside once, also beside many others and over several groups', async () => {
    for (let n = 0; n < 5; n += 1) {
      await world.addFacts(60);
      await add('filing', { subjectId: `T-${n}`, data: JSON.stringify({ reason: long }) });
    }
    const { sequencer } = world;
    while ((await sequencer.sequence(64)) > 0);
    const logs = await verifyLogs(world.admin, world.tenant, INSTANCE, world.signing);
    expect(logs).toMatchObject({ faults: [], waiting: 0 });
    expect(await setAsideFacts(world.admin, world.tenant)).toHaveLength(5);
    const told = await world.run({ name: '', text: `select raised from alert where tenant = $1` }, [
      world.tenant,
    ]);
    expect(told).toHaveLength(1);
  });

  it('can be neither changed nor removed', async () => {
    await add('filing', { data: '{"rate":0.5}' });
    await verifyLogs(world.admin, world.tenant, INSTANCE, world.signing);
    for (const text of [
      `update ledger_set_aside set sealed = '' where tenant = $1`,
      `delete from ledger_set_aside where tenant = $1`,
    ]) {
      await expect(world.run({ name: '', text }, [world.tenant])).rejects.toThrow(/written once/);
    }
  });

  it('waits, and is reported, where no key can seal it; then it is set aside in its place', async () => {
    const { tenant, admin } = world;
    const keyless = new PostgresSequencer({ session: admin, tenant, instance: INSTANCE });
    await add('filing', { subjectId: 'before' });
    const id = await add('filing', { data: JSON.stringify({ reason: 'a person', rate: 0.5 }) });
    await add('filing', { ver: 2 });
    await add('rules', { subjectId: 'elsewhere' });
    while ((await keyless.sequence()) > 0);
    // Often, as a running process does.
    for (let pass = 0; pass < 3; pass += 1) expect(await keyless.sequence()).toBe(0);
    expect(await stateOfLogs()).toEqual({ filing: 1, rules: 1, waiting: 2, aside: 0 });
    const read = `select kind, severity, raised, text from alert where tenant = $1 order by raised_at`;
    const alerts = await world.run({ name: '', text: read }, [tenant]);
    expect(alerts).toMatchObject([{ kind: 'ledger_fact_waits', severity: 'critical', raised: 1 }]);
    expect(String(alerts[0]?.['text'])).not.toContain('a person');

    const logs = await verifyLogs(admin, tenant, INSTANCE, world.signing);
    expect(logs).toMatchObject({ faults: [], waiting: 0 });
    expect(await stateOfLogs()).toMatchObject({ filing: 3, waiting: 0, aside: 1 });
    expect((await opened(id)).fact).toContain('a person');
    expect(await world.run({ name: '', text: read }, [tenant])).toMatchObject([
      { kind: 'ledger_fact_waits' },
      { kind: 'ledger_set_aside' },
    ]);
  });

  async function stateOfLogs(): Promise<unknown> {
    const [row] = await world.run(
      {
        name: '',
        text: `select
          (select count(*)::int from ledger_entry where tenant = $1 and boundary = 'filing') as filing,
          (select count(*)::int from ledger_entry where tenant = $1 and boundary = 'rules') as rules,
          (select count(*)::int from ledger_intake where tenant = $1) as waiting,
          (select count(*)::int from ledger_set_aside where tenant = $1) as aside`,
      },
      [world.tenant],
    );
    return row;
  }
});
